"""How texts say that quantities are put together, and formulas that do so."""

from __future__ import annotations

import pytest

from assay.expr import Node
from assay.reports._composition import fractions, goes_on, joinings, later_step
from assay.reports._signs import signs, top
from assay.spec import read_expr


def node_of(text: str) -> Node:
    expression = read_expr(text).expression
    assert expression is not None
    return expression.node


@pytest.mark.parametrize(
    ("text", "ops"),
    [
        ("The factor is the product of the two", "*"),
        ("we multiply the two", "*"),
        ("the two numbers are then multiplied", "*"),
        ("因子为两者相乘", "*"),
        ("将上述两项的截面排名相乘", "*"),
        ("The signal is the ratio of the two", "/"),
        ("the first divided by the second", "/"),
        ("两个指标之比即为因子", "/"),
        ("取前者除以后者", "/"),
        ("take the former minus the latter", "-"),
        ("因子取两者之差", "-"),
        ("前者减去后者", "-"),
        ("the score is the sum of the two ranks", "+"),
        ("we average the three components", "+"),
        ("对两个指标分别求截面分位后等权相加", "+"),
        ("信号由两部分组成", "+-*/"),
        ("The composite has two legs", "+-*/"),
    ],
)
def test_statements(text: str, ops: str) -> None:
    assert {frozenset(ops)} <= {item.ops for item in joinings(text)}


@pytest.mark.parametrize(
    "text",
    [
        "the difference between the two portfolios is 5%",
        "多空两组，两者之差年化为5%",
        "the average of the two years",
        "两者均采用周频调仓",
        "the correlation of the two is low",
        "各取两个交易日",
        "the return over the past 20 days",
    ],
)
def test_what_is_no_statement(text: str) -> None:
    assert list(joinings(text)) == []


def test_a_numerator_and_its_denominator() -> None:
    assert [item.ops for item in fractions("分子为成交额均值。分母为收益率绝对值之和。")] == [frozenset("/")]
    assert list(fractions("分子公司的收入")) == []


@pytest.mark.parametrize(
    ("before", "quote", "after", "ops"),
    [
        ("因子为", "过去5日均量", "除以过去20日均量", "/"),
        ("因子为", "过去5日均量", "与过去20日均量之比", "/"),
        ("因子为过去5日均量除以", "过去20日均量", "，越低越好", "/"),
        ("the ratio of ", "the 5-day average volume", " to its 20-day average", "/"),
        ("the factor is ", "the high", " minus the low, averaged", "-"),
        ("", "过去20日平均成交额", "，再取对数", "LOG"),
        ("因子为", "20日均价", "与60日均价之差", "-"),
    ],
)
def test_a_quote_that_is_cut_off(before: str, quote: str, after: str, ops: str) -> None:
    found = goes_on(before + quote + after, len(before), len(before) + len(quote))
    assert found is not None
    assert ops in found.ops


@pytest.mark.parametrize(
    ("quote", "after"),
    [
        ("过去20日收益率", "，每周调仓"),
        ("the 20-day return", ", divided into ten groups"),
        ("过去20日收益率", "与未来收益负相关"),
        ("过去20日收益率", "。除以上市场外"),
        ("the 20-day return", " and rebalance weekly"),
        ("过去20日收益率", "，减少换手"),
    ],
)
def test_a_quote_that_is_whole(quote: str, after: str) -> None:
    assert goes_on(quote + after, 0, len(quote)) is None


def test_a_later_step() -> None:
    step = later_step("最后再取对数")
    assert step is not None
    assert step.ops == {"LOG"}
    assert later_step("最后对市值取对数做中性化") is None
    assert later_step("然后每周调仓") is None


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("RANK(TS_MEAN($volume,5)/TS_MEAN($volume,20))", "/"),
        ("0.6*RANK($close)+0.4*RANK($volume)", "+"),
        ("$close/TS_MEAN($close,20)-1", "/"),
        ("-TS_MEAN($high-$low,20)", "-"),
        ("INDUSTRY_NEUTRALIZE($close*$volume,$industry)", "*"),
        ("2*TS_STD($return,20)", None),
    ],
)
def test_the_sign_on_top(text: str, sign: str | None) -> None:
    assert top(node_of(text)) == sign


def test_every_sign() -> None:
    assert signs(node_of("($close-$open)/$open+1")) == {"-", "/"}
