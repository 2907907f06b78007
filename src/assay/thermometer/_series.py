"""A component's values from CSV or Parquet; every fault with its line."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from assay.errors import Problem
from assay.thermometer._component import Observation

MAX_FILE: Final = 32 << 20
MAX_ROWS: Final = 200_000
MAX_SHOWN: Final = 20
_COLUMNS: Final = ("date", "value")
_RELEASED: Final = "released"
_DAY: Final = 10

Row = tuple[int, Mapping[str, Any]]


class _Unreadable(Exception):
    """A file is no table; the arguments are what is wrong and what to do."""


def read_series(path: Path, release_lag_days: int, problems: list[Problem]) -> tuple[Observation, ...]:
    """The values of a file with the columns ``date``, ``value`` and, if wanted, ``released``.

    Without ``released``, a value was released ``release_lag_days`` after its date. With it, a date may stand
    in several rows, which are the revisions of its value.

    Parameters
    ----------
    problems : is told all that is wrong, with the line of a CSV or the row of a Parquet file (the header is
        line 1); the first 20 of a file, and how many more.
    """
    try:
        rows = _rows(path)
        found = _Checked(path, release_lag_days)
        for number, row in rows:
            found.add(number, row)
    except _Unreadable as fault:
        problems.append(Problem(str(path), *fault.args))
        return ()
    if not found.observations and not found.problems:
        found.problems.append(Problem(str(path), "has no rows", "give at least one value"))
    problems += found.problems[:MAX_SHOWN]
    if (more := len(found.problems) - MAX_SHOWN) > 0:
        problems.append(Problem(str(path), f"has {more} more such faults", "mend the first ones, try again"))
    return tuple(found.observations)


class _Checked:
    """The rows of a file as observations, and what is wrong with them."""

    def __init__(self, path: Path, lag: int) -> None:
        self.observations: list[Observation] = []
        self.problems: list[Problem] = []
        self._path, self._lag = path, lag
        self._seen: dict[tuple[date, date], int] = {}

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        faults = [*_day_faults(row, "date"), *_value_faults(row)]
        if _RELEASED in row:
            faults += _day_faults(row, _RELEASED)
        if faults:
            self.problems += [Problem(f"{self._path}:{number}", *fault) for fault in faults]
            return
        day = _day(row["date"])
        released = _day(row[_RELEASED]) if _RELEASED in row else _later(day, self._lag)
        fault = self._order_fault(day, released)
        if fault:
            self.problems.append(Problem(f"{self._path}:{number}", *fault))
            return
        assert day is not None
        assert released is not None
        self._seen[day, released] = number
        self.observations.append(Observation(day, released, float(row["value"])))

    def _order_fault(self, day: date | None, released: date | None) -> tuple[str, str] | None:
        if day is None or released is None:
            return "the day of release is beyond the year 9999", "check the date and release_lag_days"
        if released < day:
            return f"{released} lies before the date {day}", "no value is known before its date"
        if (day, released) in self._seen:
            line = self._seen[day, released]
            return (
                f"the date {day} stands in line {line} too",
                "keep one row a date, or give revisions their own day of release (column released)",
            )
        return None


def _day_faults(row: Mapping[str, Any], column: str) -> Iterator[tuple[str, str]]:
    if _day(row[column]) is None:
        yield f"{column} is {row[column]!r}"[:80], "write days as 2024-01-31"


def _value_faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    value = row["value"]
    try:
        good = not isinstance(value, bool) and math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        yield f"value is {value!r}"[:80], "give a finite number, or leave the row out"


def _day(value: Any) -> date | None:
    if isinstance(value, datetime):
        return None
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or len(value.strip()) != _DAY:
        return None
    try:
        return date.fromisoformat(value.strip())
    except ValueError:
        return None


def _later(day: date | None, days: int) -> date | None:
    try:
        return None if day is None else day + timedelta(days=days)
    except OverflowError:
        return None


def _rows(path: Path) -> Iterable[Row]:
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise _Unreadable("is neither .csv nor .parquet", "convert it to one of the two")
    if not path.is_file():
        raise _Unreadable("is not a file", "check the name; it counts from the folder of components.toml")
    if path.stat().st_size > MAX_FILE:
        raise _Unreadable("is larger than 32 MiB", "leave out what no component needs")
    try:
        return _csv_rows(path) if kind == ".csv" else _parquet_rows(path)
    except OSError as error:
        raise _Unreadable(f"cannot be read: {error.strerror or error}", "check its permissions") from error


def _csv_rows(path: Path) -> list[Row]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Unreadable("is not UTF-8 text", "save it as UTF-8") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[Row] = []
    try:
        header = [cell.strip() for cell in next(reader, [])]
        _check_columns(header)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise _Unreadable(
                    f"has {len(cells)} cells in line {reader.line_num}, and {len(header)} columns",
                    "give each row the cells of the header",
                )
            rows.append((reader.line_num, dict(zip(header, cells, strict=True))))
            _check_count(rows)
    except csv.Error as error:
        raise _Unreadable(f"is no CSV in line {reader.line_num}: {error}", "mend its quotes") from error
    return rows


def _parquet_rows(path: Path) -> list[Row]:
    import polars as pl

    try:
        frame = pl.read_parquet(path, glob=False)
    except pl.exceptions.PolarsError as error:
        raise _Unreadable("is no readable Parquet file", "write it again") from error
    _check_columns(frame.columns)
    rows: list[Row] = []
    for number, row in enumerate(frame.iter_rows(named=True), 2):
        rows.append((number, row))
        _check_count(rows)
    return rows


def _check_columns(names: list[str]) -> None:
    wanted = {*_COLUMNS, _RELEASED}
    good = len(set(names)) == len(names) and set(_COLUMNS) <= set(names) <= wanted
    if not good:
        shown = ", ".join(names)[:80] or "none"
        raise _Unreadable(
            f"has the columns {shown}", "name them date and value, and released if there is one"
        )


def _check_count(rows: list[Row]) -> None:
    if len(rows) > MAX_ROWS:
        raise _Unreadable(f"has more than {MAX_ROWS} rows", "leave out what no component needs")
