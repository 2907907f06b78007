from __future__ import annotations

import csv
import fcntl
import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.base import (
    Clock,
    SystemClock,
    atomic_write_json,
    check_id,
    clear_leavings,
    new_folder,
    sha256_file,
)
from assay.errors import DataError
from assay.expr import FieldInfo
from assay.market._data import (
    EVENT_DTYPE,
    FloatPanel,
    Group,
    MarketData,
    Minutes,
    Planted,
    PriceLimits,
    Quarantined,
    Source,
)
from assay.market._intact import check_axes, check_codes, check_events, check_names, check_spans
from assay.market._manifest import MANIFEST_FILE, FileEntry, Manifest, manifest_of, read_manifest
from assay.market._panel import Panel
from assay.market._universe import Universe

QUARANTINE_FILE = "quarantine.csv"


class _LazyArrays(Mapping[str, FloatPanel]):
    """Memory-mapped arrays of one subfolder, opened when first asked for."""

    def __init__(
        self, folder: Path, names: tuple[str, ...], shape: tuple[int, ...] | None, *, ndim: int = 2
    ) -> None:
        self._folder = folder
        self._names = names
        self._shape = shape
        self._ndim = ndim
        self._open: dict[str, FloatPanel] = {}

    def __getitem__(self, name: str) -> FloatPanel:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._open:
            values = _load(self._folder / f"{name}.npy")
            if values.dtype != np.float32 or not self._fits(values.shape):
                raise DataError(
                    f"the stored field {name!r} has type {values.dtype} and shape {values.shape}",
                    where=str(self._folder / f"{name}.npy"),
                    fix=f"expected float32 {self._shape}; import the data again",
                )
            self._open[name] = values
        return self._open[name]

    def _fits(self, shape: tuple[int, ...]) -> bool:
        if self._shape is None:
            return True
        return shape[-2:] == self._shape and len(shape) == self._ndim

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _load(path: Path) -> NDArray[Any]:
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise DataError(
            f"the data set lacks the file {path.name}", where=str(path), fix="import the data again"
        ) from error
    except PermissionError as error:
        raise DataError(
            f"the file {path.name} may not be read", where=str(path), fix="check its permissions"
        ) from error
    except (ValueError, OSError, EOFError) as error:
        raise DataError(
            f"the file {path.name} is damaged: {error}", where=str(path), fix="import the data again"
        ) from error
    # a plain array over the mapping: np.memmap slows every slice
    return np.asarray(values)


def _save(path: Path, values: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.ascontiguousarray(values), allow_pickle=False)


def _write_arrays(data: MarketData, folder: Path) -> None:
    _save(folder / "dates.npy", data.dates.astype("datetime64[D]"))
    _save(folder / "instruments.npy", np.array(data.instruments, dtype=np.str_))
    _save(folder / "rows.npy", np.stack([data.first_row, data.last_row]).astype(np.int32))
    for name, values in data.fields.items():
        _save(folder / "fields" / f"{name}.npy", values.astype(np.float32, copy=False))
    for name, group in data.groups.items():
        _save(folder / "groups" / f"{name}.npy", group.codes.astype(np.int32, copy=False))
    for name, universe in data.universes.items():
        _save(folder / "universes" / f"{name}.npy", universe.spans.astype(np.int32, copy=False))
    for name, values in data.vectors.items():
        _save(folder / "vectors" / f"{name}.npy", values.astype(np.float32, copy=False))
    for name, table in data.events.items():
        _save(folder / "events" / f"{name}.npy", table.astype(EVENT_DTYPE, copy=False))
    if data.minutes is not None:
        _save(folder / "minutes" / "times.npy", data.minutes.times.astype("datetime64[s]"))
        for name, values in data.minutes.fields.items():
            _save(folder / "minutes" / f"{name}.npy", values.astype(np.float32, copy=False))


def _write_quarantine(data: MarketData, folder: Path) -> str | None:
    if not data.quarantined:
        return None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["date", "symbol", "reason"])
    writer.writerows([item.date, item.symbol, item.reason] for item in data.quarantined)
    (folder / QUARANTINE_FILE).write_text(text.getvalue(), encoding="utf-8")
    return QUARANTINE_FILE


