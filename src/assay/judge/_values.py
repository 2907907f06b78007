"""Factors that exist only as values: frames and arrays, brought onto the dates and names of a panel."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.judge._results import DateArray

DATE_NAMES = ("date", "datetime", "trade_date", "trading_date", "day", "time", "timestamp")
NAME_NAMES = ("instrument", "code", "symbol", "ticker", "asset", "stock", "stock_code", "ts_code", "sid")
_STORED_INDEX = "__index_level_0__"
"""The column as which pandas stores an index without a name."""
_FEW_VALUES = 5
_ENOUGH_NAMES = 10
_DATES_LOOKED_AT = 16
_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?!\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ValueFactor:
    """Values on the panel's own rows and columns: float32 ``(T, N)``, NaN = missing."""

    name: str
    values: NDArray[np.float32]
    warnings: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """SHA-256 of shape and values, by which a certificate identifies the factor."""
        canonical = np.where(np.isnan(self.values), np.float32(np.nan), self.values).astype("<f4")
        shape = "x".join(map(str, self.values.shape))
        return hashlib.sha256(shape.encode() + canonical.tobytes()).hexdigest()


def is_values(item: object) -> bool:
    """Whether ``item`` is a table of values: an array, a pandas or polars frame, or a pandas Series."""
    return isinstance(item, np.ndarray) or _is_frame(item) or _is_series(item)


def read_values(
    source: Any, dates: DateArray, instruments: Sequence[str], name: str = "values"
) -> list[ValueFactor]:
    """Factors from an array ``(T, N)``, a wide or long frame of pandas or polars, or a Series of pandas.

    A *wide* frame has one row a date and one column an instrument: pandas with the dates as index, polars (or
    pandas) with a date column. A *long* frame has a date column, an instrument column (or both as a pandas
    index), and one numeric column for each factor. A Series has dates and instruments as its index levels.
    An index may hold dates as text. True and False count as 1 and 0. The value of date ``t`` counts as known
    at the close of ``t``; the judge applies its lag to it as to a formula.

    Raises
    ------
    DataError
        The shape differs from the panel's, a date and name occur twice, a column is not numeric, or nothing
        of the table lies on the panel.
    """
    if isinstance(source, np.ndarray):
        return [_from_array(source, dates, instruments, name)]
    table, index = _columns(_frame_of(source, name) if _is_series(source) else source)
    table = {**index, **table}
    for key in (name, *table):
        if not key.isprintable():
            raise DataError(
                f"{key!r} cannot be the name of a factor", where=name[:80], fix="name it in plain text"
            )
    date_key = _find(table, DATE_NAMES) or _only_dates(table)
    if date_key is None:
        raise DataError(
            f"no column of the values is a date; columns: {', '.join(list(table)[:8])}",
            where=name,
            fix=f"name it one of {', '.join(DATE_NAMES)}, or use a date index",
        )
    days = _as_days(table.pop(date_key), name)
    name_key = _find(table, NAME_NAMES)
    grid = _Grid(dates, instruments)
    if name_key is not None:
        names = np.asarray(table.pop(name_key)).astype(str)
        rows, columns, notes = grid.place(days, names, name)
        return [
            _factor(
                key if len(table) > 1 else _named(name, key), grid.fill(rows, columns, column, key), notes
            )
            for key, column in table.items()
        ]
    wide_names = np.array(list(table), dtype=str)
    stacked = (
        np.concatenate([_numeric(column, key) for key, column in table.items()]) if table else np.empty(0)
    )
    rows, columns, notes = grid.place(np.tile(days, len(table)), np.repeat(wide_names, len(days)), name)
    return [_factor(name, grid.fill(rows, columns, stacked, name), notes)]


def _factor(name: str, values: NDArray[np.float32], notes: tuple[str, ...] = ()) -> ValueFactor:
    different = _usual_count(values)
    if different is not None and different <= _FEW_VALUES:
        count = "one value" if different == 1 else f"{different} different values"
        notes = (
            *notes,
            f"on a usual date all names share {count}: those that tie cannot be told apart, "
            "so groups and a book may not form",
        )
    return ValueFactor(name, values, notes)


