"""Events on bars: the bar that each belongs to, and what is traded on those bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.base import did_you_mean
from assay.discovery._reasons import BAD_SPEC
from assay.discovery._specs import BarKind
from assay.errors import Refusal
from assay.features import LAG, FeatureStore, Label
from assay.market import Panel
from assay.models import ALL, Bars

Seconds = NDArray[np.int64]

CLOSE_OF_DAY = 15 * 3_600
"""When a daily bar ends, in seconds: the rule by which a data set gives each event its first row."""


@dataclass(frozen=True, slots=True)
class EventBars:
    """Bars, and the events that belong to them.

    Parameters
    ----------
    bars : what is traded on.
    ends : when each bar ends, in seconds since 1970 ``(T,)``.
    lag : bars from the one that a value is said of to the first signal that may use it.
    row, column, known, score : of each event ``(E,)``, by bar: its bar, its name, when it was known, its
        score.
    """

    bars: Bars
    ends: Seconds
    lag: int
    row: Seconds
    column: Seconds
    known: Seconds
    score: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Bars and names."""
        return len(self.ends), self.bars.price.shape[1]


def event_bars(store: FeatureStore, label: Label, series: str, kind: BarKind) -> EventBars:
    """The events of a series on daily bars, or on those inside the day.

    Raises
    ------
    Refusal
        ``bad_spec``: there are no bars inside the day.
    """
    table = store.panel.events(series)
    bars = Bars.daily(store, label.fill, store.universe) if kind == "daily" else _inside_days(store, label)
    known = _seconds(table["known_time"])
    if kind == "daily":
        ends = _seconds(bars.times) + CLOSE_OF_DAY
        row = table["row"].astype(np.int64)
    else:
        ends = _seconds(bars.times)
        # what was known before the first of these days belongs to no bar of them
        first = int(np.searchsorted(store.panel.dates, bars.times[0].astype("datetime64[D]")))
        row = np.where(table["row"] >= first, np.searchsorted(ends, known), len(ends))
    kept = row < len(ends)
    order = np.argsort(row[kept], kind="stable")
    lag = store.graph[label.fill].lag if label.fill in store.graph else LAG
    return EventBars(
        bars=bars,
        ends=ends,
        lag=lag,
        row=row[kept][order],
        column=table["instrument"][kept][order].astype(np.int64),
        known=known[kept][order],
        score=table["score"][kept][order].astype(np.float64),
    )


def series_of(panel: Panel, name: str | None) -> str:
    """The name of a series of events, by default the first one of the data set.

    Raises
    ------
    Refusal
        ``bad_spec``: there is none, or none of this name.
    """
    names = sorted(panel.data.events)
    if not names:
        raise Refusal(
            BAD_SPEC,
            "the data set has no events",
            where="events",
            fix="import some with 'assay data import --events', or use a simulated market",
        )
    if name is None or name in names:
        return name or names[0]
    near = did_you_mean(name, names)
    raise Refusal(
        BAD_SPEC,
        "the data set has no events of this name",
        where="events",
        fix=f"did you mean {near[0]}?" if near else f"use {', '.join(names)}",
    )


def _inside_days(store: FeatureStore, label: Label) -> Bars:
    """The bars inside the days of a store's period, with prices adjusted as those of the days are."""
    panel = store.panel
    minutes = panel.minutes()
    days = panel.dates[store.start_row :]
    inside = (
        np.zeros(0, dtype=np.bool_)
        if minutes is None or not len(days)
        else minutes.times.astype("datetime64[D]") >= days[0]
    )
    if minutes is None or not inside.any() or label.fill not in minutes.fields:
        raise Refusal(
            BAD_SPEC,
            "the search period has no bars inside the day",
            where="bars",
            fix="use daily bars, or simulate a market whose --minutes reach into the period",
        )
    times = minutes.times[inside]
    day = np.searchsorted(panel.dates, times.astype("datetime64[D]"))
    price = minutes.fields[label.fill][inside]
    if "factor" in panel.fields:
        price = price * panel.raw("factor")[day]
    gone = panel.trading(label.fill).delisted_row
    first_of_day = np.searchsorted(day, np.maximum(gone, 0))
    return Bars(
        times=times,
        price=np.ascontiguousarray(price, dtype=np.float32),
        members=panel.universe(store.universe or ALL)[day],
        delisted_row=np.where(gone >= 0, first_of_day, -1),
        start_row=0,
        minutes=minutes.bar_minutes,
    )


def _seconds(times: NDArray[Any]) -> Seconds:
    found: Seconds = times.astype("datetime64[s]").astype(np.int64)
    return found
