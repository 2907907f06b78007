from __future__ import annotations

import pytest

from assay.reports._settings import neutralizations, periods


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("因子做行业中性处理", {"industry"}),
        ("行业和市值中性化", {"industry_size"}),
        ("市值中性,不做行业中性", {"size"}),
        ("因子对流通市值对数回归取残差，也就是市值中性；行业方面我们不作处理", {"size"}),
        ("未做中性化处理", {"none"}),
        ("不作中性化", {"none"}),
        ("The factor is industry-neutral", {"industry"}),
        ("No neutralization is applied", {"none"}),
        ("Nothing is neutralized", {"none"}),
        ("Industry and size are regressed out in all versions", {"industry_size"}),
        ("sector weights were stable in 2023", set()),
    ],
)
def test_neutralizations(text: str, expected: set[str]) -> None:
    assert neutralizations(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("每日计算", {"daily"}),
        ("每周一次", {"weekly"}),
        ("每 5 个交易日调仓", {"weekly"}),
        ("每20个交易日调仓", {"monthly"}),
        ("rebalanced at each month-end", {"monthly"}),
        ("every five trading days", {"weekly"}),
    ],
)
def test_periods(text: str, expected: set[str]) -> None:
    assert periods(text) == expected
