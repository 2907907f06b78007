from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.expr import FieldInfo
from assay.market._assemble import Grid, assemble
from assay.market._attach import Sides, read_sides
from assay.market._bar_checks import impossible_bars, quarantine
from assay.market._columns import BAR_SYNONYMS, choose_columns, columns_hint, field_name
from assay.market._data import FloatPanel, Market, MarketData, Source
from assay.market._doctor import examine
from assay.market._fields import field_info
from assay.market._findings import Finding
from assay.market._problems import Collector, counted
from assay.market._side_tables import read_calendar
from assay.market._tables import LINE, as_dates, as_flags, as_numbers, as_text, read_table
from assay.market._universe import Dates

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """How a long table becomes a data set.

    Parameters
    ----------
    columns : the table's column for a meaning, where its name does not tell: ``{"close": "Px"}``.
    skip : columns to leave out.
    exponents : adjustment exponents of further fields, e.g. ``{"eps": 0}``; unknown otherwise.
    market : gives price limits and trading costs; None for no limits.
    sides : more tables: membership, groups, events.
    calendar : a file of trading days; rows on other days are problems.
    date_format : of the date column, as for ``strptime``.
    encoding : of text files.
    start, end : keep only these dates, ISO.
    quarantine : set bars missing that cannot be true, and list them.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    skip: Sequence[str] = ()
    exponents: Mapping[str, float] = field(default_factory=dict)
    market: Market | None = None
    sides: Sides = field(default_factory=Sides)
    calendar: Path | None = None
    date_format: str | None = None
    encoding: str = "utf-8"
    start: str | None = None
    end: str | None = None
    quarantine: bool = True


@dataclass(frozen=True, slots=True)
class Imported:
    """Data read from outside, not stored yet: what each column was taken for, and what was found."""

    data: MarketData
    columns: Mapping[str, str]
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Long:
    """Rows of a long table with their place in the panel."""

    frame: pl.DataFrame
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    dates: Dates
    instruments: tuple[str, ...]


def import_table(path: Path, options: TableOptions | None = None, *, name: str = "data") -> Imported:
    """Read a long table, one row an instrument and day, CSV or Parquet.

    Suspended days become missing; bars that cannot be true are quarantined; fields that nobody knows keep an
    unknown adjustment exponent. Store the result with :func:`write_dataset`.

    Raises
    ------
    DataProblems
        Anything that makes the table unusable, all of it at once: file, encoding, columns, dates, numbers,
        duplicate (date, instrument), overlapping membership.
    """
    options = options or TableOptions()
    problems = Collector()
    frame = read_table(Path(path), problems, encoding=options.encoding)
    long = None
    sides = replace(options.sides, symbol=options.columns.get("symbol"))
    chosen: dict[str, str] = {}
    if frame is not None:
        _known_options(frame.columns, options, str(path), problems)
        skipped = [column for column in frame.columns if column in options.skip]
        frame = frame.drop(skipped)
        chosen = choose_columns(
            frame.columns,
            BAR_SYNONYMS,
            options.columns,
            ("date", "symbol", "close"),
            where=str(path),
            problems=problems,
            tell="say which it is: --column {meaning}=COLUMN",
        )
        if {"date", "symbol"} <= chosen.keys():
            long = _place(frame, chosen, options, str(path), problems)
    if long is None:
        # the other tables are read all the same, so that their problems are told too
        read_sides(sides, _NO_DATES, (), problems)
        problems.raise_any(str(path))
        raise AssayError("the table has no usable rows", where=str(path), fix="check its columns")
    values = _values(long, chosen, str(path), problems)
    infos, further, left_out = _further_fields(long, chosen, options, str(path))
    tables = read_sides(sides, long.dates, long.instruments, problems)
    if len(problems) and "close" in values:
        _impossible_bars(long, values, str(path), problems)
    problems.raise_any(str(path))
    wide = {meaning: _spread(long, numbers) for meaning, numbers in {**values, **further}.items()}
    data = assemble(
        name,
        Grid.of(long.dates, long.instruments, _record(long)),
        wide,
        infos=infos,
        source=Source("table", {"file": Path(path).name, "columns": dict(chosen)}),
        sides=tables,
        market=options.market,
        filters=_filters(options),
    )
    findings = examine(data)
    return Imported(quarantine(data) if options.quarantine else data, chosen, left_out, findings)


def _impossible_bars(
    long: _Long, values: Mapping[str, NDArray[np.float64]], where: str, problems: Collector
) -> None:
    """Tell of rows that cannot be true beside what makes a table unusable, to be mended together."""
    rows = len(long.row)
    alone = Grid.of(np.zeros(rows, dtype="datetime64[D]"), ("row",), np.ones((rows, 1), dtype=np.bool_))
    columns = {meaning: numbers.astype(np.float32)[:, None] for meaning, numbers in values.items()}
    data = assemble("rows", alone, columns, source=Source("table", {}))
    for message, mask in impossible_bars(data):
        lines = [str(line) for line in long.frame[LINE].to_numpy()[mask[:, 0]][:3]]
        problems.add(
            f"{where}, {'line' if len(lines) == 1 else 'lines'} {', '.join(lines)}",
            f"{message} in {counted(int(mask.sum()), 'row')}",
            "mend it too, or the bar is set missing once the rest can be read",
        )


def _known_options(columns: Sequence[str], options: TableOptions, where: str, problems: Collector) -> None:
    """An option that names nothing of the table would change nothing, and nobody would see it."""
    for column in options.skip:
        if column not in columns:
            hint = columns_hint(column, columns)
            problems.add(where, f"there is no column {column!r} to leave out", hint)
    told = list(options.columns.values())
    for column in dict.fromkeys(told):
        if told.count(column) > 1:
            meanings = [meaning for meaning, given in options.columns.items() if given == column]
            problems.add(where, f"the column {column!r} is to be {' and '.join(meanings)}", "choose one")


_NO_DATES: Dates = np.array([], dtype="datetime64[D]")


def _place(
    frame: pl.DataFrame, chosen: Mapping[str, str], options: TableOptions, where: str, problems: Collector
) -> _Long | None:
    import polars as pl

    dates = as_dates(frame, chosen["date"], where, problems, form=options.date_format, option="--date-format")
    symbols = as_text(frame, chosen["symbol"], where, problems)
    if options.market == "CN":
        # a spreadsheet drops the leading zeros of 000001
        padded = symbols.str.zfill(6)
        symbols = padded.zip_with(symbols.str.contains(r"^\d{1,6}$"), symbols)
    frame = frame.with_columns(
        dates.alias("\0date"), symbols.alias("\0symbol"), pl.Series(LINE, range(2, frame.height + 2))
    )
    frame = frame.filter(pl.col("\0date").is_not_null() & pl.col("\0symbol").is_not_null())
    if frame.height == 0:
        # each row has been told as a problem above
        return None
    for bound, keep in ((options.start, pl.Expr.ge), (options.end, pl.Expr.le)):
        day = None if bound is None else _bound(bound, problems)
        if day is not None:
            frame = frame.filter(keep(pl.col("\0date"), day))
    if frame.height == 0:
        problems.add(where, "no row is left within the chosen dates", "check start and end")
        return None
    own_dates = np.unique(frame["\0date"].to_numpy()).astype("datetime64[D]")
    all_dates = own_dates
    if options.calendar is not None:
        calendar = read_calendar(options.calendar, problems)
        if calendar is not None:
            all_dates = _follow_calendar(own_dates, calendar, where, problems)
    names = frame["\0symbol"].unique().sort()
    lookup = pl.DataFrame({"\0symbol": names, "\0place": np.arange(len(names), dtype=np.int64)})
    frame = frame.join(lookup, on="\0symbol", how="left").sort(LINE)
    row = np.searchsorted(all_dates, frame["\0date"].to_numpy().astype("datetime64[D]"))
    column = frame["\0place"].to_numpy()
    _duplicates(frame, row, column, len(names), where, problems)
    return _Long(frame, row, np.asarray(column, dtype=np.int64), all_dates, tuple(names.to_list()))


def _bound(text: str, problems: Collector) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        problems.add("start, end", f"{text!r} is not a date", "write YYYY-MM-DD")
        return None


def _follow_calendar(own: Dates, calendar: Dates, where: str, problems: Collector) -> Dates:
    stray = own[~np.isin(own, calendar)]
    if stray.size:
        shown = ", ".join(str(day) for day in stray[:3])
        problems.add(
            where,
            f"{counted(stray.size, 'date')} not in the calendar, e.g. {shown}",
            "check the dates or the calendar",
        )
        return own
    return np.asarray(calendar[(calendar >= own[0]) & (calendar <= own[-1])])


def _duplicates(
    frame: pl.DataFrame,
    row: NDArray[np.int64],
    column: NDArray[Any],
    count: int,
    where: str,
    problems: Collector,
) -> None:
    cell = row * count + column
    order = np.argsort(cell, kind="stable")
    again = order[1:][cell[order][1:] == cell[order][:-1]]
    if again.size:
        lines = [int(frame[LINE][int(place)]) for place in again[:3]]
        first = int(again[0])
        problems.add(
            f"{where}, {'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))}",
            f"{again.size:,} {'row repeats' if again.size == 1 else 'rows repeat'} a date and symbol, "
            f"e.g. {frame[chr(0) + 'date'][first]} "
            f"{frame[chr(0) + 'symbol'][first]}",
            "one row an instrument and day: remove the repeats (bars inside the day are not daily bars)",
        )


def _values(
    long: _Long, chosen: Mapping[str, str], where: str, problems: Collector
) -> dict[str, NDArray[np.float64]]:
    out: dict[str, NDArray[np.float64]] = {}
    for meaning, column in chosen.items():
        if meaning in {"date", "symbol"}:
            continue
        read = as_flags if meaning in {"suspended", "trading", "is_st"} else as_numbers
        numbers = read(long.frame, column, where, problems)
        if numbers is None:
            continue
        if meaning == "close" and not np.isfinite(numbers).any():
            problems.add(where, f"column {column!r} has no value at all", "prices are needed")
        out[meaning] = numbers
    return out


def _further_fields(
    long: _Long, chosen: Mapping[str, str], options: TableOptions, where: str
) -> tuple[dict[str, FieldInfo], dict[str, NDArray[np.float64]], tuple[str, ...]]:
    infos: dict[str, FieldInfo] = {}
    values: dict[str, NDArray[np.float64]] = {}
    left_out: list[str] = []
    labels = {source.column for source in options.sides.groups.values() if _same_file(source.path, where)}
    for column in long.frame.columns:
        if column.startswith("\0") or column in chosen.values():
            continue
        own = field_name(column)
        numbers = (
            as_numbers(long.frame, column, where, None) if own is not None and own not in chosen else None
        )
        if own is None or numbers is None or own in values or not np.isfinite(numbers).any():
            if column not in labels:
                left_out.append(column)
            continue
        values[own] = numbers
        known = field_info(own)
        exponent = options.exponents.get(own, known.exponent)
        infos[own] = FieldInfo(own, known.kind, exponent, known.unit, known.description or f"column {column}")
    return infos, values, tuple(left_out)


def _same_file(one: Path, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()


def _spread(long: _Long, numbers: NDArray[np.float64]) -> FloatPanel:
    out = np.full((len(long.dates), len(long.instruments)), np.nan, dtype=np.float32)
    with np.errstate(over="ignore"):
        out[long.row, long.column] = numbers
    out[np.isinf(out)] = np.nan
    return out


def _record(long: _Long) -> NDArray[np.bool_]:
    out = np.zeros((len(long.dates), len(long.instruments)), dtype=np.bool_)
    out[long.row, long.column] = True
    return out


def _filters(options: TableOptions) -> tuple[str, ...]:
    out: list[str] = []
    if options.start is not None:
        out.append(f"dates from {options.start}")
    if options.end is not None:
        out.append(f"dates to {options.end}")
    if options.skip:
        out.append(f"columns left out: {', '.join(options.skip)}")
    return tuple(out)
