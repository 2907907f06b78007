"""Whether what a folder holds is what its manifest promises, so far as that is seen without hashing."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.base import check_id
from assay.errors import AssayError, DataError
from assay.market._data import EVENT_DTYPE

if TYPE_CHECKING:
    from assay.market._manifest import Manifest

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}")
_FIX = "restore the folder from a copy, or import the data again"


def check_names(manifest: Manifest, where: Path) -> None:
    """Refuse a manifest whose names reach outside the folder, or whose fields have no file.

    Raises
    ------
    DataError
        The first name that is not good.
    """
    try:
        check_id(manifest.name, "data set name")
    except AssayError as error:
        raise _damaged(where, f"the manifest calls the data set {manifest.name!r}") from error
    used = [*manifest.fields, *manifest.groups, *manifest.universes, *manifest.events]
    bad = [name for name in used if not _NAME.fullmatch(name)]
    files = [*manifest.files, *([manifest.quarantine.file] if manifest.quarantine.file else [])]
    bad += [name for name in files if _leaves(name)]
    if bad:
        raise _damaged(where, f"the manifest names {bad[0]!r}, which no data set of Assay has")
    stored = {str(PurePosixPath(name).with_suffix("")) for name in manifest.files}
    for name, entry in manifest.fields.items():
        folder = "vectors" if entry.kind == "vector" else "fields"
        if entry.derived is None and f"{folder}/{name}" not in stored:
            raise _damaged(where, f"the manifest has the field {name!r} and no file for it")
    for name, universe in manifest.universes.items():
        if _no_day(universe.known_until):
            raise _damaged(where, f"the universe {name!r} is known until {universe.known_until!r}, no date")


def check_axes(
    manifest: Manifest, dates: NDArray[Any], names: NDArray[Any], rows: NDArray[Any], where: Path
) -> None:
    """Refuse dates, instruments or rows of the wrong number, type or order.

    Raises
    ------
    DataError
        What is wrong first.
    """
    shape = (manifest.dates.count, manifest.instruments.count)
    if dates.shape != shape[:1] or names.shape != shape[1:] or rows.shape != (2, shape[1]):
        raise DataError(
            f"the manifest promises {shape[0]} dates and {shape[1]} instruments, the files hold "
            f"{dates.shape} and {names.shape}",
            where=str(where),
            fix=_FIX,
        )
    steps = np.diff(dates.view(np.int64)) if dates.dtype == np.dtype("datetime64[D]") else None
    if steps is None or np.isnat(dates).any() or (steps <= 0).any():
        raise _damaged(where / "dates.npy", "the stored dates are not days in ascending order")
    if names.dtype.kind != "U" or len(np.unique(names)) != len(names) or (names == "").any():
        raise _damaged(where / "instruments.npy", "the stored instruments are not names, each once")
    if rows.dtype != np.int32 or (rows < -1).any() or (rows > shape[0]).any():
        raise _damaged(where / "rows.npy", "the stored first and last rows lie outside the dates")


def check_codes(name: str, codes: NDArray[Any], labels: int, shape: tuple[int, int], where: Path) -> None:
    """Refuse a classification of the wrong shape, or with a code that has no label.

    Raises
    ------
    DataError
        It is one of the two.
    """
    fits = codes.dtype == np.int32 and codes.shape in (shape, shape[1:])
    if not fits or (codes.size and (codes.max() >= labels or codes.min() < -1)):
        raise _damaged(where / "groups" / f"{name}.npy", f"the group {name!r} does not fit its labels")


def check_spans(name: str, spans: NDArray[Any], shape: tuple[int, int], where: Path) -> None:
    """Refuse membership spans that lie outside the panel.

    Raises
    ------
    DataError
        One does, or they have the wrong type or shape.
    """
    fits = spans.dtype == np.int32 and spans.ndim == 2 and spans.shape[1] == 3
    if not fits or (spans < 0).any() or (spans > np.array([shape[1] - 1, shape[0], shape[0]])).any():
        raise _damaged(where / "universes" / f"{name}.npy", f"spans of the universe {name!r} do not fit")


def check_events(name: str, table: NDArray[Any], shape: tuple[int, int], where: Path) -> None:
    """Refuse events of another type, or of instruments or rows that do not exist.

    Raises
    ------
    DataError
        They are so.
    """
    fits = table.dtype == EVENT_DTYPE and table.ndim == 1
    if fits:
        column, row = table["instrument"], table["row"]
        fits = bool(((column >= 0) & (column < shape[1]) & (row >= 0) & (row < shape[0])).all())
    if not fits:
        raise _damaged(where / "events" / f"{name}.npy", f"the events {name!r} do not fit the data set")


def _leaves(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or "\0" in name or not path.parts


def _no_day(text: str) -> bool:
    try:
        return bool(np.isnat(np.datetime64(text, "D"))) or not text[:1].isdigit()
    except ValueError:
        return True


def _damaged(where: Path, what: str) -> DataError:
    return DataError(what, where=str(where), fix=_FIX)