def _usual_count(values: NDArray[np.float32]) -> int | None:
    """The median number of different values on a date, from some dates that have enough of them."""
    rows = np.flatnonzero(np.isfinite(values).sum(axis=1) >= _ENOUGH_NAMES)
    if not len(rows):
        return None
    looked_at = rows[np.linspace(0, len(rows) - 1, min(len(rows), _DATES_LOOKED_AT)).astype(int)]
    return int(np.median([len(np.unique(row[np.isfinite(row)])) for row in values[looked_at]]))


def _named(name: str, column: str) -> str:
    return column if name == "values" and column not in ("value", "values", "factor") else name


def _from_array(source: NDArray[Any], dates: DateArray, instruments: Sequence[str], name: str) -> ValueFactor:
    shape = (len(dates), len(instruments))
    if source.shape != shape:
        raise DataError(
            f"the values have shape {source.shape}, the panel has {shape}",
            where=name,
            fix="give one row a date and one column an instrument of the panel, or a frame with both",
        )
    return _factor(name, _finite(_numeric(source, name)))


@dataclass(frozen=True, slots=True)
class _Grid:
    dates: DateArray
    instruments: Sequence[str]

    def place(
        self, days: DateArray, names: NDArray[np.str_], where: str
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], tuple[str, ...]]:
        """Row and column of each value, -1 where the panel lacks it; and what was left out."""
        rows = np.searchsorted(self.dates, days)
        found = (rows < len(self.dates)) & (self.dates[np.minimum(rows, len(self.dates) - 1)] == days)
        order = np.argsort(np.array(self.instruments, dtype=str), kind="stable")
        ordered = np.array(self.instruments, dtype=str)[order]
        spots = np.minimum(np.searchsorted(ordered, names), len(ordered) - 1)
        known = ordered[spots] == names
        rows = np.where(found & known, rows, -1)
        columns = np.where(found & known, order[spots], -1)
        kept = rows >= 0
        if not kept.any():
            raise DataError(
                "no value lies on a date and instrument of the panel",
                where=where,
                fix=f"the panel has {self.dates[0]} to {self.dates[-1]}, names like {self.instruments[0]!r}",
            )
        cells = rows[kept] * len(self.instruments) + columns[kept]
        unique, counts = np.unique(cells, return_counts=True)
        if len(unique) != len(cells):
            twice = int(unique[np.argmax(counts > 1)])
            row, column = divmod(twice, len(self.instruments))
            raise DataError(
                f"{self.instruments[column]} has more than one value on {self.dates[row]}",
                where=where,
                fix="give one value for each date and instrument",
            )
        notes = []
        if (lost := int(np.sum(~found))) > 0:
            notes.append(f"{lost} values lie on dates that the panel does not have; they were left out")
        if (lost := int(np.sum(found & ~known))) > 0:
            notes.append(f"{lost} values belong to names that the panel does not have; they were left out")
        return rows, columns, tuple(notes)

    def fill(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp], column: Any, name: str
    ) -> NDArray[np.float32]:
        values = _finite(_numeric(column, name))
        result = np.full((len(self.dates), len(self.instruments)), np.nan, dtype=np.float32)
        kept = rows >= 0
        result[rows[kept], columns[kept]] = values[kept]
        return result


def _numeric(column: Any, name: str) -> NDArray[np.float64]:
    try:
        if np.asarray(column).dtype.kind not in "biufOUS":
            # numpy would drop an imaginary part, and count a date in days
            raise TypeError
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"column {name!r} is not numeric", where=name, fix="give numbers") from error


