"""One round, stage by stage: memory, quota, claims, plan, research, score, admission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.campaign._claim import claim
from assay.campaign._feedback import feedback
from assay.campaign._memory import memory_context, usable_memory
from assay.campaign._past import Past
from assay.campaign._ports import Count
from assay.campaign._records import AdmissionNote, GateNote
from assay.campaign._researcher import Desk, Researcher
from assay.campaign._scheduler import quota, slots
from assay.campaign._slot import Slot
from assay.campaign._trial_graph import TrialGraph, trial_graph
from assay.campaign._types import (
    Direction,
    Feedback,
    History,
    PlanContext,
    RoundRecord,
    SlotPlan,
    TriedTrials,
    trial_id,
)


@dataclass(frozen=True)
class Played:
    """What came of a round, before it is recorded."""

    record: RoundRecord
    gates: tuple[GateNote, ...]
    admissions: tuple[AdmissionNote, ...]
    count: Count | None


@dataclass
class Round:
    """The next round of a run."""

    desk: Desk
    history: History
    number: int = field(init=False)
    memory: str | None = field(default=None, init=False)
    feedback: Feedback = field(default_factory=Feedback, init=False)
    graph: TrialGraph | None = field(default=None, init=False)
    past: Past = field(init=False)

    def __post_init__(self) -> None:
        self.number = len(self.history.rounds) + 1

    def plan(self) -> PlannedRound:
        """The first half: memory, quota, claims, directions.

        Raises
        ------
        RoundDropped
            A stop came in mid-round.
        ProviderError, Refusal
            A service failed in another way.
        """
        with self.desk.stage(self.number, "memory"):
            self._distill()
        settings = self.desk.config.context
        tried = self.desk.judging if settings.theme_correlation is not None else None
        self.past = Past.of(self.history, self.desk.config, tried)
        shared = quota(self.desk.config, self.history, self.number)
        self.desk.events.tell("quota", round=self.number, quota=shared)
        claims = self._claims(slots(shared))
        with self.desk.stage(self.number, "plan"):
            work = self._plan(slots(shared, claims), tried)
        return PlannedRound(self, shared, claims, work)

    def _distill(self) -> None:
        desk = self.desk
        context = memory_context(self.history, self.number, desk.config, desk.brief)
        if context is None:
            return
        self.memory = usable_memory(desk.backends.team().distiller.distill(context))
        desk.events.tell("memory", round=self.number, kept_previous=self.memory is None)
        if self.memory is not None:
            self.history = replace(self.history, memory=self.memory, memory_round=self.number)

    def _claims(self, plans: Sequence[SlotPlan]) -> dict[int, str]:
        if not self.desk.config.round.picked_parents:
            return {}
        self.graph = trial_graph(self.past)
        return claim(plans, self.graph.picks, self.past.by_id)

    def _plan(self, plans: Sequence[SlotPlan], tried: TriedTrials | None) -> list[Slot]:
        desk = self.desk
        self.feedback = feedback(self.past, desk.config, desk.families)
        context = PlanContext(
            round=self.number,
            seed=desk.config.seed,
            slots=tuple(plans),
            brief=desk.brief,
            feedback=self.feedback,
            history=self.past.told(desk.config),
            feedback_on=desk.config.context.feedback,
            tried=tried if desk.config.context.feedback else None,
        )
        answer = desk.backends.team().planner.plan(context)
        given = {item.slot: item for item in answer.items}
        notes = {note.slot: note.text for note in answer.notes}
        work = [self._slot(plan, given.get(plan.slot), notes.get(plan.slot)) for plan in plans]
        claims = {str(plan.slot): plan.parent for plan in plans if plan.parent is not None}
        rows = [item.plan_row() for item in work]
        desk.events.tell("plan", round=self.number, claims=claims, slots=rows)
        return work

    def _slot(self, plan: SlotPlan, given: Direction | None, note: str | None) -> Slot:
        silent = note or "the planner gave none"
        fault = silent if given is None else self._fault(plan, given)
        if given is not None and not fault:
            return Slot(replace(given, parent=None) if given.kind == "new" else given)
        item = Slot(Direction(plan.slot, plan.mechanism, "new", "" if given is None else given.text))
        item.end("no_candidate", "no_direction", fault)
        return item

    def _fault(self, plan: SlotPlan, given: Direction) -> str:
        """What is wrong with a direction for its slot; empty where nothing is."""
        if given.mechanism != plan.mechanism:
            return f"it is of type {given.mechanism!r}; the slot is of {plan.mechanism!r}"
        if plan.parent is not None:
            fits = given.kind != "new" and given.parent == plan.parent
            return "" if fits else f"the slot belongs to {plan.parent}"
        if given.kind == "new":
            return ""
        if not self.desk.config.context.feedback:
            return "without feedback every direction is new"
        parent = None if given.parent is None else self.past.by_id.get(given.parent)
        if parent is None or parent.id not in self.feedback.buildable:
            return f"{given.parent!r} is no trial that a direction may build on"
        if given.kind == "mutation" and not parent.admitted:
            return f"{parent.id} was not accepted; only accepted factors are mutated"
        return ""


@dataclass
class PlannedRound:
    """A round whose slots have their directions."""

    before: Round
    quota: dict[str, int]
    claims: dict[int, str]
    slots: list[Slot]

    def play(self) -> Played:
        """The second half: research, score, admission.

        Raises
        ------
        RoundDropped, ProviderError, Refusal
            As :meth:`Round.plan`.
        """
        desk, number = self.before.desk, self.before.number
        researcher = Researcher(desk, number, self.before.past, self.before.feedback, self.slots)
        researcher.work()
        with desk.stage(number, "score"):
            admissions, count = self._score()
        trials = tuple(item.record(number) for item in self.slots)
        record = RoundRecord(number, self.quota, self.claims, trials, self.before.memory)
        return Played(record, tuple(researcher.gates), tuple(admissions), count)

    def _score(self) -> tuple[list[AdmissionNote], Count | None]:
        """All candidates in one batch, then admission one by one, in the order of slots: each is held
        against the pool that those before it have grown."""
        desk, number = self.before.desk, self.before.number
        ready = [(item, item.passed.expression) for item in self.slots if item.passed is not None]
        if not ready:
            return [], None
        found = desk.judging.score([expression for _, expression in ready])
        count = desk.count(number)
        notes = []
        for (item, _), scored in zip(ready, found, strict=True):
            name = trial_id(number, item.slot)
            item.score(scored)
            verdict = desk.judging.admit(scored, count)
            item.judge(verdict)
            desk.judging.remember(name, scored.expression)
            if desk.config.context.theme_correlation is not None:
                desk.judging.tried(name, scored)
            if verdict.admitted:
                desk.judging.join(name, scored)
            notes.append(AdmissionNote(name, item.slot, scored.expression.fingerprint, verdict))
            self._tell(item, name)
        return notes, count

    def _tell(self, item: Slot, name: str) -> None:
        assert item.scored is not None
        events, number = self.before.desk.events, self.before.number
        events.tell("evaluation", round=number, trial=name, figures=dict(item.scored.figures))
        events.tell(
            "admission", round=number, trial=name, admitted=item.outcome == "admitted", reason=item.reason
        )
