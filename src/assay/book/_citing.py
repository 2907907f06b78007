from __future__ import annotations

from collections.abc import Mapping

from assay.base import Operator
from assay.book._events import Act, Candidate, time_text
from assay.ledger import Draft, Ledger
from assay.notes import NoteStore
from assay.provenance import CitationKind, Resolver, default_resolvers, draft


class Citing:
    """Makes rows of provenance: citations are resolved before anything is written.

    Parameters
    ----------
    book : the book's ledger, which knows the agents that have entered candidates.
    notes : the notes that may be cited.
    workspace : the ledger of certificates, and of other agents.
    """

    def __init__(self, book: Ledger, notes: NoteStore | None, workspace: Ledger | None) -> None:
        self._book, self._notes, self._workspace = book, notes, workspace

    def row(self, event: Act | Candidate, operator: Operator) -> Draft:
        """The row of an act.

        Raises
        ------
        CitationRefused
            ``bad_citation``, ``unresolved_citation``, ``uncited``.
        """
        details = {
            "event_id": event.event_id,
            "exchange_ts": time_text(event.exchange_ts),
            "knowledge_ts": time_text(event.knowledge_ts),
            "strategy_slug": event.strategy_slug,
        }
        return draft(
            self._book,
            operator,
            f"{event.name}:{event.strategy_slug}",
            citations=event.cites,
            details=details,
            resolvers=self._resolvers(operator),
        )

    def _resolvers(self, operator: Operator) -> Mapping[CitationKind, Resolver]:
        here = default_resolvers(self._book, self._notes)
        there = default_resolvers(self._workspace or self._book)

        def agent(target: str) -> bool:
            # the row itself makes its own agent known
            return target == operator.identifier or here["agent"](target) or there["agent"](target)

        return {"note": here["note"], "agent": agent, "certificate": there["certificate"]}
