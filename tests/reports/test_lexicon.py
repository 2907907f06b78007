from __future__ import annotations

from assay.reports import _lexicon as lexicon
from assay.reports.verifier._needs import _op_words
from assay.spec import whitelist


def test_every_op_and_field_of_the_whitelist_has_words_in_both_languages() -> None:
    assert set(lexicon.OP_WORDS) == set(_op_words().values())
    assert set(lexicon.FIELD_WORDS) == set(whitelist().fields)
    for words in (*lexicon.OP_WORDS.values(), *lexicon.FIELD_WORDS.values()):
        assert words.zh
        assert words.en


def test_commitments_name_ops_and_fields() -> None:
    known = set(lexicon.OP_WORDS) | {f"${name}" for name in lexicon.FIELD_WORDS}
    for item in lexicon.COMMITMENTS:
        assert item.parts <= known


def test_english_words_are_whole_words() -> None:
    assert not lexicon.says(lexicon.OP_WORDS["RANK"], "Frankfurt outranked them")
    assert not lexicon.says(lexicon.OP_WORDS["LOG"], "the logistics sector")
    assert lexicon.says(lexicon.OP_WORDS["TS_STD"], "Standard-deviation of returns")
    hit = lexicon.find_words(lexicon.OP_WORDS["TS_STD"], "20日波动率")[0]
    assert (hit.start, hit.end) == (3, 6)
