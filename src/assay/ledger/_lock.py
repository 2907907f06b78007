from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path

from assay.errors import Refusal
from assay.ledger._files import LedgerUnwritable, OsFiles, identity_of
from assay.ledger._reasons import LEDGER_BUSY

_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.02


class FolderLock:
    """Keeps other threads and processes out while it is held; the kernel frees it when the holder dies.

    The lock file is opened anew each time: a handle kept open would be shared with a forked child, and with
    it the lock. The same thread may take the lock again while it holds it.
    """

    def __init__(self, path: Path, files: OsFiles, wait: float) -> None:
        self._path = path
        self._files = files
        self._wait = wait
        self._writing = _Held(self, reading=False)
        self._reading = _Held(self, reading=True)
        self._forget()

    def _forget(self) -> None:
        self._threads = threading.RLock()
        self._depth = 0
        self._handle: int | None = None
        self._pid = os.getpid()

    def held(self, *, reading: bool = False) -> AbstractContextManager[None]:
        """Hold the lock; ``reading`` goes on without it where the folder cannot be written, nor then changed.

        Raises
        ------
        Refusal
            ``ledger_busy``: it was not free within the wait.
        LedgerUnwritable
            The lock file cannot be opened.
        """
        return self._reading if reading else self._writing

    def _take(self, reading: bool) -> None:
        if self._pid != os.getpid():
            self._forget()  # a forked child holds nothing of its parent's
        deadline = time.monotonic() + self._wait
        if not self._threads.acquire(timeout=self._wait):
            raise self._busy()
        if self._depth == 0:
            try:
                self._handle = self._locked_file(deadline, reading)
            except BaseException:
                self._threads.release()
                raise
        self._depth += 1

    def _free(self) -> None:
        self._depth -= 1
        try:
            if self._depth == 0 and self._handle is not None:
                handle, self._handle = self._handle, None
                # freed by name, as a forked child may still have the handle
                self._files.flock(handle, fcntl.LOCK_UN)
                self._files.close(handle)
        finally:
            self._threads.release()

    def _locked_file(self, deadline: float, reading: bool) -> int | None:
        pause = _FIRST_PAUSE
        while True:
            try:
                handle = self._files.open(self._path, os.O_RDWR | os.O_CREAT)
            except OSError as error:
                if reading and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
                    return None
                raise LedgerUnwritable(
                    f"cannot open the ledger's lock: {error.strerror}",
                    where=str(self._path),
                    fix="check that the folder exists and may be written to",
                ) from error
            held = False
            try:
                held = self._locked(handle)
            finally:
                if not held:
                    self._files.close(handle)
            if held:
                return handle
            if time.monotonic() >= deadline:
                raise self._busy()
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _locked(self, handle: int) -> bool:
        try:
            self._files.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # a lock file replaced between opening and locking keeps nobody out
            return identity_of(os.fstat(handle)) == identity_of(os.stat(self._path))
        except (BlockingIOError, FileNotFoundError):
            return False

    def _busy(self) -> Refusal:
        holder = _holder(self._path)
        by = f": process {holder} has it" if holder is not None else ""
        return Refusal(
            LEDGER_BUSY,
            f"the ledger was not free within {self._wait:g} s{by}",
            where=str(self._path),
            details={"wait": self._wait, "holder": holder},
        )


class _Held:
    """What ``with`` takes; a class, as every append enters it and a generator costs six times as much."""

    def __init__(self, lock: FolderLock, *, reading: bool) -> None:
        self._lock = lock
        self._reading = reading

    def __enter__(self) -> None:
        self._lock._take(self._reading)

    def __exit__(self, *_: object) -> None:
        self._lock._free()


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
