from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.campaign import (
    MECHANISMS,
    Candidate,
    Feedback,
    FixRequest,
    History,
    MemoryContext,
    PlanContext,
    ProposeContext,
    ReviewContext,
    RoundRecord,
    SlotPlan,
)
from assay.campaign.sampler import SamplerBackends, SamplerSpace
from assay.expr import Expression, check, parse

from .conftest import BRIEF, FIELDS

Round = Callable[..., RoundRecord]


def test_the_same_past_gives_the_same_round_whoever_asks(
    past: History, play: Round, space: SamplerSpace
) -> None:
    used = SamplerBackends(space)
    play(History(), backends=used)
    fresh = SamplerBackends(space)
    assert play(past, backends=used) == play(past, backends=fresh)
    assert play(past, seed=6) != play(past)


def test_a_run_of_many_rounds_proposes_valid_formulas_and_none_twice(past: History) -> None:
    seen: set[str] = set()
    for trial in past.trials:
        assert trial.candidate is not None
        verdict = check(trial.candidate.expression, fields=FIELDS, adjustment="refuse")
        assert isinstance(verdict.expression, Expression), trial.candidate.expression
        assert verdict.expression.signature not in seen
        seen.add(verdict.expression.signature)
        assert "riddle" not in trial.candidate.expression


def test_children_come_from_trials_that_may_be_built_on(past: History, play: Round) -> None:
    children = [trial for trial in play(past, slots=48).trials if trial.direction.kind != "new"]
    assert children
    for child in children:
        parent = past.trial(child.parent or "")
        assert parent is not None
        assert parent.evaluated
        assert (child.direction.kind == "mutation") == parent.admitted
        assert child.candidate is not None
        assert parent.candidate is not None
        assert child.candidate.expression != parent.candidate.expression


def test_without_feedback_every_direction_is_new(past: History, space: SamplerSpace) -> None:
    slots = tuple(SlotPlan(slot, "reversal") for slot in range(20))
    context = PlanContext(5, 1, slots, BRIEF, Feedback(), past, feedback_on=False)
    found = SamplerBackends(space).team().planner.plan(context).items
    assert [item.kind for item in found] == ["new"] * 20
    assert [item.slot for item in found] == list(range(20))


def test_a_claimed_slot_builds_on_its_parent(past: History, space: SamplerSpace) -> None:
    parent = next(trial for trial in past.trials if trial.admitted)
    slots = (SlotPlan(0, parent.mechanism, parent.id), SlotPlan(1, "liquidity"))
    context = PlanContext(5, 1, slots, BRIEF, Feedback(), past)
    first, second = SamplerBackends(space).team().planner.plan(context).items
    assert (first.kind, first.parent) == ("mutation", parent.id)
    assert (second.kind, second.parent) == ("new", None)


@pytest.mark.parametrize("cause", ["gate", "repeat"])
def test_what_comes_back_gets_another_formula(cause: str, past: History, space: SamplerSpace) -> None:
    team = SamplerBackends(space).team()
    slots = tuple(SlotPlan(slot, name) for slot, name in enumerate(MECHANISMS))
    directions = team.planner.plan(PlanContext(5, 1, slots, BRIEF, Feedback(), past)).items
    context = ProposeContext(5, 1, 0, directions, BRIEF, Feedback(), past)
    first = team.proposer.propose(context).items
    requests = [
        FixRequest(direction, candidate, cause, "candidate.duplicate", "")  # type: ignore[arg-type]
        for direction, candidate in zip(directions, first, strict=True)
    ]
    second = team.proposer.fix(context, requests).items
    assert [item.slot for item in second] == [item.slot for item in first]
    assert not {item.expression for item in first} & {item.expression for item in second}
    assert second == team.proposer.fix(context, requests).items
    third = team.proposer.fix(context, [replace(item, attempt=2) for item in requests]).items
    assert third != second


def test_a_formula_that_the_reviewer_sent_back_keeps_and_gets_words_of_its_own(
    past: History, space: SamplerSpace
) -> None:
    team = SamplerBackends(space).team()
    directions = team.planner.plan(
        PlanContext(5, 1, (SlotPlan(0, "reversal"),), BRIEF, Feedback(), past)
    ).items
    context = ProposeContext(5, 1, 0, directions, BRIEF, Feedback(), past)
    bad = Candidate(0, "x", "-ts_return(close, 5)", "falls with `volume`", "")
    review = team.reviewer.review(ReviewContext(5, 1, 0, (bad,), directions, BRIEF)).items[0]
    assert not review.consistent
    assert "volume" in review.reasons
    request = FixRequest(directions[0], bad, "review", "inconsistent", review.reasons)
    (mended,) = team.proposer.fix(context, [request]).items
    assert parse(mended.expression).fingerprint == parse(bad.expression).fingerprint
    assert team.reviewer.review(ReviewContext(5, 1, 0, (mended,), directions, BRIEF)).items[0].consistent


def test_its_own_candidates_are_consistent(past: History, space: SamplerSpace) -> None:
    candidates = tuple(trial.candidate for trial in past.trials if trial.candidate is not None)
    found = SamplerBackends(space).team().reviewer.review(ReviewContext(1, 1, 0, candidates, (), BRIEF))
    assert all(review.consistent for review in found.items)


def test_a_formula_of_another_space_is_told_to_the_reviewer(space: SamplerSpace) -> None:
    strange = Candidate(3, "x", "rank(dividend)", "", "")
    (review,) = SamplerBackends(space).team().reviewer.review(
        ReviewContext(1, 1, 0, (strange,), (), BRIEF)
    ).items  # fmt: skip
    assert (review.slot, review.consistent) == (3, False)


def test_memory_counts_all_trials_across_distillations(past: History, space: SamplerSpace) -> None:
    distiller = SamplerBackends(space).team().distiller
    first, rest = past.rounds[0].trials, tuple(t for r in past.rounds[1:] for t in r.trials)
    memory = distiller.distill(MemoryContext(2, "", first, (), BRIEF))
    assert memory is not None
    memory = distiller.distill(MemoryContext(5, memory, rest, (), BRIEF))
    assert memory is not None
    for name in MECHANISMS:
        own = [trial for trial in past.trials if trial.mechanism == name]
        counts = f"{len(own)} scored, {sum(trial.admitted for trial in own)} admitted"
        assert f"- {name}: {counts}" in memory
    assert distiller.distill(MemoryContext(6, memory, (), (), BRIEF)) is None


def test_chinese_is_spoken_where_it_is_asked_for(space: SamplerSpace) -> None:
    brief = replace(BRIEF, language="zh")
    context = PlanContext(1, 1, (SlotPlan(0, "reversal"),), brief, Feedback(), History())
    (direction,) = SamplerBackends(space).team().planner.plan(context).items
    assert "因子" in direction.text


def test_only_figures_of_the_training_segment_steer(past: History, play: Round) -> None:
    later = {"valid_rank_ic": 0.9, "eval_rank_ic": -0.9, "rank_ic_2021": 0.9}
    rounds = tuple(
        replace(
            one,
            trials=tuple(replace(trial, figures={**trial.figures, **later}) for trial in one.trials),
        )
        for one in past.rounds
    )
    told = play(History(rounds), slots=48)
    assert [trial.candidate for trial in told.trials] == [
        trial.candidate for trial in play(past, slots=48).trials
    ]
