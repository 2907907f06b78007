"""The words with which reports speak of ops, fields and settings: one table, Chinese and English.

The gate asks whether cited words can support a formula; the rules extractor reads formulas from the same
words. A word that stands for a small formula (振幅, bias) supports every op and field of it. Text is searched
as normalised: half width, blanks collapsed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Words:
    """What speaks of one thing.

    Parameters
    ----------
    zh : matched anywhere; blanks inside the text do not matter.
    en : matched as whole words, ignoring case; a blank also matches a hyphen; plurals are written out.
    patterns : regular expressions, for symbols and for words with a gap; ignoring case.
    """

    zh: tuple[str, ...] = ()
    en: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A place in the searched text, half-open."""

    start: int
    end: int


def _words(zh: str = "", en: str = "", *patterns: str) -> Words:
    split = [tuple(part.strip() for part in text.split(",") if part.strip()) for text in (zh, en)]
    return Words(split[0], split[1], patterns)


_OPERAND_BEFORE = r"[\w\u4e00-\u9fff)\]]\s*"
_OPERAND_AFTER = r"\s*[A-Za-z\u4e00-\u9fff(\[$]"

OP_WORDS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "RANK": _words(
            "排名, 排序, 分位, 百分位, 秩, 名次, 横截面比较",
            "rank, ranks, ranked, ranking, percentile, percentiles, quantile, cross sectional order",
        ),
        "TS_MEAN": _words(
            "均值, 平均, 均线, 日均, 均价, 均量, 均额, 乖离, 中枢, 移动平均",
            "average, averages, averaged, averaging, mean, means, moving average, moving averages, ma, bias",
        ),
        "TS_STD": _words(
            "标准差, 波动率, 波动性, 波动, 低波, 离散程度",
            "volatility, volatilities, standard deviation, standard deviations, std, stdev, deviation, "
            "dispersion, vol",
        ),
        "TS_MIN": _words(
            "最低, 最小, 低点, 极小, 新低, 谷值",
            "minimum, min, lowest, low, lows, trough, smallest",
        ),
        "TS_MAX": _words(
            "最高, 最大, 高点, 极大, 新高, 峰值",
            "maximum, max, highest, high, highs, peak, largest, biggest",
        ),
        "TS_PCTCHANGE": _words(
            "涨跌幅, 涨幅, 跌幅, 收益率, 收益, 动量, 反转, 回报, 变化率, 变动率, 增长率, 增速, 百分比变化",
            "return, returns, momentum, reversal, percentage change, percent change, pct change, "
            "rate of change, growth, growth rate, performance, gain, gains, roc",
        ),
        "TS_SUM": _words(
            "累计, 累积, 求和, 之和, 总和, 合计, 累加, 总额, 总量, 加总",
            "sum, sums, summed, total, totals, cumulative, cumulated, accumulated, aggregate, aggregated",
        ),
        "COUNT": _words(
            "次数, 天数, 个数, 计数, 频次",
            "count, counts, number of days, how many days, frequency of, days on which",
        ),
        "INDUSTRY_NEUTRALIZE": _words(
            "行业中性, 行业内, 剔除行业, 行业标准化, 行业去均值, 中性化",
            "industry neutral, industry neutralized, industry neutralised, industry neutralization, "
            "industry neutralisation, sector neutral, within industry, within industries, "
            "within each industry, "
            "within its industry, industry adjusted, industry relative, neutralized, neutralised, "
            "neutralization, neutralisation",
        ),
        "DELAY": _words(
            "滞后, 前一日, 前一个交易日, 前一交易日, 昨日, 昨收, 前收, 上一交易日, 上一日, 隔夜, "
            "跳空, 日前, 天前, 个交易日前, 延迟",
            "lag, lagged, lags, previous, prior, preceding, yesterday, ago, delayed, delay, earlier, "
            "overnight, "
            "gap, day before",
        ),
        "DELTA": _words(
            "变化, 变动, 差分, 增量, 增减, 变化量, 之差, 差值, 一阶差, 上升, 下降",
            "change, changes, difference, differences, increment, increase, decrease, delta, differenced",
        ),
        "LOG": _words("对数", "log, logs, logarithm, logarithms, logarithmic, ln, natural log"),
        "ABS": _words(
            "绝对值, 绝对, 幅度",
            "absolute, absolute value, magnitude, size of the move, unsigned",
        ),
        "SIGN": _words("符号, 方向, 涨跌, 正负", "sign, signs, direction, signed, up or down"),
        "+": _words(
            "加上, 相加, 之和, 求和, 合计, 加总, 总和, 等权合成, 平均, 均值, 中点, 中间价, 加, 与",
            "plus, add, adds, added, adding, sum, summed, combined, combines, combination, composite, "
            "average, "
            "mean, midpoint, together with",
            _OPERAND_BEFORE + r"\+" + _OPERAND_AFTER,
        ),
        "-": _words(
            "减去, 减, 之差, 差值, 相减, 差额, 价差, 差距, 偏离, 乖离, 振幅, 相反数, 取负, 负值, "
            "负号, 变动, 变化, "
            "涨跌幅, 涨幅, 收益率, 超出, 扣除, 距离, 位置, 回撤, 影线, 跳空, 区间, 乘以-1, 乘以 -1, "
            "负的, 反号, 实体",
            "minus, less, subtract, subtracts, subtracted, subtracting, difference, spread, "
            "deviation, deviates, "
            "bias, amplitude, range, negative, negated, change, excess, over and above, net of, distance, "
            "position, drawdown, shadow, gap, above, below, return, inverted, relative to, location, body, "
            "in excess of, reversed",
            _OPERAND_BEFORE + r"[-−–](?=\s)" + _OPERAND_AFTER,
            r"[)\]]\s*[-−]|\s[-−]\s*[(\[]|[-−]\s*1(?![\d-])",
        ),
        "*": _words(
            "乘以, 乘, 相乘, 之积, 乘积, 加权, 倍, 交互, 权重, 各占, 占比, 等权",
            "times, multiply, multiplies, multiplied, multiplying, product, weighted, weight, weights, "
            "interaction, interacted, scaled",
            _OPERAND_BEFORE + r"[*×·]" + _OPERAND_AFTER,
            r"\d(\.\d+)?\s*[*×·]",
        ),
        "/": _words(
            "除以, 除, 比值, 之比, 比率, 比例, 占比, 相对, 量比, 乖离, 振幅, 商, 倍数, 位置, "
            "变异系数, 涨跌幅, 涨幅, "
            "收益率, 单位, 标准化, 比, 占, 回撤, 每",
            "divide, divides, divided, dividing, ratio, ratios, over, relative to, quotient, per unit, per, "
            "scaled by, as a share of, as a fraction of, fraction, share of, bias, amplitude, normalized, "
            "normalised, relative, position, return, coefficient of variation, proportion, location, "
            "drawdown, "
            "multiple of, as a percentage of, standardised, standardized, average, mean, half",
            r"[A-Za-z\u4e00-\u9fff)\]]\s*[/÷]" + _OPERAND_AFTER,
            r"[)\]]\s*[/÷]",
        ),
    }
)  # fmt: skip
"""By the name or symbol that the report dialect prints."""

