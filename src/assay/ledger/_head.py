from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

from assay.ledger._files import KeptFile, OsFiles
from assay.ledger._line import Position

HEAD_NAME = "head"
_SLOT = 256
_PATTERN = re.compile(rb"(\d{1,18}) (\d{1,18}) ([0-9a-f]{64}) ([0-9a-f]{8})\n *")


def head_file(folder: Path, files: OsFiles) -> KeptFile:
    """The file that all hints of a folder lie in."""
    return KeptFile(folder / HEAD_NAME, files, os.O_WRONLY | os.O_CREAT)


class Head:
    """How far the last writer got: a hint with which a missing tail is noticed.

    One slot of fixed length each for the log (0) and the pack (1), overwritten in place after what it tells
    of is on the disk; so it may lag behind after a crash, and is never ahead. One that cannot be read counts
    as none.
    """

    def __init__(self, kept: KeptFile, files: OsFiles, slot: int) -> None:
        self._kept = kept
        self._files = files
        self._place = slot * _SLOT

    def read(self) -> Position | None:
        """What the last writer noted."""
        self._kept.close()  # it is read where others have written, or the folder is another one by now
        try:
            with self._kept.path.open("rb") as file:
                file.seek(self._place)
                match = _PATTERN.fullmatch(file.read(_SLOT))
        except OSError:
            return None
        if match is None or int(match[4], 16) != zlib.crc32(match[0][: match.start(4)]):
            return None
        return Position(int(match[1]), int(match[2]), match[3].decode())

    def open(self) -> None:
        """See that a hint can be written, before there is anything to hint at.

        Raises
        ------
        OSError
            It cannot: then nothing must be appended, as nobody would notice that it was taken away again.
        """
        self._kept.look_now_and_then()

    def note(self, position: Position) -> None:
        """Write the hint, after :meth:`open`; where that fails, the old one stays true."""
        try:
            self._files.write_at(self._kept.number, slot_bytes(position), self._place)
        except OSError:
            self._kept.close()


def slot_bytes(position: Position) -> bytes:
    """A slot's content, padded to its length."""
    text = b"%d %d %b " % (position.lines, position.offset, position.hash.encode())
    return (text + b"%08x\n" % zlib.crc32(text)).ljust(_SLOT)
