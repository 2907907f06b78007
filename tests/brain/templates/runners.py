"""A runner whose results are a function of the expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.brain import Failure, JobResult, Proposal, Stats

Figures = Callable[[str], float | str | Stats | None]


def result(
    sharpe: float | None = None, *, fitness: float | None = None, turnover: float | None = 0.2, **more: Any
) -> JobResult:
    """A completed result; without a Sharpe ratio one that has no figure."""
    proposal = more.pop("proposal", None) or proposed("close")
    stats = Stats(sharpe=sharpe, fitness=sharpe if fitness is None else fitness, turnover=turnover)
    return JobResult("j0001", proposal, "completed", alpha="a", stats=stats, **more)


def failed(message: str, proposal: Proposal | None = None) -> JobResult:
    return JobResult("j0001", proposal or proposed("close"), "failed", failure=Failure(message))


def proposed(text: str, direction: str = "core") -> Proposal:
    from assay.brain import SimulationRequest

    return Proposal(SimulationRequest(regular=text), direction=direction)


@dataclass
class Scripted:
    """Figures by expression: a Sharpe ratio, a text = it fails with it, None = no answer comes."""

    figures: Figures
    batches: list[list[str]] = field(default_factory=list)

    def run(self, proposals: Sequence[Proposal]) -> tuple[JobResult, ...]:
        self.batches.append([proposal.request.regular for proposal in proposals])
        made = (self._result(proposal) for proposal in proposals)
        return tuple(item for item in made if item is not None)

    @property
    def ran(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    def _result(self, proposal: Proposal) -> JobResult | None:
        found = self.figures(proposal.request.regular)
        if found is None:
            return None
        if isinstance(found, str):
            return failed(found, proposal)
        if isinstance(found, Stats):
            return JobResult("j", proposal, "completed", alpha="a", stats=found)
        return result(found, proposal=proposal)
