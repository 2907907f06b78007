from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from assay.base import Clock, Operator, OperatorKind, RandomBytes, SystemClock, uuid7
from assay.book._citing import Citing
from assay.book._events import Candidate, Decision, Event, HumanEvent, Promoted, Registered, Retired
from assay.book._history import Recorded
from assay.book._journal import Journal, ProvenanceRow
from assay.book._leaderboard import leaderboard_of
from assay.book._reasons import BAD_EVENT, NOT_ALLOWED
from assay.book._state import Attribution, BookState, attribution_of, state_of
from assay.book._trial import find_trial
from assay.errors import Refusal
from assay.ledger import Draft, Ledger
from assay.notes import NoteStore
from assay.provenance import UNCITED, Citation, CitationRefused


@dataclass(frozen=True, slots=True)
class CandidateEntry:
    """What an agent enters on the leaderboard.

    Parameters
    ----------
    strategy_slug : its name; of its own, not that of a registered strategy or of another agent's candidate.
    title : one line that says what the idea is.
    fingerprint, config_hash : of a trial in the workspace's ledger; without the latter, the newest one.
    metric, score : the figure that speaks for it, in the agent's words.
    """

    strategy_slug: str
    title: str
    fingerprint: str
    metric: str
    score: float
    config_hash: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """What was recorded of a candidate: its event, and its row of provenance."""

    event: Candidate
    provenance: ProvenanceRow


