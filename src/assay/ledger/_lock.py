from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, Refusal
from assay.ledger._files import KeptFile, LedgerUnwritable, OsFiles, identity_of
from assay.ledger._reasons import LEDGER_BUSY

LOG_NAME = "ledger.jsonl"
_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.02
_EXCLUSIVE = fcntl.LOCK_EX | fcntl.LOCK_NB
_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP)


def log_file(folder: Path, files: OsFiles, head: KeptFile) -> KeptFile:
    """The log, to be locked, looked at and added to."""
    return KeptFile(folder / LOG_NAME, files, os.O_RDWR | os.O_APPEND, partner=head)


class LogLock:
    """Keeps other threads and processes out while it is held; the kernel frees it when the holder dies.

    The lock lies on the log itself, which stays open between appends: what is locked is then also what is
    looked at and written to, without opening anything. A forked child lets go of its parent's handle, and
    with it of the lock. The same thread may take the lock again while it holds it.
    """

    def __init__(self, log: KeptFile, files: OsFiles, wait: float) -> None:
        self.path = log.path
        self._name = os.fspath(log.path)
        self._log = log
        self._files = files
        self._wait = wait
        self._status: os.stat_result | None = None
        self._hold_nothing()
        _locks.add(self)

    def __enter__(self) -> None:
        """Hold the lock, to write.

        Raises
        ------
        Refusal
            ``ledger_busy``: it was not free within the wait.
        LedgerUnwritable
            The log cannot be opened for writing, or was replaced while it was held.
        AssayError
            There is no log.
        """
        self._take(reading=False)

    def __exit__(self, *_: object) -> None:
        self._free()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock, to read; go on without it where the log cannot be written, nor then changed.

        Raises as entering does, but :class:`LedgerUnwritable`.
        """
        self._take(reading=True)
        try:
            yield
        finally:
            self._free()

    @property
    def handle(self) -> int:
        """The log, open for appending; it is valid while the lock is held."""
        if self._handle is None:
            raise _unopened(self.path, OSError(errno.EROFS, os.strerror(errno.EROFS)))
        return self._handle

    @property
    def status(self) -> os.stat_result:
        """Of the log, as it was when the lock was taken last, the innermost time."""
        assert self._status is not None, "the lock is held"
        return self._status

    def _hold_nothing(self) -> None:
        self._threads = threading.RLock()
        self._depth = 0
        self._changing = False
        self._handle: int | None = None

    def _leave_to_parent(self) -> None:
        """In a forked child: it holds nothing, and does not keep a lock of its parent's alive."""
        self._log.close()
        self._hold_nothing()

    def _take(self, reading: bool) -> None:
        deadline = None
        if not self._threads.acquire(blocking=False):
            deadline = time.monotonic() + self._wait
            if not self._threads.acquire(timeout=self._wait):
                raise self._busy()
        if self._changing:
            self._threads.release()
            raise self._busy()  # by this very thread: a signal is handled while it takes the lock or frees it
        before = self._depth
        try:
            if before:
                self._look_again()
            else:
                self._changing = True
                if not self._locked(reading):
                    self._wait_for_it(reading, deadline or time.monotonic() + self._wait)
            self._depth += 1
            self._changing = False
        except BaseException as error:
            self._depth = before
            if not before:
                self._let_go()
                self._changing = False
            self._threads.release()
            if isinstance(error, OSError):
                raise (_unreadable if reading else _unopened)(self.path, error) from error
            raise

    def _wait_for_it(self, reading: bool, deadline: float) -> None:
        pause = _FIRST_PAUSE
        while not self._locked(reading):
            if time.monotonic() >= deadline:
                raise self._busy()
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _locked(self, reading: bool) -> bool:
        """Try once; whether the lock is held, or none is needed."""
        try:
            self._handle = self._log.handle()
        except OSError as error:
            if reading and error.errno in _READ_ONLY:
                self._status = os.stat(self._name)
                return True
            raise
        try:
            self._files.flock(self._handle, _EXCLUSIVE)
        except BlockingIOError:
            self._handle = None
            return False
        self._status = status = os.stat(self._name)
        # a log that was replaced between opening and locking keeps nobody out
        if identity_of(status) != self._log.identity:
            self._handle = None
            self._log.close()
            return False
        return True

    def _look_again(self) -> None:
        """Taken once more by its holder: the log must still be the one that is locked."""
        self._status = status = os.stat(self._name)
        if self._handle is None:
            return
        if identity_of(status) != self._log.identity or not self._log.is_open():
            raise OSError(errno.ESTALE, "it was replaced or closed while it was locked")

    def _free(self) -> None:
        if self._depth == 0:
            return  # a child that was forked meanwhile
        try:
            if self._depth == 1:
                self._changing = True
                self._let_go()
        finally:
            self._depth -= 1
            self._changing = False
            self._threads.release()

    def _let_go(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            try:
                self._files.flock(handle, fcntl.LOCK_UN)
            except OSError:
                self._log.close()  # it was closed already, and with it the lock is gone

    def _busy(self) -> Refusal:
        holder = _holder(self.path)
        by = f": process {holder} has it" if holder is not None else ""
        return Refusal(
            LEDGER_BUSY,
            f"the ledger was not free within {self._wait:g} s{by}",
            where=str(self.path),
            details={"wait": self._wait, "holder": holder},
        )


# The handle of a lock lives on in forked children, and with it the lock of a parent that dies. Only a hook at
# the fork itself closes it in children that never use the ledger, such as the workers of a pool.
_locks: weakref.WeakSet[LogLock] = weakref.WeakSet()


def _leave_locks_to_parent() -> None:
    for lock in list(_locks):
        lock._leave_to_parent()


os.register_at_fork(after_in_child=_leave_locks_to_parent)


def _unreadable(path: Path, error: OSError) -> AssayError:
    fix = "check that its folder and file may be read"
    if error.errno in _NO_FILE:
        fix = "name a workspace that has a ledger, or make one with: assay init"
    return AssayError(f"no ledger can be read here: {error.strerror}", where=str(path), fix=fix)


def _unopened(path: Path, error: OSError) -> AssayError:
    if error.errno in _NO_FILE:
        return _unreadable(path, error)
    return LedgerUnwritable(
        f"cannot open the ledger for writing: {error.strerror}",
        where=str(path),
        fix="check that its folder and file may be written to",
    )


def _holder(path: Path) -> int | None:
    """The process that has a file locked, where the system tells it (Linux does)."""
    try:
        inode = str(path.stat().st_ino)
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        # "1: FLOCK  ADVISORY  WRITE 1234 fe:00:131 0 EOF"; waiting ones begin with "1: ->"
        fields = line.split()
        if len(fields) == 8 and fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == inode:
            return int(fields[4])
    return None
