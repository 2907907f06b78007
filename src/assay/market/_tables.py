"""Reading tables: CSV as text that is converted here, so that each bad cell can be named; Parquet as is."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.market._problems import Collector, counted

if TYPE_CHECKING:
    import polars as pl

# a date as in 2020-01-02, 2020/1/2, 2020.01.02 or 20200102, with or without a time of day
_DATE = r"^(\d{4})(?:[-/.](\d{1,2})[-/.](\d{1,2})|(\d{2})(\d{2}))(?:[T ]\d{1,2}:\d{2}.*)?$"
# a time as in 2020-01-02, 20200102, 2020/01/02 09:30 or 2020-01-02T09:30:00.5: no offset
_TIME = re.compile(r"^(\d{4})[-/]?(\d{2})[-/]?(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?$", re.ASCII)
_DATE_CHARS = 10
_LOCAL = "times are those of the exchange, without a time zone: which close they precede depends on it"
_FORMS = (
    *(f"%d{sign}%m{sign}%Y" for sign in "/-."),
    *(f"%m{sign}%d{sign}%Y" for sign in "/-."),
    *(f"%d{sign}%m{sign}%y" for sign in "/-."),
    *(f"%m{sign}%d{sign}%y" for sign in "/-."),
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d %b %Y",
    "%b %d, %Y",
    "%Y年%m月%d日",
    "%d%m%Y",
)
"""Forms of dates that are proposed, and never guessed: day and month look alike."""
MISSING_WORDS = ("", "nan", "na", "n/a", "null", "none", "-", "--", "nat")
_TRUE_WORDS = {"1": 1.0, "1.0": 1.0, "true": 1.0, "t": 1.0, "yes": 1.0, "y": 1.0, "是": 1.0}
_FALSE_WORDS = {"0": 0.0, "0.0": 0.0, "false": 0.0, "f": 0.0, "no": 0.0, "n": 0.0, "否": 0.0}
LINE = "\0line"
"""A column that keeps each row's line number when rows are left out."""
MAX_NAME = 128
_MANY = 3


def read_table(path: Path, problems: Collector, *, encoding: str = "utf-8") -> pl.DataFrame | None:
    """A CSV (also separated by tabs or semicolons) or Parquet file; None when it cannot be read."""
    path = Path(path)
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        problems.add(str(path), f"the file {what}", "give the path of a CSV or Parquet file")
        return None
    if path.stat().st_size == 0:
        problems.add(str(path), "the file is empty", "give a file with a header and rows")
        return None
    suffix = path.suffix.lower()
    if suffix in {".parquet", ".pq"}:
        return _read_parquet(path, problems)
    if suffix in {".csv", ".tsv", ".txt"}:
        return _read_csv(path, problems, encoding)
    problems.add(str(path), f"the ending {suffix!r} is not known", "use .csv, .tsv, .txt or .parquet")
    return None


def _read_parquet(path: Path, problems: Collector) -> pl.DataFrame | None:
    import polars as pl

    try:
        frame = pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        problems.add(str(path), f"not a readable Parquet file: {_first_line(error)}", "write it again")
        return None
    return _not_empty(frame, path, problems)


def _read_csv(path: Path, problems: Collector, encoding: str) -> pl.DataFrame | None:
    import polars as pl

    text = _decode(path, problems, encoding)
    if text is None:
        return None
    if not text.strip():
        problems.add(str(path), "the file is empty", "give a file with a header and rows")
        return None
    header = text.split("\n", 1)[0]
    separator = max(",\t;|", key=header.count)
    cells = [cell.strip().strip('"') for cell in header.split(separator)]
    twice = [cell for cell in dict.fromkeys(cells) if cell and cells.count(cell) > 1]
    if twice and not _is_row(header, separator):
        problems.add(str(path), f"the column {twice[0]!r} occurs twice", "give each column its own name")
        return None
    try:
        frame = pl.read_csv(
            text.encode(), separator=separator, infer_schema=False, has_header=not _is_row(header, separator)
        )
    except pl.exceptions.PolarsError as error:
        problems.add(
            str(path), f"not a readable table: {_first_line(error)}", "each row needs the header's columns"
        )
        return None
    return _not_empty(frame, path, problems)


def _is_row(header: str, separator: str) -> bool:
    """Whether a first line is already data: one of its cells is a date (a header never is)."""
    return any(_looks_like_date(cell) for cell in header.strip().split(separator))


def _looks_like_date(cell: str) -> bool:
    cell = cell.strip().strip('"')
    if not cell[:4].isdigit():
        return False
    try:
        np.datetime64(cell, "D")
    except ValueError:
        return False
    return len(cell) >= 8


