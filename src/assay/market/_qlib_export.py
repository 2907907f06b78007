"""Writing a qlib data folder: ``calendars/day.txt``, ``instruments/*.txt``, ``features/*/*.day.bin``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.base import new_folder
from assay.errors import DataError
from assay.market._data import FloatPanel
from assay.market._fields import PRICE_FIELDS
from assay.market._panel import Panel
from assay.market._qlib import EVERYTHING, folder_name
from assay.market._universe import Dates

_LARGEST_ROW = 2**24  # a row's number is stored as float32


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and what the format has no place for."""

    folder: Path
    dates: int
    instruments: int
    fields: tuple[str, ...]
    universes: tuple[str, ...]
    left_out: tuple[str, ...]


def export_qlib(panel: Panel, folder: Path) -> Exported:
    """Write a whole data set as a qlib data folder (daily, binary), which appears whole or not at all.

    As qlib wants it, prices are adjusted (raw price x factor), volume is raw volume / factor, and ``factor``
    and ``change`` (the return) stand beside them; ``vwap`` and ``amount`` are written where they are derived,
    too. Other fields are written as they are stored. Universes become files of spans whose ends are the last
    day as a member. Groups, events and bars inside the day have no place in the format.

    Raises
    ------
    DataError
        Two symbols differ only in case, or the disk is full.
    AssayError
        The folder exists already, or cannot be created.
    """
    folder = Path(folder)
    panel = Panel(panel.data)  # of a view, too, the whole data set
    names = _folder_names(panel)
    columns = _columns(panel)
    with new_folder(folder) as staged:
        try:
            _write_calendar(staged, panel.dates)
            universes = _write_instruments(staged, panel)
            for place, name in enumerate(names):
                _write_features(staged / "features" / name, columns, place)
        except OSError as error:
            raise DataError(
                f"the folder cannot be written: {error.strerror or error}; nothing was kept",
                where=str(folder),
                fix="check that the disk has space and that the folder may be written to",
            ) from error
    left = [f"group {name}" for name in panel.data.groups] + [
        f"events {name}" for name in panel.manifest.events
    ]
    if panel.manifest.minutes:
        left.append("bars inside the day")
    return Exported(folder, *panel.shape, tuple(columns), universes, tuple(left))


def _folder_names(panel: Panel) -> list[str]:
    names = [folder_name(symbol) for symbol in panel.instruments]
    seen: dict[str, str] = {}
    for name, symbol in zip(names, panel.instruments, strict=True):
        if seen.setdefault(name, symbol) != symbol or not name.strip(".") or "/" in name or "\0" in name:
            raise DataError(
                f"the symbol {symbol!r} cannot be a folder of its own beside {seen[name]!r}",
                where=panel.name,
                fix="qlib's folders are lower case: give the symbols other names",
            )
    return names


def _columns(panel: Panel) -> dict[str, FloatPanel]:
    """Arrays by the names that qlib uses: adjusted, float32."""
    fields = panel.manifest.fields
    names = [
        name
        for name, entry in fields.items()
        if entry.kind != "vector"
        and name != "returns"
        and (entry.derived is None or name in ("vwap", "amount"))
    ]
    adjusted = (*PRICE_FIELDS, "volume", "amount")
    out = {name: panel.field(name) if name in adjusted else panel.data.fields[name] for name in names}
    if "returns" in fields:
        out["change"] = panel.field("returns")
    if "factor" not in out:
        # qlib's trading rules look for it
        out["factor"] = np.where(np.isfinite(panel.field("close")), np.float32(1), np.float32(np.nan))
    return out


def _write_calendar(folder: Path, dates: Dates) -> None:
    (folder / "calendars").mkdir()
    _write_lines(folder / "calendars" / "day.txt", dates.astype(str).tolist())


def _write_instruments(folder: Path, panel: Panel) -> tuple[str, ...]:
    (folder / "instruments").mkdir()
    data = panel.data
    lines = [
        f"{symbol.upper()}\t{data.dates[first]}\t{data.dates[last]}"
        for symbol, first, last in zip(data.instruments, data.first_row, data.last_row, strict=True)
        if last >= 0
    ]
    _write_lines(folder / "instruments" / f"{EVERYTHING}.txt", lines)
    for name, universe in data.universes.items():
        until = int(np.searchsorted(data.dates, universe.known_until, side="right"))
        rows = [(data.instruments[one], start, min(stop, until)) for one, start, stop in universe.spans]
        spans = [
            f"{symbol.upper()}\t{data.dates[start]}\t{data.dates[stop - 1]}"
            for symbol, start, stop in rows
            if start < stop
        ]
        _write_lines(folder / "instruments" / f"{name}.txt", spans)
    return tuple(data.universes)


def _write_features(folder: Path, columns: Mapping[str, FloatPanel], place: int) -> None:
    folder.mkdir(parents=True)
    for name, values in columns.items():
        series = values[:, place]
        known = np.flatnonzero(np.isfinite(series))
        if not known.size:
            continue
        first, last = int(known[0]), int(known[-1])
        if last > _LARGEST_ROW:
            raise DataError("the data set has too many days for the format", where=str(folder))
        np.concatenate([np.array([first], dtype=np.float32), series[first : last + 1]]).astype("<f4").tofile(
            folder / f"{name}.day.bin"
        )


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