FIELD_WORDS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "open": _words(
            "开盘, 今开, 跳空, 隔夜, 实体, 影线",
            "open, opens, opening, opened, overnight, gap, body",
        ),
        "high": _words(
            "最高, 高点, 高价, 高低, 振幅, 上影线, 区间, 新高",
            "high, highs, highest, amplitude, range, upper shadow, peak",
        ),
        "low": _words(
            "最低, 低点, 低价, 高低, 振幅, 下影线, 区间, 新低",
            "low, lows, lowest, amplitude, range, lower shadow, trough",
        ),
        "close": _words(
            "收盘, 股价, 价格, 均线, 动量, 反转, 收益率, 收益, 涨跌幅, 涨幅, 跌幅, 乖离, 昨收, 前收, "
            "日线, 振幅, 均价",
            "close, closes, closing, closed, price, prices, momentum, reversal, return, returns, "
            "moving average, bias, gain, gains, amplitude, performance",
        ),
        "volume": _words(
            "成交量, 交易量, 量能, 量比, 量价, 均量, 缩量, 放量, 股数, 手数",
            "volume, volumes, shares traded, traded shares, price volume",
        ),
        "amount": _words(
            "成交额, 成交金额, 交易额, 交易金额, 成交总额, 均额, 非流动性, 流动性",
            "amount, amounts, traded value, value traded, trading value, dollar volume, "
            "traded amount, turnover, "
            "money traded, illiquidity, liquidity, value of trading",
        ),
        "return": _words(
            "收益率, 日收益, 收益, 涨跌幅, 涨幅, 跌幅, 波动率, 回报, 低波",
            "return, returns, volatility, gain, gains, loss, losses, daily move, daily moves, daily change",
        ),
        "industry": _words(
            "行业, 板块, 中性化",
            "industry, industries, sector, sectors, neutralized, neutralised",
        ),
        "net_mf_amount": _words(
            "净流入, 主力资金, 资金流, 大单净额",
            "net inflow, money flow, main force, net money flow, order flow"
        ),
    }
)  # fmt: skip
"""By the written name of the field, without ``$``."""

