"""Checks of single bars, and setting those bars missing that cannot be true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from assay.market._data import FloatPanel, MarketData, Quarantined
from assay.market._fields import BAR_FIELDS
from assay.market._findings import Finding, Mask, Severity, bar_findings
from assay.market._move_checks import LARGE_MOVE, factor_falls, jumps, large_moves

_RELATIVE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class BarCheck:
    """A test of single bars; ``quarantined`` ones are set missing on import."""

    severity: Severity
    message: str
    find: Callable[[MarketData], Mask | None]
    shows: tuple[str, ...]
    quarantined: bool


def _non_positive(data: MarketData) -> Mask | None:
    out = np.zeros(data.shape, dtype=np.bool_)
    for name in ("open", "high", "low", "close", "vwap"):
        if name in data.fields:
            out |= data.fields[name] <= 0
    return out


def _outside_range(data: MarketData) -> Mask | None:
    if "high" not in data.fields or "low" not in data.fields:
        return None
    high = data.fields["high"] * (1 + _RELATIVE)
    low = data.fields["low"] * (1 - _RELATIVE)
    out = np.asarray(data.fields["high"] < low)
    for name in ("open", "close"):
        if name in data.fields:
            out |= (data.fields[name] > high) | (data.fields[name] < low)
    return out


def _negative_volume(data: MarketData) -> Mask | None:
    out = np.zeros(data.shape, dtype=np.bool_)
    for name in ("volume", "amount", "turn"):
        if name in data.fields:
            out |= data.fields[name] < 0
    return out


BAR_CHECKS: Final[Mapping[str, BarCheck]] = {
    "non_positive_price": BarCheck(
        "serious", "a price is zero or negative", _non_positive, ("close", "low"), True
    ),
    "outside_range": BarCheck(
        "serious", "close or open lies outside low to high", _outside_range, ("low", "close", "high"), True
    ),
    "negative_volume": BarCheck(
        "serious", "volume, amount or turnover is negative", _negative_volume, ("volume",), True
    ),
    "unexplained_jump": BarCheck(
        "serious",
        "the adjusted close moves beyond its limit, or as by a split that factor and price do not share",
        jumps,
        ("close", "factor"),
        True,
    ),
    "large_move": BarCheck(
        "warning",
        f"the adjusted close moves by more than {LARGE_MOVE:.0%}",
        large_moves,
        ("close", "factor"),
        False,
    ),
    "factor_falls": BarCheck(
        "warning",
        "the adjustment factor falls: a reverse split, or factors of two downloads mixed",
        factor_falls,
        ("factor",),
        False,
    ),
}


def examine_bars(data: MarketData) -> list[Finding]:
    """What all checks of single bars find."""
    found: list[Finding] = []
    for name, check in BAR_CHECKS.items():
        mask = check.find(data)
        if mask is not None:
            found += _findings(data, name, check, mask)
    return found


def _findings(data: MarketData, name: str, check: BarCheck, mask: Mask) -> list[Finding]:
    shown = [field for field in check.shows if field in data.fields]
    with_before = name != "outside_range"

    def tell(row: int, column: int) -> str:
        return ", ".join(_value(data, field, row, column, with_before=with_before) for field in shown)

    return bar_findings(data, name, check.severity, mask, check.message, tell)


def _value(data: MarketData, field: str, row: int, column: int, *, with_before: bool) -> str:
    text = f"{field} {float(data.fields[field][row, column]):.6g}"
    if with_before and row:
        text += f" (before {float(data.fields[field][row - 1, column]):.6g})"
    return text


def impossible_bars(data: MarketData) -> Iterator[tuple[str, Mask]]:
    """What cannot be true of prices and volume of one bar alone, and where."""
    for name in ("non_positive_price", "outside_range", "negative_volume"):
        check = BAR_CHECKS[name]
        mask = check.find(data)
        if mask is not None and mask.any():
            yield check.message, mask


def quarantine(data: MarketData) -> MarketData:
    """The same data with every bar missing that fails a check that quarantines, listed by row.

    Each check looks at the data as those before it have left it.
    """
    for name, check in BAR_CHECKS.items():
        mask = check.find(data) if check.quarantined else None
        if mask is not None and mask.any():
            data = _set_missing(data, mask, name)
    return data


def _set_missing(data: MarketData, mask: Mask, reason: str) -> MarketData:
    fields: dict[str, FloatPanel] = {}
    for name, values in data.fields.items():
        if name in BAR_FIELDS:
            values = np.where(mask, np.float32(np.nan), values)
        fields[name] = values
    rows, columns = np.nonzero(mask)
    listed = tuple(
        Quarantined(str(data.dates[row]), data.instruments[column], reason)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    )
    return replace(data, fields=fields, quarantined=data.quarantined + listed)
