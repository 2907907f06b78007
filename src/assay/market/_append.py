from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, Refusal
from assay.market._data import FloatPanel, Group, MarketData
from assay.market._reasons import FACTOR_MISMATCH
from assay.market._universe import Dates, Universe

SAME_FACTOR = 1e-4
_SAME_PRICE = 1e-4
_SHOWN = 5


def append(old: MarketData, new: MarketData) -> MarketData:
    """``old`` with the dates of ``new`` that come after it.

    The two must share at least one date. On shared bars the raw prices must be equal; the factor of each
    instrument may differ by one constant ratio, as when a source anchors its factors anew; it is converted to
    the stored anchor. Membership is known no further than before: give it anew. A snapshot group is carried
    over; events and bars inside the day are not.

    Raises
    ------
    DataError
        ``new`` has no later date, or shares no date with ``old``.
    Refusal
        ``factor_mismatch``: prices or factors of shared bars disagree; names every instrument concerned.
    """
    later = new.dates > old.dates[-1]
    shared, old_rows, new_rows = np.intersect1d(old.dates, new.dates, return_indices=True)
    if not later.any():
        raise DataError(
            f"nothing to append: the new rows end on {new.dates[-1]}, the data set on {old.dates[-1]}",
            where=old.name,
            fix="download again when there are newer bars",
        )
    if shared.size == 0:
        raise DataError(
            f"the new rows begin on {new.dates[0]}, after the last stored date {old.dates[-1]}",
            where=old.name,
            fix="let the new rows overlap the stored ones by some days, so that the factors can be compared",
        )
    columns = _Columns.of(old, new)
    scale = _factor_scale(old, new, columns, old_rows, new_rows)
    dates = np.concatenate([old.dates, new.dates[later]])
    fields = _fields(old, new, columns, later, scale)
    first, last = _lives(old, new, columns, later)
    return replace(
        old,
        dates=dates,
        instruments=columns.names,
        fields=fields,
        source=replace(old.source, detail={**old.source.detail, "end": str(new.dates[-1])}),
        # event series and their vectors are not carried on, so nothing may name them as fields
        infos={name: info for name, info in {**new.infos, **old.infos}.items() if name in fields},
        first_row=first,
        last_row=last,
        groups={name: _extend_group(group, columns, int(later.sum())) for name, group in old.groups.items()},
        universes={name: _frozen(universe, old.dates) for name, universe in old.universes.items()},
        vectors={},
        events={},
        minutes=None,
        rules=tuple(dict.fromkeys((*old.rules, *new.rules))),
        quarantined=old.quarantined
        + tuple(item for item in new.quarantined if np.datetime64(item.date, "D") > old.dates[-1]),
    )


class _Columns:
    """Where the instruments of two data sets stand in their union; those of the first keep their places."""

    def __init__(self, names: tuple[str, ...], of_new: NDArray[np.int64], old_count: int) -> None:
        self.names = names
        self.of_new = of_new
        self.old_count = old_count

    @classmethod
    def of(cls, old: MarketData, new: MarketData) -> _Columns:
        names = list(old.instruments)
        place = {symbol: column for column, symbol in enumerate(names)}
        for symbol in new.instruments:
            if symbol not in place:
                place[symbol] = len(names)
                names.append(symbol)
        of_new = np.array([place[symbol] for symbol in new.instruments], dtype=np.int64)
        return cls(tuple(names), of_new, len(old.instruments))


def _factor_scale(
    old: MarketData,
    new: MarketData,
    columns: _Columns,
    old_rows: NDArray[np.intp],
    new_rows: NDArray[np.intp],
) -> NDArray[np.float64]:
    """For each new instrument, stored factor over new factor."""
    scale = np.ones(len(new.instruments))
    wrong: list[str] = []
    for column, symbol in enumerate(new.instruments):
        target = int(columns.of_new[column])
        if target >= columns.old_count:
            continue
        reason, ratio = _compare(old, new, target, column, old_rows, new_rows)
        if reason:
            wrong.append(f"{symbol}: {reason}")
        scale[column] = ratio
    if wrong:
        shown = "; ".join(wrong[:_SHOWN])
        raise Refusal(
            FACTOR_MISMATCH,
            f"{len(wrong)} instruments do not continue what is stored: {shown}",
            where=old.name,
            details={"instruments": wrong},
        )
    return scale


