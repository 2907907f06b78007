"""What a stock's adjustment factor does to a value, found on the tree.

A stock's prices may be multiplied by any constant k, and its volumes divided by it. A value of exponent
p is then multiplied by k**p; a log-affine one has p·log k added. Only values of exponent 0 can be
compared between stocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from assay.expr._fields import STANDARD_FIELDS, FieldInfo
from assay.expr._op import ExponentRule
from assay.expr._table import op_table
from assay.expr._tree import Call, Constant, Field, Node, distinct

_GUARD: Final = 1e-6
"""A constant this small beside a value only guards a division; it does not set the value's scale."""


@dataclass(frozen=True, slots=True)
class Exponent:
    """Effect of a stock's adjustment factor k on a value.

    Parameters
    ----------
    kind : ``power`` the value is multiplied by k**value; ``log`` value·log k is added to it; ``any`` a
        zero or missing constant, that fits every exponent; ``guard`` a tiny constant; ``unknown`` a field
        that nobody described takes part; ``broken`` the effect is neither.
    culprit : the smallest part that breaks invariance, when broken.
    why : a sentence on it.
    """

    kind: Literal["power", "log", "any", "guard", "unknown", "broken"]
    value: float = 0.0
    culprit: Node | None = None
    why: str = ""

    @property
    def invariant(self) -> bool:
        """True when the value does not depend on the factor."""
        return self.kind in ("any", "guard") or (self.kind == "power" and self.value == 0.0)

    @property
    def unknown(self) -> bool:
        """True when that cannot be told from the tree."""
        return self.kind == "unknown"

    @property
    def text(self) -> str:
        """``1``, ``log 1``, ``unknown``, ``broken`` or ``any``."""
        if self.kind == "power":
            return f"{self.value:g}"
        return f"log {self.value:g}" if self.kind == "log" else self.kind


_ZERO: Final = Exponent("power", 0.0)
_ANY: Final = Exponent("any")
_UNKNOWN: Final = Exponent("unknown")


def exponent(node: Node, fields: Mapping[str, FieldInfo] | None = None) -> Exponent:
    """Exponent of a tree; ``fields`` describes its fields, the standard ones by default.

    A result of exponent other than 0 is not invariant either: its culprit is the tree itself.
    """
    found = exponents(node, fields)[node]
    if found.kind in ("power", "log") and not found.invariant:
        shown = "a price" if found.value == 1 else f"exponent {found.text}"
        return Exponent(
            found.kind, found.value, node, f"the value scales with the adjustment factor like {shown}"
        )
    return found


def exponents(node: Node, fields: Mapping[str, FieldInfo] | None = None) -> dict[Node, Exponent]:
    """Exponent of every distinct part of a tree."""
    table = op_table()
    found: dict[Node, Exponent] = {}
    for part in distinct(node):
        if isinstance(part, Constant):
            found[part] = _of_constant(part.value)
        elif isinstance(part, Field):
            found[part] = _of_field(part.name, fields)
        else:
            found[part] = exponent_of_call(part, [found[arg] for arg in part.args], table[part.op].exponent)
    return found


def _of_constant(value: float) -> Exponent:
    if value == 0.0 or not math.isfinite(value):
        return _ANY
    return Exponent("guard") if abs(value) <= _GUARD else _ZERO


def _of_field(name: str, fields: Mapping[str, FieldInfo] | None) -> Exponent:
    info = (fields or {}).get(name) or STANDARD_FIELDS.get(name)
    if info is None:
        return _UNKNOWN
    if info.kind == "group":
        return _ZERO
    return _UNKNOWN if info.exponent is None else Exponent("power", info.exponent)


def exponent_of_call(call: Call, inputs: list[Exponent], rule: ExponentRule) -> Exponent:
    """Exponent of one op's result from those of its inputs; the op need not be in the table."""
    if rule == "zero":
        return _ZERO
    for given in inputs:
        if given.kind == "broken":
            return given
    return _RULES[rule](call, inputs)


def _broken(part: Node, why: str) -> Exponent:
    return Exponent("broken", 0.0, part, why)


def _log(slope: float) -> Exponent:
    return _ZERO if slope == 0.0 else Exponent("log", slope)


def _plain(given: Exponent) -> bool:
    return given.kind in ("any", "guard")


def _merge(call: Call, inputs: list[Exponent], doing: str) -> Exponent:
    """One exponent for values that stand side by side."""
    if any(given.unknown for given in inputs):
        return _UNKNOWN
    fixed = [given for given in inputs if not _plain(given)]
    if not fixed:
        return inputs[0]
    first = fixed[0]
    for other in fixed[1:]:
        if (other.kind, other.value) != (first.kind, first.value):
            return _broken(call, f"{doing} values of exponents {first.text} and {other.text}")
    return first


