"""Series and quantities that have names: what they are, and the words for them, Chinese and English.

Categories: ``F`` a daily series; ``U`` a quantity that still wants its window; ``VOL`` volatility, which may
be that of another series; ``NAMED`` a name that a formula in brackets may explain; ``IT`` and ``ITS`` the
series that was said before; ``N`` a number; ``W`` and ``OW`` a window, see the grammar.
"""

from __future__ import annotations

from typing import Final

from assay.reports.rules._tree import HOLE, SAME, Apply, Field, Number, Tree, Window, apply
from assay.reports.rules._words import Row, row

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

QUANTITIES: Final[tuple[Row, ...]] = (
    # -- fields as the dialect writes them ---
    *(row(rf"\$(?:{word})", ("F", Field(name))) for name, word in _DOLLAR),
    *(row(rf"(?-i:{letter})", ("F", Field(name))) for letter, name in _LETTERS),
    row(r"one|unity|一(?![个日天周月年段定致直些])", ("N", _MINUS_ONE)),
    row(r"(?:的)?一段时间(?:内|里)?(?:的)?|(?:over )?(?:a|some) (?:period|stretch) of (?:time|days)",
     ("SOME", None)),
    row(r"(?:over |in |during |of |across )?(?:the|that) same (?:period|window|days|horizon|stretch|interval"
        r"|span)|(?:同期|同一?(?:窗口|区间|时段|周期))(?:内)?|相同(?:窗口|区间|时段|周期)(?:内)?",
        ("OW", SAME), ("W", SAME)),
    row(r"(?:the )?same(?= (?:\d|ten|twenty|thirty|sixty|five))|(?:同样的?|相同的?|同一)(?=\s?\d)",
        ("PAST", None)),
    # -- the series that was said before -----------------------------------------------------------------
    row(r"(?:this|that|these|those)(?: (?:daily|resulting))?(?! (?:by|with|in|over|during|and|to|weeks?"
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
    row(
        r"(?:日内|当日)?高低价差|(?:the )?(?:daily |intraday |day's |today's )(?:high-low |price "
        r"|trading )?range"
        r"|(?:price |trading )?range of the day"
        r"|high-low spread",
        ("F", apply("-", _HIGH, _LOW))),
    # -- daily series ------------------------------------------------------------------------------------
    row(r"(?:后复权|前复权|复权|当日|今日|每日|日)?(?:的)?(?:收盘价格?|收盘)|股价|价格"
        r"|(?:adjusted |daily |today's |the day's )?clos(?:e|ing)(?: prices?)?(?! to (?:zero|the top"
        r"|the bottom|one|1|each|being))|share price"
        r"|stock price|price",
        ("F", _CLOSE)),
    row(r"(?:当日|今日|每日|日)?(?:的)?开盘价格?|开盘|今开(?:盘价?)?"
        r"|(?:today's |daily )?open(?:ing)?(?: prices?)?",
     ("F", _OPEN)),
    row(r"(?:当日|今日|每日|日)?(?:的)?最高价格?|(?:today's |daily )?highs?(?: prices?)?|highest prices?"
        r"|highest highs?|high prices?",
        ("F", _HIGH), ("U", over("TS_MAX", _HIGH), 0.2)),
    row(r"(?:当日|今日|每日|日)?(?:的)?最低价格?|(?:today's |daily )?lows?(?: prices?)?|lowest prices?"
        r"|lowest lows?|low prices?",
        ("F", _LOW), ("U", over("TS_MIN", _LOW), 0.2)),
    row(r"高点|(?:区间|阶段)最高价|maximum high", ("U", over("TS_MAX", _HIGH))),
    row(r"低点|(?:区间|阶段)最低价|minimum low", ("U", over("TS_MIN", _LOW))),
    row(r"最高收盘价|收盘最高价|highest clos(?:e|ing)(?: price)?", ("U", over("TS_MAX", _CLOSE))),
    row(r"最低收盘价|收盘最低价|lowest clos(?:e|ing)(?: price)?", ("U", over("TS_MIN", _CLOSE))),
    row(
        r"(?:当日|今日|每日|日)?(?:的)?成交量|交易量|(?:daily |trading |share |traded )*volumes?"
        r"|shares traded",
        ("F", _VOLUME)),
    row(r"(?:当日|今日|每日|日)?(?:的)?(?:成交额|成交金额|交易额)"
        r"|(?:daily )?(?:traded value|trading value|dollar volume|(?:trading "
        r"|traded )?amounts?(?: traded)?"
        r"|value traded|turnover value|dollar turnover|turnover(?! ?rate| ?ratio))",
        ("F", _AMOUNT)),
    row(r"(?:日度|每日|每天|当日|单日|逐日|日频|日)(?:的)?(?:收益率?|涨跌幅|回报率?|涨幅|涨跌)"
        r"|(?:daily|one-day|1-day|single-day|day-over-day|day-to-day|day-on-day) (?:stock |price "
        r"|percentage )?"
        r"(?:returns?|gains?|moves?|price changes?|changes? in (?:the )?(?:price|close))", ("F", _RETURN)),
    row(r"(?:最大|最高)?单日(?:最大|最高)(?:的)?(?:收益率?|涨幅|涨跌幅|回报率?)|(?:最大|最高)单日(?:收益率?|涨幅|涨跌幅)",
        ("U", over("TS_MAX", _RETURN))),
    row(r"单日(?:最小|最低)(?:的)?(?:收益率?|涨幅|涨跌幅|回报率?)|单日最大跌幅|最大单日跌幅",
        ("U", over("TS_MIN", _RETURN))),
    row(
        r"(?:累计|累积|区间|价格|股价)?(?:收益率?|涨跌幅|回报率?)|(?:simple |stock |price |past "
        r"|total )*returns?|ret",
        ("F", _RETURN, 0.3), ("U", MOMENTUM, 0.2)),
    row(r"(?:累计|累积|区间|价格|股价|阶段)?(?:上)?涨幅|动量|价格变动率|价格变化率|(?:价格|股价|累计)(?:的)?(?:变动幅度|变化幅度|涨跌)"
        r"|(?:cumulative|compounded|holding-period|buy-and-hold|total) (?:stock |price )?(?:returns?"
        r"|gains?|performance)"
        r"|(?:price )?momentum|(?:price )?(?:gain|appreciation)|rate of change"
        r"|(?:percentage (?:price )?|relative price )change(?: in (?:the )?(?:price|close|closing price))?"
        r"|(?:price )?change (?:in (?:the )?(?:price|close|closing price) )?in per ?cent", ("U", MOMENTUM)),
    row(r"(?:日内|盘中)(?:收益率?|涨跌幅|回报率?)|(?:intraday|open-to-close) returns?", ("F", INTRADAY),
     ("NAMED", INTRADAY)),
    row(r"隔夜(?:收益率?|涨跌幅|回报率?|跳空)|跳空(?:幅度|缺口)?"
        r"|(?:overnight|close-to-open) returns?|(?:opening |overnight )gaps?", ("F", OVERNIGHT),
          ("NAMED", OVERNIGHT)),
    row(r"(?:日|每日|当日|日内)?振幅|(?:daily |intraday )?amplitude|high-low amplitude", ("F",
     AMPLITUDE), ("NAMED", AMPLITUDE)),
    row(
        r"前一(?:个)?(?:交易)?日(?:的)?收盘价|前收盘价?|昨收(?:盘价?)?|昨日收盘价"
        r"|上一(?:个)?(?:交易)?日(?:的)?收盘价"
        r"|(?:the )?(?:previous|prior)(?: trading)?(?: day's)? clos(?:e|ing)(?: price)?|pre-?close"
        r"|yesterday's clos(?:e|ing)(?: price)?", ("F", _PREVIOUS)),
    row(
        r"主力(?:资金)?净流入(?:额|金额)?|资金净流入(?:额|金额)?|net (?:main )?(?:money|capital"
        r"|fund) (?:in)?flow",
        ("F", Field("net_mf_amount"))),
    # -- quantities with a window --------------------------------------------------------------------------
    row(
        r"(?:收益|收益率|历史|价格|日|股价|已实现)?波动率|(?:historical |realized |realised |return "
        r"|price |total )*volatility",
        ("U", VOLATILITY), ("VOL", None, 0.1)),
    row(
        r"(?:移动)?均线|均价线?|(?:simple )?moving averages?(?: prices?)?(?! of)|moving-average price"
        r"|average price",
        ("U", over("TS_MEAN", _CLOSE), 0.2)),
    row(r"(?:收盘均价|平均收盘价)", ("U", over("TS_MEAN", _CLOSE))),
    row(r"均量", ("U", over("TS_MEAN", _VOLUME))),
    row(r"均额", ("U", over("TS_MEAN", _AMOUNT))),
    row(r"(?:Amihud)?(?:非流动性|illiquidity)(?:指标|比率|measure|ratio)?|Amihud(?: measure| ratio)?",
        ("U", over("TS_MEAN", ILLIQUIDITY)), ("F", ILLIQUIDITY, 0.3)),
    row(r"乖离率|均线偏离(?:度|率)|(?:moving-average )?bias", ("U", BIAS)),
    row(r"(?:价格|股价)(?:的)?(?:相对)?(?:位置|分位)|高低点位置|(?:price |high-low )position", ("U",
     POSITION)),
    row(r"high-low range|高低(?:价)?差", ("F", apply("-", _HIGH, _LOW), 0.3)),
    row(r"价格区间|高低区间|(?:high-low |trading |price )?range", ("U", RANGE)),
    row(r"量价相关(?:系数|性)|(?:price-volume|volume-price) correlation(?: coefficient)?", ("U",
     PRICE_VOLUME)),
)  # fmt: skip
