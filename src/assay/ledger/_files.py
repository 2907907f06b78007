from __future__ import annotations

import errno
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

    close = staticmethod(os.close)
    write = staticmethod(os.write)  # what it returns may be fewer bytes than it was given
    write_at = staticmethod(os.pwrite)
    fsync = staticmethod(os.fsync)
    truncate = staticmethod(os.ftruncate)
    replace = staticmethod(os.replace)
    flock = staticmethod(fcntl.flock)


class KeptFile:
    """A file that stays open between writes, and is closed when this is collected.

    ``partner`` is closed whenever this is: it may then go without checks of its own.
    """

    def __init__(self, path: Path, files: OsFiles, flags: int, partner: KeptFile | None = None) -> None:
        self.identity: Identity | None = None  # of the file that was opened last
        self.path = path
        self._files = files
        self._flags = flags
        self._partner = partner
        self._handle = _CLOSED
        self._finalizer: Callable[[], object] | None = None

    def checked(self) -> int:
        """The open file; it is opened anew where it was removed or replaced, but not where it was renamed.

        A handle that means another file now is noticed: a process may close all it has (as daemons do), and
        numbers come again.
        """
        try:
            status = os.fstat(self._handle)
            if status.st_nlink and (status.st_dev, status.st_ino) == self.identity:
                return self._handle
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
        self.close()
        return self.opened()

    def opened(self) -> int:
        """The open file, without a look at what has become of it since it was opened."""
        if self._handle == _CLOSED:
            self._handle = self._files.open(self.path, self._flags)
            self.identity = identity_of(os.fstat(self._handle))
            self._finalizer = weakref.finalize(self, _close, self._files, self._handle, self.identity)
        return self._handle

    def close(self) -> None:
        """Let go of the file, and of the partner; they are opened anew when they are wanted."""
        if self._finalizer is not None:
            self._finalizer()
        self._handle = _CLOSED
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
