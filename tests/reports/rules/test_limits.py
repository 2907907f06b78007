"""Texts made to take long are refused at a count of characters or steps, and no part is left out silently."""

import pytest

from assay.errors import AssayError
from assay.reports.documents import read_document
from assay.reports.rules import RulesExtractor
from assay.reports.rules._cues import crowded, regions_of
from assay.reports.rules._factors import Analysis
from assay.reports.rules._limits import SENTENCE, STARTS, TEXT
from assay.reports.rules._sentences import Sentence

from .reading import document, extract

HOSTILE = {
    "open quotes": "“" * 2000,
    "half a definition": "因子定义为过去20日的" * 550,
    "more of it": "因子定义为过去20日的" * 2000,
    "brackets": "(" * 5000 + "RANK($close)" + ")" * 5000,
    "no end": "the factor is a long tale of many words " * 12_000,
    "commas": "价，" * 700 + "。",
    "definitions": "因子定义为过去20日的收益率。" * 4000,
    "English definitions": "The factor is the 20-day return divided by volume. " * 1000,
    "letters": "\n".join(f"A{number} = close / open" for number in range(500)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_beyond_a_limit_is_refused_and_says_so(name: str) -> None:
    found = extract(HOSTILE[name])
    assert found.reason is not None
    assert found.reason.code == "extract.unread"
    assert "that are read" in found.note or "than are read" in found.note
    assert [item.computable for item in found.candidates] == [False]
    assert RulesExtractor().candidates(document(HOSTILE[name])) == found.candidates


def test_five_megabytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(AssayError, match="more than 1,000,000 characters"):
        read_document(b"the factor is the 20-day return. " * 160_000, name="long.txt")


def test_the_longest_text_is_read_and_one_character_more_is_not() -> None:
    note = "The factor is defined as the 20-day return.\n\n"
    filler = "Nothing is said here. "
    whole = note + filler * ((TEXT - len(note)) // len(filler) - 1)
    assert extract(note + filler * 20).spec is not None
    longer = whole + filler * 3
    assert "longer than the" in extract(longer).note


def test_a_long_sentence_beside_a_plain_definition_is_not_passed_over() -> None:
    note = "The factor is defined as the 20-day return.\n\n"
    assert extract(note + "word " * (SENTENCE // 5 - 5) + ".").spec is not None
    refused = extract(note + "word " * (SENTENCE // 5 + 5) + ".")
    assert refused.reason is not None
    assert refused.reason.code == "extract.unread"


def test_a_list_of_names_that_speaks_of_no_quantity_refuses_nothing() -> None:
    names = ", ".join(f"Firm{number}" for number in range(STARTS + 40))
    assert extract(f"The factor is defined as the 20-day return.\n\nWe thank {names}.").spec is not None


def test_a_formula_is_looked_for_at_a_bounded_number_of_places() -> None:
    for text in ("“" * 1400, "价，" * 700, "因子定义为" * 250, "factor: " * 180):
        sentence = Sentence(0, len(text), 0, text)
        assert crowded(sentence)
        assert list(regions_of(sentence)) == []
    short = "因子定义为过去20日收益率，即收盘价除以20日前收盘价减1"
    assert 0 < len(list(regions_of(Sentence(0, len(short), 0, short)))) <= STARTS


def test_the_work_grows_with_the_text_and_not_with_its_square() -> None:
    def cells(count: int) -> int:
        analysis = Analysis(document("组合20日收益率与5日均线之比为3.2%。\n\n" * count))
        assert analysis.factors == ()
        return analysis.scanner.charts.cells

    assert 0 < cells(400) <= 2.1 * cells(200)
