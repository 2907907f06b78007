from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.ledger._keys import TrialKey
from assay.ledger._line import START, Entry, Line, Position, damaged, ends_with, own_hash, parse
from assay.ledger._scan import Scan, TornTail, open_log
from assay.ledger._seen import places_in

if TYPE_CHECKING:
    from assay.ledger._ledger import Ledger

VERSION = 5
"""Of the tables below; an index of another version is made anew."""

DATA_INPUT = "data:"
"""Inputs of a run with this prefix name the data sets that it reads."""

_CHUNK = 50_000
_BUSY_SECONDS = 60.0
_APPLICATION = 0x41535359
_TAIL = 128

_TABLES = """
CREATE TABLE place (lines INTEGER NOT NULL, offset INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE witness (lines INTEGER NOT NULL, offset INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE record (line INTEGER PRIMARY KEY, offset INTEGER NOT NULL, length INTEGER NOT NULL,
                     kind TEXT NOT NULL, run TEXT, key TEXT);
CREATE TABLE trial (line INTEGER PRIMARY KEY, fingerprint TEXT, config_hash TEXT, data TEXT, desk TEXT,
                    run TEXT, sharpe REAL, series TEXT, p_value REAL, control INTEGER NOT NULL);
CREATE TABLE look (line INTEGER PRIMARY KEY, data TEXT, period TEXT, fingerprint TEXT, config_hash TEXT,
                   budget INTEGER, run TEXT, plan TEXT);
CREATE TABLE run_event (line INTEGER PRIMARY KEY, run TEXT NOT NULL, kind TEXT NOT NULL, desk TEXT, data TEXT,
                        reason TEXT, unrecorded INTEGER);
CREATE INDEX record_by_kind ON record (kind, line);
CREATE INDEX record_by_run ON record (run, line) WHERE run IS NOT NULL;
CREATE INDEX record_by_key ON record (key, line) WHERE key IS NOT NULL;
CREATE INDEX look_by_data ON look (data, period);
"""
_INSERTS = {
    "record": "INSERT INTO record VALUES (?,?,?,?,?,?)",
    "trial": "INSERT INTO trial VALUES (?,?,?,?,?,?,?,?,?,?)",
    "look": "INSERT INTO look VALUES (?,?,?,?,?,?,?,?)",
    "run_event": "INSERT INTO run_event VALUES (?,?,?,?,?,?,?)",
}
_RUN_KINDS = ("run_start", "run_resume", "run_stop")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record lies in the log: bytes ``offset`` to ``offset + length``."""

    line: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class RunState:
    """A run as its start, resumes and stops tell it.

    ``stopped`` is the reason of its last stop, None while the run is open. ``data`` are the data sets that
    its inputs name; None where they name none. ``unrecorded`` is that of the last stop, 0 while it is open.
    """

    id: str
    desk: str | None
    data: tuple[str, ...] | None
    started: int
    stopped: str | None
    unrecorded: int

    @property
    def open(self) -> bool:
        return self.stopped is None


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial record without what nobody counts by."""

    line: int
    fingerprint: str
    config_hash: str
    data: str | None
    desk: str | None
    run: str | None
    sharpe: float | None
    series: str | None
    p_value: float | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.fingerprint, self.config_hash)


@dataclass(frozen=True, slots=True)
class LookRow:
    """A look record without its dates; ``plan`` names the object that holds the plan, None in older ones."""

    line: int
    data: str
    period: str
    fingerprint: str
    config_hash: str
    budget: int | None
    run: str | None
    plan: str | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.fingerprint, self.config_hash)


