from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from assay.ledger._line import START, Position

_HEX = frozenset("0123456789abcdef")
_TABLES = ("place", "witness")


def indexed_places(cache: Path) -> tuple[Position, ...]:
    """What an index file has seen of the record: how far it had got, and its witnesses.

    It is read as it stands, without being brought up to date: what it remembers of the record bears witness
    of lines that are no longer there. Nothing where there is no index that can be read.
    """
    if not cache.is_file():
        return ()
    try:
        with closing(sqlite3.connect(f"file:{quote(str(cache))}?mode=ro", uri=True)) as connection:
            return places_in(connection)
    except sqlite3.Error:
        return ()


def places_in(connection: sqlite3.Connection) -> tuple[Position, ...]:
    """The places that an open index, of whatever version, tells of."""
    rows: list[tuple[object, ...]] = []
    for table in _TABLES:
        with suppress(sqlite3.Error):
            rows += connection.execute(f"SELECT lines, offset, hash FROM {table}").fetchall()  # noqa: S608 - fixed
    found = [_place(*row) for row in rows]
    return tuple(dict.fromkeys(place for place in found if place is not None and place != START))


def _place(lines: object, offset: object, digest: object) -> Position | None:
    if not (isinstance(lines, int) and isinstance(offset, int) and isinstance(digest, str)):
        return None
    return Position(lines, offset, digest) if len(digest) == 64 and set(digest) <= _HEX else None
