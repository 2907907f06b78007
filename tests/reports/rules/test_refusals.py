"""What is refused, and why: no factor, data or ops that are not there, words that are not read."""

import pytest

from assay.expr import check
from assay.reports._extraction import Extraction
from assay.reports._reasons import UNSUPPORTED_FIELD, UNSUPPORTED_OP

from .reading import extract

REFUSED = [
    (
        "市场周报：本周沪深300指数上涨2.3%，成交额有所放大。我们维持对消费板块的推荐评级，目标价25元。",
        "extract.no_factor",
        "",
    ),
    (
        "Quant weekly: momentum gained 1.2% and low volatility lost 0.4% over the past 5 days. CSI "
        "300 fell 2%.",
        "extract.no_factor",
        "",
    ),
    ("公司拟以每股20元回购股份，过去20个交易日公司股价下跌12%。维持买入评级。", "extract.no_factor", ""),
    ("流动性因子定义为5分钟成交量的标准差。", "extract.minute_data", "分钟"),
    (
        "The factor is defined as the volatility of one-minute bars over the day.",
        "extract.minute_data",
        "minute",
    ),
    ("价值因子定义为净利润与总市值之比。", "extract.fundamental_data", "净利润"),
    (
        "Earnings surprise is defined as the difference between reported EPS and consensus EPS, "
        "divided by price.",
        "extract.fundamental_data",
        "EPS",
    ),
    ("量价因子定义为过去20日收盘价与成交量的相关系数。", "extract.unsupported_op", "TS_CORR"),
    (
        "The factor is defined as the 20-day skewness of daily returns.",
        "extract.unsupported_op",
        "TS_SKEWNESS",
    ),
    ("The factor is defined as the 60-day beta to the market.", "extract.unsupported_op", "TS_REGRESSION"),
    ("UPDAYS = COUNT($return, 20). The factor is weekly.", "extract.unsupported_op", "COUNT"),
    ("换手率因子定义为过去20日平均换手率。", "extract.unsupported_field", "换手率"),
    (
        "资金流因子定义为过去10日主力资金净流入之和与成交额之和的比值。",
        "extract.unsupported_field",
        "$net_mf_amount",
    ),
    ("The factor is defined as the 20-day frobnicated return of the stock.", "extract.unread", ""),
    ("流动性因子定义为日收益率绝对值除以成交额的20日均值。", "extract.unread", ""),
    ("动量因子定义为过去20日收益率减去同期市场收益率。", "extract.unread", ""),
    ("波动因子定义为收益率的标准差。", "extract.unread", "no window"),
    ("动量因子定义为过去N日收益率。", "extract.unread", "N"),
]


@pytest.mark.parametrize(("text", "code", "note"), REFUSED, ids=[row[0][:30] for row in REFUSED])
def test_a_text_is_refused_with_its_reason(text: str, code: str, note: str) -> None:
    found = extract(text)
    assert found.status == "refused"
    assert found.reason is not None
    assert found.reason.code == code, found.note
    assert note in found.note


@pytest.mark.parametrize(
    ("text", "formula", "windows"),
    [
        ("量价因子定义为过去20日收盘价与成交量的相关系数。", "ts_corr(close, volume, 20)", 1),
        (
            "The factor is defined as minus the 10-day correlation between close and volume.",
            "-ts_corr(close, volume, 10)",
            1,
        ),
        (
            "The factor is the correlation between returns and volume over N days, with N = 12.",
            "ts_corr(returns, volume, 12)",
            2,
        ),
        (
            "PV factor is defined as the price-volume correlation.\n\nThe window is 30 trading days.",
            "ts_corr(close, volume, 30)",
            2,
        ),
        ("因子定义为过去20日收盘价与成交量相关系数的5日均值。", "ts_mean(ts_corr(close, volume, 20), 5)", 1),
        ("The factor is defined as the 20-day skewness of daily returns.", "ts_skew(returns, 20)", 1),
        ("因子定义为成交量过去10日的时序排名。", "ts_rank(volume, 10)", 1),
    ],
)
def test_an_op_outside_the_whitelist_is_offered_in_the_core_dialect(
    text: str, formula: str, windows: int
) -> None:
    found = extract(text)
    assert (found.status, found.spec) == ("refused", None)
    assert found.reason is not None
    assert found.reason.code == "extract.unsupported_op"
    assert found.core_formula == formula
    assert [span.field for span in found.evidence] == ["expr", *["windows"] * windows]
    assert check(formula, "core").error is None


@pytest.mark.parametrize(
    "text",
    [
        "UPDAYS = COUNT($return, 20). The factor is weekly.",  # what it counts is not written
        "量价因子定义为过去20日收盘价与换手率的相关系数。",  # a field without data
        "The factor is the correlation between close and volume over N days.",  # no window
        "量价因子定义为过去20日收盘价与成交量的相关系数，再减去行业均值。",  # more than was read
        "The factor is defined as the 60-day beta to the market.",
        "流动性因子定义为5分钟成交量的标准差。",
        "动量因子定义为过去20日收益率。每周调仓。",
        "量价因子定义为过去20日收盘价与成交量的相关系数。\n\n量价因子定义为过去60日收盘价与成交量的相关系数。",
    ],
)
def test_what_cannot_be_written_in_the_core_dialect_is_not_offered(text: str) -> None:
    assert extract(text).core_formula is None


def test_an_offer_is_a_formula_of_the_core_dialect_beside_a_refusal_for_an_op() -> None:
    given = "ts_corr(close, volume, 20)"
    assert Extraction.refused(UNSUPPORTED_OP, core_formula=given).core_formula == given
    for reason, formula in (
        (UNSUPPORTED_FIELD, given),
        (UNSUPPORTED_OP, "TS_CORR($close, $volume, 20)"),
        (UNSUPPORTED_OP, "ts_corr(close, volume)"),
        (UNSUPPORTED_OP, "close > open"),
    ):
        with pytest.raises(ValueError, match="offers a formula"):
            Extraction.refused(reason, core_formula=formula)


