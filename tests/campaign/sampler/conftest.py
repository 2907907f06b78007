from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.campaign import (
    MECHANISMS,
    Brief,
    Feedback,
    History,
    PlanContext,
    ProposeContext,
    RoundRecord,
    SlotPlan,
    TrialRecord,
    trial_id,
)
from assay.campaign.sampler import SamplerBackends, SamplerSpace
from assay.expr import FieldInfo, fingerprint, parse
from assay.market import STANDARD_FIELDS

NAMES = ("open", "high", "low", "close", "vwap", "volume", "amount", "returns", "cap", "equity", "industry")
FIELDS = {
    **{name: STANDARD_FIELDS[name] for name in NAMES},
    "raw_close": STANDARD_FIELDS["raw_close"],
    "factor": STANDARD_FIELDS["factor"],
    "news": FieldInfo("news", "vector", 0.0),
    "riddle": FieldInfo("riddle", "number", None),
}
BRIEF = Brief("", "", "", {}, (), MECHANISMS)

Round = Callable[..., RoundRecord]


@pytest.fixture(scope="session")
def space() -> SamplerSpace:
    return SamplerSpace(FIELDS)


@pytest.fixture(scope="session")
def play(space: SamplerSpace) -> Round:
    """Plays a round: plans, proposes, and gives each candidate figures that its text decides."""

    def one(
        history: History, *, seed: int = 5, slots: int = 12, backends: SamplerBackends | None = None,
        max_children: int = 100,
    ) -> RoundRecord:  # fmt: skip
        team = (backends or SamplerBackends(space)).team()
        number = len(history.rounds) + 1
        names = list(MECHANISMS)
        plans = tuple(SlotPlan(slot, names[slot * len(names) // slots]) for slot in range(slots))
        buildable = tuple(trial.id for trial in history.trials if trial.evaluated)
        feedback = Feedback(buildable=buildable)
        directions = team.planner.plan(PlanContext(number, seed, plans, BRIEF, feedback, history)).items
        context = ProposeContext(number, seed, 0, directions, BRIEF, feedback, history)
        candidates = {item.slot: item for item in team.proposer.propose(context).items}
        trials = []
        for item in directions:
            candidate = candidates.get(item.slot)
            trial = TrialRecord(
                trial_id(number, item.slot), number, item.slot, item, candidate, "no_candidate"
            )
            if candidate is not None:
                node = parse(candidate.expression, fields=FIELDS).node
                code = int(fingerprint(node)[:6], 16) / 16**6
                figures = {
                    "t": 6 * code, "rank_ic": 0.05 * code, "neutral_rank_ic": 0.04 * code, "turnover": 20.0
                }  # fmt: skip
                trial = replace(
                    trial,
                    outcome="admitted" if code > 0.8 else "rejected",
                    reason="" if code > 0.8 else "admission.t",
                    fingerprint=fingerprint(node),
                    figures=figures,
                )
            trials.append(trial)
        return RoundRecord(number, {}, {}, tuple(trials))

    return one


@pytest.fixture(scope="session")
def past(play: Round) -> History:
    """Four rounds."""
    history = History()
    for _ in range(4):
        history = History((*history.rounds, play(history, slots=48)))
    return history
