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

from assay.reports._legs import LEGS


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
            "均值, 平均, 均线, 日均, 均价, 均量, 均额, 乖离, 中枢, 移动平均, 变异系数",
            "average, averages, averaged, averaging, mean, means, moving average, moving averages, ma, bias, "
            "coefficient of variation",
        ),
        "TS_STD": _words(
            "标准差, 波动率, 波动性, 波动, 低波, 离散程度, 变异系数",
            "volatility, volatilities, standard deviation, standard deviations, std, stdev, deviation, "
            "dispersion, variability, vol, coefficient of variation",
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
            "rate of change, growth, growth rate, performance, gain, gains, roc, pct_change",
        ),
        "TS_SUM": _words(
            "累计, 累积, 求和, 之和, 总和, 合计, 累加, 总额, 总量, 加总",
            "sum, sums, summed, add up, added up, adding up, "
            "total, totals, cumulative, cumulated, accumulated, aggregate, aggregated",
            r"\d\s?[日天]和(?=[,，。;；)）]|$|再|除)|\badd(?:ing)? (?:it|them|this|these|the result) up\b",
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
            "跳空, 日前, 天前, 个交易日前, 日之前, 天之前, 延迟, 剔除最近, 跳过",
            "lag, lagged, lags, previous, prior, preceding, yesterday, ago, delayed, delay, earlier, "
            "overnight, "
            "gap, day before, skipping, excluding the most recent, leaving out",
            r"(?<![A-Za-z])t\s?[-−–]\s?\d|\.shift\(",
        ),
        "DELTA": _words(
            "变化, 变动, 差分, 增量, 增减, 变化量, 之差, 差值, 一阶差, 上升, 下降",
            "change, changes, difference, differences, increment, increase, decrease, delta, differenced",
        ),
        "LOG": _words("对数", "log, logs, logarithm, logarithms, logarithmic, ln, natural log"),
        "ABS": _words(
            "绝对值, 绝对, 幅度",
            "absolute, absolute value, magnitude, size of the move, unsigned",
            r"\|[A-Za-z_]{1,12}\||\|[^|\s]{1,8}\|(?=[的之])|\|[^|\n]{1,24}\|\s*[/÷×*]",
        ),
        "SIGN": _words("符号, 方向, 涨跌, 正负", "sign, signs, direction, signed, up or down"),
        "+": _words(
            "加上, 相加, 之和, 求和, 合计, 加总, 总和, 等权合成, 平均, 均值, 中点, 中间价, 加, 与",
            "plus, add, adds, added, adding, sum, summed, combined, combines, combination, composite, "
            "blend, blends, blended, "
            "average, "
            "mean, midpoint, together with",
            _OPERAND_BEFORE + r"\+" + _OPERAND_AFTER,
            r"[)\]]\s*\+\s*\d+(?:\.\d+)?\s*[*×·]",
        ),
        "-": _words(
            "减去, 减, 之差, 差值, 相减, 差额, 价差, 差距, 偏离, 乖离, 振幅, 相反数, 取负, 负值, "
            "负号, 变动, 变化, "
            "涨跌幅, 涨幅, 收益率, 累计收益, 超出, 扣除, 距离, 位置, 回撤, 影线, 跳空, 区间, 乘以-1, "
            "乘以 -1, "
            "负的, 反号, 实体",
            "minus, less, subtract, subtracts, subtracted, subtracting, difference, spread, "
            "deviation, deviates, "
            "bias, amplitude, range, negative, negated, change, excess, over and above, net of, distance, "
            "position, drawdown, shadow, gap, above, below, return, inverted, relative to, location, body, "
            "in excess of, reversed",
            _OPERAND_BEFORE + r"[-−–](?=\s)" + _OPERAND_AFTER,
            r"[\u4e00-\u9fff)\]]\s?[-−–]\s?[\u4e00-\u9fff(\[]|\([A-Z]\w{0,5}\s?[-−–]\s?[A-Z]\w{0,5}\)",
            r"[A-Za-z\u4e00-\u9fff)\]]\s?[-−–]\s?\d{1,3}\s?(?:日|天|个|-day)",
            r"[(,]\s*[-−]\s*[A-Za-z(]|\}\s*[-−–]\s",
            r"[)\]]\s*[-−]|\s[-−]\s*[(\[]|[-−]\s*1(?![\d-])",
        ),
        "*": _words(
            "乘以, 乘, 相乘, 之积, 乘积, 加权, 倍, 交互, 权重, 各占, 占比, 等权",
            "times, multiply, multiplies, multiplied, multiplying, product, weighted, weight, weights, "
            "interaction, interacted, scaled",
            _OPERAND_BEFORE + r"[*×·]" + _OPERAND_AFTER + r"|\\times|\\cdot",
            r"\d(\.\d+)?\s*[*×·]",
            r"\d\s?%\s?(?:of\b|的)",
        ),
        "/": _words(
            "除以, 除, 比值, 之比, 比率, 比例, 占比, 相对, 量比, 乖离, 偏离, 振幅, 商, 倍数, 位置, "
            "变异系数, 涨跌幅, 涨幅, "
            "收益率, 单位, 标准化, 比, 占, 回撤, 每",
            "divide, divides, divided, dividing, ratio, ratios, over, relative to, quotient, per unit, per, "
            "scaled by, as a share of, as a fraction of, fraction, share of, bias, amplitude, normalized, "
            "normalised, relative, position, return, coefficient of variation, proportion, location, "
            "drawdown, "
            "multiple of, as a percentage of, standardised, standardized, average, mean, half",
            r"[A-Za-z\u4e00-\u9fff)\]]\s*[/÷]" + _OPERAND_AFTER,
            r"[A-Za-z\u4e00-\u9fff)\]]\s*[/÷]\s*\d{1,3}\s?(?:日|天|个|-?day)",
            r"[)\]|]\s*[/÷]|\\[dt]?frac",
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
            "return, returns, ret, volatility, gain, gains, loss, losses, daily move, daily moves, "
            "daily change",
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


@dataclass(frozen=True, slots=True)
class Commitment:
    """Words that leave no choice: a formula that they define holds one of ``parts`` (ops, or ``$fields``)."""

    words: Words
    parts: frozenset[str]


def _commits(zh: str, en: str, parts: str) -> Commitment:
    return Commitment(_words(zh, en), frozenset(parts.split()))


COMMITMENTS: Final[tuple[Commitment, ...]] = (
    _commits("除以, 之比, 比值", "divided by, ratio of, scaled by", "/ TS_PCTCHANGE INDUSTRY_NEUTRALIZE"),
    _commits(
        "减去, 减一, 之差, 再减, 相减",
        "minus, subtract, subtracted",
        "- DELTA TS_PCTCHANGE INDUSTRY_NEUTRALIZE",
    ),
    _commits("乘以, 相乘, 乘积, 加权", "multiplied by, product of, weights of, times the", "*"),
    _commits("加上, 相加", "plus, adds, added", "+"),
    _commits("求和", "sum of, summed", "+ TS_SUM"),
    _commits("标准差", "standard deviation, stdev", "TS_STD INDUSTRY_NEUTRALIZE"),
    _commits("波动率", "volatility", "TS_STD TS_MAX TS_MIN ABS $high $low"),
    _commits(
        "均值, 平均, 均线",
        "average, mean, averaged, moving average",
        "TS_MEAN TS_SUM + DELTA INDUSTRY_NEUTRALIZE",
    ),
    _commits("绝对值", "absolute value, absolute", "ABS"),
    _commits("对数", "logarithm, natural log, log of", "LOG"),
    _commits(
        "百分位排名, 截面排名",
        "ranks across, rank across, percentile rank, cross sectional rank",
        "RANK",
    ),
    _commits("成交额, 成交金额", "traded value, dollar volume, value traded", "$amount"),
    _commits("成交量", "traded volume, shares traded, trading volume", "$volume"),
    _commits("收盘价", "closing price, close", "$close $return"),
    _commits("开盘价", "opening price", "$open"),
    _commits("最高价", "highest price, day's high", "$high"),
    _commits("最低价", "lowest price, day's low", "$low"),
)  # fmt: skip
"""Held against the quotes that are cited for the formula."""


def _keyed(character: str) -> str:
    """A period of one character behind its key: 频率: 日."""
    return rf"(?:频率|频次|周期|调仓|换仓|再平衡|更新|计算)\s*[:：|]\s*{character}(?=[\s,，;；。|]|$)"


PERIOD_WORDS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "daily": _words(
            "日频, 日度, 按日, 每日, 每天, 逐日, 每个交易日, 每一交易日, 每交易日, 日线",
            "daily, each day, every day, every trading day, each trading day, per day, day by day, "
            "at the close of each day, end of each day, each session, every session, after each close, "
            "after every close, at each close, at every close, every evening, each evening, nightly",
            _keyed("日"),
            r"(?<![\u4e00-\u9fff\d ])日(?=调仓|换仓)",
            r"日更(?:新)?(?![\u4e00-\u9fff])",
        ),
        "weekly": _words(
            "周频, 周度, 每周, 逐周, 每个星期, 每星期, 按周, 周末, 周五, 周一, 持有一周",
            "weekly, each week, every week, once a week, per week, fridays, friday, mondays, monday, "
            "week end, for a week, for one week",
            r"每(隔)?\s*(5|五)\s*个?(交易)?[日天]",
            r"\b(every|each)\s+(5|five)\s+(trading |business )?(days|sessions)",
            r"\b(?:last|first) (?:trading |business )?day of (?:the|each|every) week",
            _keyed("周"),
            r"(?<![个\d两二三四半])周(?=调仓|换仓)",
            r"周[更调](?![\u4e00-\u9fff])",
        ),
        "monthly": _words(
            "月频, 月度, 每月, 逐月, 每个月, 月末, 月底, 月初, 按月, 持有一个月, 持有一月",
            "monthly, each month, every month, once a month, per month, month end, month ends, "
            "end of the month, "
            "start of the month, calendar month, for a month, for one month",
            r"每(隔)?\s*(2[0-2]|二十[一二]?|廿)\s*个?(交易)?[日天]",
            r"\b(every|each)\s+(2[0-2]|twenty)\s+(trading |business )?(days|sessions)",
            r"\b(?:last|first) (?:trading |business )?day of (?:the|each|every) month",
            _keyed("月"),
            r"(?<![个\d两二三四半])月(?=调仓|换仓)",
            r"月[更调](?![\u4e00-\u9fff])",
        ),
    }
)  # fmt: skip
"""How often something is done: the frequency, or with a cue of :data:`REBALANCE_CUES` the rebalancing."""