def _decode(path: Path, problems: Collector, encoding: str) -> str | None:
    try:
        data = path.read_bytes()
    except OSError as error:
        problems.add(str(path), f"the file cannot be read: {error.strerror}", "check its permissions")
        return None
    try:
        # not by the codec itself: base64, rot13 and others of them make no text
        b"".decode(encoding)
        if data.startswith(codecs.BOM_UTF8) and codecs.lookup(encoding).name == "utf-8":
            data = data[len(codecs.BOM_UTF8) :]
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(
            f"{path}, line {line}",
            f"the text is not {encoding}: byte 0x{data[error.start]:02x} at position {error.start}",
            "name the file's encoding, e.g. --encoding gbk",
        )
        return None
    except (LookupError, ValueError):
        problems.add(str(path), f"no encoding is called {encoding!r}", "use utf-8, gbk, gb18030 or latin-1")
        return None
    return text.replace("\r\n", "\n")


def _not_empty(frame: pl.DataFrame, path: Path, problems: Collector) -> pl.DataFrame | None:
    if frame.height == 0:
        problems.add(str(path), "the table has no rows", "give a file with rows")
        return None
    return frame


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["?"])[0][:200]


def _line(frame: pl.DataFrame, row: int) -> int:
    """The line of a row in its file: rows that were left out still count."""
    return int(frame[LINE][row]) if LINE in frame.columns else row + 2


def _bad_cells(frame: pl.DataFrame, column: str, bad: pl.Series) -> str:
    rows = [int(row) for row in bad.arg_true()]
    shown = ", ".join(f"{frame[column][row]!r} (line {_line(frame, row)})" for row in rows[:_MANY])
    return f"{counted(len(rows), 'value')}, e.g. {shown}"


def as_text(frame: pl.DataFrame, column: str, where: str, problems: Collector) -> pl.Series:
    """A column of names without surrounding blanks; empty ones are problems."""
    import polars as pl

    texts = frame[column].cast(pl.String).str.strip_chars()
    bad = texts.is_null() | (texts == "")
    if bad.any():
        problems.add(
            where,
            f"column {column!r} is empty in {counted(int(bad.sum()), 'row')}, "
            f"e.g. line {int(bad.arg_true()[0]) + 2}",
        )
    strange = texts.str.contains(r"\p{C}") | (texts.str.len_chars() > MAX_NAME)
    if strange.any():
        row = int(strange.arg_true()[0])
        problems.add(
            where,
            f"column {column!r} holds no usable name in {counted(int(strange.sum()), 'row')}, e.g. "
            f"{texts[row][:MAX_NAME]!r} (line {_line(frame, row)})",
            f"use at most {MAX_NAME} characters, and none that is invisible",
        )
    return texts


def as_dates(
    frame: pl.DataFrame,
    column: str,
    where: str,
    problems: Collector,
    *,
    form: str | None = None,
    empty_ok: bool = False,
    option: str | None = None,
) -> pl.Series:
    """A column as dates; cells that are not dates are problems.

    ``option`` is the one with which the user can tell ``form``: then a form that fits all cells is proposed.
    """
    import polars as pl

    values = frame[column]
    if values.dtype == pl.Date:
        return values
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.date()
    texts = values.cast(pl.String).str.strip_chars()
    empty = texts.is_null() | texts.str.to_lowercase().is_in(MISSING_WORDS)
    texts = texts.set(empty, None)
    parsed = _parse_dates(texts, form)
    bad = parsed.is_null() & ~(empty if empty_ok else empty & False)
    if bad.any():
        tried = form or "YYYY-MM-DD, YYYYMMDD, YYYY/MM/DD"
        hint = "" if option is None else _form_hint(texts, option, none_fits=bool(parsed.is_null().all()))
        problems.add(
            where,
            f"column {column!r} has no date in {_bad_cells(frame, column, bad)}",
            f"expected {tried}{hint}",
        )
    return parsed


def _form_hint(texts: pl.Series, option: str, *, none_fits: bool) -> str:
    """Which form of dates to tell, where one is sure or two are possible."""
    known = texts.drop_nulls()
    fitting = [form for form in _FORMS if not _parse_dates(known, form).is_null().any()]
    if known.is_empty() or (not fitting and not none_fits):
        return ""
    if not fitting:
        return f"; tell another form with {option}, such as {option} %d/%m/%Y"
    told = " or ".join(f"{option} '{form}'" if " " in form else f"{option} {form}" for form in fitting[:2])
    return f"; these look like {told}"


