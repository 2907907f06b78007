from __future__ import annotations

import os
from pathlib import Path

from assay.base import atomic_write
from assay.errors import AssayError


class RunFiles:
    """The files that a run leaves beside the ledger, in its folder. None of them is a source.

    Tests break its three operations one by one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self, name: str = "") -> Path:
        """A folder of the run; it may exist."""
        path = self.folder / name
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(path, error) from error
        return path

    def write(self, name: str, content: bytes | str) -> None:
        """A whole file or nothing."""
        atomic_write(self.folder / name, content)

    def append(self, name: str, line: str) -> None:
        """One line at the end of a file, in one write."""
        path = self.folder / name
        try:
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(handle, (line + "\n").encode("utf-8", "backslashreplace"))
            finally:
                os.close(handle)
        except OSError as error:
            raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> AssayError:
    return AssayError(
        f"cannot write {path.name}: {error.strerror or error}",
        where=str(path),
        fix="check that the folder may be written to and that the disk has space, then resume the run",
    )