def _sum(call: Call, inputs: list[Exponent]) -> Exponent:
    x, y = inputs
    sign = -1.0 if call.op == "sub" else 1.0
    if x.kind == "log" or y.kind == "log":
        if x.unknown or y.unknown:
            return _UNKNOWN
        slopes = [g.value if g.kind == "log" else 0.0 for g in inputs]
        if all(g.kind == "log" or g.invariant for g in inputs):
            return _log(slopes[0] + sign * slopes[1])
        return _broken(
            call, f"combines a logarithm and a value of exponent {(x if y.kind == 'log' else y).text}"
        )
    doing = "subtracts" if call.op == "sub" else "adds"
    return _merge(call, inputs, doing)


def _scaled_log(call: Call, inputs: list[Exponent]) -> Exponent | None:
    """A logarithm times or over a number; None when the inputs are something else."""
    x, y = inputs
    if x.kind != "log" and y.kind != "log":
        return None
    if y.kind == "log" and isinstance(call.args[0], Constant) and call.op == "mul":
        return _log(y.value * call.args[0].value)
    if x.kind == "log" and isinstance(call.args[1], Constant):
        factor = call.args[1].value
        if call.op == "mul" or factor != 0.0:
            return _log(x.value * factor if call.op == "mul" else x.value / factor)
    return _broken(call, "scales the logarithm of an adjusted value by another value")


def _product(call: Call, inputs: list[Exponent]) -> Exponent:
    if any(given.kind == "any" for given in inputs):
        return _ANY
    logs = _scaled_log(call, inputs)
    if logs is not None:
        return logs
    if any(given.unknown for given in inputs):
        return _UNKNOWN
    x, y = (0.0 if given.kind == "guard" else given.value for given in inputs)
    return Exponent("power", x + y if call.op == "mul" else x - y)


_SIZES: Final = frozenset({"abs", "ts_delta_limit"})


def _same(call: Call, inputs: list[Exponent]) -> Exponent:
    merged = _merge(call, inputs, "compares")
    if merged.kind != "log":
        return merged
    if call.op == "neg":
        return _log(-merged.value)
    return (
        _broken(call, "takes the size of a logarithm of an adjusted value") if call.op in _SIZES else merged
    )


def _dimensionless(call: Call, inputs: list[Exponent]) -> Exponent:
    for part, given in zip(call.args, inputs, strict=True):
        if given.kind in ("power", "log") and not given.invariant:
            return _broken(part, f"{call.op} is taken of a value of exponent {given.text}")
    return _UNKNOWN if any(given.unknown for given in inputs) else _ZERO


def _cross(call: Call, inputs: list[Exponent]) -> Exponent:
    for part, given in zip(call.args, inputs, strict=True):
        if given.kind in ("power", "log") and not given.invariant:
            return _broken(part, f"{call.op} compares stocks by a value of exponent {given.text}")
    return _UNKNOWN if any(given.unknown for given in inputs) else _ZERO


def _compare(call: Call, inputs: list[Exponent]) -> Exponent:
    if any(given.kind == "any" for given in inputs):
        logs = [given for given in inputs if given.kind == "log"]
        return _broken(call, "compares a logarithm of an adjusted value with 0") if logs else _ZERO
    merged = _merge(call, inputs, "compares")
    return merged if merged.kind in ("broken", "unknown") else _ZERO


def _select(call: Call, inputs: list[Exponent]) -> Exponent:
    condition = inputs[0]
    if condition.kind in ("power", "log") and not condition.invariant:
        return _broken(call, "the condition depends on the adjustment factor")
    merged = _merge(call, inputs[1:], "chooses between")
    return _UNKNOWN if condition.unknown else merged


def _invariant(call: Call, inputs: list[Exponent]) -> Exponent:
    if call.op == "sign" and inputs[0].kind == "log":
        return _broken(call, "takes the sign of a logarithm of an adjusted value")
    return _ZERO


def _scale_free(call: Call, inputs: list[Exponent]) -> Exponent:
    if inputs[0].kind == "log":
        return _broken(call, f"{call.op} of a logarithm of an adjusted value")
    return _UNKNOWN if inputs[0].unknown else _ZERO


def _shift_free(call: Call, inputs: list[Exponent]) -> Exponent:
    return _ZERO if inputs[0].kind == "log" else inputs[0]


def _times(call: Call, given: Exponent, factor: float) -> Exponent:
    if given.kind != "power":
        return given
    return Exponent("power", given.value * factor)


def _square(call: Call, inputs: list[Exponent]) -> Exponent:
    return _ZERO if inputs[0].kind == "log" else _times(call, inputs[0], 2.0)


def _moment(call: Call, inputs: list[Exponent]) -> Exponent:
    return _ZERO if inputs[0].kind == "log" else _times(call, inputs[0], float(call.param("k")))