class Book:
    """A book: all that was decided, ordered, filled and proposed, in a ledger of its own.

    Nothing is ever changed; what the book was at a time follows from what was known by then. Threads and
    processes may share one.

    Parameters
    ----------
    root : the state root: a folder with ``ledger/`` and ``leaderboard.json``.
    notes : what decisions may cite.
    workspace : the ledger in which trials and certificates are recorded.
    clock, ids : where times and ids come from.

    Raises
    ------
    Refusal
        ``no_state_root``: there is no book in ``root``. ``damaged_state``: it has lost its records.
    """

    def __init__(
        self,
        root: Path,
        *,
        notes: NoteStore | None = None,
        workspace: Ledger | None = None,
        clock: Clock | None = None,
        ids: RandomBytes = os.urandom,
    ) -> None:
        self.root = Path(root)
        self._workspace = workspace
        self._clock, self._ids = clock or SystemClock(), ids
        self._journal = Journal(self.root, self._clock)
        self._citing = Citing(self._journal.ledger, notes, workspace)

    @classmethod
    def open(cls, root: Path, **parts: Any) -> Self:
        """The book of a state root; ``parts`` are the parameters of the class."""
        return cls(root, **parts)

    @classmethod
    def create(cls, root: Path, **parts: Any) -> Self:
        """A new, empty book.

        Raises
        ------
        AssayError
            There is one already, or the folder cannot be written.
        """
        Ledger.create(Path(root) / "ledger", clock=parts.get("clock"))
        return cls(root, **parts)

    def now(self) -> datetime:
        """The time of the book's clock."""
        return self._clock.now()

    def stamp(
        self, exchange_ts: datetime | None = None, knowledge_ts: datetime | None = None
    ) -> dict[str, Any]:
        """A new ``event_id`` and two times for an event: by default it happens, and is known, now."""
        known = knowledge_ts or self.now()
        event_id = str(uuid7(self._clock, self._ids))
        return {"event_id": event_id, "exchange_ts": exchange_ts or known, "knowledge_ts": known}

    def record(self, event: HumanEvent, operator: Operator) -> None:
        """Record an event; a person's act. On the disk when it returns.

        Raises
        ------
        Refusal
            ``not_allowed``: the operator is no person. ``bad_event``: it cannot follow what is in the book.
            ``bad_citation``, ``unresolved_citation``: it cites what is not there. ``damaged_state``,
            ``ledger_busy``. Nothing was written.
        LedgerUnwritable
            The write failed; nothing was recorded.
        """
        self.record_many([event], operator)

    def record_many(self, events: Sequence[HumanEvent], operator: Operator) -> None:
        """Record events, all or none; raises as :meth:`record`, of the first that is refused."""
        _require(operator, "human")
        with self._journal.writing() as history:
            trial = history.copied()
            for event in events:
                self._check_time(event)
                trial.add(Recorded(event, 0, operator))
            self._journal.append([made for event in events for made in self._drafts(event, operator)])

    def try_many(self, events: Sequence[HumanEvent], operator: Operator) -> list[Refusal | None]:
        """What would be refused of events if they were recorded in order, refused ones left out."""
        with self._journal.read() as history:
            trial = history.copied()
        found: list[Refusal | None] = []
        for event in events:
            try:
                self._check_time(event)
                trial.add(Recorded(event, 0, operator))
                found.append(None)
            except Refusal as refusal:
                found.append(refusal)
        return found

    def record_candidate(
        self,
        operator: Operator,
        entry: CandidateEntry,
        citations: Sequence[str],
        *,
        as_of: datetime | None = None,
    ) -> CandidateRow:
        """An agent's own entry on the leaderboard, with one row of provenance; nothing follows from it.

        The agent itself is cited too, after the rest, so that later work may be traced to it.

        Parameters
        ----------
        as_of : the end of what the agent may know, which is when it acts; by default now.

        Raises
        ------
        Refusal
            ``not_allowed``: the operator is no agent. ``strategy_taken``, ``unknown_trial``, ``no_ledger``;
            ``bad_event``: the entry has a part that cannot be; ``bad_citation``, ``unresolved_citation``,
            ``uncited``: also a ``ValueError``; ``damaged_state``, ``ledger_busy``. Nothing was written.
        LedgerUnwritable
            The write failed; nothing was recorded.
        """
        _require(operator, "agent")
        own = f"agent:{operator.identifier}"
        given = [str(Citation.parse(text)) for text in citations]
        if not set(given) - {own}:
            raise CitationRefused(UNCITED, where="citations")
        event = self._candidate(entry, (*given, own), as_of)
        with self._journal.writing() as history:
            history.check(event, operator)
            self._journal.append(self._drafts(event, operator))
            return CandidateRow(event, self._journal.rows()[-1])

    def _candidate(self, entry: CandidateEntry, cites: Sequence[str], as_of: datetime | None) -> Candidate:
        if self._workspace is None:
            from assay.tools.builtin import NO_LEDGER  # slow to import

            raise Refusal(NO_LEDGER)
        trial = find_trial(self._workspace, entry.fingerprint, entry.config_hash)
        return Candidate(
            **self.stamp(as_of, as_of),
            strategy_slug=entry.strategy_slug,
            text=entry.title,
            fingerprint=trial.fingerprint,
            config_hash=trial.config_hash,
            expression=trial.expression,
            data=trial.data,
            metric=entry.metric,
            score=entry.score,
            sharpe=trial.sharpe,
            n=trial.n,
            cites=tuple(dict.fromkeys(cites)),
        )

    def state(self, as_of: datetime | None = None) -> BookState:
        """What the book was, as it was known at a time; by default now.

        Raises
        ------
        Refusal
            ``damaged_state``.
        """
        return state_of(self._journal.recorded(), as_of or self.now())

    def attribution(self, since: datetime | None = None, until: datetime | None = None) -> Attribution:
        """Realised result by cited note: of what happened from ``since`` on, as known at ``until`` (now).

        Raises
        ------
        Refusal
            ``damaged_state``.
        """
        return attribution_of(self._journal.recorded(), since, until or self.now())

    def recent(
        self, limit: int = 20, strategy: str | None = None, *, as_of: datetime | None = None
    ) -> tuple[ProvenanceRow, ...]:
        """The newest rows of provenance, the last recorded first, of all strategies or of one.

        ``as_of`` leaves out what became known later.

        Raises
        ------
        Refusal
            ``damaged_state``.
        """
        known = (row for row in reversed(self._journal.rows()) if as_of is None or row.knowledge_ts <= as_of)
        fitting = (row for row in known if strategy in (None, row.strategy_slug))
        return tuple(row for row, _ in zip(fitting, range(limit), strict=False))

    def leaderboard(self) -> dict[str, Any]:
        """The candidates, JSON-ready, as ``leaderboard.json`` has them."""
        return leaderboard_of(self._journal.recorded())

    def refs(self) -> Mapping[str, str]:
        """Event ids of orders and fills by the name that they have elsewhere."""
        with self._journal.read() as history:
            return dict(history.refs)

    def event_names(self) -> Mapping[str, str]:
        """What each event was, such as ``decision``, by its id."""
        return {item.event.event_id: item.event.name for item in self._journal.recorded()}

    def strategy_of(self, event_id: str) -> str | None:
        """The strategy of a decision or of an order; None where there is neither."""
        with self._journal.read() as history:
            cause = history.decisions.get(event_id) or history.orders.get(event_id)
        return None if cause is None else cause.strategy_slug

    def _check_time(self, event: Event) -> None:
        if event.knowledge_ts > self.now():
            raise Refusal(BAD_EVENT, f"{event.name}: it lies in the future", where="event")

    def _drafts(self, event: Event, operator: Operator) -> list[Draft]:
        """The records of an event: its own, and of what is done for a reason its row of provenance."""
        made = [Draft("book_event", {**event.as_body(), "operator": operator.as_dict()})]
        if isinstance(event, (Registered, Promoted, Retired, Decision, Candidate)):
            made.append(self._citing.row(event, operator))
        return made


def _require(operator: Operator, kind: OperatorKind) -> None:
    if operator.kind != kind:
        doer = "a person" if kind == "human" else "an agent"
        raise Refusal(NOT_ALLOWED, f"this is for {doer} to do", where="operator")
