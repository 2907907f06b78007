from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
import weakref
from contextlib import AbstractContextManager
from pathlib import Path

from assay.errors import AssayError, Refusal
from assay.ledger._files import KeptFile, LedgerUnwritable, OsFiles, identity_of
from assay.ledger._reasons import LEDGER_BUSY

LOG_NAME = "ledger.jsonl"
_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.02
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
        self._writing = _Held(self, reading=False)
        self._reading = _Held(self, reading=True)
        self._hold_nothing()
        _locks.add(self)

    def held(self, *, reading: bool = False) -> AbstractContextManager[None]:
        """Hold the lock; ``reading`` goes on without it where the log cannot be written, nor then changed.

        Raises
        ------
        Refusal
            ``ledger_busy``: it was not free within the wait.
        LedgerUnwritable
            The log cannot be opened for writing.
        AssayError
            There is no log.
        """
        return self._reading if reading else self._writing

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
        self._handle: int | None = None

    def _leave_to_parent(self) -> None:
        """In a forked child: it holds nothing, and does not keep a lock of its parent's alive."""
        self._log.close()
        self._hold_nothing()

    def _take(self, reading: bool) -> None:
        if not self._threads.acquire(timeout=self._wait):
            raise self._busy()
        try:
            if self._depth:
                self._status = os.stat(self._name)
            elif not self._locked(reading):
                self._wait_for_it(reading)
        except BaseException as error:
            self._threads.release()
            if isinstance(error, FileNotFoundError):
                raise _no_ledger(self.path, error) from error
            raise
        self._depth += 1

    def _free(self) -> None:
        if self._depth == 0:
            return  # a child that was forked meanwhile
        self._depth -= 1
        try:
            if self._depth == 0 and self._handle is not None:
                handle, self._handle = self._handle, None
                self._files.flock(handle, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def _wait_for_it(self, reading: bool) -> None:
        deadline = time.monotonic() + self._wait
        pause = _FIRST_PAUSE
        while not self._locked(reading):
            if time.monotonic() >= deadline:
                raise self._busy()
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _locked(self, reading: bool) -> bool:
        """Try once; whether the lock is held, or none is needed."""
        try:
            handle = self._log.checked()
        except OSError as error:
            if reading and error.errno in _READ_ONLY:
                self._status = os.stat(self._name)
                return True
            raise _unopened(self.path, error) from error
        try:
            self._files.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self._status = status = os.stat(self._name)
        # a log that was replaced between opening and locking keeps nobody out
        if identity_of(status) != self._log.identity:
            self._log.close()
            return False
        self._handle = handle
        return True

    def _busy(self) -> Refusal:
        holder = _holder(self.path)
        by = f": process {holder} has it" if holder is not None else ""
        return Refusal(
            LEDGER_BUSY,
            f"the ledger was not free within {self._wait:g} s{by}",
            where=str(self.path),
            details={"wait": self._wait, "holder": holder},
        )


class _Held:
    """What ``with`` takes; a class, as every append enters it and a generator costs six times as much."""

    def __init__(self, lock: LogLock, *, reading: bool) -> None:
        self._lock = lock
        self._reading = reading

    def __enter__(self) -> None:
        self._lock._take(self._reading)

    def __exit__(self, *_: object) -> None:
        self._lock._free()


# The handle of a lock lives on in forked children, and with it the lock of a parent that dies. Only a hook at
# the fork itself closes it in children that never use the ledger, such as the workers of a pool.
_locks: weakref.WeakSet[LogLock] = weakref.WeakSet()


def _leave_locks_to_parent() -> None:
    for lock in list(_locks):
        lock._leave_to_parent()


os.register_at_fork(after_in_child=_leave_locks_to_parent)


def _no_ledger(path: Path, error: OSError) -> AssayError:
    return AssayError(
        f"no ledger can be read here: {error.strerror}",
        where=str(path),
        fix="name a workspace that has a ledger, or make one with: assay init",
    )


def _unopened(path: Path, error: OSError) -> AssayError:
    if error.errno in _NO_FILE:
        return _no_ledger(path, error)
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
