"""What a factor is called: names in quotation marks, and words of the formula where there is no name."""

from __future__ import annotations

import pytest

from .reading import extract


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("本报告在中证500成分股内构建“量价相关性”因子:过去20个交易日成交额的均值。", "量价相关性"),
        ("本报告在中证500成分股内构建「量价热度」因子:过去20个交易日成交额的均值。", "量价热度"),
        ('Within the CSI 500 we build the "crowding" factor: the 20-day average volume.', "crowding"),
        ("We look at turnover: the factor is the 20-day average turnover rate.",
         "20-day average turnover rate"),
        ("The factor is the standard deviation of daily returns over the past 20 trading days.",
         "standard deviation of daily returns"),
        ("The factor is the cumulative return from 20 days ago to today.",
         "cumulative return from 20 days ago"),
        ("因子为过去20日收益率的相反数,属于反转类因子。", "反转类因子"),
    ],
)  # fmt: skip
def test_names(text: str, name: str) -> None:
    (candidate,) = extract(text).candidates
    assert candidate.name == name
