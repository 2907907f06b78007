"""Definitions over several sentences, cells, questions, and names that stand for a part."""

import pytest

from assay.spec import same_formula

from .reading import extract

SETTINGS_EN = "\n\nUniverse: CSI 500. The portfolio is rebalanced weekly."
SETTINGS_ZH = "\n\n股票池为中证500，每周调仓。"


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        (
            "First compute the high less the low, divided by the close. Then average it over 20 days. "
            "The result is our range factor.",
            "TS_MEAN(($high - $low) / $close, 20)",
        ),
        (
            "The factor is built from the standard deviation of volume over the past 20 days. "
            "It is divided by the mean of volume over the same 20 days.",
            "TS_STD($volume, 20) / TS_MEAN($volume, 20)",
        ),
        (
            "1. The price of a day is traded value divided by volume.\n"
            "2. The close is divided by this price.\n3. The result is averaged over 5 days.",
            "TS_MEAN($close / ($amount / $volume), 5)",
        ),
        (
            "首先计算最高价减最低价的差除以收盘价。然后对其取近20个交易日的平均，得到振幅因子。",
            "TS_MEAN(($high - $low) / $close, 20)",
        ),
        (
            "当日开盘价除以昨日收盘价再减去1，记为JUMP。因子取JUMP在最近10个交易日的累加值。",
            "TS_SUM($open / DELAY($close, 1) - 1, 10)",
        ),
        (
            "单日下影线定义为收盘价减最低价，除以收盘价。因子为单日下影线的20日均值。",
            "TS_MEAN(($close - $low) / $close, 20)",
        ),
        (
            "| 因子 | 放量 |\n|---|---|\n| 定义 | 5日均量除以60日均量 |",
            "TS_MEAN($volume, 5) / TS_MEAN($volume, 60)",
        ),
        (
            "| Factor | Formula | Note |\n|---|---|---|\n"
            "| Calm | 20-day standard deviation of daily returns | - |",
            "TS_STD($return, 20)",
        ),
        (
            "因子为短期均量与长期均量之比。\n\n| 项目 | 取值 |\n|---|---|\n| 短期窗口 | 10日 |\n"
            "| 长期窗口 | 120日 |",
            "TS_MEAN($volume, 10) / TS_MEAN($volume, 120)",
        ),
    ],
)
def test_the_steps_make_one_formula(text: str, expr: str) -> None:
    found = extract(text + (SETTINGS_ZH if any("\u4e00" <= c <= "\u9fff" for c in text) else SETTINGS_EN))
    assert found.spec is not None, (found.reason, found.note)
    assert same_formula(found.spec.expr, expr), found.spec.expr


@pytest.mark.parametrize(
    "text",
    [
        "First compute the 20-day average of volume. Then multiply it by the share of days that were traded.",
        "We compute the 20-day volatility, square it and divide by the square of the 60-day volatility.",
        "Closing strength is close minus open. We smooth this number with a Hodrick filter over 20 days.",
        "第一步，计算过去20日成交量的均值。第二步，将其乘以未停牌的比重。",
        "隔夜收益率定义为开盘价除以前收盘价减1。因子为隔夜收益率最大的五天在20日内的均值。",
        "因子为短期均量与长期均量之比。",
    ],
)
def test_half_of_the_steps_is_no_factor(text: str) -> None:
    found = extract(text + (SETTINGS_ZH if any("\u4e00" <= c <= "\u9fff" for c in text) else SETTINGS_EN))
    assert found.status == "refused", found.spec


def test_a_question_and_the_first_words_of_its_answer_state_a_setting() -> None:
    found = extract(
        "问：因子是什么？\n答：过去20日日收益率的标准差。\n\n问：多久调一次仓？\n答：每月一次，因子本身每天都算。"
    )
    assert found.spec is not None
    assert (found.spec.rebalance, found.spec.frequency) == ("monthly", "daily")


def test_a_sentence_about_the_factor_with_another_window_is_a_conflict() -> None:
    found = extract(
        "摘要：本文检验波动率因子，即20个交易日日收益率的标准差。\n\n"
        "方法：因子取过去40个交易日日收益率的标准差。沪深300，每月调仓。"
    )
    assert found.reason is not None
    assert found.reason.code == "extract.conflicting_window"


def test_what_is_defined_and_not_read_is_no_absence_of_a_factor() -> None:
    found = extract(
        "Peer strength is the average 20-day return of the five most similar stocks.\n\nUniverse: CSI 500. "
        "The portfolio is rebalanced weekly. High values outperform."
    )
    assert found.reason is not None
    assert found.reason.code == "extract.unread"
