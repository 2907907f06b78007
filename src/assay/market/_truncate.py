from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import Refusal
from assay.market._data import FloatPanel, Group, MarketData, Minutes, Source
from assay.market._reasons import NO_DATES
from assay.market._universe import Universe

LATER = "(later)"
"""What stands for a later date in the words of a data set."""

_DATE = re.compile(
    r"(?<!\d)((?:19|20|21)\d\d)(?:([-/._]?)(0[1-9]|1[0-2])(?:\2(0[1-9]|[12]\d|3[01]))?)?(?!\d)"
)
_SAME_FACTOR = 1e-6


def truncate(data: MarketData, end: date) -> MarketData:
    """The data set as it was known at the close of ``end``: nothing in it names or depends on a later date.

    Left out: later rows, instruments without a record by then, members without data, labels that no
    kept row has, the particulars of the source (a seed would make the rest anew) and the planted signals.
    Later dates in words become ``(later)``. An instrument's adjustment factor that does not begin with 1 may
    tell of later splits and dividends by its level, so it is divided by its last kept value.

    Prices that a source had adjusted before they were imported cannot be mended so.

    Raises
    ------
    Refusal
        ``no_dates``: no trading day lies at or before ``end``.
    """
    rows = int(np.searchsorted(data.dates, np.datetime64(end, "D"), side="right"))
    if rows == 0:
        raise Refusal(NO_DATES, f"data set {data.name!r} has no trading day to {end}", where=data.name)
    kept = np.flatnonzero((data.last_row >= 0) & (data.first_row < rows))
    names = tuple(data.instruments[column] for column in kept)
    vectors = {name: _vector(values[:, :rows, kept]) for name, values in data.vectors.items()}
    return replace(
        data,
        dates=data.dates[:rows],
        instruments=names,
        fields=_fields(data, rows, kept),
        infos={
            name: replace(info, description=without_later(info.description, end))
            for name, info in data.infos.items()
        },
        first_row=data.first_row[kept],
        last_row=np.minimum(data.last_row[kept], np.int32(rows - 1)),
        source=Source(data.source.kind),
        groups={name: _group(group, rows, kept, end) for name, group in data.groups.items()},
        universes={name: _universe(universe, rows, kept, end) for name, universe in data.universes.items()},
        vectors=vectors,
        events={name: _events(table, rows, kept, end) for name, table in data.events.items()},
        minutes=_minutes(data.minutes, kept, end),
        rules=tuple(without_later(rule, end) for rule in data.rules),
        filters=tuple(without_later(rule, end) for rule in data.filters),
        planted=(),
        quarantined=tuple(
            item for item in data.quarantined if item.symbol in set(names) and item.date <= str(end)
        ),
    )


def without_later(text: str, end: date) -> str:
    """``text`` with each date, month or year after ``end`` replaced by :data:`LATER`."""
    return _DATE.sub(lambda match: LATER if _is_later(match, end) else match[0], text)


def names_later(text: str, end: date) -> bool:
    """Whether ``text`` names a date, month or year after ``end``."""
    return without_later(text, end) != text


def _is_later(match: re.Match[str], end: date) -> bool:
    parts = [int(part) for part in (match[1], match[3], match[4]) if part]
    return parts > [end.year, end.month, end.day][: len(parts)]


def _fields(data: MarketData, rows: int, kept: NDArray[np.intp]) -> dict[str, FloatPanel]:
    fields = {name: values[:rows, kept] for name, values in data.fields.items()}
    if "factor" in fields:
        fields["factor"] = _anchored(fields["factor"])
    return fields


def _anchored(factor: FloatPanel) -> FloatPanel:
    """The factor on an anchor that is known by its last row: columns that begin with 1 have one already."""
    known = np.isfinite(factor)
    columns = np.arange(factor.shape[1])
    first = factor[known.argmax(axis=0), columns]
    elsewhere = known.any(axis=0) & (np.abs(first - 1.0) > _SAME_FACTOR)
    last = factor[factor.shape[0] - 1 - known[::-1].argmax(axis=0), columns]
    return np.asarray(factor / np.where(elsewhere, last, 1.0), dtype=np.float32)


def _group(group: Group, rows: int, kept: NDArray[np.intp], end: date) -> Group:
    codes = group.codes[kept] if group.codes.ndim == 1 else group.codes[:rows, kept]
    used = np.unique(codes[codes >= 0])
    renumbered = np.full(len(group.labels) + 1, -1, dtype=np.int32)  # the last place is that of -1
    renumbered[used] = np.arange(len(used), dtype=np.int32)
    labels = tuple(without_later(group.labels[code], end) for code in used)
    return Group(renumbered[codes], labels, without_later(group.description, end))


def _universe(universe: Universe, rows: int, kept: NDArray[np.intp], end: date) -> Universe:
    spans = universe.spans
    spans = spans[(spans[:, 1] < rows) & np.isin(spans[:, 0], kept)]
    cut = np.column_stack([np.searchsorted(kept, spans[:, 0]), spans[:, 1], np.minimum(spans[:, 2], rows)])
    return Universe(
        spans=cut.astype(np.int32),
        known_until=min(universe.known_until, np.datetime64(end, "D")),
        aliases=tuple(alias for alias in universe.aliases if not names_later(alias, end)),
        description=without_later(universe.description, end),
    )


def _vector(values: FloatPanel) -> FloatPanel:
    """Without the places that only later days filled."""
    used = np.isfinite(values).any(axis=(1, 2))
    depth = int(np.flatnonzero(used)[-1]) + 1 if used.any() else 1
    return values[:depth]


def _events(table: NDArray[Any], rows: int, kept: NDArray[np.intp], end: date) -> NDArray[Any]:
    events = table[(table["row"] < rows) & np.isin(table["instrument"], kept)].copy()
    events["instrument"] = np.searchsorted(kept, events["instrument"])
    # what was announced for a later day keeps its score and loses the day
    day = events["event_time"].astype("datetime64[D]")
    events["event_time"][day > np.datetime64(end, "D")] = np.datetime64("NaT")
    return events


def _minutes(minutes: Minutes | None, kept: NDArray[np.intp], end: date) -> Minutes | None:
    if minutes is None:
        return None
    inside = minutes.times.astype("datetime64[D]") <= np.datetime64(end, "D")
    if not inside.any():
        return None
    fields = {name: values[inside][:, kept] for name, values in minutes.fields.items()}
    return replace(minutes, times=minutes.times[inside], fields=fields)
