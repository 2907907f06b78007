"""Where a search stands, read from a briefing: what was tried, what leads, what is dead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final

from assay.brain._result import JobResult
from assay.brain.agent._criteria import unmet
from assay.brain.agent._types import Briefing, Direction
from assay.brain.search import TrialId, fingerprint
from assay.config import BrainAgentSettings

_DEAD: Final = 0.3
_LEADS: Final = 0.3
_PER_FAULT: Final = 0.1


class Standing:
    """What the results of a session amount to.

    Parameters
    ----------
    briefing : all that is known.
    settings : what an alpha has to reach.
    """

    def __init__(self, briefing: Briefing, settings: BrainAgentSettings) -> None:
        self._briefing = briefing
        self._settings = settings

    @cached_property
    def seen(self) -> frozenset[TrialId]:
        """All that was simulated or refused."""
        return frozenset(TrialId.of(result.proposal.request) for result in self._briefing.results)

    @cached_property
    def dead(self) -> frozenset[str]:
        """Structures, windows passed over, of which all that was tried failed or showed nothing."""
        best: dict[str, float] = {}
        for result in self._briefing.results:
            shape = fingerprint(result.proposal.request.regular, "windows")
            best[shape] = max(best.get(shape, 0.0), abs(result.sharpe or 0.0))
        return frozenset(shape for shape, sharpe in best.items() if sharpe < _DEAD)

    def score(self, result: JobResult) -> float:
        """How near a result is to the criteria: the lesser of its shares of Sharpe and fitness asked for,
        less a bit for each criterion that is unmet."""
        if result.sharpe is None or result.fitness is None:
            return float("-inf")
        settings = self._settings
        shares = (result.sharpe / settings.min_sharpe, result.fitness / settings.min_fitness)
        return min(shares) - _PER_FAULT * len(unmet(result, settings))

    @cached_property
    def by_direction(self) -> Mapping[str, tuple[JobResult, ...]]:
        """Results that completed, by the id of their direction."""
        found: dict[str, list[JobResult]] = {}
        for result in self._briefing.results:
            if result.sharpe is not None:
                found.setdefault(result.proposal.direction, []).append(result)
        return {name: tuple(results) for name, results in found.items()}

    def best(self, direction: str) -> JobResult | None:
        """The best result of a direction, the earliest of equal ones."""
        return max(self.by_direction.get(direction, ()), key=self.score, default=None)

    @cached_property
    def leaders(self) -> tuple[JobResult, ...]:
        """The best result of each direction that shows something, the best first."""
        found = [best for name in self.by_direction if (best := self.best(name)) is not None]
        leading = [result for result in found if (result.sharpe or 0.0) > _LEADS]
        return tuple(sorted(leading, key=self.score, reverse=True))

    def without_progress(self, direction: Direction) -> int:
        """Rounds of its own on end in which a direction did not get better."""
        return _since_best(self.by_direction.get(direction.id, ()), self.score)

    @cached_property
    def rounds_since_best(self) -> int:
        """Rounds on end in which nothing better came back."""
        return _since_best((r for r in self._briefing.results if r.sharpe is not None), self.score)


def _since_best(results: Iterable[JobResult], score: Callable[[JobResult], float]) -> int:
    by_round: dict[int, float] = {}
    for result in results:
        by_round[result.round] = max(by_round.get(result.round, float("-inf")), score(result))
    best, since = float("-inf"), 0
    for number in sorted(by_round):
        since = 0 if by_round[number] > best else since + 1
        best = max(best, by_round[number])
    return since
