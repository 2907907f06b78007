"""Factors put together of counted quantities; conditions, variants and what the own evidence contradicts."""

from __future__ import annotations

import pytest

from assay.spec import same_formula

from .reading import extract

EN = " CSI 300, computed daily, rebalanced weekly. High values predict low returns."
ZH = "沪深300，每日计算，每周调仓。因子值越高，未来收益越低。"


def settled(text: str) -> str:
    return text + (ZH if any("\u4e00" <= c <= "\u9fff" for c in text) else EN)


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        (
            "The factor is the product of two terms. The first is the 5-day return. The second is the 20-day "
            "volatility.",
            "TS_PCTCHANGE($close, 5) * TS_STD($return, 20)",
        ),
        (
            "Leg one is the 20-day return. Leg two is the 20-day volatility. "
            "The factor is the sum of the two ranks.",
            "RANK(TS_PCTCHANGE($close, 20)) + RANK(TS_STD($return, 20))",
        ),
        (
            "The factor is a ratio. The numerator is the 5-day average volume. "
            "The denominator is the 20-day average volume.",
            "TS_MEAN($volume, 5) / TS_MEAN($volume, 20)",
        ),
        (
            "因子由两部分组成：一是过去20日收益率，二是过去20日波动率。因子为两者之差。",
            "TS_PCTCHANGE($close, 20) - TS_STD($return, 20)",
        ),
        (
            "强度指标：分子为过去14日收益率之和，分母为过去14日收益率绝对值之和。",
            "TS_SUM($return, 14) / TS_SUM(ABS($return), 14)",
        ),
    ],
)
def test_counted_quantities(text: str, expr: str) -> None:
    found = extract(settled(text))
    assert found.spec is not None, (found.reason, found.note)
    assert same_formula(found.spec.expr, expr), found.spec.expr


@pytest.mark.parametrize(
    "text",
    [
        "Leg one is the 20-day return. Leg two is the 20-day turnover skew. "
        "The factor is the sum of the two ranks.",
        "The first is the 20-day return. The second is the 20-day volatility. "
        "The factor is the log of the product of the two.",
        "The first is the 20-day return. The factor is the product of the two.",
        "先计算过去20日收益率。因子为两者相乘。",
        "分子为过去14日收益率之和，分母为过去14日换手的熵。",
        "若市场上涨，则因子为过去20日收益率；若下跌，则为其相反数。",
        "The factor is the 20-day return if volume is high and zero otherwise.",
        "$$ F = \\frac{P}{H} $$\n\n其中 H 为过去20日最高价的最大值。",
        "First, take the daily return. Next, winsorise it. Finally, average it over 20 days.",
        "过去20日收益率的标准差，记为波动。考虑到量纲，因子最后再取平方根。",
    ],
)
def test_a_part_is_not_handed_over(text: str) -> None:
    assert extract(settled(text)).status == "refused"


def test_what_a_section_of_robustness_tries_is_not_of_the_factor() -> None:
    text = (
        "# A note\n\nThe factor is the standard deviation of daily returns over 60 days. Universe: CSI 300. "
        "Computed daily, rebalanced weekly.\n\n## Robustness\n\nWith a 120-day window the spread halves. "
        "Universe: CSI 500. Rebalanced monthly. Neutralized by industry the IC rises. "
        "High values predict high returns.\n"
    )
    found = extract(text)
    assert found.spec is not None, (found.reason, found.note)
    assert (found.spec.windows, found.spec.universe, found.spec.rebalance) == ((60,), "CSI300", "weekly")
    assert found.undeclared == ("neutralization", "direction")
    mixed = extract(text.replace("## Robustness", "## Settings"))
    assert mixed.status == "conflict"


def test_a_letter_means_what_the_text_says() -> None:
    text = "设 P 为当日收盘价，H 为过去120个交易日内收盘价的最大值，因子为 P/H。"
    found = extract(settled(text))
    assert found.spec is not None
    assert same_formula(found.spec.expr, "$close / TS_MAX($close, 120)")


def test_items_with_names_are_factors_of_their_own() -> None:
    text = "（A）缩量：5日均额除以60日均额；\n\n（B）低振幅：20日平均振幅（最高价减最低价，除以前收盘价）。"
    for target, expr in (
        ("缩量", "TS_MEAN($amount, 5) / TS_MEAN($amount, 60)"),
        ("低振幅", "TS_MEAN(($high - $low) / DELAY($close, 1), 20)"),
    ):
        found = extract(settled(text), target)
        assert found.spec is not None, (found.reason, found.note)
        assert same_formula(found.spec.expr, expr), found.spec.expr


def test_losers_are_no_low_values_of_a_formula_with_a_minus() -> None:
    text = "Our reversal signal is the negative of the 10-day return. Recent losers rebound. CSI 300, weekly."
    assert extract(text).direction == "positive"
