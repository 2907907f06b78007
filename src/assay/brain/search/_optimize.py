"""Better settings for an expression: layer by layer, then jointly, within a budget of simulations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from assay.brain._limits import limits
from assay.brain._result import JobResult, Proposal
from assay.brain._settings import SettingsChoices, SimulationRequest, SimulationSettings
from assay.brain._sign import negated
from assay.brain.search._batch import Batch, BatchReport
from assay.brain.search._grid import LAYERS, SettingsGrid
from assay.brain.search._joint import Joint, Sampler, joint_search
from assay.config import BrainLevel

Goal = Literal["fitness", "sharpe"]
Stage = Literal["start", "flip", "layers", "joint", "done"]

ORIGIN: Final = "settings"
_OUT_OF_BOUNDS: Final = 10.0
"""Taken off the score of settings whose turnover is not within the limits: any within is better."""
_FAILED_CHECK: Final = 1.0
"""Taken off for each check that failed: such an alpha is not taken, however good its figure."""
_OF_FIGURES: Final = ("LOW_SHARPE", "LOW_FITNESS", "LOW_TURNOVER", "HIGH_TURNOVER")
"""Checks of what the score counts already."""


@dataclass(frozen=True, slots=True)
class OptimizeSettings:
    """What is optimised and for how long.

    Parameters
    ----------
    budget : simulations, the first one included.
    goal : the figure, as a share of what its delay wants.
    target : a score at which the search stops; 1.5 is half as much again as the limit. None: it goes on.
    patience : the joint search stops after this many tested settings without a gain of ``min_gain``.
    joint : whether there is a joint search after the layers.
    """

    budget: int = 60
    goal: Goal = "fitness"
    target: float | None = None
    patience: int = 15
    min_gain: float = 0.02
    joint: bool = True
    sampler: Sampler = "auto"
    seed: int = 0
    level: BrainLevel = "user"


@dataclass(frozen=True, slots=True)
class Tested:
    """Settings with what came of them; ``score`` None = the simulation failed, or has no such figure."""

    request: SimulationRequest
    result: JobResult
    score: float | None
    stage: Stage


class SettingsOptimizer:
    """Proposes settings and learns from results; whoever runs simulations drives it.

    ``ask`` gives proposals for as many slots as are free, none twice; ``tell`` takes results as they come.
    An empty answer means that results are awaited, or that the search is ``done``. Only what was tested is
    ever the best, and each layer starts from that.

    A first result with a negative Sharpe ratio is tried with the other sign; the search goes on with the
    better one.
    """

    def __init__(
        self,
        start: Proposal,
        choices: SettingsChoices,
        settings: OptimizeSettings | None = None,
    ) -> None:
        self.settings = settings or OptimizeSettings()
        self.tested: list[Tested] = []
        self.stage: Stage = "start"
        self.why = ""
        """Why it stopped."""
        self.best: Tested | None = None
        self._start = start
        self._text = start.request.regular
        self._grid = SettingsGrid.of(start.request.settings, choices)
        self._asked: dict[SimulationRequest, Stage] = {}
        self._waiting: set[SimulationRequest] = set()
        self._queue: list[SimulationRequest] = [start.request]
        self._layer = 0
        self._joint: Joint | None = None
        self._since_gain = 0

    @property
    def done(self) -> bool:
        return self.stage == "done"

    @property
    def spent(self) -> int:
        """Simulations that were asked for."""
        return len(self._asked)

    @property
    def sampler(self) -> str:
        """What searches jointly; empty before that."""
        return "" if self._joint is None else self._joint.name

    def ask(self, most: int = 1) -> tuple[Proposal, ...]:
        """At most ``most`` proposals, as the budget allows."""
        made: list[Proposal] = []
        while len(made) < most and not self.done and self.spent < self.settings.budget:
            request = self._next()
            if request is None:
                break
            self._asked[request] = self.stage
            self._waiting.add(request)
            made.append(
                replace(self._start, request=request, origin=ORIGIN, rationale=f"settings: {self.stage}")
            )
        self._maybe_stop()
        return tuple(made)

    def ask_round(self, slots: int) -> tuple[Proposal, ...]:
        """All of a layer, or as many joint proposals as there are slots: what one round is made of.

        Whoever tells all results of a round before asking for the next one gets the same search whatever
        the order in which they arrive.
        """
        first = self.ask(1)
        more = slots - 1 if self.stage == "joint" else len(self._queue)
        return first + self.ask(more) if first else ()

    def tell(self, results: Iterable[JobResult]) -> None:
        """Take results. One that nobody asked for teaches as well, if it is of this expression."""
        order = {request: place for place, request in enumerate(self._asked)}
        for result in sorted(results, key=lambda item: order.get(item.proposal.request, len(order))):
            request = result.proposal.request
            if request.regular != self._text and request not in self._asked:
                continue
            if any(item.request == request for item in self.tested):
                continue
            self._waiting.discard(request)
            self._learn(Tested(request, result, self._score(result), self._asked.get(request, self.stage)))
        self._maybe_stop()

    def forget(self, proposals: Iterable[Proposal]) -> None:
        """Proposals of which no result will come: they stay paid for and untested."""
        self._waiting -= {proposal.request for proposal in proposals}
        self._maybe_stop()

    # -- what is asked next

    def _next(self) -> SimulationRequest | None:
        while not self._queue and not self._waiting and self.stage != "joint" and not self.done:
            self._advance()
        while self._queue:
            request = self._queue.pop(0)
            if not self._known(request):
                return request
        if self.stage == "joint":
            return self._jointly()
        return None if self._waiting or self.done else self._next()

    def _advance(self) -> None:
        """On to the next stage; only from what was tested."""
        if self.best is None:
            self._stop("the expression gave no figures: " + self._failure())
        elif self.stage == "start" and (self.best.result.sharpe or 0.0) < 0:
            self.stage = "flip"
            self._queue = [self._flipped(self.best.request)]
        elif self._layer < len(LAYERS):
            self.stage, self._text = "layers", self.best.request.regular
            base, names = self.best.request.settings, LAYERS[self._layer]
            self._queue = [self._request(settings) for settings in self._grid.layer(names, base)]
            self._layer += 1
        elif self.settings.joint:
            self._begin_joint()
        else:
            self._stop("all layers are through")

    def _begin_joint(self) -> None:
        self.stage, self._since_gain = "joint", 0
        self._joint = joint_search(self._grid, self.settings.seed, self.settings.sampler)
        for item in self.tested:
            if item.request.regular == self._text:
                self._joint.tell(self._grid.place(item.request.settings), item.score)

    def _jointly(self) -> SimulationRequest | None:
        assert self._joint is not None
        if self._since_gain >= self.settings.patience:
            return None
        known = {*self._asked, *(item.request for item in self.tested)}
        tried = {
            tuple(self._grid.place(request.settings).values())
            for request in known
            if request.regular == self._text
        }
        place = self._joint.ask(tried)
        if place is None:
            if not self._waiting:
                self._stop(f"all {self._grid.size} settings are tested")
            return None
        return self._request(self._grid.at(place))

    # -- what is learned

    def _learn(self, tested: Tested) -> None:
        self.tested.append(tested)
        if self._joint is not None and tested.request.regular == self._text:
            self._joint.tell(self._grid.place(tested.request.settings), tested.score)
        before = None if self.best is None else self.best.score
        if tested.score is not None and (before is None or tested.score > before):
            self.best = tested
        gained = tested.score is not None and tested.score >= (before or 0.0) + self.settings.min_gain
        self._since_gain = 0 if gained else self._since_gain + 1

    def _score(self, result: JobResult) -> float | None:
        """The figure as a share of its limit, so that delays compare."""
        bounds = limits(self.settings.level, result.proposal.request.settings.delay)
        figure, limit = (
            (result.fitness, bounds.fitness)
            if self.settings.goal == "fitness"
            else (result.sharpe, bounds.sharpe)
        )
        if result.status != "completed" or figure is None:
            return None
        turnover = result.turnover
        within = turnover is not None and bounds.min_turnover <= turnover <= bounds.max_turnover
        failing = sum(name not in _OF_FIGURES for name in result.failing)
        return figure / limit - failing * _FAILED_CHECK - (0.0 if within else _OUT_OF_BOUNDS)

    def _maybe_stop(self) -> None:
        s, score = self.settings, None if self.best is None else self.best.score
        if self.done:
            return
        if s.target is not None and score is not None and score >= s.target:
            self._stop(f"the target of {s.target:g} is reached")
        elif self.stage == "joint" and self._since_gain >= s.patience and not self._waiting:
            self._stop(f"no gain of {s.min_gain:g} in {self._since_gain} settings")
        elif self.spent >= s.budget and not self._waiting:
            self._stop(f"the budget of {s.budget} simulations is spent")

    def _stop(self, why: str) -> None:
        self.stage, self.why = "done", why

    # -- requests

    def _request(self, settings: SimulationSettings) -> SimulationRequest:
        return self._start.request.model_copy(update={"settings": settings, "regular": self._text})

    def _known(self, request: SimulationRequest) -> bool:
        return request in self._asked or any(item.request == request for item in self.tested)

    def _flipped(self, request: SimulationRequest) -> SimulationRequest:
        return request.model_copy(update={"regular": negated(request.regular)})

    def _failure(self) -> str:
        last: Sequence[Any] = [item.result.failure for item in self.tested if item.result.failure]
        return str(last[-1].message) if last else "no answer came"


def optimize(batch: Batch, optimizer: SettingsOptimizer, slots: int) -> BatchReport | None:
    """Drive an optimiser to its end over a batch; the report of the round that had to pause, if one had.

    Results are told in rounds, so neither faults nor the order of arrival change the search.
    """
    while proposals := optimizer.ask_round(slots):
        report = batch.run(proposals)
        optimizer.tell(report.results)
        if report.stop == "paused":
            return report
        optimizer.forget(item.job.proposal for item in report.lost)
        optimizer.forget(report.unrun)
    return None
