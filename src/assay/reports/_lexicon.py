"""The words with which reports speak of ops and fields, Chinese and English, and how words are searched.

The gate asks whether cited words can support a formula; the prompt shows a model the same words. A word
that stands for a small formula (振幅, bias) supports every op and field of it. Text is searched as it was
normalised: half width, blanks collapsed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final


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

    @classmethod
    def of(cls, zh: str = "", en: str = "", *patterns: str) -> Words:
        """Words written as two lists with commas."""
        split = [tuple(part.strip() for part in text.split(",") if part.strip()) for text in (zh, en)]
        return cls(split[0], split[1], patterns)


@dataclass(frozen=True, slots=True)
class Hit:
    """A place in the searched text, half-open."""

    start: int
    end: int


def find_words(words: Words, text: str) -> tuple[Hit, ...]:
    """The places where the text speaks of it, in order."""
    return tuple(Hit(*match.span()) for match in _compiled(words).finditer(text))


def says(words: Words, text: str) -> bool:
    """Whether the text speaks of it at all."""
    return _compiled(words).search(text) is not None


@lru_cache(maxsize=256)
def _compiled(words: Words) -> re.Pattern[str]:
    parts = [r"\s?".join(map(re.escape, word)) for word in sorted(words.zh, key=len, reverse=True)]
    for word in sorted(words.en, key=len, reverse=True):
        joined = r"[\s-]+".join(re.escape(piece) for piece in word.split())
        parts.append(rf"(?<![A-Za-z]){joined}(?![A-Za-z])")
    parts += words.patterns
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)


_OPERAND_BEFORE = r"[\w\u4e00-\u9fff)\]]\s*"
_OPERAND_AFTER = r"\s*[A-Za-z\u4e00-\u9fff(\[$]"

OP_WORDS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "RANK": Words.of(
            "排名, 排序, 分位, 百分位, 秩, 名次, 横截面比较",
            "rank, ranks, ranked, ranking, percentile, percentiles, quantile, cross sectional order",
        ),
        "TS_MEAN": Words.of(
            "均值, 平均, 均线, 日均, 均价, 均量, 均额, 乖离, 中枢, 移动平均, 变异系数",
            "average, averages, averaged, averaging, mean, means, moving average, moving averages, ma, bias, "
            "coefficient of variation",
        ),
        "TS_STD": Words.of(
            "标准差, 波动率, 波动性, 波动, 低波, 离散程度, 变异系数",
            "volatility, volatilities, standard deviation, standard deviations, std, stdev, deviation, "
            "dispersion, variability, vol, coefficient of variation",
        ),
        "TS_MIN": Words.of(
            "最低, 最小, 低点, 极小, 新低, 谷值",
            "minimum, min, lowest, low, lows, trough, smallest",
        ),
        "TS_MAX": Words.of(
            "最高, 最大, 高点, 极大, 新高, 峰值",
            "maximum, max, highest, high, highs, peak, largest, biggest",
        ),
        "TS_PCTCHANGE": Words.of(
            "涨跌幅, 涨幅, 跌幅, 收益率, 收益, 动量, 反转, 回报, 变化率, 变动率, 增长率, 增速, 百分比变化",
            "return, returns, momentum, reversal, percentage change, percent change, pct change, "
            "rate of change, growth, growth rate, performance, gain, gains, roc, pct_change",
        ),
        "TS_SUM": Words.of(
            "累计, 累积, 求和, 之和, 总和, 合计, 累加, 总额, 总量, 加总",
            "sum, sums, summed, add up, added up, adding up, "
            "total, totals, cumulative, cumulated, accumulated, aggregate, aggregated",
            r"\d\s?[日天]和(?=[,，。;；)）]|$|再|除)|\badd(?:ing)? (?:it|them|this|these|the result) up\b",
        ),
        "COUNT": Words.of(
            "次数, 天数, 个数, 计数, 频次",
            "count, counts, number of days, how many days, frequency of, days on which",
        ),
        "INDUSTRY_NEUTRALIZE": Words.of(
            "行业中性, 行业内, 剔除行业, 行业标准化, 行业去均值, 中性化",
            "industry neutral, industry neutralized, industry neutralised, industry neutralization, "
            "industry neutralisation, sector neutral, within industry, within industries, "
            "within each industry, "
            "within its industry, industry adjusted, industry relative, neutralized, neutralised, "
            "neutralization, neutralisation",
        ),
        "DELAY": Words.of(
            "滞后, 前一日, 前一个交易日, 前一交易日, 昨日, 昨收, 前收, 上一交易日, 上一日, 隔夜, "
            "跳空, 日前, 天前, 个交易日前, 日之前, 天之前, 延迟, 延后, 剔除最近, 跳过",
            "lag, lagged, lags, previous, prior, preceding, yesterday, ago, delayed, delay, earlier, "
            "overnight, "
            "gap, day before, shifted back, skipping, excluding the most recent, leaving out",
            r"(?<![A-Za-z])t\s?[-−–]\s?\d|\.shift\(",
        ),
        "DELTA": Words.of(
            "变化, 变动, 差分, 增量, 增减, 变化量, 之差, 差值, 一阶差, 上升, 下降",
            "change, changes, difference, differences, increment, increase, decrease, delta, differenced",
        ),
        "LOG": Words.of("对数", "log, logs, logarithm, logarithms, logarithmic, ln, natural log"),
        "ABS": Words.of(
            "绝对值, 绝对, 幅度",
            "absolute, absolute value, magnitude, size of the move, unsigned",
            r"\|[A-Za-z_]{1,12}\||\|[^|\s]{1,8}\|(?=[的之])|\|[^|\n]{1,24}\|\s*[/÷×*]",
        ),
        "SIGN": Words.of("符号, 方向, 涨跌, 正负", "sign, signs, direction, signed, up or down"),
        "+": Words.of(
            "加上, 相加, 之和, 求和, 合计, 加总, 总和, 等权合成, 平均, 均值, 中点, 中间价, 加, 与",
            "plus, add, adds, added, adding, sum, summed, combined, combines, combination, composite, "
            "blend, blends, blended, "
            "average, "
            "mean, midpoint, together with",
            _OPERAND_BEFORE + r"\+" + _OPERAND_AFTER,
            r"[)\]]\s*\+\s*\d+(?:\.\d+)?\s*[*×·]",
        ),
        "-": Words.of(
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
        "*": Words.of(
            "乘以, 乘, 相乘, 之积, 乘积, 加权, 倍, 交互, 权重, 各占, 占比, 等权",
            "times, multiply, multiplies, multiplied, multiplying, product, weighted, weight, weights, "
            "interaction, interacted, scaled",
            _OPERAND_BEFORE + r"[*×·]" + _OPERAND_AFTER + r"|\\times|\\cdot",
            r"\d(\.\d+)?\s*[*×·]",
            r"\d\s?%\s?(?:of\b|的)",
        ),
        "/": Words.of(
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
        "open": Words.of(
            "开盘, 今开, 跳空, 隔夜, 实体, 影线",
            "open, opens, opening, opened, overnight, gap, body",
        ),
        "high": Words.of(
            "最高, 高点, 高价, 高低, 振幅, 上影线, 区间, 新高",
            "high, highs, highest, amplitude, range, upper shadow, peak",
        ),
        "low": Words.of(
            "最低, 低点, 低价, 高低, 振幅, 下影线, 区间, 新低",
            "low, lows, lowest, amplitude, range, lower shadow, trough",
        ),
        "close": Words.of(
            "收盘, 股价, 价格, 均线, 动量, 反转, 收益率, 收益, 涨跌幅, 涨幅, 跌幅, 乖离, 昨收, 前收, "
            "日线, 振幅, 均价",
            "close, closes, closing, closed, price, prices, momentum, reversal, return, returns, "
            "moving average, bias, gain, gains, amplitude, performance",
        ),
        "volume": Words.of(
            "成交量, 交易量, 量能, 量比, 量价, 均量, 缩量, 放量, 股数, 手数",
            "volume, volumes, shares traded, traded shares, price volume",
        ),
        "amount": Words.of(
            "成交额, 成交金额, 交易额, 交易金额, 成交总额, 均额, 非流动性, 流动性",
            "amount, amounts, traded value, value traded, trading value, dollar volume, "
            "traded amount, turnover, "
            "money traded, illiquidity, liquidity, value of trading",
        ),
        "return": Words.of(
            "收益率, 日收益, 收益, 涨跌幅, 涨幅, 跌幅, 波动率, 回报, 低波",
            "return, returns, ret, volatility, gain, gains, loss, losses, daily move, daily moves, "
            "daily change",
        ),
        "industry": Words.of(
            "行业, 板块, 中性化",
            "industry, industries, sector, sectors, neutralized, neutralised",
        ),
        "net_mf_amount": Words.of(
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
    return Commitment(Words.of(zh, en), frozenset(parts.split()))


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
