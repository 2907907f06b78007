from __future__ import annotations

import fcntl
import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assay.errors import AssayError


class LedgerUnwritable(AssayError):
    """A write to the ledger failed (disk full, device error, no permission); nothing of it was accepted."""

    kind = "ledger_unwritable"


Identity = tuple[int, int]
"""Device and inode: what tells a file from another one of the same name."""


_CLOSED = -1


def identity_of(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


class OsFiles:
    """The file operations that change something, one method each.

    Everything the ledger does to a disk goes through an object of this shape, so that a test can count
    the operations and make any one of them fail.
    """

    def open(self, path: Path, flags: int) -> int:
        """A file handle that programs started by this process do not inherit."""
        return os.open(path, flags, 0o644)

    def close(self, handle: int) -> None:
        os.close(handle)

    def write(self, handle: int, data: bytes | memoryview) -> int:
        """Bytes written, which may be fewer than given."""
        return os.write(handle, data)

    def write_at(self, handle: int, data: bytes, offset: int) -> int:
        """Bytes written in place, which may be fewer than given."""
        return os.pwrite(handle, data, offset)

    def fsync(self, handle: int) -> None:
        os.fsync(handle)

    def truncate(self, handle: int, size: int) -> None:
        os.ftruncate(handle, size)

    def replace(self, source: Path, target: Path) -> None:
        os.replace(source, target)

    def flock(self, handle: int, operation: int) -> None:
        fcntl.flock(handle, operation)


class KeptFile:
    """A file that stays open between writes; whoever uses it holds the folder's lock.

    A forked child may go on with its parent's handle: where a write goes is said by the file (appending) or
    by the call, not by the handle. The file is closed when this is collected.
    """

    def __init__(self, path: Path, files: OsFiles, flags: int) -> None:
        self._path = path
        self._files = files
        self._flags = flags
        self._handle = _CLOSED
        self._identity: Identity | None = None
        self._finalizer: Callable[[], object] | None = None

    def handle(self) -> int:
        """The open file; it is opened anew where it was removed or replaced, but not where it was renamed."""
        if not _is_open(self._handle, self._identity):
            self.close()
            self._handle = self._files.open(self._path, self._flags)
            self._identity = identity_of(os.fstat(self._handle))
            self._finalizer = weakref.finalize(self, _close, self._files, self._handle, self._identity)
        return self._handle

    def close(self) -> None:
        """Let go of the file; :meth:`handle` opens it anew."""
        if self._finalizer is not None:
            self._finalizer()
        self._handle = _CLOSED


def _is_open(handle: int, identity: Identity | None, *, links: int = 1) -> bool:
    """Whether a handle is still that of a file: a process may close all it has, and numbers come again."""
    try:
        status = os.fstat(handle)
    except OSError:
        return False
    return identity_of(status) == identity and status.st_nlink >= links


def _close(files: OsFiles, handle: int, identity: Identity) -> None:
    if _is_open(handle, identity, links=0):
        files.close(handle)


def write_all(files: OsFiles, handle: int, data: bytes) -> None:
    """Write every byte; a short write is continued, so that the reason for it comes out as an error."""
    left = memoryview(data)
    while left:
        left = left[files.write(handle, left) :]


def sync_folder(files: OsFiles, folder: Path) -> None:
    """Make names that were added to a folder durable."""
    handle = files.open(folder, os.O_RDONLY)
    try:
        files.fsync(handle)
    finally:
        files.close(handle)


def write_file(files: OsFiles, path: Path, data: bytes) -> None:
    """A whole file or none, durable when it returns."""
    staged = path.with_name(f".{path.name}.tmp")
    handle = files.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(files, handle, data)
        files.fsync(handle)
    finally:
        files.close(handle)
    files.replace(staged, path)
    sync_folder(files, path.parent)


def append_durably(files: OsFiles, handle: int, data: bytes, end: int) -> None:
    """Add ``data`` to a file that is ``end`` bytes long, and fsync; on any failure cut back to ``end``."""
    try:
        write_all(files, handle, data)
        files.fsync(handle)
    except BaseException:
        # where even this fails, what is left counts as a torn tail, which the next writer clears away
        with suppress(OSError):
            files.truncate(handle, end)
            files.fsync(handle)
        raise
