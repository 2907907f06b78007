"""Briefings as an engine would write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.brain import Check, JobResult, Proposal, SimulationRequest, SimulationSettings, Stats
from assay.brain.agent._criteria import best_of
from assay.brain.agent._types import Briefing, Direction, NewDirection, Research
from assay.config import BrainAgentSettings

SETTINGS = BrainAgentSettings()
PASSED = (Check(name="LOW_SHARPE", result="PASS"),)


def briefing(idea: str = "Momentum combined with low volatility", **changed: Any) -> Briefing:
    given: dict[str, Any] = {
        "idea": idea, "phase": "creative", "round": 1, "research": Research(""), "directions": (),
        "results": (), "latest": (), "knowledge": (), "remarks": (), "remaining": 60,
        "settings": SimulationSettings(),
    }  # fmt: skip
    return Briefing(**{**given, **changed})


def result(
    job: str,
    text: str,
    direction: str = "d1",
    sharpe: float | None = 0.5,
    *,
    fitness: float | None = None,
    turnover: float = 0.2,
    round: int = 1,
    checks: tuple[Check, ...] = PASSED,
    settings: SimulationSettings | None = None,
) -> JobResult:
    request = SimulationRequest(settings=settings or SimulationSettings(), regular=text)
    proposal = Proposal(request, direction)
    if sharpe is None:
        return JobResult(job, proposal, "failed", round=round)
    figures = Stats(sharpe=sharpe, fitness=sharpe if fitness is None else fitness, turnover=turnover)
    return JobResult(job, proposal, "completed", "a" + job, figures, checks, round=round)


def improving(results: Sequence[JobResult], directions: Sequence[Direction], **changed: Any) -> Briefing:
    last = max(item.round for item in results)
    latest = tuple(item for item in results if item.round == last)
    given = briefing(
        phase="improvement", round=last + 1, results=tuple(results), latest=latest,
        directions=tuple(directions), best=best_of(results, SETTINGS),
    )  # fmt: skip
    return replace(given, **changed)


def opened(new: Sequence[NewDirection]) -> tuple[tuple[Direction, ...], tuple[Proposal, ...]]:
    """Directions with ids, and their proposals, as an engine takes them in."""
    directions, proposals = [], []
    for number, item in enumerate(new, 1):
        name = f"d{number}"
        directions.append(Direction(name, item.hypothesis, item.target_check, item.approach, 1, 1))
        proposals += [replace(proposal, direction=name) for proposal in item.proposals]
    return tuple(directions), tuple(proposals)
