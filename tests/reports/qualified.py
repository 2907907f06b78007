"""Sentences whose definition something qualifies, and sentences with remarks that change nothing.

Each has the phrase that can be quoted faithfully, and the formula that this phrase alone would be.
"""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """A sentence, its quotable phrase and the formula of that phrase."""

    text: str
    phrase: str
    expr: str


_EN = {
    "average daily volume over the past 20 trading days": "TS_MEAN($volume,20)",
    "average absolute daily return over the past 20 trading days": "TS_MEAN(ABS($return),20)",
    "standard deviation of daily returns over the past 20 trading days": "TS_STD($return,20)",
}
_ZH = {
    "过去20个交易日成交量的均值": "TS_MEAN($volume,20)",
    "过去20个交易日收益率绝对值的均值": "TS_MEAN(ABS($return),20)",
    "过去20个交易日日收益率的标准差": "TS_STD($return,20)",
}
_LAGS_EN = (
    ", with a lag of 5 trading days", ", lagged by 5 days", ", delayed by 5 days", ", as of 5 days earlier",
    ", skipping the latest 5 days", ", shifted back by 3 days", ", read one month late",
    ", calculated without the most recent week", ", ending 20 days before today",
)  # fmt: skip
_LAGS_ZH = (
    ",滞后5个交易日", ",提前5日", ",延迟5日", ",向后推移3天", ",不考虑最近一周", ",截至20日前",
    ",取5天前的值",
    ",并滞后一周", ",跳过最近5日",
)  # fmt: skip
_CHOICES_EN = (
    ", excluding the highest 2 days", ", computed on up days only", ", with limit-up days removed",
    ", ignoring days without trades", ", except the last one", ", only on days when the close rises",
    ", conditional on a positive return", ", winsorized at 5% and 95%", ", weighted by volume",
    ", leaving out the single largest day", ", not counting days with announcements", ", on Fridays",
    ", restricted to days on which volume exceeds its mean", ", trimmed at the 5% tails",
    ", after dropping the top three observations", ", provided that the stock traded on every day",
    ", with the best and the worst day cut off", ", once extreme moves are taken out",
    " (limit-up days excluded)", "; earnings days do not count", ". Limit-up days are excluded",
    ", where returns above 9.5% are set to missing", ", with more recent days counting more",
)  # fmt: skip
_CHOICES_ZH = (
    ",剔除最高的3天", ",仅在上涨日计算", ",不含涨停日", ",去掉最大值", ",只统计下跌日", ",跌停日除外",
    ",限于放量日",
    ",按成交量加权", ",截尾5%", ",忽略停牌日", ",排除公告日", ",前提是当日收盘价高于开盘价",
    ",其中周一不计入",
    ",极端值已删除", "(剔除涨停日)", ",近期权重更大", ",但不计算公告日", ",跌停的交易日设为缺失",
    ",用的是上周的数据",
    ",每天按距今远近赋权", "。计算时剔除涨停日",
)  # fmt: skip
_REMARKS_EN = (
    ", a simple proxy for attention", ", computed for every stock", ", updated every day",
    ", excluding ST stocks from the universe", ", which captures bursts of attention",
    ", excluding stocks listed for less than 60 days from the universe", ", and we rebalance monthly",
    ", with stocks sorted into ten groups on the last trading day of each month",
    ", winsorized across stocks and then standardized", ", because attention drives prices",
    ", tested on the CSI 500 from 2015 to 2023", ", with higher values meaning more disagreement",
    ", and we keep positions for 10 trading days", ", and trades are made one day later",
    ", excluding recent IPOs", ", and portfolios are weighted by market value",
)  # fmt: skip
_REMARKS_ZH = (
    ",用于衡量风险", ",每日更新", ",股票池为沪深300", ",反映流动性", ",剔除ST股票", ",简单直观",
    ",数据来自交易所",
    ",样本期为2015年至2023年", ",我们按周调仓", ",仅使用日频量价数据", ",在每月最后一个交易日计算",
    ",持有5天", ",滞后1日买入",
    ",每20个交易日调仓一次", ",剔除行业和市值影响",
)  # fmt: skip


def _sentences(tails: tuple[str, ...], *, chinese: bool) -> list[Said]:
    """Each tail behind one of the phrases, in turn."""
    phrases = list((_ZH if chinese else _EN).items())
    made = []
    for index, tail in enumerate(tails):
        phrase, expr = phrases[index % len(phrases)]
        text = f"因子为{phrase}{tail}。高值预示低收益。\n" if chinese else (
            f"The factor is the {phrase}{tail}. High values predict low returns.\n"
        )  # fmt: skip
        made.append(Said(text, phrase, expr))
    return made


QUALIFIED = [
    *_sentences(_LAGS_EN + _CHOICES_EN, chinese=False),
    *_sentences(_LAGS_ZH + _CHOICES_ZH, chinese=True),
    Said(
        "Excluding the two most extreme days, the factor is the average daily return over the past 20 "
        "trading days.\n",
        "average daily return over the past 20 trading days", "TS_MEAN($return,20)"),
    Said("On down days only, the factor is the average absolute daily return over the past 20 trading "
         "days.\n",
         "average absolute daily return over the past 20 trading days", "TS_MEAN(ABS($return),20)"),
    Said("剔除涨跌幅最大的两天后,因子为过去20个交易日收益率的均值。\n", "过去20个交易日收益率的均值",
         "TS_MEAN($return,20)"),
    Said("仅在上涨日,因子为过去20个交易日收益率绝对值的均值。\n", "过去20个交易日收益率绝对值的均值",
         "TS_MEAN(ABS($return),20)"),
    Said("The factor is the standard deviation of negative daily returns over the past 20 trading days.\n",
         "standard deviation of negative daily returns over the past 20 trading days", "TS_STD(-$return,20)"),
    Said("The factor is the cumulative return from 252 days ago to 21 days ago.\n",
         "cumulative return from 252 days ago to 21 days ago", "DELAY(TS_PCTCHANGE($close,252),21)"),
    Said("The factor is the return from 12 months ago to 1 month ago.\n",
         "return from 12 months ago to 1 month ago", "DELAY(TS_PCTCHANGE($close,240),20)"),
    Said("因子为252日前至21日前的累计收益率。\n", "252日前至21日前的累计收益率",
         "DELAY(TS_PCTCHANGE($close,252),21)"),
]  # fmt: skip
REMARKED = [*_sentences(_REMARKS_EN, chinese=False), *_sentences(_REMARKS_ZH, chinese=True)]
