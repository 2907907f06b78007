from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import Refusal
from assay.notes._reasons import NOTES_BUSY

_PAUSE = 0.01


@contextmanager
def writing(folder: Path, wait: float) -> Iterator[None]:
    """Hold a folder's lock, which the system releases when its holder dies.

    Raises
    ------
    Refusal
        ``notes_busy``: another process held it for longer than ``wait`` seconds.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        limit = time.monotonic() + wait
        while not _locked(handle):
            if time.monotonic() >= limit:
                raise Refusal(NOTES_BUSY)
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