def _parse_dates(texts: pl.Series, form: str | None) -> pl.Series:
    import polars as pl

    if form is not None:
        return texts.str.to_datetime(form, strict=False).dt.date()
    year, month, day, plain_month, plain_day = (texts.str.extract(_DATE, group) for group in range(1, 6))
    joined = pl.select(
        pl.concat_str(
            [
                year,
                pl.coalesce(month.str.zfill(2), plain_month),
                pl.coalesce(day.str.zfill(2), plain_day),
            ]
        )
    ).to_series()
    return joined.str.to_date("%Y%m%d", strict=False)


def as_times(frame: pl.DataFrame, column: str, where: str, problems: Collector) -> NDArray[np.datetime64]:
    """A column as times to the second; a date alone is the end of that day: no earlier time is known.

    A column of nothing but midnights holds dates: that is how a table of dates looks once pandas wrote it.
    """
    import polars as pl

    values = frame[column]
    if isinstance(values.dtype, pl.Datetime):
        if values.dtype.time_zone is not None:
            problems.add(where, f"column {column!r} is in the time zone {values.dtype.time_zone}", _LOCAL)
        moments = np.asarray(values.to_numpy().astype("datetime64[s]"))
        return _ends_of_days(moments, np.zeros(len(moments), dtype=np.bool_))
    texts = values.cast(pl.String).str.strip_chars().fill_null("").to_list()
    out = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[s]")
    alone = np.array([len(text) <= _DATE_CHARS for text in texts], dtype=np.bool_)
    bad: list[int] = []
    for row, text in enumerate(texts):
        match = _TIME.match(text)
        try:
            if match is None:
                # numpy would take "now", and would turn a time with an offset into another one
                raise ValueError(text)
            year, month, day, clock = match.groups()
            out[row] = np.datetime64(f"{year}-{month}-{day}T{clock or '00:00'}", "s")
        except ValueError:
            bad.append(row)
    if bad:
        shown = ", ".join(f"{texts[row]!r} (line {row + 2})" for row in bad[:_MANY])
        problems.add(
            where,
            f"column {column!r} has no time in {counted(len(bad), 'row')}, e.g. {shown}",
            f"use YYYY-MM-DD HH:MM:SS; {_LOCAL}",
        )
    return _ends_of_days(out, alone)


def _ends_of_days(moments: NDArray[np.datetime64], alone: NDArray[np.bool_]) -> NDArray[np.datetime64]:
    """Times in which dates ``alone``, or all when none is later than midnight, are moved to the day's end."""
    midnight = moments == moments.astype("datetime64[D]")
    known = ~np.isnat(moments)
    moved = known & (alone | bool(midnight[known].all()))
    return np.asarray(np.where(moved, moments + np.timedelta64(86_399, "s"), moments))


def as_numbers(
    frame: pl.DataFrame, column: str, where: str, problems: Collector | None
) -> NDArray[np.float64] | None:
    """A column as float64, missing as NaN.

    Cells that are no numbers are a problem and NaN; where none are collected, such a column is None.
    """
    import polars as pl

    values = frame[column]
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        return _as_float(values)
    if values.dtype != pl.String:
        if problems is not None:
            problems.add(where, f"column {column!r} holds {values.dtype}, not numbers")
        return None
    texts = values.str.strip_chars()
    empty = texts.is_null() | texts.str.to_lowercase().is_in(MISSING_WORDS)
    numbers = texts.set(empty, None).cast(pl.Float64, strict=False)
    bad = numbers.is_null() & ~empty
    if bad.any():
        if problems is not None:
            problems.add(where, f"column {column!r} is not a number in {_bad_cells(frame, column, bad)}")
        else:
            return None
    return _as_float(numbers)


def _as_float(values: Any) -> NDArray[np.float64]:
    import polars as pl

    return np.asarray(values.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def as_flags(frame: pl.DataFrame, column: str, where: str, problems: Collector) -> NDArray[np.float64] | None:
    """A column as 1, 0 or NaN, from numbers or words such as true and false."""
    import polars as pl

    values = frame[column]
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        return _as_float(values)
    texts = values.cast(pl.String).str.strip_chars().str.to_lowercase()
    empty = texts.is_null() | texts.is_in(MISSING_WORDS)
    words = {**_TRUE_WORDS, **_FALSE_WORDS}
    numbers = texts.replace_strict(words, default=None, return_dtype=pl.Float64)
    bad = numbers.is_null() & ~empty
    if bad.any():
        problems.add(
            where, f"column {column!r} is neither true nor false in {_bad_cells(frame, column, bad)}"
        )
        return None
    return _as_float(numbers)
