from __future__ import annotations

import pytest

from assay.expr import REPORT_FIELDS
from assay.spec import read_expr, same_formula, whitelist


def test_the_whitelist_is_that_of_the_dialect() -> None:
    assert set(whitelist().ops) == {
        "RANK", "TS_MEAN", "TS_STD", "TS_MIN", "TS_MAX", "TS_PCTCHANGE", "TS_SUM", "COUNT",
        "INDUSTRY_NEUTRALIZE", "DELAY", "DELTA", "LOG", "ABS", "SIGN",
    }  # fmt: skip
    assert set(whitelist().fields) == {
        "open", "high", "low", "close", "volume", "amount", "return", "industry", "net_mf_amount",
    }  # fmt: skip
    assert whitelist().fields == tuple(REPORT_FIELDS)


@pytest.mark.parametrize(
    ("text", "level", "code"),
    [
        ("TS_STD($return,20)", "runnable", None),
        ("foo($close)", "parsed", "off_whitelist"),
        ("RANK(", "unparsed", "syntax"),
        ("close close", "unparsed", "syntax"),
        ("TS_MEAN($close)", "parsed", "wrong_arity"),
        ("RANK($close, 5)", "parsed", "wrong_arity"),
        ("DELAY($close,-1)", "typed", "look_ahead"),
        ("TS_MEAN($close,505)", "typed", "lookback_too_long"),
        ("COUNT($return,20)", "typed", "unsupported_op"),
        ("TS_SUM($net_mf_amount,5)", "typed", "unsupported_field"),
        ("5", "typed", "no_field"),
        ("$industry", "typed", "no_field"),
        ("import os; os.system('x')", "unparsed", "syntax"),
    ],
)
def test_executable_means_parsed_typed_and_supported(text: str, level: str, code: str | None) -> None:
    read = read_expr(text)
    assert (read.level, read.refusal and read.refusal.reason.code) == (level, code)
    assert read.runnable == (code is None)


def test_names_outside_the_whitelist_are_given() -> None:
    assert read_expr("TS_CORR($close,$vwap,20)/TS_CORR($pe,$close,5)").off_whitelist == (
        "TS_CORR",
        "$vwap",
        "$pe",
    )
    # a field that the data has, and the dialect does not list
    assert read_expr("RANK($cap)").off_whitelist == ("$cap",)


@pytest.mark.parametrize("text", ["COUNT($return,20)", "TS_SUM($net_mf_amount,5)"])
def test_listed_names_without_engine_are_not_off_the_list(text: str) -> None:
    read = read_expr(text)
    assert read.unsupported
    assert read.off_whitelist == ()
    assert read.expression is not None


def test_windows_stand_in_the_order_of_the_text() -> None:
    assert read_expr("TS_MEAN(TS_STD($close,5),20)/DELAY($volume,1)").windows == (5, 20, 1)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("TS_MEAN($close,5)/TS_MEAN($close,20)", "TS_MEAN( $close , 5 ) / TS_MEAN($close,20)"),
        ("1*RANK($close)+0", "-(-RANK($close))"),
        ("$high+$low+$close", "$close+($low+$high)"),
    ],
)
def test_the_same_formula_in_other_words(a: str, b: str) -> None:
    assert same_formula(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("TS_MEAN($close,5)", "TS_MEAN($close,6)"),
        ("TS_MEAN($close,5)", "TS_STD($close,5)"),
        ("TS_MEAN($close,5)", "-TS_MEAN($close,5)"),
        ("RANK($close)", "$close"),
        ("RANK(", "RANK("),
        ("2*$close", "$close"),
    ],
)
def test_different_formulas(a: str, b: str) -> None:
    assert not same_formula(a, b)


def test_a_wrapper_that_repeats_the_declared_neutralisation_is_neutral() -> None:
    plain, wrapped = "RANK($return)", "INDUSTRY_NEUTRALIZE(RANK($return),$industry)"
    assert same_formula(plain, wrapped, neutralization="industry")
    assert not same_formula(plain, wrapped, neutralization="none")
    assert not same_formula(plain, wrapped)
