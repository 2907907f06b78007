"""Other ways to say an op that a dialect has no word for, made of ops that it has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from assay.expr._op import DialectName
from assay.expr._table import op_table
from assay.expr._tree import Call, Constant, Node, ParamValue

Has: TypeAlias = Callable[[str], bool]
"""Whether the dialect has a word for an op."""

WHOLE: Final = "the whole window"
_FORGOTTEN: Final = 0.005
"""Share of the weight of an exponential mean that its window may leave out."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A tree that says the same. ``differences`` lists where its values differ beyond rounding."""

    node: Node
    differences: tuple[str, ...] = ()


def equivalent(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    """The call said with ops that the dialect has, None where no rule gives one."""
    values = dict(call.params)
    if values.get("min_periods", 0) == values.get("window", -1):
        return Equivalent(_with(call, min_periods=0))
    rule = _RULES.get(call.op)
    return None if rule is None else rule(call, dialect, has)


def _with(call: Call, **changed: ParamValue) -> Call:
    return Call(call.op, call.args, tuple((name, changed.get(name, value)) for name, value in call.params))


def _window(call: Call) -> int:
    return int(call.param("window"))


def _least(call: Call) -> str:
    value = call.param("min_periods")
    return WHOLE if value == 0 else str(value)


def _place(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    """Place from the oldest bar + bars since = w, so one origin is written with the other."""
    form = op_table()[call.op].form(dialect)
    if form is None:
        return None
    theirs = dict(form.presets).get("count_from", "newest")
    if theirs == call.param("count_from"):
        return None
    node = Call("sub", (Constant(float(_window(call))), _with(call, count_from=theirs)))
    earliest, latest = "the earliest", "the latest"
    before, after = (earliest, latest) if theirs == "newest" else (latest, earliest)
    return Equivalent(node, (f"{call.op}: among equal values {after} counts, not {before}",))


def _line(output: str) -> Callable[[Call, DialectName, Has], Equivalent | None]:
    """A least-squares line on 1 .. w is one on the bar number, shifted."""

    def rule(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
        if not (has("ts_regression") and has("ts_step")) or _window(call) < 3:
            return None
        step = Call("ts_step", (), (("start", 1),))
        params = (("window", _window(call)), ("lag", 0), ("output", output))
        note = f"{call.op}: min_periods {_least(call)} becomes 3 valid values in a whole window"
        return Equivalent(Call("ts_regression", (*call.args, step), params), (note,))

    return rule


def _weighted(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    """Weights 1 .. w from the oldest are w .. 1 from the newest."""
    if has("ts_wma") or not has("ts_decay_linear"):
        return None
    node = Call("ts_decay_linear", call.args, (("window", _window(call)), ("missing", "strict")))
    if call.param("min_periods") == 0:
        return Equivalent(node)
    return Equivalent(node, (f"{call.op}: min_periods {_least(call)} becomes {WHOLE}",))


def _decay(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    if has("ts_decay_linear") or not has("ts_wma"):
        return None
    node = Call("ts_wma", call.args, (("window", _window(call)), ("min_periods", 0)))
    if call.param("missing") == "strict":
        return Equivalent(node)
    return Equivalent(node, (f"{call.op}: a missing value no longer counts as 0",))


def _exponential(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    """The newest weights of the mean over all history."""
    if not has("ts_decay_exp"):
        return None
    span = float(call.param("span"))
    factor = 1.0 - 2.0 / (span + 1.0)
    window = 1 if factor == 0.0 else max(1, math.ceil(math.log(_FORGOTTEN) / math.log(factor)))
    node = Call("ts_decay_exp", call.args, (("window", window), ("factor", factor)))
    left_out = f"{call.op}: all history becomes {window} bars, which hold 99.5% of the weight"
    missing = f"{call.op}: a missing value is not skipped but makes its window missing"
    return Equivalent(node, (left_out, missing))


def _quantile(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    """Between the two values around a quantile the linear rule mixes them by the rest of the place."""
    q, window = float(call.param("q")), _window(call)
    kept = (("window", window), ("min_periods", call.param("min_periods")))
    for value, op in ((0.0, "ts_min"), (0.5, "ts_median"), (1.0, "ts_max")):
        if q == value and has(op):
            return Equivalent(Call(op, call.args, kept))
    if not has("ts_percentage"):
        return None
    place = round(q * (window - 1), 9)
    lower = math.floor(place)
    rest = round(place - lower, 9)
    node: Node = _ordered(call, lower)
    if rest:
        terms = ((1.0 - rest, lower), (rest, lower + 1))
        node = Call("add", tuple(Call("mul", (Constant(round(w, 9)), _ordered(call, k))) for w, k in terms))
    if call.param("min_periods") == 0:
        return Equivalent(node)
    return Equivalent(node, (f"{call.op}: min_periods {_least(call)} becomes {WHOLE}",))


def _ordered(call: Call, place: int) -> Node:
    """The value of a place (0 = least) of the whole window; a q half a place above it cannot slip below."""
    window = _window(call)
    q = 1.0 if place >= window - 1 else round((place + 0.5) / (window - 1), 9)
    return Call("ts_percentage", call.args, (("window", window), ("q", q)))


def _variance(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    if not has("ts_std"):
        return None
    return Equivalent(Call("power", (Call("ts_std", call.args, call.params), Constant(2.0))))


def _filled(call: Call, dialect: DialectName, has: Has) -> Equivalent | None:
    if not (has("where") and has("is_missing")):
        return None
    (x,) = call.args
    return Equivalent(Call("where", (Call("is_missing", (x,)), Constant(float(call.param("value"))), x)))


_RULES: Final[Mapping[str, Callable[[Call, DialectName, Has], Equivalent | None]]] = MappingProxyType(
    {
        "ts_argmax": _place,
        "ts_argmin": _place,
        "ts_slope": _line("beta"),
        "ts_resid": _line("residual"),
        "ts_rsquare": _line("r2"),
        "ts_wma": _weighted,
        "ts_decay_linear": _decay,
        "ts_ema": _exponential,
        "ts_quantile": _quantile,
        "ts_var": _variance,
        "fill_missing": _filled,
    }
)
