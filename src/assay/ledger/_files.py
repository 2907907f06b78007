from __future__ import annotations

import fcntl
import math
import os
import time
import weakref
from contextlib import suppress
from pathlib import Path

from assay.errors import AssayError


class LedgerUnwritable(AssayError):
    """A write to the ledger failed (disk full, device error, no permission); nothing of it was accepted."""

    kind = "ledger_unwritable"


Identity = tuple[int, int]
"""Device and inode: what tells a file from another one of the same name."""


_CLOSED = -1
_LOOK_AFTER = 0.1  # seconds


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
    """A file that stays open between writes, and is closed when this is collected.

    ``partner`` is closed whenever this is: what has become of one may have become of both.
    """

    def __init__(self, path: Path, files: OsFiles, flags: int, partner: KeptFile | None = None) -> None:
        self.identity: Identity | None = None  # of the file that was opened last
        self.number = _CLOSED  # the handle, as it is
        self.path = path
        self._files = files
        self._flags = flags
        self._partner = partner
        self._looked = -math.inf
        self._finalizer: weakref.finalize[..., KeptFile] | None = None

    def handle(self) -> int:
        """The open file; it is opened anew where it was removed or replaced, but not where it was renamed."""
        if self.is_open():
            return self.number
        self.close()
        self.number = self._files.open(self.path, self._flags)
        self.identity = identity_of(os.fstat(self.number))
        self._finalizer = weakref.finalize(self, _close, self._files, self.number, self.identity)
        # at exit the system closes it: another thread may be in the middle of a write
        self._finalizer.atexit = False
        return self.number

    def look_now_and_then(self) -> None:
        """See that the file is open, as :meth:`handle` does; of calls that are close the first looks for all.

        Since Linux 6.13 a ``stat`` makes the next write of a file carry a finer time, which costs more than a
        small write itself.
        """
        now = time.monotonic()
        if now - self._looked > _LOOK_AFTER:
            self.handle()
            self._looked = now

    def is_open(self) -> bool:
        """Whether the handle is still that of the file, and the file has a name.

        A process may close all its handles (as daemons do), and their numbers come again for other files.
        """
        try:
            status = os.fstat(self.number)
        except OSError:
            return False
        return status.st_nlink > 0 and (status.st_dev, status.st_ino) == self.identity

    def close(self) -> None:
        """Let go of the file; it is opened anew when it is wanted."""
        if self._finalizer is not None:
            self._finalizer()
        self.number = _CLOSED
        self._looked = -math.inf
        if self._partner is not None:
            self._partner.close()


def _close(files: OsFiles, handle: int, identity: Identity) -> None:
    try:
        ours = identity_of(os.fstat(handle)) == identity
    except OSError:
        return
    if ours:
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
        if (written := files.write(handle, data)) != len(data):
            write_all(files, handle, data[written:])
        files.fsync(handle)
    except BaseException:
        # where even this fails, what is left counts as a torn tail, which the next writer clears away
        with suppress(OSError):
            files.truncate(handle, end)
            files.fsync(handle)
        raise