def _finite(values: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    single[~np.isfinite(single)] = np.nan
    return single


def _as_days(column: Any, name: str) -> DateArray:
    array = np.asarray(column)
    try:
        if array.dtype.kind == "M":
            return array.astype("datetime64[D]")
        return np.array([_iso(str(day)) for day in array], dtype="datetime64[D]")
    except ValueError as error:
        raise DataError(
            f"the dates of the values cannot be read: {error}", where=name, fix="write dates as 2020-12-31"
        ) from error


def _iso(text: str) -> str:
    match = _DAY.match(text)
    if match is None:
        # numpy would take "today" and "2020"
        raise ValueError(f"{text[:40]!r} is not a date")
    return "-".join(match.groups())


def _only_dates(table: Mapping[str, Any]) -> str | None:
    """The one column that holds dates, whatever its name: pandas stores an index without one."""
    found = [key for key, column in table.items() if column.dtype.kind == "M"]
    if not found and _STORED_INDEX in table and _are_days(table[_STORED_INDEX]):
        return _STORED_INDEX
    return found[0] if len(found) == 1 else None


def _are_days(column: Any) -> bool:
    """Whether every entry can be read as a date."""
    array = np.asarray(column)
    if array.dtype.kind not in "OUTSiu" or not len(array):
        return False
    try:
        _as_days(array, "")
    except DataError:
        return False
    return True


def _local(walls: NDArray[Any], zone: object, name: str) -> NDArray[Any]:
    """Wall-clock times of a column with a time zone, if they are dates there.

    A date of another zone is not that date: midnight of Shanghai is the day before in UTC, and values that
    move to the day before look into the future.
    """
    known = walls[~np.isnat(walls)]
    if (known != known.astype("datetime64[D]")).any():
        raise DataError(
            f"the dates of the values are times in the time zone {zone}",
            where=name,
            fix="give the dates of the exchange, without a time zone",
        )
    return walls


def _find(table: Mapping[str, Any], names: Sequence[str]) -> str | None:
    lower = {key.lower(): key for key in table}
    return next((lower[name] for name in names if name in lower), None)


def _is_frame(item: object) -> bool:
    return type(item).__module__.split(".")[0] in ("pandas", "polars") and hasattr(item, "columns")


def _is_series(item: object) -> bool:
    return (
        type(item).__module__.split(".")[0] == "pandas" and hasattr(item, "to_frame") and hasattr(item, "loc")
    )


def _frame_of(series: Any, name: str) -> Any:
    if series.index.nlevels != 2:
        raise DataError(
            "a Series of values needs two index levels, dates and instruments",
            where=name,
            fix="stack it, or give a frame with dates as index and instruments as columns",
        )
    return series.to_frame("value" if series.name is None else series.name)


def _columns(frame: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Columns of a frame by name, and the levels of a pandas index that hold dates or names."""
    if type(frame).__module__.split(".")[0] == "polars":
        return {key: _polars_column(frame[key], key) for key in frame.columns}, {}
    keys = [str(key) for key in frame.columns]
    if len(set(keys)) != len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DataError(
            f"the column {twice!r} occurs twice", where=twice, fix="give each column its own name"
        )
    table = {str(key): _pandas_column(frame[key], str(key)) for key in frame.columns}
    levels = [frame.index.get_level_values(level) for level in range(frame.index.nlevels)]
    date_at = _date_level(levels, look_inside=_find(table, DATE_NAMES) is None and _only_dates(table) is None)
    index: dict[str, Any] = {}
    if date_at is not None:
        index["date"] = _pandas_column(levels[date_at], "date")
    if date_at is not None and len(levels) == 2:
        index["instrument"] = levels[1 - date_at].to_numpy()
    return table, index


def _date_level(levels: Sequence[Any], *, look_inside: bool) -> int | None:
    """Which level of a pandas index holds the dates: by its type, by its name, else by what it holds."""
    places = range(len(levels))
    typed = [at for at in places if levels[at].dtype.kind == "M"]
    called = [at for at in places if _find({str(levels[at].name): 0}, DATE_NAMES)]
    if typed or called or not look_inside:
        return next(iter((*typed, *called)), None)
    return next((at for at in places if _are_days(levels[at].to_numpy())), None)


def _polars_column(column: Any, name: str) -> NDArray[Any]:
    zone = getattr(column.dtype, "time_zone", None)
    values: NDArray[Any] = (column if zone is None else column.dt.replace_time_zone(None)).to_numpy()
    return values if zone is None else _local(values, zone, name)


def _pandas_column(column: Any, name: str) -> NDArray[Any]:
    zone = getattr(column.dtype, "tz", None)
    if not isinstance(column.dtype, np.dtype) and getattr(column.dtype, "kind", "O") in "biuf":
        # the nullable types have a missing value of their own
        filled: NDArray[Any] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return filled
    if zone is None:
        values: NDArray[Any] = column.to_numpy()
        return values
    walls = getattr(column, "dt", column).tz_localize(None).to_numpy()
    return _local(walls, zone, name)
