"""Patterns of the grammar, and what they make of their parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from assay.reports.rules._chart import Builder
from assay.reports.rules._quantities import MOMENTUM, RANGE, over
from assay.reports.rules._tree import (
    HOLE,
    SAME,
    Apply,
    Field,
    Number,
    Tree,
    Window,
    apply,
    fill,
    has_hole,
    replaced,
    windows_of,
)

SELF: Final = Field("?")
"""Stands for the series that the sentence has named already: *its* 20-day average."""


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
    rules: tuple[tuple[str, str, Builder, float], ...]
    examples: tuple[tuple[str, str], ...] = ()


def own(wanted: Tree, series: Tree) -> Tree:
    """The op with its series in the place that waits for it."""
    return replaced(wanted, SELF, series)


def binary(symbol: str) -> Builder:
    return lambda left, right: apply(symbol, left, right)


_AGGREGATES: Final = frozenset({"TS_MEAN", "TS_SUM", "TS_MAX", "TS_MIN"})


def owner(left: Tree, wanted: Tree) -> Tree | None:
    """What *its* means behind ``left``: the whole, or the series that it is an average of; None where either.

    "The 10-day average of the close over its 60-day average" averages the close twice, "the 20-day volatility
    over its 60-day average" the volatility.
    """
    over_time = isinstance(left, Apply) and len(left.args) == 2 and isinstance(left.args[1], Window)
    if not over_time or not isinstance(wanted, Apply) or wanted.args[0] != SELF:
        return left
    assert isinstance(left, Apply)
    if (
        left.op == wanted.op
        or wanted.args[1] in (left.args[1], SAME)
        or (left.op, wanted.op) == ("TS_MEAN", "TS_STD")
    ):
        return left.args[0]
    return None if left.op in _AGGREGATES else left


def binary_own(symbol: str) -> Builder:
    def build(left: Tree, wanted: Tree) -> Tree | None:
        whose = owner(left, wanted)
        return None if whose is None else apply(symbol, left, own(wanted, whose))

    return build


def less_one_own(left: Tree, wanted: Tree) -> Tree | None:
    whose = owner(left, wanted)
    return None if whose is None else ratio_less_one(left, own(wanted, whose))


def ratio_less_one(left: Tree, right: Tree) -> Tree:
    return apply("-", apply("/", left, right), Number("1"))


def window(number: Number) -> Window | None:
    """A bare number in a call as a window."""
    if not number.text.isdigit() or int(number.text) < 1:
        return None
    return Window((int(number.text),), number.start, number.end)


def delayed(series: Tree, number: Number) -> Tree | None:
    """``close(t-20)``: the series of that many bars ago."""
    lag = window(number)
    return None if lag is None else apply("DELAY", series, lag)


def varies_by(series: Tree) -> Tree:
    """The coefficient of variation, whose window is still wanted."""
    return apply("/", over("TS_STD", series), over("TS_MEAN", series))


def varies_as(spread: str, level: str, series: Tree) -> Tree | None:
    """The same with the bracket that says what it is."""
    return varies_by(series) if (spread, level) == ("TS_STD", "TS_MEAN") else None


def varies_after(series: Tree, spread: str, level: str) -> Tree | None:
    return varies_as(spread, level, series)


def said_twice(first: Window, second: Window) -> Window | None:
    """``half a year (120 days)``: the second says which of the readings of the first is meant."""
    return second if set(first.days) & set(second.days) else None


def change_sign(value: Tree) -> Tree:
    return apply("neg", value)


def negative(value: Tree) -> Tree | None:
    """A sign before a product of a number belongs to the number."""
    leading = value
    while isinstance(leading, Apply) and leading.op in ("*", "/"):
        leading = leading.args[0]
    turned = isinstance(value, Apply) and value.op == "neg"
    return None if turned or isinstance(leading, Number) else apply("neg", value)


def times(value: Tree, number: Number) -> Tree:
    """``x times -1`` is the negative of x."""
    if number.text == "1":
        return apply("neg", value)
    return apply("neg", apply("*", value, number))


def price_change(series: Tree, window: Window, quantity: Tree) -> Tree | None:
    """``the close's change over 10 days``: the return, of the close alone."""
    return fill(quantity, window) if series == Field("close") and quantity == MOMENTUM else None


