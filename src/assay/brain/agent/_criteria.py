"""When an alpha is good enough, and how good it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from assay.brain._limits import grade
from assay.brain._result import JobResult
from assay.brain.agent._types import Level
from assay.config import BrainAgentSettings

_LEVELS: Final[dict[str, Level]] = {
    "GOOD": "good",
    "EXCELLENT": "excellent",
    "SPECTACULAR": "spectacular",
}


def unmet(result: JobResult, settings: BrainAgentSettings) -> tuple[str, ...]:
    """The criteria that an alpha does not meet: figures by name, checks by theirs.

    A check without an answer is unmet as ``NAME pending``; an alpha whose checks nobody has seen is unmet
    too. A warning is no failure.
    """
    if result.status != "completed":
        return ("simulation",)
    found = [name for name, met in _figures(result, settings) if not met]
    found += result.failing
    found += [f"{name} pending" for name in result.pending]
    return tuple(found) if result.checks else (*found, "checks")


def good_figures(result: JobResult, settings: BrainAgentSettings) -> bool:
    """Whether nothing but answers to checks is missing."""
    return not result.failing and all(met for _, met in _figures(result, settings))


def _figures(result: JobResult, settings: BrainAgentSettings) -> tuple[tuple[str, bool], ...]:
    sharpe, fitness, turnover = result.sharpe, result.fitness, result.turnover
    within = turnover is not None and settings.min_turnover <= turnover <= settings.max_turnover
    return (
        ("sharpe", sharpe is not None and sharpe >= settings.min_sharpe),
        ("fitness", fitness is not None and fitness >= settings.min_fitness),
        ("turnover", within),
    )


def level_of(result: JobResult | None, settings: BrainAgentSettings) -> Level:
    """How good an alpha is: ``none`` while a criterion is unmet, then by the platform's grades of fitness."""
    if result is None or unmet(result, settings):
        return "none"
    return _LEVELS.get(grade(result.fitness, result.proposal.request.settings.delay), "minimum")


def best_of(results: Iterable[JobResult], settings: BrainAgentSettings) -> JobResult | None:
    """The alpha that a session has to show: with the fewest unmet criteria, of those the greatest Sharpe
    ratio; the earliest of equal ones."""
    known = [result for result in results if result.sharpe is not None]
    return max(known, key=lambda result: (-len(unmet(result, settings)), result.sharpe), default=None)
