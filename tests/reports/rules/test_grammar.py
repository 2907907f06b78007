"""Every example of the table of patterns is read as it says; what has two readings is not read."""

import pytest

from assay.reports.documents import read_document
from assay.reports.rules._grammar import PATTERNS
from assay.reports.rules._read import whole
from assay.reports.rules._scan import Scanner
from assay.reports.rules._tree import text_of, unknown_names
from assay.spec import read_expr

EXAMPLES = [(pattern.name, *example) for pattern in PATTERNS for example in pattern.examples]


def formula(phrase: str) -> str | None:
    document = read_document(phrase.encode(), name="phrase.txt")
    tree = whole(Scanner.of(document).tokens(0, len(document.text)))
    return None if tree is None else text_of(tree)


@pytest.mark.parametrize(("name", "phrase", "expected"), EXAMPLES, ids=[e[1] for e in EXAMPLES])
def test_an_example_is_read(name: str, phrase: str, expected: str) -> None:
    assert formula(phrase) == expected


def test_examples_are_in_both_languages() -> None:
    for pattern in PATTERNS:
        if pattern.examples and pattern.name != "call":
            scripts = {any("\u4e00" <= c <= "\u9fff" for c in phrase) for phrase, _ in pattern.examples}
            assert scripts == {True, False}, pattern.name


def test_formulas_of_the_examples_run() -> None:
    for pattern in PATTERNS:
        if pattern.name == "pairs":
            continue
        for _, expected in pattern.examples:
            assert read_expr(expected).runnable, expected


@pytest.mark.parametrize(
    "phrase",
    [
        "日收益率绝对值除以成交额的20日均值",
        "成交额/收盘价的20日均值",
        "收盘价减去开盘价除以最高价",
        "the close minus the open divided by the high",
    ],
)
def test_a_phrase_with_two_readings_is_not_read(phrase: str) -> None:
    assert formula(phrase) is None


@pytest.mark.parametrize(
    "phrase",
    [
        "过去20日经市场调整的收益率",
        "过去20日涨停次数",
        "the 20-day return in excess of its industry",
        "the 20-day frobnicated volume",
        "过去若干日的收益率",
        "20",
    ],
)
def test_unknown_words_are_not_read_over(phrase: str) -> None:
    assert formula(phrase) is None


def test_a_number_that_is_no_parameter_joins_nothing() -> None:
    assert formula("the CSI 300 return over 2024") is None


def test_ops_outside_the_whitelist_are_named() -> None:
    document = read_document("过去20日收盘价与成交量的相关系数".encode(), name="phrase.txt")
    tree = whole(Scanner.of(document).tokens(0, len(document.text)))
    assert tree is not None
    assert unknown_names(tree) == ("TS_CORR",)
