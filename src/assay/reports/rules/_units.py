"""Whether a formula adds and subtracts only what has the same unit: no price from a ratio."""

from __future__ import annotations

from typing import Final, TypeAlias

from assay.reports.rules._tree import Apply, Field, Number, Tree

Unit: TypeAlias = tuple[int, int]
"""Powers of a price and of a number of shares."""

_PLAIN: Final[Unit] = (0, 0)
_FIELDS: Final[dict[str, Unit]] = {
    "open": (1, 0), "high": (1, 0), "low": (1, 0), "close": (1, 0), "volume": (0, 1), "amount": (1, 1),
    "return": _PLAIN,
}  # fmt: skip
_KEEPING: Final = frozenset(
    {"TS_MEAN", "TS_STD", "TS_SUM", "TS_MIN", "TS_MAX", "DELAY", "DELTA", "ABS", "neg", "INDUSTRY_NEUTRALIZE"}
)


def consistent(tree: Tree) -> bool:
    """Whether every sum and difference is of one unit; what is not known is not held against it."""
    return _unit(tree)[1]


def _unit(tree: Tree) -> tuple[Unit | None, bool]:
    """The unit, None where it is not known, and whether the parts go together."""
    if isinstance(tree, Number):
        return _PLAIN, True
    if isinstance(tree, Field):
        return _FIELDS.get(tree.name), True
    if not isinstance(tree, Apply):
        return None, True
    parts = [_unit(arg) for arg in tree.args]
    sound = all(good for _, good in parts)
    units = [unit for unit, _ in parts]
    if tree.op in ("+", "-"):
        known = [unit for unit in units if unit is not None]
        return units[0], sound and len(set(known)) <= 1
    if tree.op in ("*", "/"):
        left, right = units
        if left is None or right is None:
            return None, sound
        sign = 1 if tree.op == "*" else -1
        return (left[0] + sign * right[0], left[1] + sign * right[1]), sound
    return (units[0] if tree.op in _KEEPING else _PLAIN), sound