def _root(call: Call, inputs: list[Exponent]) -> Exponent:
    if inputs[0].kind == "log":
        return _broken(call, "the root of a logarithm of an adjusted value")
    return _times(call, inputs[0], 0.5)


def _logarithm(call: Call, inputs: list[Exponent]) -> Exponent:
    given = inputs[0]
    if given.kind == "log":
        return _broken(call, "the logarithm of a logarithm of an adjusted value")
    return _log(given.value) if given.kind == "power" else given


def _exponential(call: Call, inputs: list[Exponent]) -> Exponent:
    given = inputs[0]
    if given.kind == "log":
        return Exponent("power", given.value)
    return _dimensionless(call, inputs)


def _power(call: Call, inputs: list[Exponent]) -> Exponent:
    base = inputs[0]
    if isinstance(call.args[1], Constant):
        if base.kind == "log":
            return (
                base
                if call.args[1].value == 1.0
                else _broken(call, "a power of a logarithm of an adjusted value")
            )
        return _times(call, base, call.args[1].value)
    return _dimensionless(call, inputs)


def _window_sum(call: Call, inputs: list[Exponent]) -> Exponent:
    given = inputs[0]
    return _log(given.value * call.param("window")) if given.kind == "log" else given


def _window_product(call: Call, inputs: list[Exponent]) -> Exponent:
    if inputs[0].kind == "log":
        return _broken(call, "multiplies logarithms of an adjusted value")
    return _times(call, inputs[0], float(call.param("window")))


def _shift_power(given: Exponent) -> float:
    """Power of a deviation from the mean: an added constant drops out."""
    return given.value if given.kind == "power" else 0.0


def _covariance(call: Call, inputs: list[Exponent]) -> Exponent:
    if any(given.unknown for given in inputs):
        return _UNKNOWN
    return Exponent("power", sum(_shift_power(given) for given in inputs))


def _regression(call: Call, inputs: list[Exponent]) -> Exponent:
    output = "beta" if call.op == "ts_theilsen" else call.param("output")
    if output == "r2":
        return _ZERO
    y, x = inputs
    if y.unknown or (x.unknown and output in ("beta", "se_beta")):
        return _UNKNOWN
    if y.kind == "log" and output == "fitted":
        return y
    if output in ("alpha", "se_alpha") and (y.kind == "log" or x.kind == "log"):
        return _broken(call, "the intercept of a regression on logarithms of adjusted values")
    if output in ("beta", "se_beta"):
        return Exponent("power", _shift_power(y) - _shift_power(x))
    return Exponent("power", _shift_power(y) * (2.0 if output in ("sse", "sst", "mse") else 1.0))


def _first(call: Call, inputs: list[Exponent]) -> Exponent:
    value = inputs[1] if call.op == "trade_when" else inputs[0]
    for given in inputs:
        if given is not value and (given.kind == "log" or (call.op != "trade_when" and not given.invariant)):
            return (
                _UNKNOWN if given.unknown else _broken(call, "the condition depends on the adjustment factor")
            )
    if value.kind == "log" and call.op != "trade_when":
        return _broken(call, "sums logarithms of an adjusted value over a changing number of bars")
    return value


def _fill(call: Call, inputs: list[Exponent]) -> Exponent:
    _, value = call.params[0]
    if value == 0 and inputs[0].kind != "log":
        return inputs[0]
    return _dimensionless(call, inputs)


def _clip(call: Call, inputs: list[Exponent]) -> Exponent:
    bounds = [value for _, value in call.params]
    if all(value == 0 for value in bounds) and inputs[0].kind != "log":
        return inputs[0]
    return _dimensionless(call, inputs)


def _threshold(call: Call, inputs: list[Exponent]) -> Exponent:
    given = inputs[0]
    if call.param("p") == 0:
        return given
    if call.param("relative"):
        return (
            _broken(call, "takes the size of a logarithm of an adjusted value")
            if given.kind == "log"
            else given
        )
    return given if given.kind == "log" else _dimensionless(call, inputs)


_Rule: TypeAlias = Callable[[Call, list[Exponent]], Exponent]
_RULES: Final[Mapping[ExponentRule, _Rule]] = MappingProxyType(
    {
        "clip": _clip,
        "compare": _compare,
        "covariance": _covariance,
        "cross": _cross,
        "difference": _sum,
        "dimensionless": _dimensionless,
        "exponential": _exponential,
        "fill": _fill,
        "first": _first,
        "invariant": _invariant,
        "logarithm": _logarithm,
        "moment": _moment,
        "power": _power,
        "product": _product,
        "quotient": _product,
        "regression": _regression,
        "root": _root,
        "same": _same,
        "scale_free": _scale_free,
        "select": _select,
        "shift_free": _shift_free,
        "square": _square,
        "sum": _sum,
        "threshold": _threshold,
        "window_product": _window_product,
        "window_sum": _window_sum,
    }
)
