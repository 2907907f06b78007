from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from assay.ledger._line import Position

_HEX = frozenset("0123456789abcdef")


def indexed_place(cache: Path) -> Position | None:
    """How far an index file had got, or None where there is none that can be read.

    It is read as it stands, without being brought up to date: what it remembers of the record is a witness
    of lines that are no longer there.
    """
    if not cache.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"file:{quote(str(cache))}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT lines, offset, hash FROM place").fetchall()
    except sqlite3.Error:
        return None
    if len(rows) != 1:
        return None
    lines, offset, digest = rows[0]
    whole = isinstance(lines, int) and isinstance(offset, int) and isinstance(digest, str)
    return Position(lines, offset, digest) if whole and len(digest) == 64 and set(digest) <= _HEX else None
