"""Several factors in one report: each is listed with its page, and the target chooses."""

import pytest

from assay.reports.rules import RulesExtractor

from .reading import document, extract

TWO = (
    "# 量价因子\n\n1. 动量因子：过去60个交易日的累计收益率。\n\n2. 波动因子：过去20个交易日日收益率"
    "的标准差。\n\n"
    "股票池为中证500，每月调仓。"
)
MIXED = (
    "# Two signals\n\n## Volume trend\n\nAverage volume over the past 10 days divided by average "
    "volume over the "
    "past 60 days. High values lead to low returns.\n\n<!-- page -->\n\n## Late-day factor\n\nThe factor is "
    "defined as the 5-minute volume before the close, averaged over 20 days.\n"
)


def test_each_factor_is_listed_in_the_order_of_the_text() -> None:
    listed = RulesExtractor().candidates(document(TWO))
    assert [candidate.name for candidate in listed] == ["动量因子", "波动因子"]
    assert all(candidate.computable for candidate in listed)


def test_without_a_target_several_are_refused() -> None:
    found = extract(TWO)
    assert found.reason is not None
    assert found.reason.code == "extract.several_targets"
    assert len(found.candidates) == 2


def test_the_target_chooses_and_shared_settings_hold_for_each() -> None:
    for target, expr in (("动量因子", "TS_PCTCHANGE($close, 60)"), ("波动因子", "TS_STD($return, 20)")):
        spec = extract(TWO, target).spec
        assert spec is not None
        assert (spec.expr, spec.universe, spec.rebalance) == (expr, "CSI500", "monthly")


def test_an_unknown_target_is_refused_with_the_names() -> None:
    found = extract(TWO, "价值因子")
    assert found.reason is not None
    assert found.reason.code == "extract.unknown_target"
    assert "动量因子" in found.note


def test_the_verdict_belongs_to_the_factor_and_not_to_the_file() -> None:
    listed = RulesExtractor().candidates(document(MIXED))
    assert [(c.computable, c.pages) for c in listed] == [(True, (1,)), (False, (2,))]
    assert listed[1].why_not is not None
    assert listed[1].why_not.code == "extract.minute_data"
    spec = extract(MIXED).spec
    assert spec is not None
    assert spec.expr == "TS_MEAN($volume, 10) / TS_MEAN($volume, 60)"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我们构建“反转因子”：每个交易日，计算过去20个交易日个股收益率，取相反数后作为因子值。", "反转因子"),
        (
            "Each day we take the trailing five-day return of a stock. Call it *5-day return*.",
            "5-day return",
        ),
    ],
)
def test_a_time_is_no_name_and_a_name_keeps_its_days(text: str, name: str) -> None:
    assert [candidate.name for candidate in RulesExtractor().candidates(document(text))] == [name]


def test_a_part_of_a_formula_is_no_factor() -> None:
    listed = RulesExtractor().candidates(
        document("日内收益率定义为收盘价除以开盘价减1。日内动量因子为过去20日日内收益率之和。")
    )
    assert [candidate.name for candidate in listed] == ["日内动量因子"]
