from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from assay.errors import AssayError

_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_LEFT_AFTER = 24 * 3600.0
_DRAWN = "[a-z0-9_]{8}"  # what tempfile puts into a name


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mode(path: Path) -> int:
    """Permissions for a new version of a file: those it has, else readable by all."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o644


def atomic_write(path: Path, content: bytes | str) -> None:
    """Write a whole file or nothing: a reader sees the old content or the new one, also after a crash.

    A file that exists keeps its permissions.

    Raises
    ------
    AssayError
        The folder is missing or cannot be written.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, _mode(path))
            os.replace(name, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise AssayError(
            f"cannot write {path}: {error.strerror or error}",
            where=str(path),
            fix="check that the folder exists and may be written to",
        ) from error


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON whose keys differ: the ``object_pairs_hook`` for :func:`json.loads`.

    Raises
    ------
    ValueError
        A key is given twice: readers of JSON differ in which one they take.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} is given twice")
        found[name] = value
    return found


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces, shortest float text, and NaN refused.

    Raises
    ------
    ValueError
        A float is NaN or infinite (missing values are ``None``).
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def json_hash(value: Any) -> str:
    """Hex SHA-256 of the :func:`canonical_json` of a value; raises as it does."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def atomic_write_json(path: Path, value: Any) -> None:
    """:func:`atomic_write` of indented JSON with sorted keys; NaN refused."""
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    atomic_write(path, text + "\n")


def sha256_file(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def clear_leavings(path: Path, *, now: float | None = None) -> None:
    """Remove the staging folders of :func:`new_folder` for ``path`` that writers which were killed have left.

    Only those in which nothing has changed for a day (before ``now``, seconds since 1970): a younger one may
    be at work.
    """
    path = Path(path)
    pattern = re.compile(rf"\.{re.escape(path.name)}\.{_DRAWN}\.tmp")
    limit = (time.time() if now is None else now) - _LEFT_AFTER
    for found in path.parent.iterdir():
        if pattern.fullmatch(found.name) and found.is_dir() and not found.is_symlink():
            with suppress(FileNotFoundError):  # its writer, or another one who clears, was faster
                if _last_change(found) < limit:
                    shutil.rmtree(found, ignore_errors=True)


def _last_change(folder: Path) -> float:
    return max(entry.lstat().st_mtime for entry in (folder, *folder.rglob("*")))


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder that appears whole or not at all: fill the yielded one, it takes its name on success.

    What killed writers of this name left behind is cleared away; see :func:`clear_leavings`.

    Raises
    ------
    AssayError
        ``path`` exists already, or its parent cannot be written; the disk had no room for what was to go in.
    """
    path = Path(path)
    if path.exists():
        raise AssayError(f"{path} exists already", where=str(path), fix="choose another name or remove it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        clear_leavings(path)
        staged = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    except OSError as error:
        raise AssayError(
            f"cannot create {path}: {error.strerror or error}",
            where=str(path),
            fix="check that the parent folder may be written to",
        ) from error
    try:
        yield staged
        _publish(staged, path)
    except BaseException as error:
        shutil.rmtree(staged, ignore_errors=True)
        if isinstance(error, OSError) and error.filename is None and error.errno in _DISK_FAULTS:
            raise _not_made(path, error) from error  # a write, which does not say to which file
        raise


def _publish(staged: Path, path: Path) -> None:
    try:
        for file in staged.rglob("*"):
            if file.is_file():
                with open(file, "rb") as handle:
                    os.fsync(handle.fileno())
        os.chmod(staged, 0o755)  # noqa: S103 - mkdtemp makes it 0700; a data set is not secret
        os.replace(staged, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise _not_made(path, error) from error


def _not_made(path: Path, error: OSError) -> AssayError:
    return AssayError(
        f"cannot create {path}: {error.strerror or error}",
        where=str(path),
        fix="check that nothing else made it meanwhile and that the disk has space",
    )
