from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np

from assay.base import Clock
from assay.errors import DataError
from assay.market._append import append
from assay.market._attach import Sides, attach
from assay.market._data import MarketData
from assay.market._doctor import quarantine
from assay.market._panel import Panel
from assay.market._sources import BarClient, download
from assay.market._store import rewrite_dataset

OVERLAP_BARS = 10
"""Stored bars that are downloaded again, so that prices and factors can be compared."""


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


def update(
    folder: Path,
    client: BarClient,
    until: date,
    sides: Sides | None = None,
    *,
    progress: Callable[[str], None] | None = None,
    pause: Callable[[int], None] | None = None,
    clock: Clock | None = None,
) -> Panel:
    """Download the bars of a data set since its last date, up to ``until``, and append them.

    Only instruments with a record within the last ten bars are asked for; the others have ended.

    Raises
    ------
    ProviderError
        A symbol failed: nothing is changed.
    DataError, Refusal
        See :func:`append`; nothing is changed then.
    """

    def downloaded(old: MarketData) -> MarketData:
        new = _newer(folder, old, client, until, progress, pause)
        return _extended(old, new, sides)

    return rewrite_dataset(folder, downloaded, clock=clock)


def _newer(
    folder: Path,
    old: MarketData,
    client: BarClient,
    until: date,
    progress: Callable[[str], None] | None,
    pause: Callable[[int], None] | None,
) -> MarketData:
    if old.source.kind != client.name:
        raise DataError(
            f"data set {old.name!r} comes from {old.source.kind}, not from {client.name}",
            where=str(folder),
            fix="update it from where it came, or import the other source under another name",
        )
    overlap = max(len(old.dates) - OVERLAP_BARS, 0)
    alive = [old.instruments[column] for column in np.flatnonzero(old.last_row >= overlap)]
    start = old.dates[overlap].astype(date)
    return download(client, alive, start, until, name=old.name, progress=progress, pause=pause)
