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

from assay.reports.rules._tree import HOLE, SAME, Apply, Field, Number, Tree, Window, apply

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
    _row(r"(?:over |in |during |of |across )?(?:the|that) same (?:period|window|days|horizon|stretch|interval"
         r"|span)|(?:同期|同一?(?:窗口|区间|时段|周期))(?:内)?|相同(?:窗口|区间|时段|周期)(?:内)?",
         ("OW", SAME), ("W", SAME)),
    _row(r"(?:the )?same(?= (?:\d|ten|twenty|thirty|sixty|five))|(?:同样的?|相同的?|同一)(?=\s?\d)",
         ("PAST", None)),
    # -- the series that was said before -----------------------------------------------------------------
    _row(r"(?:this|that|these|those)(?: (?:daily|resulting))?(?! (?:by|with|in|over|during|and|to|weeks?"
         r"|months?|years?|quarters?"
         r"|notes?|reports?|papers?"
         r"|sections?|factors?|signals?|stud(?:y|ies)|samples?|periods?|cases?|sense|way|reasons?|is|was"
         r"|are|means|stocks?"
         r"|names|firms)\b) [a-z]+|the (?:daily )?(?:ratio|quantity|number|figure|result|quotient"
         r"|product|difference|sum)s?(?! (?:of"
         r"|between|in|to)\b)|it|them|what (?:remains|is left)|the (?:remainder|outcome)"
         r"|the resulting (?:ratio|quantity|number|value|figure|series)"
         r"|(?:该|上述|此|这一|这个|所得|得到的|前述)(?:每?日度?)?(?:的)?(?:比值|比率|比例|比重|占比|绝对值|对数值?|数值|序列|指标|差值|差额|差|结果|商|乘积"
         r"|均价|均值|平均值|标准差|累计值|长度|幅度|价格|收益率?(?:序列)?|数|值)|(?:上一步|前一步|第[一二三]步)(?:的|所得)?(?:的)?(?:结果|数值|值|序列)"
         r"|两者之比|结果|其|排名(?:值)?(?=取负|取反|乘以?\s?[-−])|差额(?=再?[除取])",
         ("IT", None), ("ITS", None, 0.1)),
    _row(
        r"(?:日内|当日)?高低价差|(?:the )?(?:daily |intraday |day's |today's )(?:high-low |price "
        r"|trading )?range"
        r"|(?:price |trading )?range of the day"
        r"|high-low spread",
         ("F", apply("-", _HIGH, _LOW))),
    # -- daily series ------------------------------------------------------------------------------------
    _row(r"(?:后复权|前复权|复权|当日|今日|每日|日)?(?:的)?(?:收盘价格?|收盘)|股价|价格"
         r"|(?:adjusted |daily |today's |the day's )?clos(?:e|ing)(?: prices?)?(?! to (?:zero|the top"
         r"|the bottom|one|1|each|being))|share price"
         r"|stock price|price",
         ("F", _CLOSE)),
    _row(r"(?:当日|今日|每日|日)?(?:的)?开盘价格?|开盘|今开(?:盘价?)?"
         r"|(?:today's |daily )?open(?:ing)?(?: prices?)?",
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
    _row(r"(?:日度|每日|每天|当日|单日|逐日|日频|日)(?:的)?(?:收益率?|涨跌幅|回报率?|涨幅|涨跌)"
         r"|(?:daily|one-day|1-day|single-day|day-over-day|day-to-day|day-on-day) (?:stock |price "
         r"|percentage )?"
         r"(?:returns?|gains?|moves?|price changes?|changes? in (?:the )?(?:price|close))", ("F", _RETURN)),
    _row(r"(?:最大|最高)?单日(?:最大|最高)(?:的)?(?:收益率?|涨幅|涨跌幅|回报率?)|(?:最大|最高)单日(?:收益率?|涨幅|涨跌幅)",
         ("U", over("TS_MAX", _RETURN))),
    _row(r"单日(?:最小|最低)(?:的)?(?:收益率?|涨幅|涨跌幅|回报率?)|单日最大跌幅|最大单日跌幅",
         ("U", over("TS_MIN", _RETURN))),
    _row(
        r"(?:累计|累积|区间|价格|股价)?(?:收益率?|涨跌幅|回报率?)|(?:simple |stock |price |past "
        r"|total )*returns?|ret",
         ("F", _RETURN, 0.3), ("U", MOMENTUM, 0.2)),
    _row(r"(?:累计|累积|区间|价格|股价|阶段)?(?:上)?涨幅|动量|价格变动率|价格变化率|(?:价格|股价|累计)(?:的)?(?:变动幅度|变化幅度|涨跌)"
         r"|(?:cumulative|compounded|holding-period|buy-and-hold|total) (?:stock |price )?(?:returns?"
         r"|gains?|performance)"
         r"|(?:price )?momentum|(?:price )?(?:gain|appreciation)|rate of change"
         r"|(?:percentage (?:price )?|relative price )change(?: in (?:the )?(?:price|close|closing price))?"
         r"|(?:price )?change (?:in (?:the )?(?:price|close|closing price) )?in per ?cent", ("U", MOMENTUM)),
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
    _row(r"high-low range|高低(?:价)?差", ("F", apply("-", _HIGH, _LOW), 0.3)),
    _row(r"价格区间|高低区间|(?:high-low |trading |price )?range", ("U", RANGE)),
    _row(r"量价相关(?:系数|性)|(?:price-volume|volume-price) correlation(?: coefficient)?", ("U",
     PRICE_VOLUME)),
    # -- ops over a window ---------------------------------------------------------------------------------
    _row(
        r"(?:简单|滚动|算术)?(?:移动)?(?:平均(?:值|水平|数)?|均值|均线)|TS_MEAN|MEAN|SMA|MA|rolling_mean|ts_avg"
        r"|AVG|(?:moving|rolling|simple|arithmetic)"
         r"[ -](?:moving[ -])?(?:averages?|means?)|averages?|means?", ("AGG", "TS_MEAN")),
    _row(r"标准差|(?:离散(?:程度|度)|波动(?:性|程度)?)(?:[(（](?:即)?标准差[)）])?|TS_STD|STD(?:DEV)?"
         r"|(?:sample )?standard deviations?|std\.? dev\.?|stdev|rolling_std|variability|dispersion",
         ("AGG", "TS_STD")),
    _row(r"最大值|最高值|极大值|TS_MAX|HHV|(?:maximum|largest|highest)(?: value)?|rolling_max|max",
         ("AGG", "TS_MAX")),
    _row(r"最小值|最低值|极小值|TS_MIN|LLV|(?:minimum|smallest|lowest)(?: value)?|rolling_min|min",
         ("AGG", "TS_MIN")),
    _row(r"之?总和|求和|累[计积加](?:值|和|数|起来)?|加总(?:值)?|合计|总额|总量|TS_SUM|SUM|rolling_sum|total"
         r"|cumulative sum",
         ("AGG", "TS_SUM")),
    _row(r"平均|日均|均|(?:simple |rolling |trailing )?average|mean|average daily|mean daily", ("ADJ",
     "TS_MEAN")),
    _row(r"最高|最大|(?:single )?(?:highest|maximum|max|largest|biggest|greatest)", ("ADJ", "TS_MAX")),
    _row(r"最低|最小|(?:single )?(?:lowest|minimum|min|smallest)", ("ADJ", "TS_MIN")),
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
        r"(?:在?(?:横截面|截面|全市场|股票间))?(?:上|内|中)?(?:的)?(?:进行|做|求|取|计算)?(?:排名|排序|百分位|分位数?)(?:值|分位)?|RANK"
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
    _row(r"\\[dt]?frac", ("FRAC", None)),
    _row(r"\\(?:times|cdot)", ("MUL", None)),
    _row(r"\\(?:ln|log)", ("FN", "LOG")),
    _row(r"\\(?:left|right)(?=[()\[\]{}|])|\\[,;!]|_(?:\{(?:i\s?,\s?)?t\}|t(?![A-Za-z0-9]))|_(?=\{t\s?[-−–])|`{1,3}"
         r"|\${1,2}(?![A-Za-z])|\$\$",
         ("FILLER", None)),
    _row(r"\.pct_change(?=\()", ("METHOD", "TS_PCTCHANGE")),
    _row(r"\.diff(?=\()", ("METHOD", "DELTA")),
    _row(r"\.shift(?=\()", ("METHOD", "DELAY")),
    _row(r"\.rolling(?=\()", ("ROLLING", None)),
    *(_row(rf"\.{method}\(\s*\)", ("ROLLED", op))
      for method, op in (("mean", "TS_MEAN"), ("std", "TS_STD"), ("sum", "TS_SUM"), ("max", "TS_MAX"),
                         ("min", "TS_MIN"))),
    _row(r"\.abs\(\s*\)", ("FNPOST", "ABS")),
    _row(r"\.rank\((?:\s|axis\s?=\s?1|pct\s?=\s?True|,)*\)", ("FNPOST", "RANK")),
    _row(r"np\.log", ("FN", "LOG")),
    _row(r"np\.abs", ("FN", "ABS")),
    _row(r"(?:(?:and|then) )*ranked (?:cross[- ]sectionally|across (?:all )?(?:stocks|names)"
         r"|in the cross[- ]section)",
         ("RANKED", None)),
    _row(r"[÷/／]", ("DIV", None)),
    _row(r"除以|比上|(?:(?:is|are|was|and|then|when) )*(?:divided by|scaled by|normali[sz]ed by|deflated by)"
         r"|expressed (?:as a (?:fraction|share|proportion|multiple|percentage) of|relative to)"
         r"|in proportion to"
         r"|as a (?:fraction|share|proportion|multiple|percentage) of|per unit of", ("DIVW", None)),
    _row(r"relative to|compared (?:with|to)|against|相对于?|相比于?|较(?:之)?",
         ("REL", None), ("DIVW", None, 0.5)),
    _row(r"乘以|乘上|乘|×|·|\*|multiplied by|times", ("MUL", None)),
    _row(r"减去|减掉|扣减|减|[-−–－]|minus|less", ("SUB", None)),
    _row(r"加上|加|[+＋]|plus", ("ADD", None)),
    _row(r"倍(?!数|量)", ("TIMES", None)),
    _row(r"[Tt]\s?[-−–](?=\s?\d)", ("LAGT", None)),
    _row(r"(?<=[日天])和(?=[,，。;；)）]|$|再|除)", ("AGG", "TS_SUM")),
    _row(r"that(?= (?:in|over|during|of) )", ("THAT", None)),
    _row(r"变异系数|coefficients? of variation", ("CV", None)),
    _row(r"(?:we )?smooth(?:ed|ing)?(?= (?:it|this|that|the|these|them|with|by|using|over)\b)",
         ("SMOOTH", None)),
    _row(r"(?:之|的)?(?:比值|比率|之比|比例|比重|倍数|商)|之比|(?:的)比|(?:simple )?(?:ratios?|quotients?)",
         ("RATIO", None)),
    _row(r"(?:之|的)?(?:差值|差额|价差|差距)|之差|的差|differences?|spread|gap", ("DIFF", None)),
    _row(r"之和|的和|sum", ("TOGETHER", None)),
    _row(r"averages?|averaging|smooth(?:ing)?", ("AGGV", "TS_MEAN")),
    _row(r"add(?:ing)? (?:it|them|this|these|the result) up", ("AGGV", "TS_SUM")),
    _row(r"(?:收盘均价|平均收盘价)", ("U", over("TS_MEAN", _CLOSE))),
    _row(r"(?:本|该)?(?:因子|指标|信号|得分)(?:值)?(?:为|取|是|即)(?=其)", ("THEN", None)),
    _row(r"sum(?:s|ming)?(?: up)?|add(?:ing)? up|cumulat(?:e|ing)|accumulat(?:e|ing)", ("AGGV", "TS_SUM")),
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
    _row(r"(?:computed |calculated |measured |estimated |taken )?(?:over|using|from|with|on)(?: (?:a"
         r"|the) (?:rolling |moving "
         r"|trailing )?(?:window|period|span|sample) of| (?:daily )?data (?:of|from|for|over))",
         ("OVER", None)),
    _row(r"(?:computed |calculated |measured |estimated |taken )(?:over|on|using|from)|using",
         ("OVER", None)),
    _row(r"in absolute (?:value|terms)", ("FNPOST", "ABS")),
    _row(r"(?:组合)?(?:形成|建仓|调仓|排序|评估)日?(?:之前|前)(?:的)?", ("PAST", None)),
    _row(r"(?:that |which )?(?:preced|lead)(?:es?|ing)? (?:up to )?the (?:portfolio )?(?:formation"
         r"|sort(?:ing)?|rebalancing)"
         r"(?: date)?|(?:before|prior to|up to) the (?:portfolio )?(?:formation|sort(?:ing)?"
         r"|rebalancing) date",
         ("FILLER", None)),
    _row(r"over|during|in|within|across|for|on|在|于", ("OVER", None)),
    _row(r"over", ("DIVW", None, 0.5), ("OVER", None)),
    _row(
        r"th[eo]se(?= \d)|过去|最近|近|此前|前|滚动|回看|往前|截至当日(?:的)?"
        r"|past|last|trailing|previous|prior"
        r"|preceding|recent|foregoing"
        r"|rolling|latest|most recent",
         ("PAST", None)),
    _row(r"以?内|以来|期间|区间内|之?间|里|中|window|period|horizon|lookback|look-back", ("WITHIN", None)),
    _row(r"前(?:的)?|之前(?:的)?|ago|earlier|before", ("AGO", None)),
    _row(r"前一(?:个)?(?:交易)?日(?:的)?|昨日(?:的)?|上一(?:个)?(?:交易)?日(?:的)?"
         r"|(?:the )?(?:previous|prior)(?: trading)? day's|yesterday's", ("PREVIOUS", None)),
    _row(r"滞后|lagged(?: by)?|delayed(?: by)?", ("LAGGED", None)),
    _row(r"(?:(?:is|are|was|and|then|we) )*(?:averaged|smoothed)", ("AGGED", "TS_MEAN")),
    _row(r"(?:(?:is|are|was|and|then|we) )*(?:summed(?: up)?|added up|cumulated|accumulated)",
         ("AGGED", "TS_SUM")),
    _row(r"跳过|剔除|扣除|skipping|excluding", ("SKIP", None)),
    _row(r"[-−]\s?1 times", ("TURN", None)),
    _row(r"with a (?:negative|minus) sign|(?:并|再)?(?:前面)?加(?:上)?负号|并取负(?:号|值)?", ("SIGNED",
     None)),
    _row(r"(?:we )?(?:subtract(?:ing)?|deduct(?:ing)?)", ("SUBTRACT", None)),
    _row(r"(?:we )?(?:divid|scal|normali[sz]|deflat)(?:es?|ing)", ("DIVV", None)),
    _row(r"(?:we )?multiply(?:ing)?", ("MULV", None)),
    _row(r"by|with(?= (?:an?|its) \d)", ("BY", None)),
    _row(r"both|each|均(?=在|取|为)|两者均", ("BOTH", None)),
    _row(r"(?:之后|然后|随后|而后|后|接着|最后|并|且)?再|然后|之后|随后|后|并|且|接着|最后|最终|进而"
         r"|then|and then|after that|finally|which is|that is", ("THEN",
     None)),
    _row(r"取|看(?![好多空来出到待])|求取?|计算(?:出)?|算出|统计|进行|做|作"
         r"|(?:we )?(?:take|compute|calculate|form|find|obtain)"
         r"|taking|computing"
         r"|calculating|forming", ("TAKE", None)),
    _row(r"等权(?:重)?(?:加权)?|equal(?:ly)?[- ]weighted", ("EQUAL", None)),
    _row(r"its|their|the same stock's", ("ITS", None)),
    _row(r"[(\[{（【]", ("(", None)),
    _row(r"[)\]}）】]", (")", None)),
    _row(r"[,，]", (",", None)),
    _row(r"、", (",", None), ("AND", None)),
    _row(r"\|", ("|", None)),
    _row(r"对|将|把|对于|(?:that|which) (?:(?:was|were|is|are|has|have) )?(?:been )?(?:recorded|seen"
         r"|reached|observed|set"
         r"|posted|printed|touched)|recorded|observed|reached|seen|(?:的)?水平|当中|区间内(?=日|成交|收益)",
         ("FILLER", None)),
    _row(
        r"单日(?=成交)|[“”\"「」]|对(?:于)?每(?:一)?只(?:股票|个股)"
        r"|for (?:each|every) stock|首先|先|where|个股"
        r"|股票|该股票|该股|每只股票|单只股票|标的|自身|对应|相应|所有|全部|(?:each "
        r"|every |the "
        r"|a )?(?:individual )?stock(?:'s|s'|s)?|its own"
         r"|the|a|an|our|then-current|on each (?:trading )?day|now|just|simply|simple|['’]s|当前|当期|当天"
         r"|当日|今日|today(?:['’]s)?|the day's|current|t日|day t|at day t|of the day|on (?:that|the) day"
         r"|of (?:that|the same) day|每[天日]的?|每个交易日的?|每一天的?",
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


_GROUP: Final = 10


@lru_cache(maxsize=2)
def grouped(han: bool) -> tuple[tuple[re.Pattern[str], _Compiled], ...]:
    """The same in groups, each with a pattern that matches where any row of the group does.

    Most words of a report are in no row: a group costs one attempt then, and not one for each of its rows.
    """
    rows = compiled(han)
    groups = (rows[first : first + _GROUP] for first in range(0, len(rows), _GROUP))
    return tuple(
        (re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in group), re.IGNORECASE), group)
        for group in groups
    )


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
