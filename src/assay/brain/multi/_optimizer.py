"""An optimiser: takes up what explorers found and varies its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from assay.brain._limits import limits
from assay.brain._result import JobResult, Proposal
from assay.brain._settings import SettingsChoices
from assay.brain.multi._agents import Board
from assay.brain.multi._queues import Side
from assay.brain.search import SETTINGS_ORIGIN, OptimizeSettings, SettingsOptimizer
from assay.config import BrainMultiSettings


class SettingsSearch(Protocol):
    """Searches settings for one expression; see :class:`assay.brain.search.SettingsOptimizer`."""

    @property
    def done(self) -> bool: ...

    def ask_round(self, slots: int) -> tuple[Proposal, ...]: ...

    def tell(self, results: Iterable[JobResult]) -> None: ...

    def forget(self, proposals: Iterable[Proposal]) -> None: ...


NewSearch = Callable[[Proposal], SettingsSearch]


def by_layers(choices: SettingsChoices, config: BrainMultiSettings, seed: int = 0) -> NewSearch:
    """The search without a model: layers of settings, then jointly."""

    def new(start: Proposal) -> SettingsSearch:
        bound = limits(delay=start.request.settings.delay).sharpe
        wanted = OptimizeSettings(
            budget=config.simulations, goal="sharpe", target=config.target_sharpe / bound, seed=seed
        )
        return SettingsOptimizer(start, choices, wanted)

    return new


@dataclass
class Optimizer:
    """Takes the best of the board that nobody has taken, works on it for some rounds, and takes the next.

    Parameters
    ----------
    new_search : makes the search for an expression.
    slots : how many joint proposals a round of it has.
    """

    name: str
    board: Board
    new_search: NewSearch
    slots: int
    config: BrainMultiSettings
    side: Side = "optimizer"
    rounds: int = 0
    note: str = ""
    _search: SettingsSearch | None = None
    _spent: int = 0
    _asked: tuple[Proposal, ...] = ()

    def ask(self) -> tuple[Proposal, ...]:
        """The next settings of its expression, or the first ones of another; empty where there is none."""
        while True:
            if self._search is None and not self._take_up():
                return ()
            assert self._search is not None
            asked = self._search.ask_round(self.slots)
            if asked:
                self.rounds += 1
                self._spent += 1
                self._asked = asked
                return tuple(replace(item, direction=f"{self.name}:{item.direction}") for item in asked)
            self._search = None

    def tell(self, results: Sequence[JobResult | None]) -> None:
        """The results of the settings that it asked for, in order."""
        assert self._search is not None
        pairs = list(zip(self._asked, results, strict=True))
        self._search.forget([proposal for proposal, result in pairs if result is None])
        self._search.tell(
            replace(result, proposal=proposal) for proposal, result in pairs if result is not None
        )
        if self._search.done or self._spent >= self.config.max_optimizer_rounds:
            self._search = None

    def _take_up(self) -> bool:
        found = self.board.claim(self.config.min_sharpe_for_optimization, SETTINGS_ORIGIN)
        if found is None:
            return False
        self._spent = 0
        self._search = self.new_search(found.proposal)
        self._search.tell([found])
        return True
