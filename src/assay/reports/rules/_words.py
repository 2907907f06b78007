"""The words of definitions, Chinese and English: one table of patterns and what each may stand for.

Categories: ``F`` a daily series; ``U`` a quantity that still wants its window; ``AGG`` an op over a window;
``ADJ`` the same said before its noun; ``FN`` an op of one series; the rest are particles, which only join.
A word may have several senses; the grammar decides. Words that change nothing are ``FILLER``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from assay.reports.rules._tree import HOLE, Apply, Field, Number, Tree, Window, apply

ONE: Final = Window((1,))
_CLOSE, _HIGH, _LOW, _OPEN = Field("close"), Field("high"), Field("low"), Field("open")
_VOLUME, _AMOUNT, _RETURN = Field("volume"), Field("amount"), Field("return")
_PREVIOUS: Final = apply("DELAY", _CLOSE, ONE)
_MINUS_ONE = Number("1")


def over(op: str, series: Tree) -> Apply:
    """The op over a window that is still wanted."""
    return apply(op, series, HOLE)


MOMENTUM: Final = over("TS_PCTCHANGE", _CLOSE)
VOLATILITY: Final = over("TS_STD", _RETURN)
INTRADAY: Final = apply("-", apply("/", _CLOSE, _OPEN), _MINUS_ONE)
OVERNIGHT: Final = apply("-", apply("/", _OPEN, _PREVIOUS), _MINUS_ONE)
AMPLITUDE: Final = apply("/", apply("-", _HIGH, _LOW), _PREVIOUS)
ILLIQUIDITY: Final = apply("/", apply("ABS", _RETURN), _AMOUNT)
BIAS: Final = apply("-", apply("/", _CLOSE, over("TS_MEAN", _CLOSE)), _MINUS_ONE)
POSITION: Final = apply(
    "/",
    apply("-", _CLOSE, over("TS_MIN", _LOW)),
    apply("-", over("TS_MAX", _HIGH), over("TS_MIN", _LOW)),
)
RANGE: Final = apply("-", over("TS_MAX", _HIGH), over("TS_MIN", _LOW))
PRICE_VOLUME: Final = apply("TS_CORR", _CLOSE, _VOLUME, HOLE)


@dataclass(frozen=True, slots=True)
class Words:
    """One row: a pattern (of the normalised text, case ignored) and its senses."""

    pattern: str
    senses: tuple[tuple[str, Any, float], ...]


def _row(pattern: str, *senses: tuple[str, Any] | tuple[str, Any, float]) -> Words:
    return Words(pattern, tuple((s[0], s[1], s[2] if len(s) == 3 else 0.0) for s in senses))


_DOLLAR: Final = (
    *(
        (name, name)
        for name in ("open", "high", "low", "close", "volume", "amount", "industry", "net_mf_amount")
    ),
    ("return", "returns?"),
)

_LETTERS: Final = (
    ("O", "open"),
    ("H", "high"),
    ("L", "low"),
    ("C", "close"),
    ("V", "volume"),
    ("OPEN", "open"),
)

TABLE: Final[tuple[Words, ...]] = (
    # -- fields as the dialect writes them ---
    *(_row(rf"\$(?:{word})", ("F", Field(name))) for name, word in _DOLLAR),
    *(_row(rf"(?-i:{letter})", ("F", Field(name))) for letter, name in _LETTERS),
    _row(r"one|unity|一(?![个日天周月年段定致直些])", ("N", _MINUS_ONE)),
    _row(r"(?:的)?一段时间(?:内|里)?(?:的)?|(?:over )?(?:a|some) (?:period|stretch) of (?:time|days)",
     ("SOME", None)),
    _row(r"(?:over |in |during |of )?the same (?:period|window|days|horizon)|同期|同一窗口(?:内)?",
     ("SAME", None)),
    _row(
        r"(?:日内|当日)?高低价差|(?:daily |intraday |day's )(?:high-low |price |trading )?range"
        r"|high-low spread",
         ("F", apply("-", _HIGH, _LOW))),
    # -- daily series ------------------------------------------------------------------------------------
    _row(r"(?:后复权|前复权|复权|当日|今日|每日|日)?(?:的)?(?:收盘价格?|收盘)|股价|价格"
         r"|(?:adjusted |daily |today's |the day's )?clos(?:e|ing)(?: prices?)?(?! to (?:zero|the top"
         r"|the bottom|one|1|each|being))|share price"
         r"|stock price|price",
         ("F", _CLOSE)),
    _row(r"(?:当日|今日|每日|日)?(?:的)?开盘价格?|开盘|(?:today's |daily )?open(?:ing)?(?: prices?)?",
     ("F", _OPEN)),
    _row(r"(?:当日|今日|每日|日)?(?:的)?最高价格?|(?:today's |daily )?highs?(?: prices?)?|highest prices?"
         r"|highest highs?|high prices?",
         ("F", _HIGH), ("U", over("TS_MAX", _HIGH), 0.2)),
    _row(r"(?:当日|今日|每日|日)?(?:的)?最低价格?|(?:today's |daily )?lows?(?: prices?)?|lowest prices?"
         r"|lowest lows?|low prices?",
         ("F", _LOW), ("U", over("TS_MIN", _LOW), 0.2)),
    _row(r"高点|(?:区间|阶段)最高价|maximum high", ("U", over("TS_MAX", _HIGH))),
    _row(r"低点|(?:区间|阶段)最低价|minimum low", ("U", over("TS_MIN", _LOW))),
    _row(r"最高收盘价|收盘最高价|highest clos(?:e|ing)(?: price)?", ("U", over("TS_MAX", _CLOSE))),
    _row(r"最低收盘价|收盘最低价|lowest clos(?:e|ing)(?: price)?", ("U", over("TS_MIN", _CLOSE))),
    _row(
        r"(?:当日|今日|每日|日)?(?:的)?成交量|交易量|(?:daily |trading |share |traded )*volumes?"
        r"|shares traded",
         ("F", _VOLUME)),
    _row(r"(?:当日|今日|每日|日)?(?:的)?(?:成交额|成交金额|交易额)"
         r"|(?:daily )?(?:traded value|trading value|dollar volume|(?:trading "
         r"|traded )?amounts?(?: traded)?"
         r"|value traded|turnover value|dollar turnover|turnover(?! ?rate| ?ratio))",
         ("F", _AMOUNT)),
    _row(r"(?:日度|每日|当日|日|逐日)(?:的)?(?:收益率?|涨跌幅|回报率?|涨幅)"
         r"|(?:daily|one-day|1-day|day-over-day) (?:stock |price )?returns?", ("F", _RETURN)),
    _row(
        r"(?:累计|累积|区间)?(?:收益率?|涨跌幅|回报率?)|(?:simple |stock |price |past "
        r"|total )*returns?|ret",
         ("F", _RETURN, 0.3), ("U", MOMENTUM, 0.2)),
    _row(r"(?:累计|累积|区间)?涨幅|动量|价格变动率|价格变化率"
         r"|(?:cumulative|compounded|holding-period) (?:stock |price )?returns?|(?:price )?momentum"
         r"|rate of change"
         r"|percentage (?:price )?change|price change in percent", ("U", MOMENTUM)),
    _row(r"(?:日内|盘中)(?:收益率?|涨跌幅|回报率?)|(?:intraday|open-to-close) returns?", ("F", INTRADAY),
     ("NAMED", INTRADAY)),
    _row(r"隔夜(?:收益率?|涨跌幅|回报率?|跳空)|跳空(?:幅度|缺口)?"
         r"|(?:overnight|close-to-open) returns?|(?:opening |overnight )gaps?", ("F", OVERNIGHT),
          ("NAMED", OVERNIGHT)),
    _row(r"(?:日|每日|当日|日内)?振幅|(?:daily |intraday )?amplitude|high-low amplitude", ("F",
     AMPLITUDE), ("NAMED", AMPLITUDE)),
    _row(
        r"前一(?:个)?(?:交易)?日(?:的)?收盘价|前收盘价?|昨收(?:盘价?)?|昨日收盘价"
        r"|上一(?:个)?(?:交易)?日(?:的)?收盘价"
         r"|(?:the )?(?:previous|prior)(?: trading)?(?: day's)? clos(?:e|ing)(?: price)?|pre-?close"
         r"|yesterday's clos(?:e|ing)(?: price)?", ("F", _PREVIOUS)),
    _row(
        r"主力(?:资金)?净流入(?:额|金额)?|资金净流入(?:额|金额)?|net (?:main )?(?:money|capital"
        r"|fund) (?:in)?flow",
         ("F", Field("net_mf_amount"))),
    # -- quantities with a window --------------------------------------------------------------------------
    _row(
        r"(?:收益|收益率|历史|价格|日|股价|已实现)?波动率|(?:historical |realized |realised |return "
        r"|price |total )*volatility",
         ("U", VOLATILITY), ("VOL", None, 0.1)),
    _row(
        r"(?:移动)?均线|均价线?|(?:simple )?moving averages?(?: prices?)?(?! of)|moving-average price"
        r"|average price",
         ("U", over("TS_MEAN", _CLOSE), 0.2)),
    _row(r"均量", ("U", over("TS_MEAN", _VOLUME))),
    _row(r"均额", ("U", over("TS_MEAN", _AMOUNT))),
    _row(r"(?:Amihud)?(?:非流动性|illiquidity)(?:指标|比率|measure|ratio)?|Amihud(?: measure| ratio)?",
         ("U", over("TS_MEAN", ILLIQUIDITY)), ("F", ILLIQUIDITY, 0.3)),
    _row(r"乖离率|均线偏离(?:度|率)|(?:moving-average )?bias", ("U", BIAS)),
    _row(r"(?:价格|股价)(?:的)?(?:相对)?(?:位置|分位)|高低点位置|(?:price |high-low )position", ("U",
     POSITION)),
    _row(r"价格区间|高低区间|(?:high-low |trading |price )?range", ("U", RANGE)),
    _row(r"量价相关(?:系数|性)|(?:price-volume|volume-price) correlation(?: coefficient)?", ("U",
     PRICE_VOLUME)),
    # -- ops over a window ---------------------------------------------------------------------------------
    _row(
        r"(?:简单|滚动|算术)?(?:移动)?(?:平均值?|均值|均线)|TS_MEAN|MEAN|SMA|MA|rolling_mean|ts_avg"
        r"|AVG|(?:moving|rolling|simple|arithmetic)"
         r"[ -](?:moving[ -])?(?:averages?|means?)|averages?|means?", ("AGG", "TS_MEAN")),
    _row(r"标准差|波动(?:性|程度)?|TS_STD|STD(?:DEV)?|standard deviations?|stdev|rolling_std|variability",
         ("AGG", "TS_STD")),
    _row(r"最大值|最高值|TS_MAX|HHV|maximum(?: value)?|rolling_max|max", ("AGG", "TS_MAX")),
    _row(r"最小值|最低值|TS_MIN|LLV|minimum(?: value)?|rolling_min|min", ("AGG", "TS_MIN")),
    _row(r"之?总和|求和|累计值|累加(?:值)?|合计|总额|总量|TS_SUM|SUM|rolling_sum|total",
         ("AGG", "TS_SUM")),
    _row(r"平均|日均|均|(?:simple |rolling |trailing )?average|mean|average daily|mean daily", ("ADJ",
     "TS_MEAN")),
    _row(r"最高|最大|highest|maximum|max", ("ADJ", "TS_MAX")),
    _row(r"最低|最小|lowest|minimum|min", ("ADJ", "TS_MIN")),
    _row(r"累计|累积|总|cumulative|total|summed", ("ADJ", "TS_SUM")),
    _row(r"DELAY|REF|SHIFT|LAG", ("AGG", "DELAY")),
    _row(r"DELTA|DIFF(?=\()", ("AGG", "DELTA")),
    _row(
        r"变化率|变动率|增长率|变动幅度|TS_PCTCHANGE|PCT_CHANGE|ROC|percentage change|percent change"
        r"|growth(?: rate)?",
         ("AGG", "TS_PCTCHANGE")),
    _row(r"变化量?|变动值?|增量|changes?", ("AGG", "DELTA")),
    # -- ops over a window that the report dialect lacks ---------------------------------------------------
    _row(r"COUNT(?=[(（])", ("AGG", "COUNT")),
    _row(r"偏度|skewness|TS_SKEW(?:NESS)?", ("AGG", "TS_SKEWNESS")),
    _row(r"峰度|kurtosis|TS_KURT(?:OSIS)?", ("AGG", "TS_KURTOSIS")),
    _row(r"中位数|median|TS_MEDIAN", ("AGG", "TS_MEDIAN")),
    _row(r"指数移动平均|EMA|exponential(?:ly)?(?:[ -]weighted)? moving average|EWMA", ("AGG", "TS_EMA")),
    _row(
        r"线性衰减加权平均|TS_DECAY_LINEAR|DECAY_LINEAR|DECAYLINEAR|linear(?:ly)?[ -]decay(?:ed"
        r"|ing)?(?: weighted)? average",
         ("AGG", "TS_DECAY_LINEAR")),
    _row(
        r"时序(?:排名|排序|分位数?)|时间序列(?:排名|分位数?)|历史分位数?|TS_RANK"
        r"|time[- ]series rank(?:ing)?"
         r"|(?:rolling|historical) percentile(?: rank)?", ("AGG", "TS_RANK")),
    _row(r"TS_ARGMAX", ("AGG", "TS_ARGMAX")),
    _row(r"TS_ARGMIN", ("AGG", "TS_ARGMIN")),
    _row(r"相关系数|相关性|TS_CORR|CORR(?:ELATION)?|correlations?(?: coefficient)?", ("PAIR", "TS_CORR")),
    _row(r"协方差|TS_COV(?:ARIANCE)?|COV|covariance", ("PAIR", "TS_COVARIANCE")),
    # -- ops of one series ---------------------------------------------------------------------------------
    _row(r"(?:自然)?对数|LOG|LN|(?:natural )?log(?:arithm)?", ("FN", "LOG")),
    _row(r"绝对值|ABS|absolute value|magnitude", ("FN", "ABS")),
    _row(r"绝对|absolute", ("FNADJ", "ABS")),
    _row(r"对数(?=成交)|log(?= )", ("FNADJ", "LOG")),
    _row(r"符号|SIGN", ("FN", "SIGN")),
    _row(
        r"(?:横截面|截面|全市场|股票间)?(?:上)?(?:的)?(?:排名|排序|百分位|分位数?)(?:值|分位)?|RANK"
        r"|CS_RANK"
         r"|(?:cross[- ]sectional )?(?:percentile )?rank(?:s|ing)?(?: value)?"
         r"|cross[- ]sectional percentile",
         ("FN", "RANK")),
    _row(r"行业中性化?(?:后)?(?:的)?(?=[(（])|INDUSTRY_NEUTRALIZE", ("NEUTRAL", None)),
    _row(r"相反数|负值|取负(?:号|值)?|取反|负号|the negative|negative|opposite|negated value|minus sign",
         ("NEG", None)),
    _row(r"(?:z-?score|zscore|标准化值)(?:s)?", ("FN", "ZSCORE")),
    _row(r"平方根|SQRT|square root", ("FN", "SQRT")),
    _row(r"TANH|SIGMOID|EXP", ("FN", "EXP")),
    # -- particles -----------------------------------------------------------------------------------------
    _row(r"[÷/／]", ("DIV", None)),
    _row(r"除以|比上|divided by|scaled by|normali[sz]ed by|as a (?:fraction|share|proportion) of",
     ("DIVW", None)),
    _row(r"relative to|compared (?:with|to)|against|相对于?|相比|较", ("REL", None), ("DIVW", None, 0.5)),
    _row(r"乘以|乘上|乘|×|·|\*|multiplied by|times", ("MUL", None)),
    _row(r"减去|减|[-−–－]|minus|less|subtracting", ("SUB", None)),
    _row(r"加上|加|[+＋]|plus", ("ADD", None)),
    _row(r"(?:之|的)?(?:比值|比率|之比|比例)|之比|(?:的)比|ratios?", ("RATIO", None)),
    _row(r"(?:之|的)?(?:差值|差额|价差)|之差|的差|differences?|spread|gap", ("DIFF", None)),
    _row(r"之和|的和|sum", ("TOGETHER", None)),
    _row(r"之积|的乘积|乘积|products?", ("PRODUCT", None)),
    _row(r"幅度", ("DEVIATION", None)),
    _row(r"(?:的)?(?:偏离(?:程度|幅度|度|率)?)|(?:percentage |percent )?(?:deviation|distance)",
     ("DEVIATION", None)),
    _row(r"from", ("FROM", None)),
    _row(r"between|之间|区间|构成的区间", ("BETWEEN", None)),
    _row(r"占", ("SHARE", None)),
    _row(r"sits|stands|lies|is located", ("POS", None)),
    _row(r"(?:的)?(?:相对)?位置|(?:relative )?position", ("POS", None)),
    _row(r"与|和|及|以及|and|&", ("AND", None)),
    _row(r"to", ("TO", None)),
    _row(r"的|之", ("OF", None), ("FILLER", None)),
    _row(r"of", ("OF", None)),
    _row(r"over|during|in|within|across|for|on|在|于", ("OVER", None)),
    _row(r"over", ("DIVW", None, 0.5), ("OVER", None)),
    _row(
        r"过去|最近|近|此前|前|滚动|回看|此前|past|last|trailing|previous|prior|preceding|recent"
        r"|rolling|latest|most recent",
         ("PAST", None)),
    _row(r"内|以来|期间|区间内|里|中|window|period|horizon|lookback|look-back", ("WITHIN", None)),
    _row(r"前(?:的)?|之前(?:的)?|ago|earlier|before", ("AGO", None)),
    _row(r"前一(?:个)?(?:交易)?日(?:的)?|昨日(?:的)?|上一(?:个)?(?:交易)?日(?:的)?"
         r"|(?:the )?(?:previous|prior)(?: trading)? day's|yesterday's", ("PREVIOUS", None)),
    _row(r"滞后|lagged(?: by)?|delayed(?: by)?", ("LAGGED", None)),
    _row(r"averaged|smoothed", ("AVERAGED", None)),
    _row(r"跳过|剔除|扣除|skipping|excluding", ("SKIP", None)),
    _row(r"[-−]\s?1 times", ("TURN", None)),
    _row(r"with a (?:negative|minus) sign|(?:并|再)?(?:前面)?加(?:上)?负号|并取负(?:号|值)?", ("SIGNED",
     None)),
    _row(r"subtract", ("SUBTRACT", None)),
    _row(r"divide (?:the result|it|this|that|the difference) by|dividing (?:the result|it) by", ("DIVV",
     None)),
    _row(r"再|然后|之后|后|并|且|接着|最后|then|and then|after that|finally|which is|that is", ("THEN",
     None)),
    _row(r"取|求|计算|进行|做|作|taking|take|取其|we take|computing", ("TAKE", None)),
    _row(r"等权(?:重)?(?:加权)?|equal(?:ly)?[- ]weighted", ("EQUAL", None)),
    _row(r"其|its|their|the same stock's", ("ITS", None)),
    _row(r"[(\[{（【]", ("(", None)),
    _row(r"[)\]}）】]", (")", None)),
    _row(r"[,，]", (",", None)),
    _row(r"、", (",", None), ("AND", None)),
    _row(r"\|", ("|", None)),
    _row(
        r"[“”\"「」]|对(?:于)?每(?:一)?只(?:股票|个股)|for (?:each|every) stock|首先|先|where|个股"
        r"|股票|该股票|该股|每只股票|单只股票|标的|自身|对应|相应|所有|全部|(?:each "
        r"|every |the "
        r"|a )?(?:individual )?stock(?:'s|s'|s)?|its own"
         r"|the|a|an|each|our|then-current|on each (?:trading )?day|simply|simple|['’]s|当前|当期|当天"
         r"|当日|今日|today's|the day's|current|t日|day t|at day t",
         ("FILLER", None)),
)  # fmt: skip


_Compiled = tuple[tuple[re.Pattern[str], tuple[tuple[str, Any, float], ...]], ...]


@lru_cache(maxsize=2)
def compiled(han: bool) -> _Compiled:
    """The table for words that begin with a Han character, or with another one.

    Of the alternatives of a row the longest written goes first; English words end at word ends, Chinese ones
    anywhere.
    """
    found = []
    for row in TABLE:
        fitting = [part for part in _alternatives(row.pattern) if _may_begin(part, han)]
        if fitting:
            joined = "|".join(sorted(fitting, key=len, reverse=True))
            found.append((re.compile(_bounded(joined), re.IGNORECASE), row.senses))
    return tuple(found)


def _alternatives(pattern: str) -> list[str]:
    """The parts between bars that stand in no bracket."""
    parts, depth, last, escaped, inside = [], 0, 0, False, False
    for index, character in enumerate(pattern):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif inside:
            inside = character != "]"
        elif character == "[":
            inside = True
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            parts.append(pattern[last:index])
            last = index + 1
    return [*parts, pattern[last:]]


def _may_begin(part: str, han: bool) -> bool:
    has_han = any("\u4e00" <= character <= "\u9fff" for character in part)
    has_latin = re.search(r"(?<!\\)[A-Za-z]", part) is not None
    return has_han if han else (not has_han or has_latin)


def _bounded(pattern: str) -> str:
    # a Latin word must not begin or end inside another; Han characters and symbols have no such ends
    return rf"(?:{pattern})(?:(?<![A-Za-z])|(?![A-Za-z]))"
