"""Agents from a list, and a runner whose results are a function of the expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.brain import JobResult, Proposal, SimulationRequest, SimulationSettings, Stats
from assay.brain.multi import Side

Figures = Callable[[SimulationRequest], float | None]


def proposal(text: str, direction: str = "", **settings: Any) -> Proposal:
    request = SimulationRequest(regular=text, settings=SimulationSettings(**settings))
    return Proposal(request, direction=direction, origin="hypothesis")


@dataclass
class Listed:
    """Asks for the batches of a list, one after the other."""

    name: str
    batches: Sequence[Sequence[Proposal]]
    side: Side = "explorer"
    rounds: int = 0
    note: str = ""
    told: list[tuple[JobResult | None, ...]] = field(default_factory=list)

    def ask(self) -> tuple[Proposal, ...]:
        assert len(self.told) == self.rounds, "asked before all results were told"
        if self.rounds == len(self.batches):
            return ()
        self.rounds += 1
        return tuple(self.batches[self.rounds - 1])

    def tell(self, results: Sequence[JobResult | None]) -> None:
        assert [r.proposal.request for r in results if r] == [
            p.request for p, r in zip(self.batches[self.rounds - 1], results, strict=True) if r
        ]
        self.told.append(tuple(results))


@dataclass
class Scripted:
    """Results by request; None = no answer."""

    figures: Figures = lambda request: 0.5
    batches: list[list[SimulationRequest]] = field(default_factory=list)

    def run(self, proposals: Sequence[Proposal]) -> tuple[JobResult, ...]:
        self.batches.append([item.request for item in proposals])
        return tuple(made for item in proposals if (made := self._result(item)) is not None)

    @property
    def ran(self) -> list[SimulationRequest]:
        return [request for batch in self.batches for request in batch]

    def _result(self, item: Proposal) -> JobResult | None:
        sharpe = self.figures(item.request)
        if sharpe is None:
            return None
        stats = Stats(sharpe=sharpe, fitness=sharpe, turnover=0.2)
        return JobResult(f"j{len(self.ran)}", item, "completed", alpha="a", stats=stats)
