"""The gate against parts of a formula, variants of a setting, and names in quotation marks."""

from __future__ import annotations

from typing import Any

import pytest

from assay.reports._extraction import Extraction
from assay.reports.verifier import gate
from assay.spec import read_expr

from .notes import document_of, spec_of


def reasons(text: str, expr: str, quotes: dict[str, tuple[str, ...]], **fields: str) -> tuple[str, ...]:
    """Why the gate refuses a formula with these citations; empty where it admits."""
    document = document_of(text, "note.md")
    values: dict[str, Any] = dict.fromkeys(
        ("universe", "frequency", "neutralization", "rebalance"), "undeclared"
    )
    values |= fields
    spec = spec_of(document, quotes, name="x", expr=expr, windows=read_expr(expr).windows, **values)  # type: ignore[arg-type]
    return gate(document, Extraction.found(spec, "undeclared")).reasons


PRODUCT = (
    "Two quantities matter. The first is the 20-day return of the close. The second is the 5-day average "
    "volume. The factor is the product of the two.\n"
)
PRODUKT = "先计算过去20日收益率，再计算过去5日成交量均值。因子为两者相乘。\n"


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        (
            PRODUCT,
            (
                "the 20-day return of the close",
                "the 5-day average volume",
                "The factor is the product of the two",
            ),
        ),
        (PRODUKT, ("过去20日收益率", "过去5日成交量均值", "因子为两者相乘")),
    ],
)
def test_an_ingredient_of_a_product(text: str, quotes: tuple[str, ...]) -> None:
    first, second, whole = quotes
    momentum, volume = "TS_PCTCHANGE($close,20)", "TS_MEAN($volume,5)"
    assert reasons(text, momentum, {"expr": (first,)}) == ("extract.partial_formula",)
    assert reasons(text, volume, {"expr": (second,)}) == ("extract.partial_formula",)
    assert "extract.partial_formula" in reasons(text, f"{momentum}-{volume}", {"expr": quotes})
    assert reasons(text, f"{momentum}*{volume}", {"expr": quotes}) == ()
    assert whole in text


@pytest.mark.parametrize(
    ("text", "expr", "quote", "whole"),
    [
        ("因子为过去5日均量除以过去20日均量。", "TS_MEAN($volume,5)", "过去5日均量",
         "TS_MEAN($volume,5)/TS_MEAN($volume,20)"),
        ("The factor is the ratio of the 5-day average volume to the 20-day average volume.",
         "TS_MEAN($volume,5)", "the 5-day average volume", "TS_MEAN($volume,5)/TS_MEAN($volume,20)"),
        ("因子取过去20日平均成交额。考虑到量纲，最后再取对数。", "TS_MEAN($amount,20)", "过去20日平均成交额",
         "LOG(TS_MEAN($amount,20))"),
        ("分子为过去14日收益率之和，分母为过去14日收益率绝对值之和。", "TS_SUM(ABS($return),14)",
         "过去14日收益率绝对值之和", "TS_SUM($return,14)/TS_SUM(ABS($return),14)"),
        ("F = P / H，其中 H 为过去20日最高价的最大值，P 为收盘价。", "TS_MAX($high,20)",
         "过去20日最高价的最大值", "$close/TS_MAX($high,20)"),
    ],
)  # fmt: skip
def test_a_quote_of_a_part(text: str, expr: str, quote: str, whole: str) -> None:
    assert "extract.partial_formula" in reasons(text, expr, {"expr": (quote,)})
    assert reasons(text, whole, {"expr": (text.strip(),)}) == ()


def test_a_statement_about_portfolios_asks_for_nothing() -> None:
    text = "因子为过去20日收益率的标准差。多空两组，两者之差年化为5%。\n"
    assert reasons(text, "TS_STD($return,20)", {"expr": ("过去20日收益率的标准差",)}) == ()


def test_a_window_of_the_cited_definition_that_the_formula_leaves_out() -> None:
    text = "The factor is the 20-day volatility of returns over the past 60 days.\n"
    cited = {"expr": ("the 20-day volatility of returns over the past 60 days",)}
    assert reasons(text, "TS_STD($return,20)", cited) == ("extract.unexplained_number",)
    gain = "The factor is the largest one-day return over the past 20 days.\n"
    assert (
        reasons(gain, "TS_MAX($return,20)", {"expr": ("the largest one-day return over the past 20 days",)})
        == ()
    )


TESTS = (
    "# A note\n\nThe factor is the standard deviation of daily returns over 20 days. We rebalance weekly.\n\n"
    "## Robustness\n\nIn the CSI 500 little changes. The book was also rebalanced monthly. "
    "Neutralized by industry, the IC rises. The standard deviation over 60 days does worse.\n"
)


@pytest.mark.parametrize(
    ("field", "value", "quote"),
    [
        ("universe", "CSI500", "In the CSI 500 little changes"),
        ("rebalance", "monthly", "The book was also rebalanced monthly"),
        ("neutralization", "industry", "Neutralized by industry, the IC rises"),
    ],
)
def test_a_variant_states_no_field(field: str, value: str, quote: str) -> None:
    definition = "the standard deviation of daily returns over 20 days"
    quotes = {"expr": (definition,), field: (quote,)}
    assert reasons(TESTS, "TS_STD($return,20)", quotes, **{field: value}) == ("extract.uncited_field",)
    settled = TESTS.replace("## Robustness", "## Settings")
    assert reasons(settled, "TS_STD($return,20)", quotes, **{field: value}) == ()


def test_a_variant_states_no_window() -> None:
    quotes = {
        "expr": ("the standard deviation of daily returns", "The standard deviation over 60 days does worse")
    }
    assert reasons(TESTS, "TS_STD($return,60)", quotes) == ("extract.ungrounded_number",)


def test_a_name_in_quotation_marks_is_no_op() -> None:
    text = "我们称之为“均值之外”的因子取过去20日收盘价的最大值。\n"
    assert "extract.unsupported_words" in reasons(text, "TS_MEAN($close,20)", {"expr": (text.strip(),)})
    assert reasons(text, "TS_MAX($close,20)", {"expr": (text.strip(),)}) == ()


def test_a_name_defines_nothing() -> None:
    text = "低波动因子\n\n取过去20日收盘价的均值。\n"
    quotes: dict[str, tuple[str, ...]] = {"expr": ("取过去20日收盘价的均值",), "name": ("低波动因子",)}
    assert "extract.unsupported_words" in reasons(text, "TS_STD($close,20)", quotes)


def test_a_unit_that_no_number_counts_states_a_window() -> None:
    text = "The factor is the average close over the trailing month.\n"
    for days in (20, 21, 22):
        assert (
            reasons(text, f"TS_MEAN($close,{days})", {"expr": ("the average close over the trailing month",)})
            == ()
        )
    assert "extract.ungrounded_number" in reasons(
        text, "TS_MEAN($close,30)", {"expr": ("the average close over the trailing month",)}
    )


def test_weights_of_a_sum_in_per_cent() -> None:
    text = "Score: 60% of the rank of the close plus 40% of the rank of volume.\n"
    cited = {"expr": (text.strip(),)}
    assert reasons(text, "0.6*RANK($close)+0.4*RANK($volume)", cited) == ()
    assert "extract.ungrounded_number" in reasons(text, "0.7*RANK($close)+0.3*RANK($volume)", cited)
