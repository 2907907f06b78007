"""How words join into formulas: one table of patterns, each with the phrases that a test reads by it.

Categories, beside the words': ``W`` a window, ``OW`` the same with its preposition ("over the past 20 days"),
``A`` a complete quantity, ``B`` a plain series, ``U`` one that wants its window, ``WAGG`` an op with its
window that wants its series ("its 20-day average"), ``V`` a window in a call, ``Q`` and ``QW`` a quotient by
sign and by word, ``M`` a product, ``S`` a sum: the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from assay.reports.rules._chart import Grammar, Rule
from assay.reports.rules._tree import (
    HOLE,
    Apply,
    Field,
    Number,
    Tree,
    Window,
    apply,
    fill,
    has_hole,
    windows_of,
)
from assay.reports.rules._words import MOMENTUM, ONE, RANGE, over

SELF: Final = Field("?")
"""Stands for the series that the sentence has named already: *its* 20-day average."""

Build = Callable[..., Tree | None]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Ways to say one thing.

    Parameters
    ----------
    name : what it is called in the field.
    rules : ``(result, parts, build, cost)``; a part that ends in ``?`` may be absent.
    examples : phrase and formula, Chinese and English; a test reads every one.
    """

    name: str
    rules: tuple[tuple[str, str, Build, float], ...]
    examples: tuple[tuple[str, str], ...] = ()


def _own(wanted: Tree, series: Tree) -> Tree:
    """The op with its series in the place that waits for it."""
    if wanted == SELF:
        return series
    if isinstance(wanted, Apply):
        return Apply(wanted.op, tuple(_own(arg, series) for arg in wanted.args))
    return wanted


def _binary(symbol: str) -> Build:
    return lambda left, right: apply(symbol, left, right)


def _binary_own(symbol: str) -> Build:
    return lambda left, wanted: apply(symbol, left, _own(wanted, left))


def _ratio_less_one(left: Tree, right: Tree) -> Tree:
    return apply("-", apply("/", left, right), Number("1"))


def _window(number: Number) -> Window | None:
    """A bare number in a call as a window."""
    if not number.text.isdigit() or int(number.text) < 1:
        return None
    return Window((int(number.text),), number.start, number.end)


def _change_sign(value: Tree) -> Tree:
    return apply("neg", value)


def _negative(value: Tree) -> Tree | None:
    """A sign before a product of a number belongs to the number."""
    leading = value
    while isinstance(leading, Apply) and leading.op in ("*", "/"):
        leading = leading.args[0]
    turned = isinstance(value, Apply) and value.op == "neg"
    return None if turned or isinstance(leading, Number) else apply("neg", value)


def _times(value: Tree, number: Number) -> Tree:
    """``x times -1`` is the negative of x."""
    if number.text == "1":
        return apply("neg", value)
    return apply("neg", apply("*", value, number))


def _skipping(window: Window, quantity: Tree, skipped: Window) -> Tree | None:
    """Momentum that leaves the latest bars out."""
    if quantity != MOMENTUM:
        return None
    close = Field("close")
    return apply("-", apply("/", apply("DELAY", close, skipped), apply("DELAY", close, window)), Number("1"))


def _daily_ratio(value: Tree) -> bool:
    """Whether it divides two different daily quantities: what stands after it then speaks of the whole."""
    if not isinstance(value, Apply) or value.op != "/" or value.args[0] == value.args[1]:
        return False
    return all(window.implied and window != HOLE for window in windows_of(value))


def _of_whole(compound: bool, build: Build, place: int) -> Build:
    """``build`` where argument ``place`` is such a ratio, its dividend compound or not.

    After a sign, "(high - low) / close 的 20 日均值" means the ratio; "amount / close 的均值" may mean
    either, and so does everything said in words alone: both are then kept at one cost, and nothing is read.
    """

    def checked(*parts: Tree) -> Tree | None:
        value = parts[place]
        if not _daily_ratio(value):
            return None
        assert isinstance(value, Apply)
        return build(*parts) if isinstance(value.args[0], Apply) is compound else None

    return checked


def _same_window(symbol: str) -> Build:
    """The second quantity over the window of the first."""

    def build(left: Tree, right: Tree) -> Tree | None:
        windows = [window for window in windows_of(left) if not window.implied and window != HOLE]
        return apply(symbol, left, fill(right, windows[-1])) if windows else None

    return build