PERIOD_WORDS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "daily": _words(
            "日频, 日度, 每日, 每天, 逐日, 每个交易日, 每一交易日, 每交易日, 日线",
            "daily, each day, every day, every trading day, each trading day, per day, day by day, "
            "at the close of each day, end of each day, each session, every session",
        ),
        "weekly": _words(
            "周频, 周度, 每周, 逐周, 每个星期, 每星期, 按周, 周末, 周五, 周一",
            "weekly, each week, every week, once a week, per week, fridays, friday, mondays, monday, "
            "week end",
            r"每(隔)?\s*(5|五)\s*个?(交易)?[日天]",
            r"\b(every|each)\s+(5|five)\s+(trading |business )?(days|sessions)",
        ),
        "monthly": _words(
            "月频, 月度, 每月, 逐月, 每个月, 月末, 月底, 月初, 按月",
            "monthly, each month, every month, once a month, per month, month end, month ends, "
            "end of the month, "
            "start of the month, calendar month",
            r"每(隔)?\s*(2[0-2]|二十[一二]?|廿)\s*个?(交易)?[日天]",
            r"\b(every|each)\s+(2[0-2]|twenty)\s+(trading |business )?(days|sessions)",
        ),
    }
)  # fmt: skip
"""How often something is done: the frequency, or with a cue of :data:`REBALANCE_CUES` the rebalancing."""

REBALANCE_CUES: Final = _words(
    "调仓, 换仓, 再平衡, 持有, 持仓, 调整组合, 组合调整, 建仓, 组合更新, 更新组合, 轮换, 调整持股, "
    "重新构建, 调整一次",
    "rebalance, rebalances, rebalanced, rebalancing, rebalancings, hold, holds, held, holding, holdings, "
    "reconstituted, reformed, reset, portfolio turnover, trade list, traded, positions, refreshed",
)
"""Words of trading, not of computing."""

WINDOW_CUES: Final = _words(
    "窗口, 回看, 参数, 周期, 形成期, 回溯, 观察期, 区间长度, 过去, 最近, 近, 前",
    "window, windows, lookback, look back, parameter, parameters, past, last, previous, prior, trailing, "
    "rolling, formation, period, recent, preceding, horizon, over",
    r"\b[A-Z]\s*=",
)
"""Words that make a number of days a window."""

LAG_CUES: Final = OP_WORDS["DELAY"]
"""Words that make a number of days a lag."""

NEUTRAL_CUES: Final = _words(
    "中性, 剔除, 去除, 控制, 回归取残差, 残差, 行业内, 正交, 去均值, 扣除, 标准化",
    "neutral, neutralise, neutralised, neutralize, neutralized, neutralisation, neutralization, "
    "neutralising, "
    "neutralizing, removed, residual, residuals, within, adjusted, controlled, controlling, purged, "
    "orthogonal, orthogonalised, orthogonalized, demeaned, relative",
)  # fmt: skip
"""Words of neutralising; :func:`neutralizations` reads of what."""