def _fill(data: MarketData, folder: Path, clock: Clock) -> None:
    try:
        _write_arrays(data, folder)
        quarantine_file = _write_quarantine(data, folder)
    except OSError as error:
        # numpy tells of a full disk without a number: "4096 requested and 0 written"
        raise DataError(
            f"the data set {data.name!r} cannot be written: {error.strerror or error}; nothing was kept",
            where=str(folder.parent),
            fix="check that the disk has space and that the folder may be written to",
        ) from error
    files = {
        path.relative_to(folder).as_posix(): FileEntry(sha256=sha256_file(path), bytes=path.stat().st_size)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    created = clock.now().isoformat(timespec="seconds")
    manifest = manifest_of(data, created=created, files=files, quarantine_file=quarantine_file)
    check_names(manifest, folder / MANIFEST_FILE)
    atomic_write_json(folder / MANIFEST_FILE, manifest.model_dump(mode="json"))


def write_dataset(
    data: MarketData, folder: Path, *, clock: Clock | None = None, replace_old: bool = False
) -> Panel:
    """Store a data set in a new folder, which appears whole or not at all, and open it.

    ``replace_old`` lets the new folder take the place of an old data set; the old files stay readable to
    whoever has them open.

    Raises
    ------
    AssayError
        The folder exists already, cannot be written, or its name is not an id.
    """
    folder = Path(folder)
    check_id(folder.name, "data set name")
    data = replace(data, name=folder.name)
    if replace_old and folder.exists():
        read_manifest(folder)  # only a data set may be replaced
        place = folder.resolve()  # of a link, the target is replaced
        with _alone(place):
            _replace(replace(data, name=place.name), place, clock or SystemClock())
    else:
        with new_folder(folder) as staged:
            _fill(data, staged, clock or SystemClock())
    return open_panel(folder)


def rewrite_dataset(
    folder: Path, change: Callable[[MarketData], MarketData], *, clock: Clock | None = None
) -> Panel:
    """Put ``change(stored data)`` in the place of a stored data set, and open it.

    The data set is held from before it is read until it is replaced, so that of two at once the second is
    refused, and never overwrites what the first has added.

    Raises
    ------
    DataError
        The folder is not a data set, or another process is updating it.
    """
    read_manifest(folder)
    place = Path(folder).resolve()  # of a link, the target is replaced
    check_id(place.name, "data set name")
    with _alone(place):
        data = replace(change(open_panel(place).data), name=place.name)
        _replace(data, place, clock or SystemClock())
    return open_panel(folder)


def _replace(data: MarketData, folder: Path, clock: Clock) -> None:
    incoming = folder.with_name(f".{folder.name}.incoming")
    outgoing = folder.with_name(f".{folder.name}.outgoing")
    clear_leavings(folder)
    # leavings of an update that was interrupted
    shutil.rmtree(incoming, ignore_errors=True)
    shutil.rmtree(outgoing, ignore_errors=True)
    with new_folder(incoming) as staged:
        _fill(data, staged, clock)
    folder.rename(outgoing)
    incoming.rename(folder)
    shutil.rmtree(outgoing)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the data set against another update: two at once would clear away each other's folders.

    The lock is the system's, on the folder itself: it leaves no file, and goes with its process.
    """
    handle = _lock(folder)
    if handle is None:
        raise DataError(
            f"the data set {folder.name!r} is being updated by another process",
            where=str(folder),
            fix="wait until it is done, then look whether yours is still needed",
        )
    try:
        yield
    finally:
        os.close(handle)


def _lock(folder: Path) -> int | None:
    """A handle that holds the folder, or None where another update holds it or has just replaced it."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    held = False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # a folder replaced between opening and locking leaves a lock on the old one, which keeps nobody out
        held = os.path.samestat(os.fstat(handle), folder.stat())
    except (BlockingIOError, FileNotFoundError):
        held = False
    finally:
        if not held:
            os.close(handle)
    return handle if held else None


def _read_groups(folder: Path, manifest: Manifest, shape: tuple[int, int]) -> dict[str, Group]:
    out: dict[str, Group] = {}
    for name, entry in manifest.groups.items():
        codes = _load(folder / "groups" / f"{name}.npy")
        check_codes(name, codes, len(entry.labels), shape, folder)
        out[name] = Group(codes, tuple(entry.labels), entry.description)
    return out


def _read_universes(folder: Path, manifest: Manifest, shape: tuple[int, int]) -> dict[str, Universe]:
    out: dict[str, Universe] = {}
    for name, entry in manifest.universes.items():
        spans = _load(folder / "universes" / f"{name}.npy")
        check_spans(name, spans, shape, folder)
        out[name] = Universe(
            spans,
            np.datetime64(entry.known_until, "D"),
            tuple(entry.aliases),
            entry.description,
            tuple(entry.unknown_members),
        )
    return out


def _read_events(folder: Path, manifest: Manifest, shape: tuple[int, int]) -> dict[str, NDArray[Any]]:
    out: dict[str, NDArray[Any]] = {}
    for name in manifest.events:
        out[name] = _load(folder / "events" / f"{name}.npy")
        check_events(name, out[name], shape, folder)
    return out


def _read_minutes(folder: Path, manifest: Manifest) -> Minutes | None:
    if not manifest.minutes:
        return None
    names = tuple(
        sorted(
            Path(name).stem for name in manifest.files if name.startswith("minutes/") and "times" not in name
        )
    )
    return Minutes(_load(folder / "minutes" / "times.npy"), _LazyArrays(folder / "minutes", names, None))


def _read_quarantine(folder: Path, manifest: Manifest) -> tuple[Quarantined, ...]:
    if manifest.quarantine.file is None:
        return ()
    path = folder / manifest.quarantine.file
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return tuple(
                Quarantined(row["date"], row["symbol"], row["reason"]) for row in csv.DictReader(file)
            )
    except (OSError, UnicodeDecodeError, KeyError, csv.Error) as error:
        raise DataError(
            f"the list of quarantined bars cannot be read: {error!r}",
            where=str(path),
            fix="import the data again",
        ) from error


def open_panel(folder: Path, *, check_hashes: bool = False) -> Panel:
    """Open a stored data set. Arrays are memory-mapped when first used.

    Parameters
    ----------
    folder : where the data set is stored.
    check_hashes : read every file first and compare it with the manifest, so that what is judged is what
        the manifest names.

    Raises
    ------
    DataError
        The folder is not a data set, or a file of it is missing, damaged or (if checked) altered.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if check_hashes and (faults := altered(folder, manifest)):
        raise DataError(
            "; ".join(faults),
            where=str(folder),
            fix="the manifest no longer describes this data: import it again",
        )
    dates = _load(folder / "dates.npy")
    names = _load(folder / "instruments.npy")
    rows = _load(folder / "rows.npy")
    check_axes(manifest, dates, names, rows, folder)
    shape = (len(dates), len(names))
    stored = tuple(sorted(Path(name).stem for name in manifest.files if name.startswith("fields/")))
    vectors = tuple(sorted(Path(name).stem for name in manifest.files if name.startswith("vectors/")))
    infos = {
        name: FieldInfo(name, entry.kind, entry.exponent, entry.unit, entry.description)
        for name, entry in manifest.fields.items()
        if entry.derived is None
    }
    data = MarketData(
        name=manifest.name,
        dates=dates,
        instruments=tuple(names.tolist()),
        fields=_LazyArrays(folder / "fields", stored, shape),
        infos=infos,
        first_row=rows[0],
        last_row=rows[1],
        source=Source(manifest.source.kind, manifest.source.detail),
        groups=_read_groups(folder, manifest, shape),
        universes=_read_universes(folder, manifest, shape),
        vectors=_LazyArrays(folder / "vectors", vectors, shape, ndim=3),
        events=_read_events(folder, manifest, shape),
        minutes=_read_minutes(folder, manifest),
        market=manifest.market,
        limits=PriceLimits(manifest.limits.rule, manifest.limits.ratio),
        rules=tuple(manifest.rules),
        filters=tuple(manifest.filters),
        planted=tuple(
            Planted(item.name, item.expression, item.ic, item.horizon) for item in manifest.planted
        ),
        quarantined=_read_quarantine(folder, manifest),
    )
    return Panel(data, manifest=manifest, folder=folder)


def verify(folder: Path) -> tuple[str, ...]:
    """What is wrong with the stored files, one sentence each: missing, altered, or not in the manifest."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    found = list(altered(folder, manifest))
    known = {*manifest.files, MANIFEST_FILE}
    found += [
        f"{path.relative_to(folder).as_posix()} is not in the manifest"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).as_posix() not in known
    ]
    return tuple(found)


def altered(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """Files that are not what the manifest says, one sentence each. Reads every byte of the data set."""
    found: list[str] = []
    for name, entry in manifest.files.items():
        path = folder / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif sha256_file(path) != entry.sha256:
            found.append(f"{name} is not the file that was stored (sha256 differs)")
    return tuple(found)
