"""Directions that portfolios, quantiles and settings state."""

import pytest

from assay.reports._directions import directions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Average returns decrease monotonically from the first quintile (lowest values) to the fifth",
            "negative",
        ),
        ("returns decline monotonically from the top decile to the bottom decile", "positive"),
        ("monotonically decreasing quintile returns", "negative"),
        ("portfolio returns rise monotonically with this statistic", "positive"),
        ("we go long the names with the lowest readings", "negative"),
        ("Direction: short high, long low", "negative"),
        ("Sign: negative", "negative"),
        ("the lowest decile is our long leg", "negative"),
        ("the highest decile forms the short leg", "negative"),
        ("Low scores are bought", "negative"),
        ("high values are preferred", "positive"),
        ("Which side do you buy?\nThe low side", "negative"),
        ("low-minus-high portfolios", "negative"),
        ("The lower this number, the larger the subsequent rebound", "negative"),
        ("十分组收益单调递减", "negative"),
        ("收益自低到高单调下降", "negative"),
        ("收益由高到低单调递减", "positive"),
        ("收益由低到高单调递增", "positive"),
        ("多头组合为因子值最低的一组", "negative"),
        ("空头端为因子值最高的10%", "negative"),
        ("做多低值、做空高值", "negative"),
        ("得分低者进入多头组合", "negative"),
        ("买入低波动、做空高波动的股票", "negative"),
        ("因子方向 | 负", "negative"),
        ("最高组每年比最低组少赚8个点", "negative"),
    ],
)
def test_a_direction_is_stated(text: str, expected: str) -> None:
    assert directions(text) == {expected}


@pytest.mark.parametrize(
    "text",
    [
        "the highest high over the trailing window",
        "the largest daily return in the window",
        "the high minus the low, lagged by one day",
        "过去20个交易日最高价与最低价之差",
        "日内高低价差的均值",
    ],
)
def test_words_of_a_formula_state_none(text: str) -> None:
    assert directions(text) == set()
