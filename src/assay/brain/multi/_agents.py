"""What the orchestrator wants of an agent, and what the agents share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from assay.brain._result import JobResult, Proposal
from assay.brain.multi._queues import Side
from assay.brain.search import TrialId, fingerprint


class SearchAgent(Protocol):
    """Asks for simulations in batches, and is told all results of a batch before it asks again.

    Its answers depend on what it was told and on the board alone, never on the time.
    """

    @property
    def name(self) -> str: ...

    @property
    def side(self) -> Side: ...

    @property
    def rounds(self) -> int:
        """Batches that it asked for."""
        ...

    @property
    def note(self) -> str:
        """Why it has nothing more to ask for; empty while it may."""
        ...

    def ask(self) -> tuple[Proposal, ...]:
        """The next batch; empty when it has nothing to ask for now."""
        ...

    def tell(self, results: Sequence[JobResult | None]) -> None:
        """The results of its last batch in order; None where no platform gave an answer."""
        ...


@dataclass
class Board:
    """Results of all agents in the order in which they were recorded, each simulation once."""

    results: list[JobResult] = field(default_factory=list)
    _by_key: dict[TrialId, JobResult] = field(default_factory=dict)
    _claimed: set[str] = field(default_factory=set)

    def add(self, results: Sequence[JobResult]) -> None:
        """Take results; what is there already stays."""
        for result in results:
            if self._by_key.setdefault(TrialId.of(result.proposal.request), result) is result:
                self.results.append(result)

    def get(self, proposal: Proposal) -> JobResult | None:
        """The result of the same simulation, whoever asked for it."""
        return self._by_key.get(TrialId.of(proposal.request))

    def claim(self, least: float, origin: str) -> JobResult | None:
        """The result with the largest Sharpe ratio of either sign that nobody has claimed, from ``least`` on.

        Results that came of ``origin`` are left out; an expression that differs by a factor alone, its sign
        included, counts as claimed.
        """
        free = [
            result
            for result in self.results
            if result.sharpe is not None
            and abs(result.sharpe) >= least
            and result.proposal.origin != origin
            and _shape(result) not in self._claimed
        ]
        best = max(free, key=lambda result: abs(result.sharpe or 0.0), default=None)
        if best is not None:
            self._claimed.add(_shape(best))
        return best

    @property
    def best(self) -> JobResult | None:
        """The result with the largest Sharpe ratio; of those without a failing check, if there are any."""
        scored = [result for result in self.results if result.sharpe is not None]
        return max(scored, key=lambda item: (not item.failing, item.sharpe or 0.0), default=None)


def _shape(result: JobResult) -> str:
    return fingerprint(result.proposal.request.regular, "scale")
