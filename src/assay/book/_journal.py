from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.base import DAMAGED_STATE, Clock, Operator
from assay.book._events import event_of
from assay.book._history import History, Recorded
from assay.book._leaderboard import write_leaderboard
from assay.book._reasons import NO_STATE_ROOT
from assay.errors import AssayError, LedgerDamaged, Refusal
from assay.ledger import Draft, Entry, Ledger, Position
from assay.tools import read_instant


@dataclass(frozen=True, slots=True)
class ProvenanceRow:
    """Who did what in a book, and on the ground of what."""

    event_id: str
    exchange_ts: datetime
    knowledge_ts: datetime
    strategy_slug: str
    operator: Operator
    cited_artifacts: tuple[str, ...]


class Journal:
    """A book's ledger, with what was read of it so far: nothing is read twice.

    Raises
    ------
    Refusal
        ``no_state_root``: there is no ledger; ``damaged_state``: it has lost its records.
    """

    def __init__(self, root: Path, clock: Clock) -> None:
        folder = root / "ledger"
        if not folder.is_dir():
            raise Refusal(NO_STATE_ROOT)
        if not (folder / "ledger.jsonl").is_file():
            raise Refusal(DAMAGED_STATE, "the book's ledger has lost its records", where="book")
        self._root = root
        self.ledger = Ledger.open(folder, clock=clock)
        self._history = History()
        self._rows: list[ProvenanceRow] = []
        self._read_to: Position | int = 0
        self._lock = threading.RLock()

    @contextmanager
    def read(self) -> Iterator[History]:
        """The history up to now; nothing is taken up while it is looked at.

        Raises
        ------
        Refusal
            ``damaged_state``.
        """
        with self._lock:
            self._take_up()
            yield self._history

    @contextmanager
    def writing(self) -> Iterator[History]:
        """Hold the book against all other writers over reading, deciding and :meth:`append`."""
        with self._lock, self.ledger.transaction():
            self._take_up()
            yield self._history

    def append(self, drafts: Sequence[Draft]) -> None:
        """Add records, all or none, and bring ``leaderboard.json`` up to date; within :meth:`writing`."""
        self.ledger.append_many(drafts)
        self._take_up()
        write_leaderboard(self._root, self._history.recorded)

    def recorded(self) -> list[Recorded]:
        """All events in the order of their records."""
        with self.read() as history:
            return list(history.recorded)

    def rows(self) -> list[ProvenanceRow]:
        """All rows of provenance in the order of their records."""
        with self.read():
            return list(self._rows)

    def _take_up(self) -> None:
        try:
            for entry in self.ledger.entries(start=self._read_to):
                self._take(entry)
                self._read_to = entry.position
        except LedgerDamaged as error:
            raise Refusal(DAMAGED_STATE, f"the book: {error.message}", where=error.where) from error

    def _take(self, entry: Entry) -> None:
        try:
            if entry.kind == "book_event":
                self._history.add(_recorded(entry))
            elif entry.kind == "provenance":
                self._rows.append(_row(entry))
        except (AssayError, ValueError, TypeError, KeyError, AttributeError) as error:
            said = error.message if isinstance(error, AssayError) else type(error).__name__
            raise Refusal(
                DAMAGED_STATE, f"line {entry.line} of the book cannot be: {said}", where=f"line {entry.line}"
            ) from error


def _recorded(entry: Entry) -> Recorded:
    body = dict(entry.body)
    operator = Operator.from_dict(body.pop("operator"))
    return Recorded(event_of(body), entry.line, operator)


def _row(entry: Entry) -> ProvenanceRow:
    details = entry.body["details"]
    return ProvenanceRow(
        str(details["event_id"]),
        read_instant(details["exchange_ts"]),
        read_instant(details["knowledge_ts"]),
        str(details["strategy_slug"]),
        Operator.from_dict(entry.body["operator"]),
        tuple(str(item) for item in entry.body["citations"]),
    )
