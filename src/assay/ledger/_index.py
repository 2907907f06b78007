"""The index: what the record holds, found by kind, run and key."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.ledger._index_file import IndexFile, is_broken
from assay.ledger._index_rows import LookRow, Place, RunState, TrialRow, run_states
from assay.ledger._line import Entry, Line, Position, damaged, own_hash, parse
from assay.ledger._scan import TornTail, open_log

if TYPE_CHECKING:
    from assay.ledger._ledger import Ledger


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
        self._log = log
        self._file = IndexFile(log, cache, end=end, torn=torn, anew=anew)
        self._connection = self._file.open()

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

    @property
    def torn(self) -> TornTail | None:
        """What lies in the log beyond the accepted record."""
        return self._file.torn

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
        return run_states(
            self._rows("SELECT line, run, kind, desk, data, reason, unrecorded FROM run_event ORDER BY line")
        )

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
            if not is_broken(error):
                raise
            # a broken page shows only when it is read
            self._connection.close()
            self._connection = self._file.open_anew()
            return self._connection.execute(query, values).fetchall()


@contextmanager
def locked_index(ledger: Ledger) -> Iterator[Index]:
    """An index of the record while nobody else can append: to decide by, and append on the decision."""
    ledger.index().close()  # what there is to catch up with is read before others have to wait
    with ledger.transaction(), ledger.index() as index:
        yield index
