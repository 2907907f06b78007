"""What examining market data finds: kinds of faults, how often, and where for example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from assay.market._data import MarketData

Severity = Literal["serious", "warning", "note"]
Mask = NDArray[np.bool_]
"""Bars, as dates x instruments."""

SHOWN: Final = 5
"""Examples of a finding, at most."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of fault: how often, and where for example. ``serious`` ones make results wrong."""

    check: str
    severity: Severity
    count: int
    message: str
    examples: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "check": self.check,
            "severity": self.severity,
            "count": self.count,
            "message": self.message,
            "examples": list(self.examples),
        }


def bar_findings(
    data: MarketData,
    check: str,
    severity: Severity,
    bars: Mask,
    message: str,
    tell: Callable[[int, int], str] | None = None,
) -> list[Finding]:
    """The finding that some bars have a fault, or nothing where none has it.

    ``tell`` says what of an example is worth seeing, by its row and column.
    """
    rows, columns = np.nonzero(bars)
    if rows.size == 0:
        return []
    examples = []
    for row, column in zip(rows[:SHOWN].tolist(), columns[:SHOWN].tolist(), strict=True):
        place = f"{data.dates[row]} {data.instruments[column]}"
        examples.append(place if tell is None else f"{place} {tell(row, column)}")
    return [Finding(check, severity, int(rows.size), message, tuple(examples))]
