"""Checks of dates: of the calendar, of days without bars, and of memberships."""

from __future__ import annotations

from typing import Final

import numpy as np

from assay.market._data import MarketData
from assay.market._findings import SHOWN, Finding, bar_findings

_LONGEST_GAP_DAYS: Final = 14


def still_bars(data: MarketData) -> list[Finding]:
    found: list[Finding] = []
    if "suspended" in data.fields:
        paused = np.nan_to_num(data.fields["suspended"]) > 0
        found += bar_findings(data, "suspended", "note", paused, "bars of suspended days, held as missing")
    if "volume" in data.fields:
        still = (data.fields["volume"] == 0) & np.isfinite(data.fields["close"])
        found += bar_findings(data, "zero_volume", "serious", still, "a bar without volume still has a price")
    return found


def no_record(data: MarketData) -> list[Finding]:
    rows = np.arange(data.shape[0])[:, None]
    listed = (rows > data.first_row) & (rows < data.last_row)
    present = np.isfinite(data.fields["close"])
    if "suspended" in data.fields:
        present = present | np.isfinite(data.fields["suspended"])
    absent = listed & ~present
    quarantined = {(item.date, item.symbol) for item in data.quarantined}
    if quarantined:
        for row, column in np.argwhere(absent):
            if (str(data.dates[row]), data.instruments[column]) in quarantined:
                absent[row, column] = False
    message = "days without any record between an instrument's first and last; not the same as a suspension"
    return bar_findings(data, "no_record", "note", absent, message)


def calendar(data: MarketData) -> list[Finding]:
    found: list[Finding] = []
    steps = np.diff(data.dates).astype(int)
    wide = np.flatnonzero(steps > _LONGEST_GAP_DAYS)
    if wide.size:
        shown = tuple(
            f"{data.dates[row]} to {data.dates[row + 1]} ({steps[row]} days)" for row in wide[:SHOWN]
        )
        message = f"the dates leave out more than {_LONGEST_GAP_DAYS} days"
        found.append(Finding("calendar_gap", "warning", int(wide.size), message, shown))
    weekend = np.flatnonzero(~np.is_busday(data.dates))
    if weekend.size:
        shown = tuple(str(data.dates[row]) for row in weekend[:SHOWN])
        found.append(Finding("weekend", "warning", int(weekend.size), "dates on a Saturday or Sunday", shown))
    return found + _thin_days(data)


def _thin_days(data: MarketData) -> list[Finding]:
    traded = np.isfinite(data.fields["close"]).sum(axis=1).astype(np.float64)
    if len(traded) < 3:
        return []
    neighbours = np.minimum(traded[:-2], traded[2:])
    thin = np.flatnonzero(traded[1:-1] < 0.5 * neighbours) + 1
    if thin.size == 0:
        return []
    shown = tuple(f"{data.dates[row]} ({int(traded[row])} instruments)" for row in thin[:SHOWN])
    message = "dates with less than half the instruments of the days around them"
    return [Finding("thin_day", "warning", int(thin.size), message, shown)]


def spans(data: MarketData) -> list[Finding]:
    found: list[Finding] = []
    for name, universe in data.universes.items():
        ordered = universe.spans[np.lexsort((universe.spans[:, 1], universe.spans[:, 0]))]
        clash = (ordered[1:, 0] == ordered[:-1, 0]) & (ordered[1:, 1] < ordered[:-1, 2])
        if clash.any():
            shown = tuple(
                f"{data.instruments[ordered[place + 1, 0]]} from {data.dates[ordered[place + 1, 1]]}"
                for place in np.flatnonzero(clash)[:SHOWN]
            )
            found.append(
                Finding(
                    "overlapping_spans", "serious", int(clash.sum()), f"memberships of {name} overlap", shown
                )
            )
        if universe.unknown_members:
            count = len(universe.unknown_members)
            shown = universe.unknown_members[:SHOWN]
            found.append(
                Finding("unknown_members", "note", count, f"members of {name} without any data", shown)
            )
        if universe.known_until < data.dates[-1]:
            message = f"membership of {name} is known until {universe.known_until}, before the data ends"
            found.append(Finding("outdated_universe", "warning", 1, message))
    return found