_INDUSTRY = _words("行业, 板块", "industry, industries, sector, sectors")
_SIZE = _words(
    "市值, 规模, 大小盘",
    "size, market cap, market caps, market capitalisation, market capitalization, market value, cap",
)
_NOT_NEUTRAL = _words(
    "原始因子, 无中性",
    "",
    r"(不|未|无需|没有|不再|并未|并不)[^,。;，；]{0,12}(中性|剔除)",
    r"\b(no|not|without|never|un)\b[^.;]{0,40}?neutrali[sz]",
    r"\bneither\b[^.;]{0,40}?\bnor\b[^.;]{0,40}?(neutral|size|industry|sector)",
    r"\b(un|non-?)neutrali[sz]ed",
    r"neutrali[sz]ation\s*(\||:|is|=)?\s*(none|no\b|not)",
    r"中性化?\s*(\||:|=|为|是)?\s*(无|不做|否|none)",
    r"\braw (factor|signal|values?|scores?)",
)

_HIGH_ZH = r"(高|大|强|多|前)"
_LOW_ZH = r"(低|小|弱|少|后)"
_GOOD_EN = r"(outperform|higher|more|better|rise|positive|beat|win|good|strong|lead)"
_BAD_EN = r"(underperform|lower|less|worse|fall|negative|lag|lose|poor|weak|trail|decline)"
_NEXT_EN = r"[^.;]{0,30}?(return|perform|future|subsequent|next|following|later|afterward|earn)"
_HIGH_EN = r"\b(high|higher|highest|top|large|larger|largest|big|strong|stronger|strongest|more)\b"
_LOW_EN = r"\b(low|lower|lowest|bottom|small|smaller|smallest|weak|weaker|weakest|less|calm|calmer)\b"

