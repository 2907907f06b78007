from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.expr import FieldInfo
from assay.market._universe import Dates, Universe

FloatPanel = NDArray[np.float32]

Market = Literal["CN", "US"]
"""Whose trading costs and lots hold."""

EVENT_DTYPE = np.dtype(
    [
        ("instrument", "<i4"),
        ("event_time", "<M8[s]"),
        ("known_time", "<M8[s]"),
        ("row", "<i4"),
        ("score", "<f4"),
    ]
)
"""One event: its instrument, when it happened and could be known, the first row that may use it, a score."""


@dataclass(frozen=True, slots=True)
class Group:
    """A classification: ``codes`` is int32 ``(N,)`` or ``(T, N)``, -1 for none; ``labels[code]`` names it."""

    codes: NDArray[np.int32]
    labels: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class PriceLimits:
    """Which daily price limits hold: none, one ratio for all, or mainland China's by board and date."""

    rule: Literal["none", "flat", "cn"] = "none"
    ratio: float = 0.0


@dataclass(frozen=True, slots=True)
class Planted:
    """A signal put into simulated returns on purpose.

    ``ic`` is the expected mean daily RankIC of ``expression`` (rows <= t-1) against the return over
    ``horizon`` bars from the close of t+1.
    """

    name: str
    expression: str
    ic: float
    horizon: int


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Cells set missing because they could not be true."""

    date: str
    symbol: str
    reason: str


@dataclass(frozen=True, slots=True)
class Minutes:
    """Bars inside the day for the last dates of a data set; each array is float32 ``(days * bars, N)``."""

    times: NDArray[np.datetime64]
    fields: Mapping[str, FloatPanel]
    bar_minutes: int = 5


@dataclass(frozen=True, slots=True)
class Source:
    """Where data comes from; ``detail`` is JSON-ready."""

    kind: Literal["simulated", "table", "qlib", "baostock", "yahoo", "memory"]
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MarketData:
    """Everything of a data set as it is stored: raw prices and the factor, never adjusted ones.

    ``first_row`` and ``last_row`` are int32 ``(N,)``: first and last row with any record of an instrument.
    Arrays of ``fields`` are float32 ``(T, N)``, missing is NaN; ``fields`` may be lazy.
    """

    name: str
    dates: Dates
    instruments: tuple[str, ...]
    fields: Mapping[str, FloatPanel]
    infos: Mapping[str, FieldInfo]
    first_row: NDArray[np.int32]
    last_row: NDArray[np.int32]
    source: Source = Source("memory")
    groups: Mapping[str, Group] = field(default_factory=dict)
    universes: Mapping[str, Universe] = field(default_factory=dict)
    vectors: Mapping[str, FloatPanel] = field(default_factory=dict)
    events: Mapping[str, NDArray[np.void]] = field(default_factory=dict)
    minutes: Minutes | None = None
    market: Market | None = None
    limits: PriceLimits = PriceLimits()
    rules: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    planted: tuple[Planted, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.dates), len(self.instruments)


def event_vector(table: NDArray[np.void], shape: tuple[int, int]) -> NDArray[np.float32]:
    """Scores of a table sorted by row and instrument as a vector field, float32 ``(K, T, N)``."""
    cell = table["row"].astype(np.int64) * shape[1] + table["instrument"]
    change = np.r_[True, cell[1:] != cell[:-1]] if cell.size else np.zeros(0, dtype=np.bool_)
    start = np.maximum.accumulate(np.where(change, np.arange(cell.size), 0))
    place = np.arange(cell.size) - start
    depth = int(place.max()) + 1 if cell.size else 1
    out = np.full((depth, *shape), np.nan, dtype=np.float32)
    out[place, table["row"], table["instrument"]] = table["score"]
    return out