def change_since(window: Window, op: str) -> Tree | None:
    """``its change from 5 days ago``."""
    return apply(op, SELF, window) if op in ("DELTA", "TS_PCTCHANGE") else None


def skipping(window: Window, quantity: Tree, skipped: Window) -> Tree | None:
    """Momentum that leaves the latest bars out."""
    if quantity != MOMENTUM:
        return None
    close = Field("close")
    return apply("-", apply("/", apply("DELAY", close, skipped), apply("DELAY", close, window)), Number("1"))


def bounded(quantity: Tree, far: Window, near: Window) -> Tree | None:
    """The return *from 252 days ago to 21 days ago*."""
    ordered = far.days and near.days and min(far.days) > max(near.days)
    return skipping(far, quantity, near) if ordered else None


def daily_ratio(value: Tree) -> bool:
    """Whether it divides two different daily quantities: what stands after it then speaks of the whole."""
    if not isinstance(value, Apply) or value.op != "/" or value.args[0] == value.args[1]:
        return False
    return all(window.implied and window != HOLE for window in windows_of(value))


def of_whole(compound: bool, build: Builder, place: int) -> Builder:
    """``build`` where argument ``place`` is such a ratio, its dividend compound or not.

    After a sign, "(high - low) / close 的 20 日均值" means the ratio; "amount / close 的均值" may mean
    either, and so does everything said in words alone: both are then kept at one cost, and nothing is read.
    """

    def checked(*parts: Tree) -> Tree | None:
        value = parts[place]
        if not daily_ratio(value):
            return None
        assert isinstance(value, Apply)
        return build(*parts) if isinstance(value.args[0], Apply) is compound else None

    return checked


def position(series: Tree, window: Window, band: Tree) -> Tree | None:
    if band != RANGE:
        return None
    low = fill(over("TS_MIN", Field("low")), window)
    return apply("/", apply("-", series, low), fill(RANGE, window))


def band(first: Tree, second: Tree) -> Tree | None:
    """The range that *high and low* name together."""
    pair = {first, second}
    return RANGE if pair == {over("TS_MAX", Field("high")), over("TS_MIN", Field("low"))} else None


def then(value: Tree, step: Tree) -> Tree | None:
    """A step done with what was said before it."""
    if has_hole(value):
        return None
    if isinstance(step, Apply) and step.op in ("/", "-") and step.args[0] == SELF:
        whose = owner(value, step.args[1])  # "divide by the average": of the series, not of its average
        return None if whose is None else apply(step.op, value, own(step.args[1], whose))
    return own(step, value)


def over_another(value: Tree, window: Window) -> Tree | None:
    """``... divided by that in the past year``: the same quantity over another window."""
    own_windows = {w for w in windows_of(value) if not w.implied}
    if len(own_windows) != 1 or has_hole(value):
        return None
    return apply("/", value, replaced(value, next(iter(own_windows)), window))


def relative_change(series: Tree, base: Tree, quantity: Tree) -> Tree | None:
    """``the open's change relative to the previous close``."""
    return ratio_less_one(series, base) if quantity in (MOMENTUM, Field("return")) else None


def in_brackets(named: Tree, formula: Tree) -> Tree | None:
    """``amplitude (high less low, divided by the close)``: the formula says what the name means."""
    if not isinstance(formula, Apply) or formula.op == "neg":
        return None
    return formula if isinstance(named, Apply) and not has_hole(formula) else None


def infix(
    result: str, left: str, word: str, right: str, symbol: str, cost: float = 1.0
) -> tuple[str, str, Builder, float]:
    return (result, f"{left} {word} {right}", binary(symbol), cost)
