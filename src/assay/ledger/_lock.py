from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.errors import Refusal
from assay.ledger._files import LedgerUnwritable, OsFiles
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
        self._forget()

    def _forget(self) -> None:
        self._threads = threading.RLock()
        self._depth = 0
        self._pid = os.getpid()

    @contextmanager
    def held(self, *, reading: bool = False) -> Iterator[None]:
        """Hold the lock; ``reading`` goes on without it where the folder cannot be written, nor then changed.

        Raises
        ------
        Refusal
            ``ledger_busy``: it was not free within the wait.
        LedgerUnwritable
            The lock file cannot be opened.
        """
        if self._pid != os.getpid():
            self._forget()  # a forked child holds nothing of its parent's
        deadline = time.monotonic() + self._wait
        if not self._threads.acquire(timeout=self._wait):
            raise self._busy()
        try:
            self._depth += 1
            try:
                if self._depth > 1:
                    yield
                else:
                    with self._held_by_process(deadline, reading):
                        yield
            finally:
                self._depth -= 1
        finally:
            self._threads.release()

    @contextmanager
    def _held_by_process(self, deadline: float, reading: bool) -> Iterator[None]:
        handle = self._take(deadline, reading)
        if handle is None:
            yield
            return
        try:
            yield
        finally:
            # freed by name, as a forked child may still have the handle
            self._files.flock(handle, fcntl.LOCK_UN)
            self._files.close(handle)

    def _take(self, deadline: float, reading: bool) -> int | None:
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
            same = os.path.samestat(os.fstat(handle), os.stat(self._path))
        except (BlockingIOError, FileNotFoundError):
            return False
        if same:
            with suppress(OSError):  # only for the message to those who wait
                os.pwrite(handle, b"%-20d\n" % self._pid, 0)
        return same

    def _busy(self) -> Refusal:
        holder = ""
        with suppress(OSError):
            holder = self._path.read_text(encoding="ascii", errors="replace").strip()
        by = f" (process {holder} had it last)" if holder else ""
        return Refusal(
            LEDGER_BUSY,
            f"the ledger was not free within {self._wait:g} s{by}",
            where=str(self._path),
            details={"wait": self._wait, "holder": holder or None},
        )
