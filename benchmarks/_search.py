"""One way to run a search on the training segment at an equal budget: gate, scores and admission.

A *trial* is a distinct formula that was scored. Random search and the sampler of :mod:`assay.campaign` go
through :func:`search` unchanged but for who proposes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from assay.base import generator
from assay.campaign import (
    Brief,
    CampaignConfig,
    Candidate,
    Feedback,
    History,
    PlanContext,
    ProposeContext,
    QuotaSettings,
    RoundRecord,
    TrialRecord,
    trial_id,
)
from assay.campaign._judging import figures_of
from assay.campaign._scheduler import quota, slots
from assay.campaign.sampler import SamplerBackends, SamplerSpace
from assay.expr import Expression, Space, sample, to_text
from assay.judge.training import AdmissionRule, CandidateGate, Pool, TrainingJudge, TrainingScore, admit

SLOTS = 48
LEAST_N = 100
"""Trials that the deflation counts at least: the first of a search are not the only ones of it."""


@dataclass
class Found:
    """What a search left."""

    scores: list[TrainingScore] = field(default_factory=list)
    admitted: list[TrainingScore] = field(default_factory=list)
    history: History = field(default_factory=History)
    proposed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)


class Strategy(Protocol):
    """Proposes formulas for a round."""

    def propose(self, number: int, history: History) -> Sequence[tuple[TrialRecord, str]]:
        """Slots that are not yet decided, each with its formula."""
        ...


@dataclass(frozen=True)
class SamplerStrategy:
    """The sampler of the campaign, by its own quota, planner and proposer."""

    backends: SamplerBackends
    config: CampaignConfig
    brief: Brief

    @classmethod
    def of(cls, judge: TrainingJudge, seed: int) -> SamplerStrategy:
        """With the default mechanism types."""
        config = CampaignConfig(seed=seed, quota=QuotaSettings(slots=SLOTS))
        brief = Brief("", "", "", {}, (), config.mechanisms)
        return cls(SamplerBackends(SamplerSpace(judge.fields)), config, brief)

    def propose(self, number: int, history: History) -> Sequence[tuple[TrialRecord, str]]:
        """One round's slots."""
        team, seed = self.backends.team(), self.config.seed
        shared = quota(self.config, history, number)
        feedback = Feedback(buildable=tuple(trial.id for trial in history.trials if trial.evaluated))
        plan = PlanContext(number, seed, slots(shared), self.brief, feedback, history)
        directions = team.planner.plan(plan).items
        context = ProposeContext(number, seed, 0, directions, self.brief, feedback, history)
        by_slot = {item.slot: item for item in directions}
        return [
            (_open(number, by_slot[candidate.slot], candidate), candidate.expression)
            for candidate in team.proposer.propose(context).items
        ]


@dataclass(frozen=True)
class RandomStrategy:
    """Typed random formulas; ``invariant`` False: whatever the adjustment factor does to them."""

    space: Space
    seed: int

    def propose(self, number: int, history: History) -> Sequence[tuple[TrialRecord, str]]:
        """One round's slots."""
        found = []
        for slot in range(SLOTS):
            text = to_text(sample(generator(self.seed, "random", number, slot), self.space), "core")
            found.append((_open(number, _direction(slot), Candidate(slot, "random", text)), text))
        return found


def search(
    judge: TrainingJudge,
    strategy: Strategy,
    rule: AdmissionRule,
    budget: int,
    *,
    tell: Callable[[int, int], None] | None = None,
    gate: CandidateGate | None = None,
) -> Found:
    """Propose, gate, score and admit in rounds until ``budget`` formulas were scored."""
    found, pool = Found(), Pool()
    gate = gate or CandidateGate(judge)
    rounds: list[RoundRecord] = []
    while len(found.scores) < budget:
        number = len(rounds) + 1
        clock = _Clock(found.seconds)
        proposals = strategy.propose(number, found.history)
        clock.lap("propose")
        verdicts = gate.check_many([text for _, text in proposals])
        clock.lap("gate")
        passed = [one.expression for one in verdicts if one.passed][: budget - len(found.scores)]
        scores = dict(zip([one.fingerprint for one in passed], judge.score(passed), strict=True))
        clock.lap("score")
        trials = []
        for (trial, _), verdict in zip(proposals, verdicts, strict=True):
            if not verdict.passed:
                found.proposed += 1
                found.refused[verdict.reason.code] += 1
                trials.append(_closed(trial, "gate_refused", verdict.reason.code, verdict.expression))
                continue
            score = scores.get(verdict.expression.fingerprint)
            if score is None:
                continue
            found.proposed += 1
            found.scores.append(score)
            gate.add("run", trial.id, verdict.expression)
            decision = admit(score, pool, rule, max(LEAST_N, len(found.scores)))
            reason = "" if decision.admitted else decision.reasons[0].code
            found.rejected[reason or "admitted"] += 1
            if decision.admitted:
                pool = pool.grown(trial.id, score)
                found.admitted.append(score)
            outcome = "admitted" if decision.admitted else "rejected"
            trials.append(_closed(trial, outcome, reason, verdict.expression, figures_of(score)))
        clock.lap("admit")
        rounds.append(RoundRecord(number, {}, {}, tuple(trials)))
        found.history = History(tuple(rounds))
        if tell is not None:
            tell(len(found.scores), len(found.admitted))
    return found


class _Clock:
    def __init__(self, seconds: Counter[str]) -> None:
        self._seconds, self._last = seconds, time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._seconds[name] += now - self._last
        self._last = now


def _direction(slot: int):
    from assay.campaign import Direction

    return Direction(slot, "random", "new", "")


def _open(number: int, direction, candidate: Candidate) -> TrialRecord:
    return TrialRecord(
        trial_id(number, direction.slot), number, direction.slot, direction, candidate, "no_candidate"
    )


def _closed(
    trial: TrialRecord,
    outcome,
    reason: str,
    expression: Expression | None,
    measured: Mapping[str, float | None] | None = None,
) -> TrialRecord:
    from dataclasses import replace

    return replace(
        trial,
        outcome=outcome,
        reason=reason,
        fingerprint=None if expression is None else expression.fingerprint,
        figures=measured or {},
    )