def _position(series: Tree, window: Window, band: Tree) -> Tree | None:
    if band != RANGE:
        return None
    low = fill(over("TS_MIN", Field("low")), window)
    return apply("/", apply("-", series, low), fill(RANGE, window))


def _band(first: Tree, second: Tree) -> Tree | None:
    """The range that *high and low* name together."""
    pair = {first, second}
    return RANGE if pair == {over("TS_MAX", Field("high")), over("TS_MIN", Field("low"))} else None


def _in_brackets(named: Tree, formula: Tree) -> Tree | None:
    """``amplitude (high less low, divided by the close)``: the formula says what the name means."""
    if not isinstance(formula, Apply) or formula.op == "neg":
        return None
    return formula if isinstance(named, Apply) and not has_hole(formula) else None


def _infix(
    result: str, left: str, word: str, right: str, symbol: str, cost: float = 1.0
) -> tuple[str, str, Build, float]:
    return (result, f"{left} {word} {right}", _binary(symbol), cost)


# "the high and the low over 20 days" share the window; that only one of the two takes it is rarer
_TWO_U: Final = (("U", "U", 0.4), ("A", "U", 2.5), ("U", "A", 2.5))

PATTERNS: Final[tuple[Pattern, ...]] = (
    Pattern("window", (
        ("W", "T", lambda t: t, 0.0),
        ("W", "PAST T WITHIN? OF?", lambda t: t, 0.0),
        ("W", "T WITHIN", lambda t: t, 0.1),
        ("W", "T PAST WITHIN?", lambda t: t, 0.1),
        ("W", "PAST? WITHIN OF T", lambda t: t, 0.1),
        ("W", "PAST? T PAST", lambda t: t, 0.2),
        ("OW", "OVER W", lambda t: t, 0.0),
        ("OW", "OVER PAST? WITHIN OF? T", lambda t: t, 0.1),
    )),
    Pattern("plain series", (("A", "F", lambda x: x, 0.0), ("A", "( S )", lambda x: x, 0.0),
                             ("A", "N", lambda n: n, 0.0))),
    Pattern("N-day quantity", (
        ("A", "W OF? U", lambda w, u: fill(u, w), 1.0),
        ("A", "U OW", fill, 1.0),
        ("A", "OW OF? U", lambda w, u: fill(u, w), 1.0),
        ("A", "U OF W", fill, 1.1),
        ("A", "U ( W )", fill, 1.0),
        ("A", "F OF W U", lambda f, w, u: fill(u, w) if u != MOMENTUM or f == Field("close") else None, 1.2),
        ("A", "F W U", lambda f, w, u: fill(u, w) if f == Field("close") and u == MOMENTUM else None, 1.0),
    ), (
        ("过去20个交易日的累计收益率", "TS_PCTCHANGE($close, 20)"),
        ("20日涨跌幅", "TS_PCTCHANGE($close, 20)"),
        ("近60日动量", "TS_PCTCHANGE($close, 60)"),
        ("the cumulative return over the past 20 trading days", "TS_PCTCHANGE($close, 20)"),
        ("the 20-day return", "TS_PCTCHANGE($close, 20)"),
        ("return of the past 5 days", "TS_PCTCHANGE($close, 5)"),
        ("20日波动率", "TS_STD($return, 20)"),
        ("realized volatility over the last 60 trading days", "TS_STD($return, 60)"),
        ("20日均线", "TS_MEAN($close, 20)"),
        ("过去20个交易日的最高价", "TS_MAX($high, 20)"),
        ("the lowest low over the past 60 days", "TS_MIN($low, 60)"),
        ("过去20日Amihud非流动性指标", "TS_MEAN(ABS($return) / $amount, 20)"),
    )),
    Pattern("op over a window", (
        ("U", "A OF? AGG", lambda x, op: apply(op, x, HOLE), 1.0),
        ("U", "AGG OF A", lambda op, x: apply(op, x, HOLE), 1.0),
        ("U", "AGG OF M", lambda op, x: apply(op, x, HOLE), 1.3),
        ("U", "AGG OVER A", lambda op, x: apply(op, x, HOLE), 1.3),
        ("U", "AGG ( S )", lambda op, x: apply(op, x, HOLE), 1.0),
        ("U", "ADJ OF? B", lambda op, x: apply(op, x, HOLE), 1.0),
        ("B", "F", lambda x: x, 0.0),
        ("B", "( S )", lambda x: x, 0.0),
        ("B", "FNADJ F", lambda op, x: apply(op, x), 1.0),
        ("U", "A OF? VOL", lambda x: apply("TS_STD", x, HOLE), 1.0),
        ("U", "VOL OF A", lambda x: apply("TS_STD", x, HOLE), 1.0),
        ("U", "( U )", lambda x: x, 0.0),
        ("WAGG", "W OF? AGG", lambda w, op: apply(op, SELF, w), 0.3),
        ("WAGG", "AGG OW", lambda op, w: apply(op, SELF, w), 0.3),
        ("WAGG", "AGG OF W", lambda op, w: apply(op, SELF, w), 0.4),
        ("WAGG", "ITS WAGG", lambda x: x, 0.0),
        ("A", "ITS A", lambda x: x, 0.3),
        ("A", "A OF? WAGG", lambda x, wanted: _own(wanted, x), 0.7),
        ("A", "A OW OF? AGG", lambda x, w, op: apply(op, x, w), 1.0),
        ("A", "AGG OW OF A", lambda op, w, x: apply(op, x, w), 1.0),
        ("U", "B TOGETHER", lambda x: apply("TS_SUM", x, HOLE), 1.2),
        ("U", "A OF? SOME AGG", lambda x, op: apply(op, x, HOLE), 1.0),
        *(("U", f"{quotient} OF AGG", _of_whole(compound, lambda x, op: apply(op, x, HOLE), 0), cost)
          for quotient, compound, cost in (("Q", True, 0.2), ("Q", False, 1.0), ("QW", True, 1.0), ("QW",
           False, 1.0))),
        *(("A", f"{quotient} OF WAGG", _of_whole(compound, lambda x, wanted: _own(wanted, x), 0), cost)
          for quotient, compound, cost in (("Q", True, 0.2), ("Q", False, 0.7), ("QW", True, 0.7), ("QW",
           False, 0.7))),
        *(("A", f"AGG {stop}OW {stop}OF M", _of_whole(compound, lambda op, w, x: apply(op, x, w), 2), cost)
          for stop in ("", ", ") for compound, cost in ((True, 0.5), (False, 1.0))),
        ("A", "AGG , OW , OF A", lambda op, w, x: apply(op, x, w), 1.0),
        *(("A", "WAGG OF M", _of_whole(compound, _own, 1), cost) for compound, cost in ((True, 0.2),
         (False, 0.7))),
        ("A", "WAGG OF A", _own, 0.7),
        ("S", "S , OW TAKE? AGG", lambda x, w, op: apply(op, x, w), 1.0),
        ("S", "S ,? THEN? TAKE WAGG", lambda x, wanted: _own(wanted, x), 1.0),
        ("S", "S , THEN WAGG", lambda x, wanted: _own(wanted, x), 1.0),
        ("A", "A AVERAGED OW", lambda x, w: apply("TS_MEAN", x, w), 1.0),
        ("S", "S , AVERAGED OW", lambda x, w: apply("TS_MEAN", x, w), 1.2),
    ), (
        ("过去20个交易日日收益率的标准差", "TS_STD($return, 20)"),
        ("日收益率在过去20个交易日内的标准差", "TS_STD($return, 20)"),
        ("成交额的20日均值", "TS_MEAN($amount, 20)"),
        ("过去20日平均成交额", "TS_MEAN($amount, 20)"),
        ("20日收益率的60日标准差", "TS_STD(TS_PCTCHANGE($close, 20), 60)"),
        ("the standard deviation of daily returns over the past 20 trading days", "TS_STD($return, 20)"),
        ("the 20-day standard deviation of daily returns", "TS_STD($return, 20)"),
        ("the 20-day average volume", "TS_MEAN($volume, 20)"),
        ("average daily turnover over the past 5 days", "TS_MEAN($amount, 5)"),
        ("the maximum daily return over the past 20 days", "TS_MAX($return, 20)"),
        ("the intraday return averaged over 10 days", "TS_MEAN($close / $open - 1, 10)"),
        ("过去10日日内收益率的均值", "TS_MEAN($close / $open - 1, 10)"),
        ("隔夜收益率的20日累计值", "TS_SUM($open / DELAY($close, 1) - 1, 20)"),
        ("过去5日成交量的变化率", "TS_PCTCHANGE($volume, 5)"),
        ("the 5-day change in volume", "DELTA($volume, 5)"),
        ("(最高价 - 最低价) / 前收盘价的20日移动平均", "TS_MEAN(($high - $low) / DELAY($close, 1), 20)"),
        ("日收益率绝对值除以日成交额, 在过去20个交易日内取平均", "TS_MEAN(ABS($return) / $amount, 20)"),
        ("过去10个交易日(最高价-最低价)/收盘价的均值", "TS_MEAN(($high - $low) / $close, 10)"),
        ("the mean of |return| / amount over the past 20 days", "TS_MEAN(ABS($return) / $amount, 20)"),
        ("the average over the past 20 trading days of the absolute daily return divided by the traded value",
         "TS_MEAN(ABS($return) / $amount, 20)"),
        ("the 20-day average of (high - low) / close", "TS_MEAN(($high - $low) / $close, 20)"),
    )),
    Pattern("range and position", (
        ("A", "A OVER W U OF? WITHIN? OF? POS", _position, 1.0),
        ("A", "POS OF A OVER ITS? W U", _position, 1.0),
        ("A", "A POS OVER ITS? W U", _position, 1.0),
        ("A", "POS OF A OVER ITS? U OW", lambda x, u, w: _position(x, w, u), 1.0),
        ("U", "U AND U", _band, 2.0),
        ("U", "U AND U BETWEEN WITHIN? OF?", _band, 1.0),
    ), (
        ("收盘价在过去20日最高价与最低价之间的相对位置",
         "($close - TS_MIN($low, 20)) / (TS_MAX($high, 20) - TS_MIN($low, 20))"),
        ("the position of the close within its 20-day high-low range",
         "($close - TS_MIN($low, 20)) / (TS_MAX($high, 20) - TS_MIN($low, 20))"),
        ("(收盘价-过去20日最低价)/(过去20日最高价-过去20日最低价)",
         "($close - TS_MIN($low, 20)) / (TS_MAX($high, 20) - TS_MIN($low, 20))"),
        ("收盘价减去过去60日最低价, 再除以过去60日最高价与最低价之差",
         "($close - TS_MIN($low, 60)) / (TS_MAX($high, 60) - TS_MIN($low, 60))"),
        ("the close minus its 20-day low, divided by the difference between the highest high and the lowest "
         "low over the past 20 days", "($close - TS_MIN($low, 20)) / (TS_MAX($high, 20) - TS_MIN($low, 20))"),
    )),
    Pattern("ratio", (
        ("A", "A AND A OF? RATIO", _binary("/"), 1.0),
        ("A", "A AND WAGG OF? RATIO", _binary_own("/"), 0.6),
        ("A", "A AND ITS? W OF? U OF? RATIO", lambda x, w, u: apply("/", x, fill(u, w)), 1.5),
        ("A", "S AND S OF? RATIO", _binary("/"), 1.6),
        ("A", "RATIO OF A TO A", _binary("/"), 1.0),
        ("A", "RATIO OF A TO WAGG", _binary_own("/"), 0.6),
        ("A", "RATIO BETWEEN A AND A", _binary("/"), 1.0),
        ("A", "RATIO OF A AND A", _binary("/"), 1.0),
        ("A", "A TO A RATIO", _binary("/"), 1.0),
        ("A", "A TO WAGG RATIO", _binary_own("/"), 0.6),
        ("A", "A REL A OF? RATIO", _binary("/"), 1.0),
        ("A", "A REL WAGG OF? RATIO", _binary_own("/"), 0.6),
        ("A", "A SHARE A OF? RATIO", _binary("/"), 1.0),
        ("A", "A OF? WAGG AND WAGG OF? RATIO", lambda x, a, b: apply("/", _own(a, x), _own(b, x)), 0.6),
        ("A", "W AND W OF? U OF? RATIO", lambda v, w, u: apply("/", fill(u, v), fill(u, w)), 1.0),
        ("A", "RATIO OF W TO W U", lambda v, w, u: apply("/", fill(u, v), fill(u, w)), 1.0),
        ("A", "RATIO OF W AND W U", lambda v, w, u: apply("/", fill(u, v), fill(u, w)), 1.0),
        ("A", "RATIO OF WAGG TO WAGG OF A", lambda a, b, x: apply("/", _own(a, x), _own(b, x)), 0.6),
        ("U", "A OF? AGG AND AGG OF? RATIO",
         lambda x, a, b: apply("/", apply(a, x, HOLE), apply(b, x, HOLE)), 1.0),
        ("U", "RATIO OF AGG TO AGG OF A", lambda a, b, x: apply("/", apply(a, x, HOLE), apply(b, x,
         HOLE)), 1.0),
        ("A", "RATIO OF A TO U SAME", _same_window("/"), 1.0),
        ("A", "A AND SAME OF? U OF? RATIO", _same_window("/"), 1.0),
        ("M", "M DIVW U SAME", _same_window("/"), 1.0),
        ("M", "M DIVW SAME OF? U", _same_window("/"), 1.0),
        ("M", "M DIV SAME OF? U", _same_window("/"), 1.0),
        ("S", "S , THEN? DIVW SAME OF? U", _same_window("/"), 0.5),
        ("S", "S , THEN? DIVW U SAME", _same_window("/"), 0.5),
        *(("U", f"{a} AND {b} OF? RATIO", _binary("/"), cost) for a, b, cost in _TWO_U),
        *(("U", f"RATIO OF {a} TO {b}", _binary("/"), cost) for a, b, cost in _TWO_U),
        *(("U", f"{a} DIVW {b}", _binary("/"), cost + 0.2) for a, b, cost in _TWO_U),
    ), (
        ("过去5日平均成交额与过去20日平均成交额之比", "TS_MEAN($amount, 5) / TS_MEAN($amount, 20)"),
        ("成交量5日均值与60日均值之比", "TS_MEAN($volume, 5) / TS_MEAN($volume, 60)"),
        ("5日与20日均线的比值", "TS_MEAN($close, 5) / TS_MEAN($close, 20)"),
        ("当日成交量与其20日均值之比", "$volume / TS_MEAN($volume, 20)"),
        ("过去20日成交额标准差与均值之比", "TS_STD($amount, 20) / TS_MEAN($amount, 20)"),
        ("the ratio of 5-day average volume to 20-day average volume",
         "TS_MEAN($volume, 5) / TS_MEAN($volume, 20)"),
        ("the ratio of today's volume to its 20-day average", "$volume / TS_MEAN($volume, 20)"),
        ("average turnover over 5 days divided by average turnover over 60 days",
         "TS_MEAN($amount, 5) / TS_MEAN($amount, 60)"),
        ("closing price divided by its 20-day moving average", "$close / TS_MEAN($close, 20)"),
        ("最高价与最低价之比", "$high / $low"),
        ("the sum of absolute daily returns over the past 10 days divided by the sum of traded value over "
         "the same period", "TS_SUM(ABS($return), 10) / TS_SUM($amount, 10)"),
    )),
    Pattern("deviation", (
        ("A", "A REL A DEVIATION", _ratio_less_one, 1.0),
        ("A", "A REL WAGG DEVIATION", lambda x, wanted: _ratio_less_one(x, _own(wanted, x)), 0.6),
        ("A", "A DEVIATION WAGG OF? DEVIATION?", lambda x, wanted: _ratio_less_one(x, _own(wanted, x)), 0.6),
        ("A", "A DEVIATION A OF? DEVIATION?", _ratio_less_one, 1.0),
        ("A", "A AND A DEVIATION", _ratio_less_one, 1.2),
        ("A", "DEVIATION OF A FROM A", _ratio_less_one, 1.0),
        ("A", "DEVIATION OF A FROM WAGG", lambda x, wanted: _ratio_less_one(x, _own(wanted, x)), 0.6),
    ), (
        ("收盘价相对20日均线的偏离度", "$close / TS_MEAN($close, 20) - 1"),
        ("收盘价偏离其20日均线的幅度", "$close / TS_MEAN($close, 20) - 1"),
        ("the percentage deviation of the close from its 20-day moving average",
         "$close / TS_MEAN($close, 20) - 1"),
        ("20日乖离率", "$close / TS_MEAN($close, 20) - 1"),
    )),
    Pattern("difference, sum and product", (
        ("A", "A AND A DIFF", _binary("-"), 1.0),
        ("A", "DIFF BETWEEN A AND A", _binary("-"), 1.0),
        ("A", "DIFF OF A AND A", _binary("-"), 1.0),
        ("A", "A OF? WAGG AND WAGG DIFF", lambda x, a, b: apply("-", _own(a, x), _own(b, x)), 0.6),
        ("A", "W AND W OF? U DIFF", lambda v, w, u: apply("-", fill(u, v), fill(u, w)), 1.0),
        ("A", "DIFF BETWEEN W AND W U", lambda v, w, u: apply("-", fill(u, v), fill(u, w)), 1.0),
        *(("U", f"{a} AND {b} DIFF", _binary("-"), cost) for a, b, cost in _TWO_U),
        *(("U", f"DIFF BETWEEN {a} AND {b}", _binary("-"), cost) for a, b, cost in _TWO_U),
        *(("U", f"{a} SUB {b}", _binary("-"), cost + 0.4) for a, b, cost in _TWO_U),
        ("A", "A SUB A DIFF", _binary("-"), 1.0),
        ("A", "A AND A TOGETHER", _binary("+"), 1.0),
        ("A", "TOGETHER OF A AND A", _binary("+"), 1.0),
        ("A", "A AND A PRODUCT", _binary("*"), 1.0),
        ("A", "PRODUCT OF A AND A", _binary("*"), 1.0),
        ("A", "EQUAL AGG OF A AND A", lambda _, x, y: apply("/", apply("+", x, y), Number("2")), 1.0),
        ("A", "A AND A OF? EQUAL AGG?", lambda x, y, *_: apply("/", apply("+", x, y), Number("2")), 1.0),
    ), (
        ("最高价与最低价之差", "$high - $low"),
        ("5日均线与20日均线之差", "TS_MEAN($close, 5) - TS_MEAN($close, 20)"),
        ("the difference between the 5-day and 20-day moving averages",
         "TS_MEAN($close, 5) - TS_MEAN($close, 20)"),
        ("日收益率与成交量的乘积", "$return * $volume"),
        ("the product of daily return and volume", "$return * $volume"),
    )),
    Pattern("lag", (
        ("A", "T AGO OF? A", lambda t, x: apply("DELAY", x, t), 0.8),
        ("A", "A FROM? T AGO", lambda x, t: apply("DELAY", x, t), 0.8),
        ("A", "PREVIOUS A", lambda x: apply("DELAY", x, ONE), 0.8),
        ("A", "A LAGGED T", lambda x, t: apply("DELAY", x, t), 0.8),
        ("A", "LAGGED T OF? A", lambda t, x: apply("DELAY", x, t), 0.8),
        ("A", "W OF? U SKIPPED OF? U?", lambda w, u, s, *_: _skipping(w, u, s), 1.0),
        ("A", "U OW SKIPPED", lambda u, w, s: _skipping(w, u, s), 1.0),
        ("A", "W SKIPPED OF? U", lambda w, s, u: _skipping(w, u, s), 1.0),
        ("SKIPPED", ",? SKIP W", lambda w: w, 0.0),
        ("SKIPPED", "( SKIP W )", lambda w: w, 0.0),
    ), (
        ("收盘价除以20日前的收盘价减1", "$close / DELAY($close, 20) - 1"),
        ("the close divided by the close 20 days ago minus 1", "$close / DELAY($close, 20) - 1"),
        ("开盘价/前收盘价-1", "$open / DELAY($close, 1) - 1"),
        ("the open divided by the previous close minus 1", "$open / DELAY($close, 1) - 1"),
        ("当日成交量/前一日成交量", "$volume / DELAY($volume, 1)"),
        ("the 240-day return, skipping the most recent 20 days",
         "DELAY($close, 20) / DELAY($close, 240) - 1"),
        ("过去240日(剔除最近20日)的累计收益率", "DELAY($close, 20) / DELAY($close, 240) - 1"),
    )),
    Pattern("op of one series", (
        ("A", "FN OF A", lambda op, x: apply(op, x), 1.0),
        ("A", "FN OF S", lambda op, x: apply(op, x), 1.4),
        ("A", "FN ( S )", lambda op, x: apply(op, x), 0.9),
        ("A", "A OF? FN", lambda x, op: apply(op, x), 1.0),
        ("A", "FN ( U , V )", lambda op, u, w: apply(op, fill(u, w)), 0.9),
        ("A", "| S |", lambda x: apply("ABS", x), 0.5),
        ("A", "FNADJ A", lambda op, x: apply(op, x), 1.0),
        ("S", "S ,? THEN? TAKE FN", lambda x, op: apply(op, x), 1.0),
        ("S", "S , THEN TAKE? FN", lambda x, op: apply(op, x), 1.0),
        ("S", "TAKE S", lambda x: x, 0.2),
        ("U", "FN OF U", lambda op, x: apply(op, x), 1.0),
        ("U", "U OF? FN", lambda x, op: apply(op, x), 1.0),
        ("U", "FNADJ U", lambda op, x: apply(op, x), 1.0),
        ("S", "TURN M", _change_sign, 0.5),
        ("A", "NEG OF A", _change_sign, 1.0),
        ("A", "NEG OF S", _change_sign, 1.4),
        ("A", "NEG A", _change_sign, 1.0),
        ("A", "A OF? NEG", _change_sign, 1.0),
        ("U", "NEG OF? U", _change_sign, 1.0),
        ("U", "U OF? NEG", _change_sign, 1.0),
        ("S", "S ,? THEN? TAKE? NEG", _change_sign, 1.2),
        ("S", "S ,? THEN? MUL SUB N", _times, 0.2),
        ("S", "S ,? THEN? MUL ( SUB N )", _times, 0.2),
        ("A", "NEUTRAL ( S , A )", lambda x, group: apply("INDUSTRY_NEUTRALIZE", x, group), 0.9),
    ), (
        ("成交额的对数", "LOG($amount)"),
        ("the natural logarithm of volume", "LOG($volume)"),
        ("过去20日收益率的相反数", "-TS_PCTCHANGE($close, 20)"),
        ("the negative of the 5-day return", "-TS_PCTCHANGE($close, 5)"),
        ("过去20日波动率的横截面排名", "RANK(TS_STD($return, 20))"),
        ("过去20日平均成交额, 再取对数", "LOG(TS_MEAN($amount, 20))"),
        ("the cross-sectional rank of the 20-day return", "RANK(TS_PCTCHANGE($close, 20))"),
        ("the average of absolute daily return over the past 20 days", "TS_MEAN(ABS($return), 20)"),
        ("the sign of the 5-day return", "SIGN(TS_PCTCHANGE($close, 5))"),
        ("过去20日收益率乘以-1", "-TS_PCTCHANGE($close, 20)"),
    )),
    Pattern("pairs", (
        ("U", "A AND A OF? PAIR", lambda x, y, op: apply(op, x, y, HOLE), 1.0),
        ("U", "PAIR OF A AND A", lambda op, x, y: apply(op, x, y, HOLE), 1.0),
        ("U", "PAIR BETWEEN A AND A", lambda op, x, y: apply(op, x, y, HOLE), 1.0),
        ("U", "PAIR ( S , S )", lambda op, x, y: apply(op, x, y, HOLE), 1.0),
        ("A", "PAIR ( S , S , V )", lambda op, x, y, w: apply(op, x, y, w), 0.9),
        ("A", "A AND A OW OF? PAIR", lambda x, y, w, op: apply(op, x, y, w), 1.0),
        ("A", "A AND A OF? W OF? PAIR", lambda x, y, w, op: apply(op, x, y, w), 1.0),
    ), (
        ("过去20日收盘价与成交量的相关系数", "TS_CORR($close, $volume, 20)"),
        ("the correlation between the close and volume over the past 10 days",
         "TS_CORR($close, $volume, 10)"),
        ("TS_CORR($close, $volume, 10)", "TS_CORR($close, $volume, 10)"),
    )),
    Pattern("call", (
        ("V", "N", _window, 0.0),
        ("V", "W", lambda w: w, 0.0),
        ("A", "AGG ( S , V )", lambda op, x, w: apply(op, x, w), 0.5),
        ("A", "NAMEDMA", lambda x: _own(x, Field("close")), 0.6),
        ("A", "NAMEDMA ( S )", _own, 0.3),
        ("A", "A OF? NAMEDMA", lambda x, wanted: _own(wanted, x), 0.4),
    ), (
        ("RANK(TS_STD($return, 20))", "RANK(TS_STD($return, 20))"),
        ("std(ret, 20)", "TS_STD($return, 20)"),
        ("mean(close, 5) / mean(close, 20) - 1", "TS_MEAN($close, 5) / TS_MEAN($close, 20) - 1"),
        ("MA5 / MA20 - 1", "TS_MEAN($close, 5) / TS_MEAN($close, 20) - 1"),
        ("close / REF(close, 20) - 1", "$close / DELAY($close, 20) - 1"),
        ("(high - low) / close", "($high - $low) / $close"),
        ("(C - LLV(L,20))/(HHV(H,20)-LLV(L,20))",
         "($close - TS_MIN($low, 20)) / (TS_MAX($high, 20) - TS_MIN($low, 20))"),
        ("-1 * TS_MEAN($close / $open - 1, 10)", "-1 * TS_MEAN($close / $open - 1, 10)"),
    )),
    Pattern("arithmetic", (
        ("M", "A", lambda x: x, 0.0),
        ("S", "M", lambda x: x, 0.0),
        _infix("Q", "M", "DIV", "A", "/"),
        _infix("QW", "M", "DIVW", "A", "/"),
        ("M", "Q", lambda x: x, 0.0),
        ("M", "QW", lambda x: x, 0.0),
        _infix("M", "M", "MUL", "A", "*"),
        ("M", "M DIV WAGG", _binary_own("/"), 0.6),
        ("M", "M DIVW WAGG", _binary_own("/"), 0.6),
        ("S", "SUBTRACT A FROM A", lambda x, y: apply("-", y, x), 0.8),
        ("S", "S AND DIVV A", _binary("/"), 0.5),
        ("S", "S ,? SIGNED", _change_sign, 0.5),
        ("A", "SUB N", lambda n: apply("neg", n), 0.1),
        ("M", "SUB M", _negative, 1.2),
        _infix("S", "S", "ADD", "M", "+"),
        _infix("S", "S", "SUB", "M", "-"),
        ("S", "M SUB WAGG", _binary_own("-"), 0.6),
        # in prose "A less B divided by C" says either; both are kept, and the reader tells that they differ
        _infix("S", "S", "DIVW", "A", "/"),
        ("S", "S , THEN? DIVW A", _binary("/"), 0.5),
        ("S", "S THEN DIVW A", _binary("/"), 0.5),
        ("S", "S , THEN? DIVW S", _binary("/"), 1.8),
        *(("S", f"S {joint} {word} {right}", _binary(symbol), 0.5)
          for joint in (", THEN?", "THEN")
          for word, right, symbol in (("SUB", "M", "-"), ("ADD", "M", "+"), ("MUL", "A", "*"))),
    ), (
        ("0.6 × 20日收益率 + 0.4 × 5日收益率",
         "0.6 * TS_PCTCHANGE($close, 20) + 0.4 * TS_PCTCHANGE($close, 5)"),
        ("0.6 × RANK(the 20-day volatility) + 0.4 × RANK(the 5-day average volume)",
         "0.6 * RANK(TS_STD($return, 20)) + 0.4 * RANK(TS_MEAN($volume, 5))"),
        ("收盘价减开盘价, 再除以开盘价", "($close - $open) / $open"),
        ("日振幅(最高价减最低价, 再除以收盘价)的20日均值", "TS_MEAN(($high - $low) / $close, 20)"),
    )),
    Pattern("a name and its formula in brackets", (
        ("A", "NAMED ( S )", _in_brackets, 0.3),
        ("A", "A ( S )", _in_brackets, 1.5),
    )),
)  # fmt: skip


def _expanded(parts: str) -> list[tuple[str, ...]]:
    """The rule with and without each part that may be absent."""
    choices = [(part[:-1], "") if part.endswith("?") else (part,) for part in parts.split()]
    return [tuple(part for part in picked if part) for picked in product(*choices)]


@lru_cache(maxsize=1)
def grammar() -> Grammar:
    """The table, ready to parse with."""
    return Grammar(
        Rule(result, parts, build, cost)
        for pattern in PATTERNS
        for result, written, build, cost in pattern.rules
        for parts in _expanded(written)
    )