CONFLICTS = [
    (
        "动量因子定义为过去20日收益率。\n\n在实证部分，我们将回看窗口调整为60个交易日。",
        "extract.conflicting_window",
    ),
    (
        "因子定义：过去20日收益率的标准差。\n\n因子定义：过去60日收益率的标准差。",
        "extract.conflicting_window",
    ),
    (
        "The momentum factor is defined as the 20-day return.\n\n| Parameter | Value |\n|---|---|\n"
        "| Look-back window | 60 trading days |\n",
        "extract.conflicting_window",
    ),
    (
        "动量因子定义为过去20日收益率。因子值越大，未来收益越高。\n\n测试显示，因子值越大，未来收益越低。",
        "extract.conflicting_direction",
    ),
    (
        "动量因子定义为过去20日收益率。每周调仓。\n\n组合按月调仓。",
        "extract.conflicting_field",
    ),
]


@pytest.mark.parametrize(("text", "code"), CONFLICTS)
def test_a_contradiction_is_named_and_both_places_are_cited(text: str, code: str) -> None:
    found = extract(text)
    assert found.status == "conflict"
    assert found.reason is not None
    assert found.reason.code == code
    assert len({span.quote for span in found.evidence}) >= 2


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        (
            "动量因子定义为过去20日收益率。\n\n在实证部分，我们将回看窗口调整为60个交易日，最终结果"
            "均以此为准。",
            (60,),
        ),
        (
            "The factor is defined as the ratio of the 10-day average volume to the 120-day average "
            "volume.\n\n"
            "In the rest of the report the long window is 200 days instead of 120.",
            (10, 200),
        ),
        ("动量因子定义为过去20日收益率。\n\n稳健性检验中，将窗口改为60日，结论不变。", (20,)),
        ("动量因子定义为过去20日收益率。组合持有期为60日。", (20,)),
        ("The factor is defined as the 20-day return. As a check we also tried a window of 60 days.", (20,)),
    ],
)
def test_only_a_statement_that_it_holds_replaces_a_window(text: str, windows: tuple[int, ...]) -> None:
    found = extract(text)
    assert found.spec is not None, (found.reason, found.note)
    assert found.spec.windows == windows


TRAPS = [
    "The factor is the 20-day return of the stock minus the 20-day return of its industry.",
    "因子定义为过去20日收益率减去行业平均收益率。",
    "波动率因子定义为过去20日下跌日收益率的标准差。",
    "The factor is defined as the 20-day volatility on days with positive returns.",
    "动量因子定义为过去20日成交额加权的收益率。",
    "The factor is defined as the 20-day average of volume weighted by return.",
    "因子定义为过去20日收益率的标准差的倒数。",
    "波动率因子定义为过去20日日收益率的标准差，再年化。",
    "The factor is defined as the 20-day return if volume rises, and zero otherwise.",
    "动量因子定义为过去20日收益率，剔除涨停日。",
    "过去20日收益率超过10%的股票定义为强势股。",
    "IC is computed as the rank correlation between the factor and the 5-day return.",
    "组合的20日波动率为15%，因子收益率为2%。",
    "The factor's 20-day rolling IC is 3%.",
    "该因子与20日收益率的相关系数为0.5。",
    "We compare the factor with the 20-day return and the 60-day volatility.",
    "Returns are computed as close over previous close minus one.",
    "The forward return is defined as the return over the next 20 days.",
    "The factor is defined as the sector-adjusted 20-day return.",
    "因子为20日涨幅排名与60日换手率排名之和。",
    "The factor is defined as the square of the 20-day volatility.",
    "动量因子定义为过去20日收益率，其中收益率以开盘价计算。",
    "The volatility factor is defined as the standard deviation of weekly returns over the past 52 weeks.",
    "因子定义为过去20日每日最高价出现的时间。",
    "The factor is defined as the 20-day return of the CSI 300 index.",
    "The factor is defined as the ratio of the number of up days to the number of down days over 20 days.",
]


@pytest.mark.parametrize("text", TRAPS)
def test_half_a_formula_is_never_handed_over(text: str) -> None:
    found = extract(text)
    assert found.status == "refused", found.spec


PARTS = [
    "The signal combines two ingredients. First, we compute the return over the past 10 trading days. "
    "Second, we measure unusual activity: the average volume of the last 5 days divided by the average "
    "volume of the last 60 days. Our factor is the negative of the product of the two.",
    "We measure reversal as the return over the past 10 trading days. The factor is the sum "
    "of the two ranks.",
    "We compute unusual volume as the 5-day average volume divided by the 60-day average volume. We then "
    "multiply the two.",
    "首先计算过去10日收益率；其次计算过去5日平均成交量与过去60日平均成交量之比。两者相乘即为因子值。",
    "短期收益率指标定义为过去10日收益率。将上述两个指标截面排名后等权相加得到最终因子。",
]


@pytest.mark.parametrize("text", PARTS, ids=[text[:30] for text in PARTS])
def test_a_part_of_a_factor_is_not_handed_over_as_the_factor(text: str) -> None:
    found = extract(text)
    assert found.reason is not None
    assert found.reason.code == "extract.unread"
    assert found.evidence[0].quote in text


def test_two_factors_stay_two_where_a_portfolio_holds_both() -> None:
    found = extract(
        "动量因子定义为过去20日收益率。波动因子定义为过去20日收益率的标准差。两者等权合成的组合年化收益12%。"
    )
    assert [candidate.name for candidate in found.candidates] == ["动量因子", "波动因子"]