def _compare(
    old: MarketData,
    new: MarketData,
    target: int,
    column: int,
    old_rows: NDArray[np.intp],
    new_rows: NDArray[np.intp],
) -> tuple[str, float]:
    before = old.fields["close"][old_rows, target].astype(np.float64)
    after = new.fields["close"][new_rows, column].astype(np.float64)
    both = np.isfinite(before) & np.isfinite(after)
    if both.any() and np.max(np.abs(after[both] / before[both] - 1)) > _SAME_PRICE:
        day = old.dates[old_rows[np.flatnonzero(both)[np.argmax(np.abs(after[both] / before[both] - 1))]]]
        return f"the raw close of {day} differs", 1.0
    if "factor" not in old.fields or "factor" not in new.fields:
        return "", 1.0
    stored = old.fields["factor"][old_rows, target].astype(np.float64)
    fresh = new.fields["factor"][new_rows, column].astype(np.float64)
    known = np.isfinite(stored) & np.isfinite(fresh) & (fresh > 0)
    if not known.any():
        if np.isfinite(new.fields["close"][:, column]).any() and old.last_row[target] >= old_rows[0]:
            return "no shared bar has a factor", 1.0
        return "", 1.0
    ratio = stored[known] / fresh[known]
    if np.max(np.abs(ratio / ratio[-1] - 1)) > SAME_FACTOR:
        return "the factors of shared bars differ by more than one ratio", 1.0
    return "", float(ratio[-1])


def _fields(
    old: MarketData,
    new: MarketData,
    columns: _Columns,
    later: NDArray[np.bool_],
    scale: NDArray[np.float64],
) -> Mapping[str, FloatPanel]:
    height, added = len(old.dates), int(later.sum())
    out: dict[str, FloatPanel] = {}
    for name in dict.fromkeys((*old.fields, *new.fields)):
        values = np.full((height + added, len(columns.names)), np.nan, dtype=np.float32)
        if name in old.fields:
            values[:height, : columns.old_count] = old.fields[name]
        if name in new.fields:
            block = new.fields[name][later]
            if name == "factor":
                block = (block * scale).astype(np.float32)
            values[height:, columns.of_new] = block
            fresh = columns.of_new >= columns.old_count
            _earlier(values, old.dates, new, name, columns.of_new[fresh], np.flatnonzero(fresh), later)
        out[name] = values
    return out


def _earlier(
    values: FloatPanel,
    old_dates: Dates,
    new: MarketData,
    name: str,
    targets: NDArray[np.int64],
    sources: NDArray[np.intp],
    later: NDArray[np.bool_],
) -> None:
    """Bars of new instruments on dates that are stored already."""
    shared, old_rows, new_rows = np.intersect1d(old_dates, new.dates[~later], return_indices=True)
    if shared.size and targets.size:
        values[np.ix_(old_rows, targets)] = new.fields[name][np.ix_(new_rows, sources)]


def _lives(
    old: MarketData, new: MarketData, columns: _Columns, later: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    count = len(columns.names)
    total = len(old.dates) + int(later.sum())
    first = np.full(count, total, dtype=np.int32)
    last = np.full(count, -1, dtype=np.int32)
    first[: columns.old_count] = old.first_row
    last[: columns.old_count] = old.last_row
    dates = np.concatenate([old.dates, new.dates[later]])
    row_of = np.searchsorted(dates, new.dates)
    for column, target in enumerate(columns.of_new):
        if new.last_row[column] < 0:
            continue
        first[target] = min(int(first[target]), int(row_of[new.first_row[column]]))
        last[target] = max(int(last[target]), int(row_of[new.last_row[column]]))
    return first, last


def _extend_group(group: Group, columns: _Columns, added: int) -> Group:
    extra = len(columns.names) - columns.old_count
    codes = group.codes
    if codes.ndim == 1:
        return Group(np.r_[codes, np.full(extra, -1, dtype=np.int32)], group.labels, group.description)
    wide = np.full((codes.shape[0] + added, len(columns.names)), -1, dtype=np.int32)
    wide[: codes.shape[0], : columns.old_count] = codes
    return Group(wide, group.labels, group.description)


def _frozen(universe: Universe, old_dates: Dates) -> Universe:
    return replace(universe, known_until=min(universe.known_until, old_dates[-1]))