DIRECTION_WORDS: Final[Mapping[Literal["positive", "negative"], Words]] = MappingProxyType(
    {
        "positive": _words(
            "正相关, 正向, 越高越好, 越大越好, 同向, 正的预测, 正溢价, 做多高, 多高空低, 方向为正, 取值大者",
            "positively related, positively correlated, positively associated, positive relation, "
            "positive relationship, positive predictor, positive sign, positive direction, positive premium, "
            "higher is better, larger is better, the higher the better, long high, predicts higher, "
            "positively with, positively, sign is positive, direction is positive",
            rf"越{_HIGH_ZH}[^。;；]{{0,16}}越(高|好|大|强|多)",
            rf"越{_LOW_ZH}[^。;；]{{0,16}}越(低|差|小|弱)",
            rf"(买入|做多|选取|选择|持有|超配|优选)[^。;；,，]{{0,16}}(最{_HIGH_ZH}|排名前|靠前|前\s*\d|较高|较大|高分|居前|头部)",
            rf"(做空|卖出|回避|低配|剔除)[^。;；,，]{{0,16}}(最{_LOW_ZH}|排名后|靠后|后\s*\d|较低|较小|低分|居后|尾部)",
            r"(值|因子|得分|取值|动量|涨幅|者|股票)[^。;；,，]{0,4}(较?高|较?大|较?强)[^。;；]{0,16}"
            r"(跑赢|占优|表现(更|较)好|收益(更|较)高|走强|延续上涨)",
            rf"{_HIGH_EN}[^.;]{{0,60}}?\b{_GOOD_EN}\w*{_NEXT_EN}",
            rf"{_HIGH_EN}[^.;]{{0,60}}?\boutperform",
            rf"{_LOW_EN}[^.;]{{0,60}}?\bunderperform",
            rf"\b(long|buy|buys|bought|overweight|select|prefer|favou?r)s?\b[^.;]{{0,30}}?{_HIGH_EN}",
            rf"\b(short|sell|sells|avoid|underweight)s?\b[^.;]{{0,30}}?{_LOW_EN}",
        ),
        "negative": _words(
            "负相关, 负向, 越低越好, 越小越好, 反向, 反转, 低波, 负的预测, 负溢价, 做多低, 多低空高, "
            "方向为负, 取值小者, "
            "均值回复",
            "negatively related, negatively correlated, negatively associated, negative relation, "
            "negative relationship, negative predictor, negative sign, negative direction, negative premium, "
            "inverse, inversely, reversal, lower is better, smaller is better, the lower the better, "
            "long low, "
            "low volatility anomaly, negatively with, negatively, sign is negative, direction is negative, "
            "predicts lower, mean reversion, mean reverts",
            rf"越{_HIGH_ZH}[^。;；]{{0,16}}越(低|差|小|弱)",
            rf"越{_LOW_ZH}[^。;；]{{0,16}}越(高|好|大|强|多)",
            rf"(买入|做多|选取|选择|持有|超配|优选)[^。;；,，]{{0,16}}(最{_LOW_ZH}|排名后|靠后|后\s*\d|较低|较小|低分|居后|尾部)",
            rf"(做空|卖出|回避|低配|剔除)[^。;；,，]{{0,16}}(最{_HIGH_ZH}|排名前|靠前|前\s*\d|较高|较大|高分|居前|头部)",
            r"(值|因子|得分|取值|动量|涨幅|者|股票)[^。;；,，]{0,4}(较?高|较?大|较?强)[^。;；]{0,16}"
            r"(跑输|落后|表现(更|较)差|收益(更|较)低|走弱|回落)",
            rf"{_HIGH_EN}[^.;]{{0,60}}?\b{_BAD_EN}\w*{_NEXT_EN}",
            rf"{_HIGH_EN}[^.;]{{0,60}}?\bunderperform",
            rf"{_LOW_EN}[^.;]{{0,60}}?\boutperform",
            rf"{_LOW_EN}[^.;]{{0,60}}?\b(higher|more|better|positive)\b{_NEXT_EN}",
            rf"\b(long|buy|buys|bought|overweight|select|prefer|favou?r)s?\b[^.;]{{0,30}}?{_LOW_EN}",
            rf"\b(short|sell|sells|avoid|underweight)s?\b[^.;]{{0,30}}?{_HIGH_EN}",
        ),
    }
)  # fmt: skip
"""Words that say whether a high value predicts a high return."""


def find_words(words: Words, text: str) -> tuple[Hit, ...]:
    """The places where the text speaks of it, in order."""
    return tuple(Hit(*match.span()) for match in _compiled(words).finditer(text))


def says(words: Words, text: str) -> bool:
    """Whether the text speaks of it at all."""
    return _compiled(words).search(text) is not None


def directions(text: str) -> frozenset[str]:
    """The directions that the text can be read to state: none, one, or both where it contradicts itself."""
    return frozenset(name for name, words in DIRECTION_WORDS.items() if says(words, text))


def periods(text: str) -> frozenset[str]:
    """daily, weekly, monthly: those that the text names."""
    return frozenset(name for name, words in PERIOD_WORDS.items() if says(words, text))


def neutralizations(text: str) -> frozenset[str]:
    """The values of the field ``neutralization`` that the text states."""
    if says(_NOT_NEUTRAL, text):
        return frozenset({"none"})
    if not says(NEUTRAL_CUES, text):
        return frozenset()
    industry, size = says(_INDUSTRY, text), says(_SIZE, text)
    if industry and size:
        return frozenset({"industry_size"})
    return frozenset({"industry"} if industry else {"size"} if size else ())


@lru_cache(maxsize=256)
def _compiled(words: Words) -> re.Pattern[str]:
    parts = [r"\s?".join(map(re.escape, word)) for word in sorted(words.zh, key=len, reverse=True)]
    for word in sorted(words.en, key=len, reverse=True):
        joined = r"[\s-]+".join(re.escape(piece) for piece in word.split())
        parts.append(rf"(?<![A-Za-z]){joined}(?![A-Za-z])")
    parts += words.patterns
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)