class Index:
    """What the log holds, found by kind, run and key without reading it: a cache in SQLite.

    Nothing in it is a source: it is brought up to date from the log when it is opened, and made anew where it
    is missing, broken, of another version, or of another log. A place that it had come to and that the log no
    longer has is kept as a witness, for :meth:`Ledger.verify` to hear. Where its file cannot be written it
    lives in memory. While it is open it shows one state of the record. Close it, or use it as a context
    manager.

    Parameters
    ----------
    log : the record.
    cache : the index file.
    end : bytes of the log to index at most, where the caller knows how many are accepted.
    torn : what the caller found beyond them.
    anew : index the whole log again, whatever there is; its witnesses go, too.

    Raises
    ------
    LedgerDamaged
        The lines that are not indexed yet do not fit.
    """

    def __init__(
        self,
        log: Path,
        cache: Path,
        *,
        end: int | None = None,
        torn: TornTail | None = None,
        anew: bool = False,
    ) -> None:
        self._log, self._cache, self._end = log, cache, end
        self.torn = torn
        self._anew = anew
        self._connection = self._opened()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; the index cannot be asked any more."""
        self._connection.close()

    @property
    def records(self) -> int:
        """Records indexed: all that the log has accepted."""
        return self.position.lines

    @property
    def position(self) -> Position:
        """The place in the log after the last indexed record."""
        return Position(*self._rows("SELECT lines, offset, hash FROM place")[0])

    def places(
        self, *, kind: str | None = None, run: str | None = None, start: int = 0, last: int | None = None
    ) -> tuple[Place, ...]:
        """Where the records of a kind and a run lie, in order: from line ``start`` on, or the ``last``."""
        wanted = ["line >= ?"]
        values: list[Any] = [start]
        if kind is not None:
            wanted.append("kind = ?")
            values.append(kind)
        if run is not None:
            wanted.append("run = ?")
            values.append(run)
        order, limit = ("ASC", -1) if last is None else ("DESC", last)
        rows = self._rows(
            f"SELECT line, offset, length FROM record WHERE {' AND '.join(wanted)} "  # noqa: S608 - fixed text
            f"ORDER BY line {order} LIMIT ?",
            (*values, limit),
        )
        return tuple(Place(*row) for row in (rows if last is None else reversed(rows)))

    def entries(
        self, *, kind: str | None = None, run: str | None = None, start: int = 0, last: int | None = None
    ) -> Iterator[Entry]:
        """The records themselves, each read at its place and checked against its hash.

        Raises
        ------
        LedgerDamaged
            What lies there is not the record that was indexed.
        """
        places = self.places(kind=kind, run=run, start=start, last=last)
        yield from self._read(places)

    def keyed(self, key: str) -> Iterator[Entry]:
        """The records of tool calls that were made under a key, in order, read as :meth:`entries` does."""
        rows = self._rows("SELECT line, offset, length FROM record WHERE key = ? ORDER BY line", (key,))
        yield from self._read([Place(*row) for row in rows])

    def _read(self, places: Iterable[Place]) -> Iterator[Entry]:
        with open_log(self._log) as file:
            for place in places:
                file.seek(place.offset)
                raw = file.read(place.length)
                digest = own_hash(raw)
                if digest is None:
                    raise damaged(place.line, "has content that does not fit its hash")
                yield parse(Line(place.line, place.offset, raw, digest))

    def runs(self) -> dict[str, RunState]:
        """All runs by id, in order of their start."""
        found: dict[str, RunState] = {}
        rows = self._rows(
            "SELECT line, run, kind, desk, data, reason, unrecorded FROM run_event ORDER BY line"
        )
        for line, run, kind, desk, data, reason, unrecorded in rows:
            known = found.get(run)
            stopped, missing = None, 0
            if kind == "run_stop":
                stopped, missing = reason or "", unrecorded
            if known is None:
                sets = None if data is None else tuple(json.loads(data))
                found[run] = RunState(run, desk, sets, line, stopped, missing)
            else:
                found[run] = RunState(run, known.desk, known.data, known.started, stopped, missing)
        return found

    def trials(
        self, *, data: str | None = None, desk: str | None = None, controls: bool = False
    ) -> list[TrialRow]:
        """Trial records in order, those of controls only if they are asked for; several may have one key.

        One that names no data set, or no desk, counts to all of them.
        """
        rows = self._rows(
            "SELECT line, fingerprint, config_hash, data, desk, run, sharpe, series, p_value FROM trial "
            "WHERE (?1 IS NULL OR data IS NULL OR data = ?1) AND (?2 IS NULL OR desk IS NULL OR desk = ?2) "
            "AND (?3 OR NOT control) ORDER BY line",
            (data, desk, controls),
        )
        return [TrialRow(*row) for row in rows]

    def looks(self, *, data: str | None = None, period: str | None = None) -> list[LookRow]:
        """Look records in order."""
        rows = self._rows(
            "SELECT line, data, period, fingerprint, config_hash, budget, run, plan FROM look "
            "WHERE (?1 IS NULL OR data = ?1) AND (?2 IS NULL OR period = ?2) ORDER BY line",
            (data, period),
        )
        return [LookRow(*row) for row in rows]

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not _is_broken(error):
                raise
            # a broken page shows only when it is read
            self._connection.close()
            _remove(self._cache)
            self._connection = self._opened()
            return self._connection.execute(query, values).fetchall()

    def _opened(self) -> sqlite3.Connection:
        """A connection to an index that is up to date: of the file, of a new file, or in memory."""
        try:
            return self._on_disk()
        except sqlite3.Error as error:
            if _is_broken(error):
                _remove(self._cache)
                with suppress(sqlite3.Error):
                    return self._on_disk()
        return self._updated(sqlite3.connect(":memory:", isolation_level=None))

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
            rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _INSERTS}
            full = False
            for line in scan:
                _add_rows(rows, line)
                # a scan cannot begin inside an append of several records
                full = len(rows["record"]) >= _CHUNK and line.number == scan.position.lines
                if full:
                    break
            for table, values in rows.items():
                connection.executemany(_INSERTS[table], values)
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
        if (application, version) == (_APPLICATION, VERSION):
            places = connection.execute("SELECT lines, offset, hash FROM place").fetchall()
            last = connection.execute("SELECT max(line) FROM record").fetchone()[0] or 0
            if len(places) == 1 and places[0][0] == last and self._holds(Position(*places[0])):
                return Position(*places[0])
        lost = [] if self._anew else [place for place in places_in(connection) if not self._holds(place)]
        self._anew = False
        _make_tables(connection)
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


@contextmanager
def locked_index(ledger: Ledger) -> Iterator[Index]:
    """An index of the record while nobody else can append: to decide by, and append on the decision."""
    ledger.index().close()  # what there is to catch up with is read before others have to wait
    with ledger.transaction(), ledger.index() as index:
        yield index


def _make_tables(connection: sqlite3.Connection) -> None:
    """Empty tables of this version in place of whatever there is."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in tables:
        quoted = name.replace('"', '""')
        connection.execute(f'DROP TABLE "{quoted}"')
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO place VALUES (?,?,?)", (START.lines, START.offset, START.hash))
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _add_rows(rows: dict[str, list[tuple[Any, ...]]], line: Line) -> None:
    entry = parse(line)
    key = _optional_text(entry.body.get("key")) if entry.kind == "tool_call" else None
    rows["record"].append(
        (line.number, line.offset, len(line.raw), _text(entry.kind), _optional_text(entry.run), key)
    )
    if entry.kind == "trial":
        rows["trial"].append(_trial(entry))
    elif entry.kind == "look":
        rows["look"].append(_look(entry))
    elif entry.kind in _RUN_KINDS:
        rows["run_event"].append(_run_event(entry))


