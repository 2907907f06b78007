from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import Reason, Refusal

_PAUSE = 0.01


@contextmanager
def folder_lock(folder: Path, wait: float, busy: Reason) -> Iterator[None]:
    """Hold a folder's lock, which the system releases when its holder dies.

    Raises
    ------
    Refusal
        ``busy``: another process held it for longer than ``wait`` seconds.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        limit = time.monotonic() + wait
        while not _locked(handle):
            if time.monotonic() >= limit:
                raise Refusal(busy)
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
