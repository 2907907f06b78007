"""Warnings about units, as the check UNITS of the platform words them; they never make an alpha invalid.

A unit is a product of powers of ``CSPrice`` and ``CSShare``. How a power passes through an operator is what
``assay.expr.exponent`` says of a factor of scale; here the factor is the unit of price, then that of shares.
Only ``CSPrice`` is known from captured replies; which operators the platform checks is not published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assay.brain._wire import Check, DataFieldInfo
from assay.brain.fastexpr._names import platform_name
from assay.brain.fastexpr._program import expression
from assay.errors import ExpressionError
from assay.expr import (
    STANDARD_FIELDS,
    Call,
    Constant,
    Exponent,
    Field,
    Node,
    distinct,
    exponent_of_call,
    op_table,
)

_SCALES: Final = ("CSPrice", "CSShare")
_OF_UNIT: Final[Mapping[str, tuple[float, float]]] = {
    "price": (1.0, 0.0),
    "shares": (0.0, 1.0),
    "currency": (1.0, 1.0),
    "1": (0.0, 0.0),
}
"""Units of the standard fields as powers of price and shares."""

_JOINS: Final = frozenset({"sum", "difference", "same", "compare", "select"})
_PLAIN: Final = frozenset({"cross", "dimensionless", "compare", "logarithm", "exponential", "invariant"})
"""Rules whose result has no unit."""
_KEEPS: Final = frozenset(
    {
        "hump", "demean", "winsorize", "truncate", "vector_neutralize", "regression_neutralize", "floor",
        "ceil", "round", "group_neutralize", "group_sum", "group_max", "group_min", "group_median",
        "group_std", "group_mean", "group_backfill", "group_quantile",
    }
)  # fmt: skip
"""Ops that need a unit-free input to be comparable between stocks, and whose result has that of the first."""

_NONE: Final = Exponent("power", 0.0)
_UNKNOWN: Final = Exponent("unknown")


@dataclass(frozen=True, slots=True)
class _Unit:
    """Powers of price and of shares."""

    powers: tuple[Exponent, ...]

    @property
    def known(self) -> bool:
        return all(power.kind == "power" for power in self.powers)

    @property
    def text(self) -> str:
        written = [
            f"{name}:{p.value:g}" for name, p in zip(_SCALES, self.powers, strict=True) if p.value != 0.0
        ]
        return f"Unit[{','.join(written)}]"


def unit_warnings(text: str, fields: Mapping[str, DataFieldInfo] | None = None) -> tuple[Check, ...]:
    """One check ``UNITS`` for each operator that joins values of different units, inner ones first.

    Fields that are none of the standard ones have an unknown unit, which fits every other. An expression that
    is not valid has no warnings.
    """
    try:
        node = expression(text, fields).node
    except ExpressionError:
        return ()
    units: dict[Node, _Unit] = {}
    found: dict[str, None] = {}
    for part in distinct(node):
        if isinstance(part, Call):
            inputs = [units[arg] for arg in part.args]
            message = _mismatch(part, inputs)
            if message is not None:
                found[message] = None
            units[part] = _of_call(part, inputs)
        else:
            units[part] = _of_leaf(part)
    return tuple(Check(name="UNITS", result="WARNING", message=message) for message in found)


def _of_leaf(part: Node) -> _Unit:
    if isinstance(part, Constant):
        fits_all = part.value == 0.0 or part.value != part.value
        return _Unit((_UNKNOWN if fits_all else _NONE,) * 2)
    assert isinstance(part, Field)
    info = STANDARD_FIELDS.get(part.name)
    powers = _OF_UNIT.get(info.unit) if info is not None and info.kind == "number" else None
    if powers is None:
        return _Unit((_UNKNOWN,) * 2)
    return _Unit(tuple(Exponent("power", power) for power in powers))


def _of_call(call: Call, inputs: list[_Unit]) -> _Unit:
    rule = op_table()[call.op].exponent
    if call.op in _KEEPS:
        return inputs[0]
    if rule in _PLAIN:
        return _Unit((_NONE,) * 2)
    if rule in _JOINS:
        joined = _joined(call, inputs)
        return next((unit for unit in joined.values() if unit.known), _Unit((_UNKNOWN,) * 2))
    each = [[unit.powers[i] for unit in inputs] for i in range(2)]
    powers = [exponent_of_call(call, given, rule) for given in each]
    return _Unit(tuple(power if power.kind == "power" else _UNKNOWN for power in powers))


def _joined(call: Call, inputs: list[_Unit]) -> dict[int, _Unit]:
    """The inputs that stand side by side, by index: all but a condition."""
    first = 1 if op_table()[call.op].exponent == "select" else 0
    return {i: unit for i, unit in enumerate(inputs) if i >= first}


def _mismatch(call: Call, inputs: list[_Unit]) -> str | None:
    if op_table()[call.op].exponent not in _JOINS:
        return None
    expected: _Unit | None = None
    for index, unit in _joined(call, inputs).items():
        if not unit.known:
            continue
        if expected is None:
            expected = unit
        elif unit != expected:
            return (
                f'Incompatible unit for input of "{platform_name(call.op)}" at index {index}, '
                f'expected "{expected.text}", found "{unit.text}"'
            )
    return None
