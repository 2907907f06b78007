"""The gate against phrases that the rest of their sentence qualifies."""

from __future__ import annotations

import re

import pytest

from assay.reports._extraction import Extraction
from assay.reports.verifier import gate
from assay.spec import read_expr

from .notes import document_of, spec_of
from .qualified import QUALIFIED, REMARKED, Said


def reasons(text: str, quote: str, expr: str) -> tuple[str, ...]:
    """Why the gate refuses a formula of this quote; empty where it admits."""
    document = document_of(text, "note.md")
    settings = dict.fromkeys(("universe", "frequency", "neutralization", "rebalance"), "undeclared")
    windows = read_expr(expr).windows
    spec = spec_of(document, {"expr": (quote,)}, name="x", expr=expr, windows=windows, **settings)
    return gate(document, Extraction.found(spec, "undeclared")).reasons


@pytest.mark.parametrize("said", QUALIFIED, ids=[item.text.strip()[-50:] for item in QUALIFIED])
def test_a_phrase_is_not_admitted_for_what_qualifies_it(said: Said) -> None:
    assert "extract.partial_formula" in reasons(said.text, said.phrase, said.expr)
    sentence = re.split(r"。|\.\s", said.text)[0]
    assert reasons(said.text, sentence, said.expr), "also where all of the sentence is cited"


@pytest.mark.parametrize("said", REMARKED, ids=[item.text.strip()[-50:] for item in REMARKED])
def test_a_remark_is_no_qualifier(said: Said) -> None:
    assert reasons(said.text, said.phrase, said.expr) == ()


@pytest.mark.parametrize(
    ("text", "quote", "expr"),
    [
        ("The factor is the 20-day average volume, with a lag of 5 trading days.\n",
         "20-day average volume, with a lag of 5 trading days", "DELAY(TS_MEAN($volume,20),5)"),
        ("因子为过去20日平均成交量,滞后5个交易日。\n", "过去20日平均成交量,滞后5个交易日",
         "DELAY(TS_MEAN($volume,20),5)"),
        ("The factor is the 240-day return, skipping the most recent 20 days.\n",
         "240-day return, skipping the most recent 20 days", "DELAY($close,20)/DELAY($close,240)-1"),
        ("The factor is the return from 252 days ago to 21 days ago.\n",
         "return from 252 days ago to 21 days ago", "DELAY($close,21)/DELAY($close,252)-1"),
        ("因子为252日前至21日前的累计收益率。\n", "252日前至21日前的累计收益率",
         "DELAY($close,21)/DELAY($close,252)-1"),
        ("The factor is the sum over the past 20 days of the daily return times volume, weighted by volume, "
         "over the sum of volume over the past 20 days.\n",
         "the sum over the past 20 days of the daily return times volume, weighted by volume, over the sum "
         "of volume over the past 20 days", "TS_SUM($return*$volume,20)/TS_SUM($volume,20)"),
    ],
)  # fmt: skip
def test_a_formula_that_has_the_qualifier_is_admitted(text: str, quote: str, expr: str) -> None:
    assert reasons(text, quote, expr) == ()


def test_a_lag_of_another_length_is_refused() -> None:
    text = "The factor is the 20-day average volume, with a lag of 5 trading days.\n"
    quote = "20-day average volume, with a lag of 5 trading days"
    assert "extract.partial_formula" in reasons(text, quote, "DELAY(TS_MEAN($volume,20),20)")


def test_days_that_count_as_one_are_the_words_of_a_sign() -> None:
    text = "因子为过去20日收益率符号(SIGN)之和,上涨的日子记1,下跌的日子记-1。\n"
    assert reasons(text, text.strip("。\n"), "TS_SUM(SIGN($return),20)") == ()
