from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from assay.base import Clock, SystemClock
from assay.errors import DataError, Refusal
from assay.market._append import append
from assay.market._attach import Sides, attach
from assay.market._bar_checks import quarantine
from assay.market._data import MarketData
from assay.market._fetch import (
    Collected,
    Progress,
    accounted,
    check_plan,
    collect,
    days_without_row,
    gathered,
    side_tables,
)
from assay.market._fetch_client import BarClient
from assay.market._fetch_partial import FetchPlan, Partial, open_partial, partial_folder
from assay.market._manifest import read_manifest
from assay.market._panel import Panel
from assay.market._store import rewrite_dataset

OVERLAP_BARS = 10
"""Stored bars that are downloaded again, so that prices and factors can be compared."""
_WENT_WITHOUT = "instruments that an update went without end with their last stored bar"


def extend(folder: Path, new: MarketData, sides: Sides | None = None, *, clock: Clock | None = None) -> Panel:
    """Append newer bars to a stored data set and store the whole in its place, with a new manifest.

    Bars that cannot be true are quarantined. Event series and bars inside the day are not carried over: give
    event series again in ``sides``, as well as newer membership.

    Raises
    ------
    DataError, Refusal
        See :func:`append`; nothing is changed then.
    """
    return rewrite_dataset(folder, lambda old: _extended(old, new, sides), clock=clock)


def _extended(old: MarketData, new: MarketData, sides: Sides | None) -> MarketData:
    merged = quarantine(append(old, new))
    return attach(merged, sides) if sides else merged


@dataclass(frozen=True, slots=True)
class _Update:
    """One update by download; what has arrived is kept until it is stored or found to be of no use."""

    folder: Path
    client: BarClient
    until: date
    sides: Sides | None
    allow_missing: bool
    restart: bool
    progress: Progress | None
    today: date

    def apply(self, old: MarketData) -> MarketData:
        if old.source.kind != self.client.name:
            raise DataError(
                f"data set {old.name!r} comes from {old.source.kind}, not from {self.client.name}",
                where=str(self.folder),
                fix="update it from where it came, or fetch the other source under another name",
            )
        plan = self._plan(old)
        check_plan(self.client, plan, self.today)
        with open_partial(partial_folder(self.folder), plan, restart=self.restart) as partial:
            collected = collect(self.client, plan, partial, self.progress)
            accounted(self.client, collected, partial, allow_missing=self.allow_missing)
            try:
                return self._merged(old, plan, partial, collected)
            except (DataError, Refusal):
                # asked again later, the source may say something else
                partial.remove()
                raise

    def _plan(self, old: MarketData) -> FetchPlan:
        overlap = max(len(old.dates) - OVERLAP_BARS, 0)
        alive = tuple(old.instruments[column] for column in np.flatnonzero(old.last_row >= overlap))
        detail = old.source.detail
        universes = tuple(name for name in detail.get("universes", {}) if name in self.client.universes)
        return FetchPlan(
            self.client.name,
            old.dates[overlap].astype(date),
            self.until,
            alive,
            universes,
            bool(detail.get("industry")),
            origin=date.fromisoformat(str(detail.get("start", old.dates[0]))),
            known=old.instruments,
            base=read_manifest(self.folder).fingerprint,
        )

    def _merged(self, old: MarketData, plan: FetchPlan, partial: Partial, collected: Collected) -> MarketData:
        new = gathered(self.client, plan, partial, collected, old.name)
        merged = append(old, new)
        tables = side_tables(collected, merged.dates, merged.instruments)
        merged = replace(
            merged,
            universes={**merged.universes, **tables.universes},
            groups={**merged.groups, **tables.groups},
            source=replace(merged.source, detail=_detail(old, new, merged)),
            rules=tuple(dict.fromkeys((*merged.rules, *([_WENT_WITHOUT] if collected.of("failed") else ())))),
        )
        merged = quarantine(merged)
        return attach(merged, self.sides) if self.sides else merged


def _detail(old: MarketData, new: MarketData, merged: MarketData) -> dict[str, Any]:
    """What the manifest says of the source after an update: rows add up, the rest is as last told."""
    before, after = dict(old.source.detail), new.source.detail
    arrived = after["symbols"]
    record = np.isfinite(new.fields["suspended"][new.dates > old.dates[-1]])
    later = dict(zip(new.instruments, record.sum(axis=0).tolist(), strict=True))
    symbols = dict(before.get("symbols", {}))
    for symbol, rows in arrived.items():
        symbols[symbol] = symbols[symbol] + later[symbol] if symbol in symbols else rows
    kept = {
        name: {symbol: told for symbol, told in before.get(name, {}).items() if symbol not in arrived}
        for name in ("without_bars", "missing")
    }
    return {
        **before,
        **after,
        "start": before.get("start", after["start"]),
        "end": str(merged.dates[-1]),
        "symbols": symbols,
        **{name: {**kept[name], **after[name]} for name in kept},
        "notes": {**before.get("notes", {}), **after["notes"]},
        "days_without_row": days_without_row(merged),
    }


def update(
    folder: Path,
    client: BarClient,
    until: date,
    sides: Sides | None = None,
    *,
    allow_missing: bool = False,
    restart: bool = False,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Panel:
    """Download the bars of a data set since its last date, up to ``until``, and append them.

    Only instruments with a record within the last ten bars are asked for; the others have ended. Indices and
    industries that were fetched are brought up to date, and new members come with their whole history. What
    has arrived is kept when the download is interrupted, and the next call goes on from there.

    Raises
    ------
    FetchIncomplete, ProviderError
        Symbols failed (and ``allow_missing`` is not set), or the source cannot be asked: nothing is changed.
    DataError, Refusal
        See :func:`append`; nothing is changed then.
    """
    place = Path(folder).resolve()
    today = (clock or SystemClock()).now().date()
    work = _Update(place, client, until, sides, allow_missing, restart, progress, today)
    panel = rewrite_dataset(folder, work.apply, clock=clock)
    shutil.rmtree(partial_folder(place))
    return panel