REBALANCE_CUES: Final = _words(
    "调仓, 换仓, 再平衡, 持有, 持仓, 调整组合, 组合调整, 建仓, 组合更新, 更新组合, 轮换, 调整持股, "
    "重新构建, 调整一次, 调一次仓, 换一次仓, 交易一次",
    "rebalance, rebalances, rebalanced, rebalancing, rebalancings, hold, holds, held, holding, holdings, "
    "turn over, turns over, turned over, revise, revised, rebuilt, formed, "
    "reconstituted, reformed, reset, portfolio turnover, trade list, positions, refreshed",
    r"\bform(?:s|ed|ing)?\b[^.;]{0,12}\bportfolios?|[日周月]调(?![\u4e00-\u9fff])",
    r"\btrade[sd]?\b(?!\s+(value|amount|volume|share|turnover))",
    r"[日周月][频度](?:的)?交易|交易(?:\s*[:：]|[^，。;；]{0,4}每[日周月])|\btrading\s*[:|]|[按每][日周月](?:度)?调整"
    r"|[每按]周[一二三四五]?(?:调整|重构|更新|交易)",
    r"(?:组合|持股|持仓|名单)[^。;；,，]{0,10}(?:调整|更新|重构|轮换|变动|换一次|构建)",
    r"\b(?:book|portfolio|trades?|trading|execution|turnover) (?:is |are )?(?:daily|weekly|monthly)\b",
    r"\b(?:portfolio|book|holdings?|positions?)\b[^.;]{0,20}\b(?:changed?|updated?|adjust(?:ed)?"
    r"|replaced|rotated|reviewed)",
    r"\b(?:re-?form|re-?construct|re-?build|refresh|revis|rotat)\w*|\b(?:weekly|monthly"
    r"|daily) (?:trading|execution|revision)",
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
    "neutral, removing, stripping, "
    "neutralise, neutralised, neutralize, neutralized, neutralisation, neutralization, "
    "neutralising, "
    "neutralizing, removed, residual, residuals, within, adjusted, controlled, controlling, purged, "
    "regressed, regress, regressing, regression, dummies, taken out, stripped, strip, residualised, "
    "residualized, orthogonal, orthogonalised, orthogonalized, demeaned, relative",
)  # fmt: skip
"""Words of neutralising; :func:`neutralizations` reads of what."""

