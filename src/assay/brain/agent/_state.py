"""The state of a session: a fold over its ``round`` records, in a live run and in a resumed one alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.brain._codec import from_json
from assay.brain._fingerprint import TrialId, fingerprint
from assay.brain._flight import Job
from assay.brain._result import JobResult
from assay.brain.agent._criteria import best_of, unmet
from assay.brain.agent._directions import after_round, improved, share_remarks
from assay.brain.agent._open_round import OpenRound
from assay.brain.agent._types import (
    Briefing,
    Direction,
    Funnel,
    KnowledgeEntry,
    Phase,
    Research,
    RoundLine,
    Task,
)
from assay.config import BrainAgentSettings


@dataclass
class Counters:
    """Of the phase: its rounds; those on end without a better Sharpe ratio, or that ran nothing.

    Reset at each switch.
    """

    rounds: int = 0
    stagnation: int = 0
    empty: int = 0


@dataclass
class State:
    """Where a session stands.

    ``asked_for`` is the task as the user gave it; ``task`` has the idea that was found for it.
    ``best_sharpe`` is None until a simulation came back, and may be negative. ``since_best`` counts rounds
    on end without a better one, over phases. ``structures`` are those of the submissions since the session
    began or a plateau was left; ``plateaus`` counts plateaus on end without a better Sharpe ratio.
    """

    settings: BrainAgentSettings
    asked_for: Task = field(default_factory=Task)
    task: Task = field(default_factory=Task)
    phase: Phase = "discovery"
    round: int = 0
    research: Research = field(default_factory=lambda: Research(""))
    directions: dict[str, Direction] = field(default_factory=dict)
    results: list[JobResult] = field(default_factory=list)
    latest: tuple[JobResult, ...] = ()
    keys: dict[TrialId, str] = field(default_factory=dict)
    knowledge: tuple[KnowledgeEntry, ...] = ()
    added: list[KnowledgeEntry] = field(default_factory=list)
    remarks: tuple[str, ...] = ()
    critique: str = ""
    open: OpenRound | None = None
    lines: list[RoundLine] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)
    best_sharpe: float | None = None
    since_best: int = 0
    structures: list[str] = field(default_factory=list)
    plateaus: int = 0
    overrides: int = 0
    simulations: int = 0
    numbered: int = 0
    funnel: Funnel = field(default_factory=Funnel)

    @classmethod
    def of(cls, bodies: Iterable[Mapping[str, Any]], settings: BrainAgentSettings) -> State:
        """The state that records lead to."""
        state = cls(settings)
        for body in bodies:
            state.apply(body)
        return state

    def apply(self, body: Mapping[str, Any]) -> None:
        """Take in one record."""
        known: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "begun": self._begun,
            "idea": self._idea,
            "researched": self._researched,
            "asked": self._asked,
            "result": self._result,
            "given_up": self._given_up,
            "done": self._done,
            "checked": self._checked,
            "critique": self._critique,
            "ended": self._ended,
        }
        known[body["outcome"]](body)

    @property
    def opened(self) -> OpenRound:
        """The round that is open.

        Raises
        ------
        ValueError
            None is: the records are out of order.
        """
        if self.open is None:
            raise ValueError(f"after round {self.round} no round is open")
        return self.open

    @property
    def remaining(self) -> int:
        """Simulations that the budget has left."""
        return self.settings.simulations - self.simulations

    @property
    def best(self) -> JobResult | None:
        """The alpha to show; see :func:`best_of`."""
        return best_of(self.results, self.settings)

    def funnel_with_good(self) -> Funnel:
        """How many got how far."""
        completed = [result for result in self.results if result.status == "completed"]
        least = self.settings.min_sharpe
        return replace(
            self.funnel,
            above_minimum=sum(result.sharpe is not None and result.sharpe >= least for result in completed),
            all_checks=sum(not unmet(result, self.settings) for result in completed),
        )

    def briefing(self) -> Briefing:
        """What a policy is told."""
        return Briefing(
            idea=self.task.idea,
            phase=self.phase,
            round=self.round + 1,
            research=self.research,
            directions=tuple(self.directions.values()),
            results=tuple(self.results),
            latest=self.latest,
            knowledge=(*self.knowledge, *self.added),
            remarks=self.remarks,
            critique=self.critique,
            expression=self.task.expression,
            remaining=self.remaining,
            best=self.best,
            data_set=self.task.data_set,
            settings=self.task.settings,
        )

    def _begun(self, body: Mapping[str, Any]) -> None:
        self.task = self.asked_for = from_json(Task, body["task"])
        self.critique = self.task.critique
        self.knowledge = tuple(from_json(KnowledgeEntry, item) for item in body["knowledge"])
        self.phase = "research" if self.task.idea or self.task.expression else "discovery"

    def _idea(self, body: Mapping[str, Any]) -> None:
        self.task = replace(self.task, idea=body["idea"])
        self.knowledge = tuple(from_json(KnowledgeEntry, item) for item in body["knowledge"])
        self.phase = "research"

    def _researched(self, body: Mapping[str, Any]) -> None:
        self.research = from_json(Research, body["research"])
        self.phase = "creative"

    def _asked(self, body: Mapping[str, Any]) -> None:
        asked = self.open = OpenRound.of(body)
        self.round = asked.number
        if asked.number > 1 or not self.task.expression:
            self.critique = ""  # the round of a given expression asks no policy, so nobody heard it
        for item in body["directions"]:
            direction = from_json(Direction, item)
            self.directions[direction.id] = direction
        for name in body["abandoned"]:
            self.directions[name] = replace(self.directions[name], abandoned=True)
        self.directions = improved(self.directions, asked)
        self.added += [from_json(KnowledgeEntry, item) for item in body["knowledge"]]
        self.overrides += asked.converged
        self.numbered += len(asked.jobs) + len(asked.invalid)
        self.simulations += len(asked.jobs)
        for job in asked.jobs:
            self._submitted(job)
        self.funnel = replace(
            self.funnel,
            proposed=self.funnel.proposed + body["proposed"],
            invalid=self.funnel.invalid + len(asked.invalid),
            duplicate=self.funnel.duplicate + body["duplicates"],
        )

    def _result(self, body: Mapping[str, Any]) -> None:
        before = len(self.opened.jobs)
        result = self.opened.take(body)
        for job in self.opened.jobs[before:]:
            self._submitted(job)
            self.numbered += 1
            self.simulations += 1
            self.funnel = replace(self.funnel, proposed=self.funnel.proposed + 1)
        done = result.status == "completed"
        self.funnel = replace(
            self.funnel, simulated=self.funnel.simulated + done, failed=self.funnel.failed + (not done)
        )

    def _given_up(self, body: Mapping[str, Any]) -> None:
        self.opened.given_up.append(body["job"])
        self.opened.remarks = (*self.opened.remarks, body["message"])

    def _done(self, _: Mapping[str, Any]) -> None:
        done, self.open = self.opened, None
        self.latest = done.latest
        self.results += done.latest
        self.directions = after_round(self.directions, done)
        better = self._take_best(done)
        self.since_best = 0 if better else self.since_best + 1
        self.plateaus = 0 if better else self.plateaus
        self.remarks = done.remarks
        self._switch(done, better)
        self.lines.append(self._line(done))

    def _checked(self, body: Mapping[str, Any]) -> None:
        found = from_json(JobResult, body["result"])
        self.results = [found if result.job == found.job else result for result in self.results]

    def _critique(self, body: Mapping[str, Any]) -> None:
        self.critique = body["text"]

    def _ended(self, body: Mapping[str, Any]) -> None:
        self.added += [from_json(KnowledgeEntry, item) for item in body.get("knowledge", ())]
        self.phase = "done"

    def _submitted(self, job: Job) -> None:
        self.keys[TrialId.of(job.proposal.request)] = job.id
        self.structures.append(fingerprint(job.proposal.request.regular, "windows"))

    def _take_best(self, done: OpenRound) -> bool:
        """Whether the round has a Sharpe ratio strictly greater than all before."""
        sharpes = [result.sharpe for result in done.results.values() if result.sharpe is not None]
        if not sharpes or (self.best_sharpe is not None and max(sharpes) <= self.best_sharpe):
            return False
        self.best_sharpe = max(sharpes)
        return True

    def _switch(self, done: OpenRound, better: bool) -> None:
        self.counters.rounds += 1
        self.counters.stagnation = 0 if better else self.counters.stagnation + 1
        self.counters.empty = 0 if done.jobs else self.counters.empty + 1
        if done.phase == "creative":
            if done.jobs:
                self._enter("improvement")
            return
        self.remarks += share_remarks(self.directions.values(), self.settings)
        why = self._why_creative(done)
        if why:
            self._enter("creative")
            self.remarks += (f"{why}: open new directions",)

    def _why_creative(self, done: OpenRound) -> str:
        """Why an improvement phase ends; empty while it goes on."""
        settings = self.settings
        if done.converged:
            return "the criteria are not met, so the session has not converged"
        if all(direction.abandoned for direction in self.directions.values()):
            return "all directions are abandoned"
        if self.counters.rounds >= settings.improvement_rounds:
            return f"{self.counters.rounds} rounds of improvement are over"
        if self.counters.stagnation >= settings.stagnation_rounds:
            return f"{self.counters.stagnation} rounds brought no better Sharpe ratio"
        if self._plateau():
            self.structures.clear()
            self.plateaus += 1
            return f"the last {settings.plateau_submissions} submissions were nearly alike"
        return ""

    def _plateau(self) -> bool:
        latest = self.structures[-self.settings.plateau_submissions :]
        return (
            len(latest) >= self.settings.plateau_submissions
            and len(set(latest)) <= self.settings.plateau_unique
        )

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self.counters = Counters()

    def _line(self, done: OpenRound) -> RoundLine:
        completed = sum(result.status == "completed" for result in done.results.values())
        failed = len(done.latest) - completed
        return RoundLine(
            done.number, done.phase, len(done.jobs), completed, failed, self.best_sharpe, done.note
        )
