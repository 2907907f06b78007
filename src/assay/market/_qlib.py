"""Reading a qlib data folder: ``calendars/day.txt``, ``instruments/*.txt``, ``features/*/*.day.bin``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.market._assemble import Grid, assemble
from assay.market._attach import SideTables
from assay.market._bar_checks import quarantine
from assay.market._data import FloatPanel, Market, Source
from assay.market._doctor import examine
from assay.market._fields import PRICE_FIELDS
from assay.market._import import Imported
from assay.market._problems import Collector
from assay.market._side_tables import MembershipSource, Overlaps, read_calendar, read_membership
from assay.market._universe import Dates, Universe

EVERYTHING = "all"
_DERIVED = ("change",)
_RESERVED_MARK = "_qlib_"
_RESERVED = re.compile(r"CON|PRN|AUX|NUL|(?:COM|LPT)[0-9]", re.IGNORECASE)
RAW_RULE = "prices and volume are stored raw: the folder's adjusted price / factor, adjusted volume x factor"


def import_qlib(
    folder: Path,
    *,
    name: str = "data",
    market: Market | None = None,
    overlaps: Overlaps = "refuse",
    start: str | None = None,
    end: str | None = None,
    quarantine_bars: bool = True,
) -> Imported:
    """Read a qlib data folder (daily, binary).

    Files of ``instruments/`` other than ``all.txt`` become universes; their end dates are the last day as a
    member, and membership is known until the latest of them. Adjusted prices are turned back into raw ones by
    the factor.

    Raises
    ------
    DataProblems
        Everything that is missing or malformed, at once.
    """
    folder = Path(folder)
    problems = Collector()
    calendar = _calendar(folder, problems)
    symbols = _instruments(folder, problems)
    problems.raise_any(str(folder))
    assert calendar is not None
    columns = _columns(folder, symbols, calendar, problems)
    problems.raise_any(str(folder))
    rows = _rows(calendar, start, end, problems, folder)
    problems.raise_any(str(folder))
    dates = calendar[rows]
    wide, left_out = _raw({key: values[rows] for key, values in columns.items()})
    names = tuple(symbols)
    universes = _universes(folder, dates, names, overlaps, problems)
    problems.raise_any(str(folder))
    data = assemble(
        name,
        Grid.of(dates, names, _record(wide)),
        wide,
        source=Source("qlib", {"folder": folder.name}),
        sides=SideTables(universes=universes),
        market=market,
        filters=tuple(f"dates {word} {bound}" for word, bound in (("from", start), ("to", end)) if bound),
        rules=(RAW_RULE,) if "factor" in wide else (),
    )
    found = examine(data)
    return Imported(
        quarantine(data) if quarantine_bars else data,
        {key: f"{key}.day.bin" for key in wide},
        left_out,
        found,
    )


def _record(wide: dict[str, FloatPanel]) -> NDArray[np.bool_]:
    """Which cells have a record: those with a close, and those that say whether there was trading."""
    record: NDArray[np.bool_] = np.isfinite(wide["close"])
    return record | np.isfinite(wide["suspended"]) if "suspended" in wide else record


def folder_name(symbol: str) -> str:
    """The folder of a symbol's features: lower case; qlib marks those that Windows keeps for devices."""
    return f"{_RESERVED_MARK}{symbol.lower()}" if _RESERVED.fullmatch(symbol) else symbol.lower()


def _symbol(folder: str) -> str:
    return folder.removeprefix(_RESERVED_MARK).upper()


def _calendar(folder: Path, problems: Collector) -> Dates | None:
    if not folder.is_dir():
        problems.add(
            str(folder), "there is no such folder", "give the folder that holds calendars/ and features/"
        )
        return None
    return read_calendar(folder / "calendars" / "day.txt", problems)


def _instruments(folder: Path, problems: Collector) -> list[str]:
    features = folder / "features"
    if not features.is_dir():
        problems.add(str(features), "there is no features folder", "give a qlib data folder")
        return []
    symbols = sorted(_symbol(entry.name) for entry in features.iterdir() if entry.is_dir())
    if not symbols:
        problems.add(str(features), "the features folder is empty")
    return symbols


def _columns(
    folder: Path, symbols: Sequence[str], calendar: Dates, problems: Collector
) -> dict[str, FloatPanel]:
    shape = (len(calendar), len(symbols))
    out: dict[str, FloatPanel] = {}
    by_name = {_symbol(entry.name): entry for entry in (folder / "features").iterdir()}
    for place, symbol in enumerate(symbols):
        for file in sorted(by_name[symbol].glob("*.day.bin")):
            values = _read_bin(file, shape[0], problems)
            if values is None:
                continue
            own = file.name.removesuffix(".day.bin").lower()
            if own not in out:
                out[own] = np.full(shape, np.nan, dtype=np.float32)
            start, numbers = values
            out[own][start : start + len(numbers), place] = numbers
    if "close" not in out and not problems:
        problems.add(str(folder / "features"), "no instrument has close.day.bin", "prices are needed")
    return out


def _read_bin(file: Path, days: int, problems: Collector) -> tuple[int, NDArray[np.float32]] | None:
    """First row and values: little-endian float32, the first of which is the row."""
    size = file.stat().st_size
    if size < 8 or size % 4:
        problems.add(str(file), f"{size} bytes are no qlib series", "write the file again")
        return None
    numbers = np.fromfile(file, dtype="<f4")
    start = float(numbers[0])
    if not (start >= 0 and start == int(start) and int(start) + len(numbers) - 1 <= days):
        problems.add(
            str(file),
            f"{len(numbers) - 1} values from row {start:g} on do not fit a calendar of {days} days",
            "calendar and features belong to different downloads",
        )
        return None
    values = numbers[1:].astype(np.float32)
    values[~np.isfinite(values)] = np.nan
    return int(start), values


def _rows(calendar: Dates, start: str | None, end: str | None, problems: Collector, folder: Path) -> slice:
    try:
        first = 0 if start is None else int(np.searchsorted(calendar, np.datetime64(start, "D")))
        stop = (
            len(calendar) if end is None else int(np.searchsorted(calendar, np.datetime64(end, "D"), "right"))
        )
    except ValueError:
        problems.add(str(folder), f"{start!r} or {end!r} is not a date", "give YYYY-MM-DD")
        return slice(0, 0)
    if first >= stop:
        problems.add(str(folder), "no trading day lies between start and end")
    return slice(first, stop)


def _raw(columns: dict[str, FloatPanel]) -> tuple[dict[str, FloatPanel], tuple[str, ...]]:
    out = {key: values for key, values in columns.items() if key not in _DERIVED}
    factor = out.get("factor")
    if factor is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            for key in PRICE_FIELDS:
                if key in out:
                    out[key] = np.asarray(out[key] / factor, dtype=np.float32)
            if "volume" in out:
                out["volume"] = np.asarray(out["volume"] * factor, dtype=np.float32)
    return out, tuple(key for key in columns if key in _DERIVED)


def _universes(
    folder: Path, dates: Dates, names: tuple[str, ...], overlaps: Overlaps, problems: Collector
) -> dict[str, Universe]:
    out: dict[str, Universe] = {}
    for file in sorted((folder / "instruments").glob("*.txt")):
        if file.stem == EVERYTHING:
            continue
        source = MembershipSource(file, end_inclusive=True, overlaps=overlaps)
        universe = read_membership(file.stem.lower(), source, dates, names, problems)
        if universe is not None:
            out[file.stem.lower()] = universe
    return out
