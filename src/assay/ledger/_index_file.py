"""The index file: opened, brought up to date from the log, and made anew where it cannot be used."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from assay.ledger._index_tables import APPLICATION, INSERTS, VERSION, add_rows, make_tables, no_rows
from assay.ledger._line import START, Position, ends_with
from assay.ledger._scan import Scan, TornTail, open_log
from assay.ledger._seen import places_in

_CHUNK = 50_000
_BUSY_SECONDS = 60.0
_TAIL = 128
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT)


class IndexFile:
    """The SQLite file that holds the index of a log; see :class:`Index`, whose parameters these are.

    ``torn`` is what lies beyond the accepted record, once the index is open.
    """

    def __init__(self, log: Path, cache: Path, *, end: int | None, torn: TornTail | None, anew: bool) -> None:
        self._log, self._cache, self._end = log, cache, end
        self.torn = torn
        self._anew = anew

    def open(self) -> sqlite3.Connection:
        """A connection to an index that is up to date: of the file, of a new file, or in memory."""
        try:
            return self._on_disk()
        except sqlite3.Error as error:
            if is_broken(error):
                _remove(self._cache)
                with suppress(sqlite3.Error):
                    return self._on_disk()
        return self._updated(sqlite3.connect(":memory:", isolation_level=None))

    def open_anew(self) -> sqlite3.Connection:
        """The same without the file that there is, which turned out to be broken."""
        _remove(self._cache)
        return self.open()

    def _on_disk(self) -> sqlite3.Connection:
        return self._updated(sqlite3.connect(self._cache, timeout=_BUSY_SECONDS, isolation_level=None))

    def _updated(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # less would let a power failure leave an index that is wrong without being broken
            connection.execute("PRAGMA synchronous = NORMAL")
            if self._anew:
                connection.execute("PRAGMA user_version = 0")
            while self._add_chunk(connection):
                pass
            connection.execute("BEGIN")
            connection.execute("SELECT lines FROM place").fetchone()  # from here on one state is seen
        except BaseException:
            connection.close()
            raise
        return connection

    def _add_chunk(self, connection: sqlite3.Connection) -> bool:
        """Index the next lines, and say whether there may be more. All of a chunk is kept, or nothing."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            known = self._known(connection)
            if self._end is not None and self._end <= known.offset:
                # another process has indexed what was appended since the caller looked
                self.torn = self.torn if self._end == known.offset else None
                connection.execute("COMMIT")
                return False
            scan = Scan(self._log, known, self._end)
            rows = no_rows()
            full = False
            for line in scan:
                add_rows(rows, line)
                # a scan cannot begin inside an append of several records
                full = len(rows["record"]) >= _CHUNK and line.number == scan.position.lines
                if full:
                    break
            for table, values in rows.items():
                connection.executemany(INSERTS[table], values)
            place = scan.position
            if rows["record"]:
                connection.execute(
                    "UPDATE place SET lines = ?, offset = ?, hash = ?",
                    (place.lines, place.offset, place.hash),
                )
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        if not full:
            self.torn = self.torn or scan.torn
        return full

    def _known(self, connection: sqlite3.Connection) -> Position:
        """Up to where this index holds this log; an index that does not hold it at all is emptied.

        What it had seen and the log does not have stays, as a witness of lines that were taken away.
        """
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if (application, version) == (APPLICATION, VERSION):
            places = connection.execute("SELECT lines, offset, hash FROM place").fetchall()
            last = connection.execute("SELECT max(line) FROM record").fetchone()[0] or 0
            if len(places) == 1 and places[0][0] == last and self._holds(Position(*places[0])):
                return Position(*places[0])
        lost = [] if self._anew else [place for place in places_in(connection) if not self._holds(place)]
        self._anew = False
        make_tables(connection)
        rows = [(place.lines, place.offset, place.hash) for place in lost]
        connection.executemany("INSERT INTO witness VALUES (?,?,?)", rows)
        return START

    def _holds(self, place: Position) -> bool:
        """Whether the log has, at this place, the line that the index says ends there."""
        if place == START:
            return True
        with open_log(self._log) as file:
            file.seek(max(0, place.offset - _TAIL))
            return ends_with(file.read(min(_TAIL, place.offset)), place.hash)


def is_broken(error: sqlite3.Error) -> bool:
    """Whether the file is at fault, and not the disk, the permissions, or another process that is at work."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _BROKEN


def _remove(cache: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            cache.with_name(cache.name + suffix).unlink()