def _trial(entry: Entry) -> tuple[Any, ...]:
    body = entry.body
    return (
        entry.line,
        _text(body.get("fingerprint")),
        _text(body.get("config_hash")),
        _optional_text(body.get("data")),
        _optional_text(body.get("desk")),
        _optional_text(entry.run),
        _number(body.get("sharpe")),
        _optional_text(body.get("series")),
        _number(body.get("p_value")),
        body.get("control") is True,
    )


def _look(entry: Entry) -> tuple[Any, ...]:
    body, key = entry.body, entry.body.get("key")
    named = key if isinstance(key, dict) else {"fingerprint": key}
    return (
        entry.line,
        _text(body.get("data")),
        _text(body.get("period")),
        _text(named.get("fingerprint")),
        _text(named.get("config_hash")),
        _whole(body.get("budget")),
        _optional_text(entry.run),
        _optional_text(body.get("plan")),
    )


def _run_event(entry: Entry) -> tuple[Any, ...]:
    body, inputs = entry.body, entry.body.get("inputs")
    names = sorted(inputs) if isinstance(inputs, dict) else []
    sets = [name.removeprefix(DATA_INPUT) for name in names if name.startswith(DATA_INPUT)]
    return (
        entry.line,
        _text(entry.run),
        entry.kind,
        _optional_text(body.get("desk")),
        json.dumps(sets) if sets else None,
        _optional_text(body.get("reason")),
        _whole(body.get("unrecorded")) or 0,
    )


def _optional_text(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    """Text as SQLite can hold it; a lone surrogate becomes its escape, what is no text its JSON."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else None


_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT)


def _is_broken(error: sqlite3.Error) -> bool:
    """Whether the file is at fault, and not the disk, the permissions, or another process that is at work."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _BROKEN


def _remove(cache: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            cache.with_name(cache.name + suffix).unlink()