_INDUSTRY = _words("行业, 板块", "industry, industries, sector, sectors")
_SIZE = _words(
    "市值, 规模, 大小盘",
    "size, market cap, market caps, market capitalisation, market capitalization, market value, cap",
)
_NEGATED: Final = re.compile(
    r"不[作做加再进予对]|未[作做加经进予对中剔]|无需|没有|并未|并不|不中性|原始因子|无中性|中性化?\s*[|:=：为是]?\s*[无否]"
    r"|\b(no|not|nothing|none|never|neither|without|un-?neutrali[sz]ed|non-?neutrali[sz]ed|raw)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"[。；;，,\n]|\.(?=\s|$)|\b(?:but|while|whereas|though)\b")

_HIGH = (
    r"((?:上升|抬升|走高|放大)的(?=股票|个股|标的|公司)|高|大(?!幅|多|概率)|强|多(?!数)|(?<![之以此目])前(?!期|面)"
    r"|活跃)"
)
_LOW = r"(低|小|弱|少|(?<![之以此随其最今])后(?!续|期|市)|平稳|平静|清淡|冷清|稳定)"

# 越…越…: the first comparative of a sentence is the factor's, a later one or a verb says what becomes of it
_FIRST_ZH = r"(?:^|[。;；!！?？\n])(?:[^越。;；!！?？\n]|[超跨优卓穿]越|越来越|越过){0,400}"
_MORE_ZH = (
    _FIRST_ZH + r"越(?:是|为)?(?:接近于?\s?1(?![\d.])"
    r"|高|大|强|多|宽|长|深|厚|陡|活跃|频繁|剧烈|拥挤|集中|放量|不稳定|不流动)"
)
_LESS_ZH = _FIRST_ZH + r"越(?:是|为)?(?:低|小|弱|少|窄|短|浅|薄|平稳|平静|平缓|清淡|冷清|稳定|缩量)"
_LOSES_ZH = (
    r"(?:跑输|落后|亏损|下跌|走弱|回落|(?<![涨抗])跌(?:幅|得|势)?(?=越)"
    r"|越(?:容易|可能|倾向于?)(?:下)?跌)"
)
_GAINS_ZH = r"(?:跑赢|占优|上涨|走强|反弹|领先|(?<!跌)涨(?:幅|得|势)?(?=越)|越(?:容易|可能|倾向于?)(?:上)?涨)"
_DAMPED_ZH = r"[^。;；,，越]{0,8}越(?:少|小|浅|轻|弱|低|慢|有限)"
_NEITHER_ZH = rf"(?:(?!{_LOSES_ZH}|{_GAINS_ZH})[^。;；]){{0,40}}"
_ENDS_UP_ZH = (
    rf"(?:{_NEITHER_ZH}越(?:高|好|大|强|多)|[^。;；]{{0,40}}?{_GAINS_ZH}(?!{_DAMPED_ZH})"
    rf"|[^。;；]{{0,40}}?{_LOSES_ZH}{_DAMPED_ZH})"
)
_ENDS_DOWN_ZH = (
    rf"(?:{_NEITHER_ZH}越(?:低|差|小|弱|少)|[^。;；]{{0,40}}?{_LOSES_ZH}(?!{_DAMPED_ZH})"
    rf"|[^。;；]{{0,40}}?{_GAINS_ZH}{_DAMPED_ZH})"
)
_MUCH_ZH = r"(?:显著|明显|普遍)?(更|较|也|偏|亦)?"
_UP_ZH = (
    rf"(跑赢|占优|走强|领先|胜出|走高|反弹|上涨|上行|表现{_MUCH_ZH}[好优强]|(收益|回报)(率)?{_MUCH_ZH}[高好]"
    rf"|超额(收益)?{_MUCH_ZH}高)"
)
_DOWN_ZH = (
    rf"(跑输|落后|走弱|回落|回调|回吐|承压|走低|下行|下跌|表现{_MUCH_ZH}[差弱]"
    rf"|(往往|容易|倾向于?|大概率)(会)?跌|(收益|回报)(率)?{_MUCH_ZH}[低差])"
)
_NOT_LOW_ZH, _NOT_HIGH_ZH = r"(?:(?![低小弱])[^。;；]){0,24}", r"(?:(?![高大强])[^。;；]){0,24}"
_LATER_ZH = r"[,，](?:后续|未来|此后|随后|其后|后面|后市|后期|之后|下期|短期|预期)[^。;；,，]{0,10}"
_UNTURNED_ZH = r"(?:(?!低于|跌|偏离|以下)[^。;；,，]){0,16}"
_BUY_ZH = r"(买入|做多|选取|选择|持有|超配|优选)" + _UNTURNED_ZH
_SELL_ZH = r"(做空|卖出|回避|低配|剔除)" + _UNTURNED_ZH
_TOP_ZH = r"(最[高大强多]|排名前|靠前|前\s*\d|较高|较大|高分|居前|头部)"
_BOTTOM_ZH = r"(最[低小弱少]|排名后|靠后|后\s*\d|较低|较小|低分|居后|尾部)"

_TOP = (
    r"\b(high|higher|highest|top|large|larger|largest|big|bigger|strong|stronger|strongest|wide|wider"
    r"|rising|elevated|heavy|winners?)\b"
)
_BOTTOM = (
    r"\b(low|lower|lowest|bottom|small|smaller|smallest|weak|weaker|weakest|narrow|narrower"
    r"|calm(?= (?:stocks|names|shares)\b)|calmer|calmest"
    r"|falling|depressed|subdued"
    r"|losers?)\b"
)
_FORETELLS = (
    r"\b(?:predict|preced|lead|follow|foretell|forecast|herald|impl|earn(?!ings)|deliver|bring|enjoy|suffer"
    r"|go(?:es)? with|associate|accompan|point|means?(?= (?:an? |that |lower|higher|low|high|poor|worse"
    r"|better|weak"
    r"|strong|future|subsequent)))\w*[^.;]{0,30}?"
)
_UP = r"\b(high|higher|positive|better|strong|stronger|superior|more)\b"
_DOWN = r"\b(low|lower|negative|worse|weak|weaker|inferior|poor|poorer|less|disappoint\w*)\b"
_WINS = r"\b(?:(?:outperform|rebound|recover)\w*|beats?|wins?|winning|rises?|do(?:es)? (?:well|better))\b"
_LOSES = (
    r"\b(?:(?:underperform|disappoint|mean.?revert)\w*|reverts?(?! to the (?:top|bottom))|lags?|lagging"
    r"|trails?|loses?|losing|falls?|declines?"
    r"|drifts? (?:lower|down)|fades?|fading|gives? back|do(?:es)? (?:badly|worse|poorly))\b"
)
_GAP = r"[^.;]{0,60}?"

# the more ..., the less ...
_THE_MORE = (
    r"\bthe (?:higher|larger|greater|bigger|stronger|wider|more|longer|steeper|deeper|sharper|heavier|busier)"
    r"\b[^.;]{0,60}?"
)
_THE_LESS = (
    r"\bthe (?:lower|smaller|weaker|narrower|calmer|less|fewer|shorter|quieter|thinner|flatter|lighter)"
    r"\b[^.;]{0,60}?"
)
_AMPLE = r"\bthe (?:more|further|harder|higher|larger|greater|bigger|stronger|deeper|steeper|faster)\b"
_SCANT = r"\bthe (?:less|lower|smaller|weaker|fewer|slower|shallower)\b"
_LOSES_THEN = (
    r"\b(?:underperform|lag|trail|los[est]|fall|declin|drop|disappoint|fad(?:e|ing)|give back|sink)\w*"
)
_GAINS_THEN = r"\b(?:outperform|beat|win|ris(?:e|ing)|rebound|recover|climb|gain|earn(?!ing))\w*"
_THEN = r"[^.;,]{0,30}?"
_NO_VERB = rf"(?!{_THEN}(?:{_LOSES_THEN}|{_GAINS_THEN}))"
_THE_UP = (
    rf"(?:\bthe better\b|\bthe (?:higher|larger|greater|stronger)\b{_NO_VERB}|{_AMPLE}{_THEN}{_GAINS_THEN}"
    rf"|{_SCANT}{_THEN}{_LOSES_THEN})"
)
_THE_DOWN = (
    rf"(?:\bthe (?:worse|poorer)\b|\bthe (?:lower|smaller|weaker)\b{_NO_VERB}|{_AMPLE}{_THEN}{_LOSES_THEN}"
    rf"|{_SCANT}{_THEN}{_GAINS_THEN})"
)
_ONE_SIDE = (
    r"(?:(?!\b(?:below|under|fallen|losses|long|buys?|bought|short|sells?|sold|avoid|and the"
    r"|while)\b)[^.;]){0,30}?"
)
_BUY = r"\b(long|buy|buys|bought|overweights?|selects?|prefers?|favou?rs?)\b" + _ONE_SIDE
_SELL = r"\b(short|sell|sells|sold|avoids?|underweights?)\b" + _ONE_SIDE

DIRECTION_WORDS: Final[Mapping[Literal["positive", "negative"], Words]] = MappingProxyType(
    {
        "positive": _words(
            "正相关, 正向, 越高越好, 越大越好, 同向, 正的预测, 正溢价, 做多高, 多高空低, 方向为正, "
            "取值大者, 方向: 正, "
            "方向：正",
            "positively related, positively correlated, positively associated, positive relation, "
            "positive relationship, positive predictor, positive sign, positive direction, positive premium, "
            "higher is better, larger is better, the higher the better, long high, positively, "
            "sign is positive, direction is positive, sign positive, direction positive",
            _MORE_ZH + _ENDS_UP_ZH,
            _LESS_ZH + _ENDS_DOWN_ZH,
            _BUY_ZH + _TOP_ZH,
            _SELL_ZH + _BOTTOM_ZH,
            r"[高大]值(?:看多|做多)",
            r"最[高大强](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?最[高好]",
            r"最[低小弱](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?最[低差]",
            r"\brelation(?:ship)?\b[^.;]{0,24}\breturns?\b[^.;]{0,12}\bis positive\b",
            rf"{_HIGH}[^。;；,，]{{0,20}}{_UP_ZH}",
            rf"{_LOW}[^。;；,，]{{0,20}}{_DOWN_ZH}",
            rf"{_HIGH}{_NOT_LOW_ZH}{_LATER_ZH}{_UP_ZH}",
            rf"{_LOW}{_NOT_HIGH_ZH}{_LATER_ZH}{_DOWN_ZH}",
            _THE_MORE + _THE_UP,
            _THE_LESS + _THE_DOWN,
            _TOP + _GAP + _FORETELLS + _UP,
            _BOTTOM + _GAP + _FORETELLS + _DOWN,
            _TOP + _GAP + _WINS,
            _BOTTOM + _GAP + _LOSES,
            _BUY + _TOP,
            _SELL + _BOTTOM,
            r"\btrend[- ]following\b|\b(?:winners?|strong(?: names| stocks)?) (?:keep|stay|continue"
            r"|remain)\w*",
            *LEGS["positive"],
        ),
        "negative": _words(
            "负相关, 负向, 越低越好, 越小越好, 反向, 反转, 低波, 负的预测, 负溢价, 做多低, 多低空高, "
            "方向为负, 取值小者, "
            "均值回复, 方向: 负, 方向：负",
            "negatively related, negatively correlated, negatively associated, negative relation, "
            "negative relationship, negative predictor, negative sign, negative direction, negative premium, "
            "inverse, inversely, reversal, lower is better, smaller is better, the lower the better, "
            "long low, "
            "low volatility anomaly, negatively, sign is negative, direction is negative, sign negative, "
            "direction negative, mean reversion, mean reverts",
            _MORE_ZH + _ENDS_DOWN_ZH,
            _LESS_ZH + _ENDS_UP_ZH,
            _BUY_ZH + _BOTTOM_ZH,
            _SELL_ZH + _TOP_ZH,
            r"[低小]值(?:看多|做多)",
            r"最[高大强](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?(?:却)?最[低差]",
            r"最[低小弱](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?最[高好]",
            r"\brelation(?:ship)?\b[^.;]{0,24}\breturns?\b[^.;]{0,12}\bis negative\b",
            rf"{_HIGH}[^。;；,，]{{0,20}}{_DOWN_ZH}",
            rf"{_LOW}[^。;；,，]{{0,20}}{_UP_ZH}",
            rf"{_HIGH}{_NOT_LOW_ZH}{_LATER_ZH}{_DOWN_ZH}",
            rf"{_LOW}{_NOT_HIGH_ZH}{_LATER_ZH}{_UP_ZH}",
            _THE_MORE + _THE_DOWN,
            _THE_LESS + _THE_UP,
            _TOP + _GAP + _FORETELLS + _DOWN,
            _BOTTOM + _GAP + _FORETELLS + _UP,
            _TOP + _GAP + _LOSES,
            _BOTTOM + _GAP + _WINS,
            _BUY + _BOTTOM,
            _SELL + _TOP,
            *LEGS["negative"],
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


def direction_hits(text: str) -> tuple[tuple[Literal["positive", "negative"], Hit], ...]:
    """The words that state a direction, in order; what stands inside a comparison of two is part of that.

    "The lower the ratio, the larger the rebound" states one direction, though "larger ... rebound"
    alone would state the other.
    """
    found = [(name, hit) for name, words in DIRECTION_WORDS.items() for hit in find_words(words, text)]
    kept = [
        (name, hit)
        for name, hit in found
        if not any(
            other != name and _inside(hit, longer) and _COMPARISON.match(text, longer.start)
            for other, longer in found
        )
    ]
    return tuple(sorted(kept, key=lambda item: item[1].start))


_COMPARISON: Final = re.compile(r"the |[^。;；]*?越", re.IGNORECASE)


def _inside(hit: Hit, longer: Hit) -> bool:
    return longer.start <= hit.start and hit.end <= longer.end and hit != longer


def directions(text: str) -> frozenset[str]:
    """The directions that the text can be read to state: none, one, or both where it contradicts itself."""
    return frozenset(name for name, _ in direction_hits(text))


def periods(text: str) -> frozenset[str]:
    """daily, weekly, monthly: those that the text names."""
    return frozenset(name for name, words in PERIOD_WORDS.items() if says(words, text))


def neutralizations(text: str) -> frozenset[str]:
    """The values of the field ``neutralization`` that the text states.

    Clauses that deny are set aside: 市值中性，不做行业中性 states ``size``; where nothing else is left, it is
    ``none``.
    """
    clauses = _CLAUSE_END.split(text)
    denied = [clause for clause in clauses if _NEGATED.search(clause)]
    affirmed = " ".join(clause for clause in clauses if not _NEGATED.search(clause))
    if says(NEUTRAL_CUES, affirmed):
        industry, size = says(_INDUSTRY, affirmed), says(_SIZE, affirmed)
        if industry or size:
            return frozenset({"industry_size" if industry and size else "industry" if industry else "size"})
    about = any(says(NEUTRAL_CUES, clause) or says(_INDUSTRY, clause) for clause in denied)
    return frozenset({"none"} if about else ())


@lru_cache(maxsize=256)
def _compiled(words: Words) -> re.Pattern[str]:
    parts = [r"\s?".join(map(re.escape, word)) for word in sorted(words.zh, key=len, reverse=True)]
    for word in sorted(words.en, key=len, reverse=True):
        joined = r"[\s-]+".join(re.escape(piece) for piece in word.split())
        parts.append(rf"(?<![A-Za-z]){joined}(?![A-Za-z])")
    parts += words.patterns
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)
