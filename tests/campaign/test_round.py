"""The stages of a round, one clause after the other, with scripted backends."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.campaign._campaign import CampaignResult
from assay.campaign._settings import CampaignConfig, StopSettings
from assay.campaign._types import (
    Candidate,
    Candidates,
    Direction,
    Directions,
    FixRequest,
    History,
    MemoryContext,
    Note,
    PlanContext,
    ProposeContext,
    Review,
    ReviewContext,
    Reviews,
)

from . import desk
from .desk import Script, config, formula


def plain(**changes: Any) -> CampaignConfig:
    """Four slots, one group, no parents, no themes."""
    made = config(**changes)
    return replace(
        made,
        round=replace(made.round, picked_parents=False, groups=1),
        context=replace(made.context, send_back_repeats=False, theme_correlation=None),
        stop=StopSettings(max_rounds=1),
    )


def run(tmp_path: Path, script: Script, chosen: CampaignConfig | None = None) -> CampaignResult:
    place = desk.Place(tmp_path)
    return place.campaign(place.setup(chosen or plain(), backends=script.backends)).run()


def asked(script: Script, name: str) -> list[Any]:
    return [arguments for called, arguments in script.asked if called == name]


# plan


def test_the_planner_gets_every_slot_once_and_one_direction_each(tmp_path: Path) -> None:
    script = Script()
    result = run(tmp_path, script)
    ((context,),) = asked(script, "plan")
    assert [plan.slot for plan in context.slots] == [0, 1, 2, 3]
    assert [trial.direction.slot for trial in result.records] == [0, 1, 2, 3]
    assert {trial.outcome for trial in result.records} <= {"admitted", "rejected"}


@pytest.mark.parametrize(
    ("direction", "words"),
    [
        (None, "gave none"),
        (Direction(1, "volatility", "new", "x"), "is of type"),
        (Direction(1, "momentum", "refinement", "x", "r09-s00"), "no trial"),
        (Direction(1, "momentum", "mutation", "x", None), "no trial"),
    ],
)
def test_a_direction_that_does_not_fit_costs_its_slot_alone(
    tmp_path: Path, direction: Direction | None, words: str
) -> None:
    class Odd(Script):
        def plan(self, context: PlanContext) -> Directions:
            kept = tuple(d for d in super().plan(context).items if d.slot != 1)
            return Directions((*kept, direction) if direction else kept)

    found = run(tmp_path, Odd()).records
    assert (found[1].outcome, found[1].reason) == ("no_candidate", "no_direction")
    assert words in found[1].detail
    assert all(trial.evaluated for trial in found if trial.slot != 1)


def test_only_accepted_factors_are_mutated_and_any_evaluated_trial_is_refined(tmp_path: Path) -> None:
    class Builder(Script):
        def plan(self, context: PlanContext) -> Directions:
            if context.round == 1:
                return super().plan(context)
            zoo = {trial.id for trial in context.history.zoo}
            rejected = next(t.id for t in context.history.trials if t.evaluated and t.id not in zoo)
            kinds = (("mutation", min(zoo)), ("mutation", rejected), ("refinement", rejected), ("new", None))
            return Directions(
                tuple(
                    Direction(plan.slot, plan.mechanism, kind, "x", parent)  # type: ignore[arg-type]
                    for plan, (kind, parent) in zip(context.slots, kinds, strict=True)
                )
            )

    chosen = replace(plain(), stop=StopSettings(max_rounds=2))
    script = Builder()
    second = [trial for trial in run(tmp_path, script, chosen).records if trial.round == 2]
    assert [trial.outcome == "no_candidate" for trial in second] == [False, True, False, False]
    assert "was not accepted" in second[1].detail
    context = asked(script, "propose")[-1][0]
    assert sorted(context.parents) == [0, 2]
    assert second[2].parent is not None
    assert second[2].parent in context.parents[2]


def test_with_feedback_off_everything_is_new_and_nothing_is_told(tmp_path: Path) -> None:
    made = plain()
    chosen = replace(
        made, context=replace(made.context, feedback=False, memory_every=1), stop=StopSettings(max_rounds=2)
    )

    class Stubborn(Script):
        def plan(self, context: PlanContext) -> Directions:
            found = super().plan(context).items
            if context.round == 1:
                return Directions(found)
            return Directions((replace(found[0], kind="refinement", parent="r01-s00"), *found[1:]))

    script = Stubborn()
    second = [trial for trial in run(tmp_path, script, chosen).records if trial.round == 2]
    assert (second[0].reason, second[0].detail) == ("no_direction", "without feedback every direction is new")
    assert not asked(script, "distill")
    feedback = asked(script, "plan")[-1][0].feedback
    assert feedback == replace(
        feedback, memory="", last_round=(), best=(), recent=(), earlier=(), buildable=()
    )
    assert feedback.seed_directions == ("begin here",)
    for name in ("plan", "propose"):
        assert [arguments[0].history for arguments in asked(script, name)] == [History(), History()]


def test_with_feedback_off_no_likeness_to_earlier_trials_is_told(tmp_path: Path) -> None:
    made = plain()
    context = replace(made.context, feedback=False, theme_correlation=0.9)
    script = Script()
    run(tmp_path, script, replace(made, context=context, stop=StopSettings(max_rounds=2)))
    assert [given.tried for (given,) in asked(script, "plan")] == [None, None]
    assert [given.feedback.themes for (given,) in asked(script, "plan")] == [(), ()]


# propose, gate, fix


def test_refused_candidates_go_back_all_in_one_request_until_the_fixes_are_used_up(tmp_path: Path) -> None:
    class Clumsy(Script):
        def propose(self, context: ProposeContext) -> Candidates:
            found = list(super().propose(context).items)
            found[0] = replace(found[0], expression="rank(")
            found[2] = replace(found[2], expression="rank(nothing)")
            return Candidates(tuple(found))

        def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
            mended = super().fix(context, requests).items
            return Candidates(tuple(replace(m, expression="rank(") if m.slot == 2 else m for m in mended))

    script = Clumsy()
    found = run(tmp_path, script).records
    requests = [given for _, given in asked(script, "fix")]
    assert [[r.candidate.slot for r in given] for given in requests] == [[0, 2], [2]]
    assert [given[0].attempt for given in requests] == [1, 2]
    assert {r.cause for given in requests for r in given} == {"gate"}
    assert requests[0][1].reason == "candidate.parse"
    assert "nothing" in requests[0][1].text
    assert found[0].evaluated
    assert found[0].fixes == {"gate": 1}
    assert (found[2].outcome, found[2].reason) == ("gate_refused", "candidate.parse")
    assert found[2].fixes == {"gate": 2}


def test_a_duplicate_within_the_round_is_refused(tmp_path: Path) -> None:
    class Twin(Script):
        def propose(self, context: ProposeContext) -> Candidates:
            found = list(super().propose(context).items)
            found[3] = replace(found[3], expression=found[1].expression)
            return Candidates(tuple(found))

    script = Twin()
    run(tmp_path, script)
    ((_, (request,)),) = asked(script, "fix")
    assert (request.candidate.slot, request.reason) == (3, "candidate.duplicate_round")


def test_what_was_evaluated_before_is_refused_in_later_rounds(tmp_path: Path) -> None:
    class Same(Script):
        def propose(self, context: ProposeContext) -> Candidates:
            return super().propose(replace(context, round=1))

    place = desk.Place(tmp_path)
    chosen = replace(plain(), stop=StopSettings(max_rounds=2))
    result = place.campaign(place.setup(chosen, backends=Same().backends)).run()
    first = {trial.slot: trial.admitted for trial in result.records if trial.round == 1}
    refused = {
        entry.body["slot"]: entry.body["reason"]
        for entry in place.ledger().run(desk.RUN).entries(kind="gate_verdict")
        if entry.body["round"] == 2 and entry.body["attempt"] == 1
    }
    assert set(first.values()) == {True, False}
    assert refused == {
        slot: f"candidate.duplicate_{'zoo' if admitted else 'run'}" for slot, admitted in first.items()
    }


def test_a_slot_that_the_proposer_leaves_out_is_told_why(tmp_path: Path) -> None:
    class Silent(Script):
        def propose(self, context: ProposeContext) -> Candidates:
            found = super().propose(context).items
            return Candidates(found[1:], (Note(0, "the expression is missing"),))

    first = run(tmp_path, Silent()).records[0]
    assert (first.outcome, first.reason, first.detail) == (
        "no_candidate", "no_candidate", "the expression is missing",
    )  # fmt: skip


# review


class Doubtful(Script):
    """A reviewer that finds slots 0 and 1 inconsistent, 1 also after it was rewritten."""

    def review(self, context: ReviewContext) -> Reviews:
        bad = {0, 1} if context.attempt == 1 else {1}
        return Reviews(tuple(Review(c.slot, c.slot not in bad, "says so") for c in context.candidates))


def test_inconsistent_ones_go_back_once_and_are_reviewed_once_more(tmp_path: Path) -> None:
    script = Doubtful()
    found = run(tmp_path, script).records
    ((_, requests),) = asked(script, "fix")
    assert [(r.candidate.slot, r.cause, r.text) for r in requests] == [
        (0, "review", "says so"), (1, "review", "says so"),
    ]  # fmt: skip
    reviews = [context for (context,) in asked(script, "review")]
    assert [[c.slot for c in context.candidates] for context in reviews] == [[0, 1, 2, 3], [0, 1]]
    assert found[0].evaluated
    assert (found[1].outcome, found[1].detail) == ("review_rejected", "says so")
    assert found[1].figures == {}


def test_a_rewrite_that_the_gate_refuses_fails(tmp_path: Path) -> None:
    class Worse(Doubtful):
        def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
            return Candidates(tuple(replace(r.candidate, expression="rank(") for r in requests))

    script = Worse()
    found = run(tmp_path, script).records
    assert [trial.outcome for trial in found[:2]] == ["gate_refused", "gate_refused"]
    assert len(asked(script, "fix")) == 1
    assert len(asked(script, "review")) == 1


def test_a_rewrite_that_does_not_come_is_rejected(tmp_path: Path) -> None:
    class Mute(Doubtful):
        def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
            return Candidates(super().fix(context, requests[:1]).items)

    assert run(tmp_path, Mute()).records[1].outcome == "review_rejected"


def test_a_candidate_that_nobody_reviewed_is_asked_for_again_then_left(tmp_path: Path) -> None:
    class Absent(Script):
        def review(self, context: ReviewContext) -> Reviews:
            kept = {3} if context.attempt == 1 else {0, 3}
            return Reviews(tuple(Review(c.slot, True) for c in context.candidates if c.slot not in kept))

    script = Absent()
    found = run(tmp_path, script).records
    assert [c.slot for c in asked(script, "review")[1][0].candidates] == [3]
    assert (found[3].outcome, found[3].reason) == ("review_rejected", "no_review")


def test_the_reviewer_is_told_nothing_of_the_past(tmp_path: Path) -> None:
    script = Script()
    run(tmp_path, script)
    (context,) = asked(script, "review")[0]
    assert not hasattr(context, "feedback")
    assert not hasattr(context, "history")
    assert "close" in context.brief.fields


# score, admission


def test_the_rest_is_scored_in_one_batch_and_admitted_in_order_with_a_growing_pool(tmp_path: Path) -> None:
    place = desk.Place(tmp_path)
    result = place.campaign(place.setup(plain(), backends=Script().backends)).run()
    (judging,) = place.judgings
    assert judging.batches == [4]
    admitted: list[str] = []
    for trial, (text, pool) in zip(result.records, judging.pools_seen, strict=True):
        assert trial.candidate is not None
        assert text == trial.candidate.expression
        assert list(pool) == admitted
        admitted += [trial.id] if trial.admitted else []
    assert admitted == [trial.id for trial in result.admitted]
    assert admitted


def test_a_round_without_any_candidate_is_still_a_round(tmp_path: Path) -> None:
    class Nothing(Script):
        def propose(self, context: ProposeContext) -> Candidates:
            return Candidates((), tuple(Note(d.slot, "empty reply") for d in context.directions))

    result = run(tmp_path, Nothing())
    assert [trial.outcome for trial in result.records] == ["no_candidate"] * 4
    assert result.stop.by == "max_rounds"


# repeats


def themed(**changes: Any) -> CampaignConfig:
    made = plain()
    return replace(
        made,
        context=replace(made.context, theme_correlation=0.99, send_back_repeats=True),
        stop=StopSettings(max_rounds=2),
        **changes,
    )


class Repeater(Script):
    """In round 2 slot 0 repeats a rejected trial's values in other words, slot 1 too but as a refinement."""

    earlier: tuple[str, str]

    def plan(self, context: PlanContext) -> Directions:
        found = super().plan(context).items
        if context.round == 1:
            return Directions(found)
        rejected = next(t.id for t in context.history.trials if t.evaluated and not t.admitted)
        return Directions((found[0], replace(found[1], kind="refinement", parent=rejected), *found[2:]))

    def propose(self, context: ProposeContext) -> Candidates:
        found = list(super().propose(context).items)
        if context.round == 2:
            old = [t for t in context.history.trials if t.evaluated and not t.admitted]
            for slot, trial in zip((0, 1), old, strict=False):
                assert trial.candidate is not None
                found[slot] = replace(found[slot], expression=f"rank({trial.candidate.expression})")
        return Candidates(tuple(found))


def test_a_new_candidate_that_repeats_a_trial_is_rewritten_once(tmp_path: Path) -> None:
    script = Repeater()
    second = [trial for trial in run(tmp_path, script, themed()).records if trial.round == 2]
    ((_, requests),) = asked(script, "fix")
    assert [(r.candidate.slot, r.cause) for r in requests] == [(0, "repeat")], "a refinement may be near"
    assert "r01-s0" in requests[0].text
    assert second[0].fixes == {"repeat": 1}
    assert second[0].evaluated


def test_a_slot_is_rewritten_once_in_all(tmp_path: Path) -> None:
    class Strict(Repeater):
        def review(self, context: ReviewContext) -> Reviews:
            bad = {0, 1} if context.round == 2 else set()
            return Reviews(tuple(Review(c.slot, c.slot not in bad, "no") for c in context.candidates))

    script = Strict()
    second = [trial for trial in run(tmp_path, script, themed()).records if trial.round == 2]
    causes = [[(r.candidate.slot, r.cause) for r in given] for _, given in asked(script, "fix")]
    assert causes == [[(0, "repeat")], [(1, "review")]]
    assert [trial.outcome for trial in second[:2]] == ["review_rejected", "review_rejected"]


# parents


def test_picked_parents_claim_slots_of_their_type_and_the_graph_is_kept(tmp_path: Path) -> None:
    made = themed()
    chosen = replace(made, round=replace(made.round, picked_parents=True))
    place = desk.Place(tmp_path)
    script = Script()
    result = place.campaign(place.setup(chosen, backends=script.backends)).run()
    context = asked(script, "plan")[1][0]
    claimed = {plan.slot: plan.parent for plan in context.slots if plan.parent}
    first = {trial.id: trial for trial in result.records if trial.round == 1}
    assert claimed
    for plan in context.slots:
        assert plan.parent is None or first[plan.parent].mechanism == plan.mechanism
    second = [trial for trial in result.records if trial.round == 2]
    assert {t.slot: t.parent for t in second if t.parent} == claimed
    assert {"trial_graph/round_01.json", "trial_graph/round_02.json"} <= set(place.leavings())


def test_a_claimed_slot_is_built_on_its_parent_or_not_at_all(tmp_path: Path) -> None:
    class Deaf(Script):
        def plan(self, context: PlanContext) -> Directions:
            return Directions(tuple(Direction(p.slot, p.mechanism, "new", "mine") for p in context.slots))

    made = themed()
    chosen = replace(made, round=replace(made.round, picked_parents=True))
    second = [trial for trial in run(tmp_path, Deaf(), chosen).records if trial.round == 2]
    assert any(trial.reason == "no_direction" and "belongs to" in trial.detail for trial in second)


def test_a_trial_built_on_often_enough_is_built_on_no_more(tmp_path: Path) -> None:
    class Fan(Script):
        def plan(self, context: PlanContext) -> Directions:
            found = super().plan(context).items
            if context.round == 1:
                return Directions(found)
            return Directions(tuple(replace(d, kind="refinement", parent="r01-s00") for d in found))

    made = plain()
    chosen = replace(made, round=replace(made.round, max_children=4), stop=StopSettings(max_rounds=3))
    script = Fan()
    found = run(tmp_path, script, chosen).records
    assert all(trial.parent == "r01-s00" for trial in found if trial.round == 2)
    assert all(trial.reason == "no_direction" for trial in found if trial.round == 3)
    assert "r01-s00" not in asked(script, "plan")[2][0].feedback.buildable


# memory


def test_the_distiller_folds_trials_every_so_many_rounds(tmp_path: Path) -> None:
    class Forgetful(Script):
        def distill(self, context: MemoryContext) -> str | None:
            return None if context.round == 3 else super().distill(context)

    made = plain()
    chosen = replace(made, context=replace(made.context, memory_every=1), stop=StopSettings(max_rounds=4))
    place = desk.Place(tmp_path)
    script = Forgetful()
    place.campaign(place.setup(chosen, backends=script.backends)).run()
    assert [context.round for (context,) in asked(script, "distill")] == [2, 3, 4]
    memories = [context.feedback.memory for (context,) in asked(script, "plan")]
    assert memories == ["", "after 4 trials", "after 4 trials", "after 8 trials"], "a bad reply keeps the old"
    names = {name: text for name, text in place.leavings().items() if "memory" in name}
    assert names["memory.md"] == b"after 8 trials\n"
    assert set(names) == {"memory.md", "memory/round_02.md", "memory/round_04.md"}


# groups


def test_groups_make_the_calls_of_a_stage_side_by_side(tmp_path: Path) -> None:
    """Each waits for the other: one after the other they would wait for ever."""
    meet = threading.Barrier(2, timeout=30)

    class Together(Doubtful):
        def propose(self, context: ProposeContext) -> Candidates:
            meet.wait()
            return super().propose(context)

        def review(self, context: ReviewContext) -> Reviews:
            if context.attempt == 1:
                meet.wait()
            return super().review(context)

    made = plain()
    script = Together()
    run(tmp_path, script, replace(made, round=replace(made.round, groups=2)))
    groups = sorted(tuple(d.slot for d in context.directions) for (context,) in asked(script, "propose"))
    assert groups == [(0, 1), (2, 3)]
    assert len(asked(script, "fix")) == 1, "only the first group had inconsistent candidates"


def test_the_export_does_not_depend_on_which_group_was_first(tmp_path: Path) -> None:
    exports = set()
    for number, first in enumerate((0, 1)):
        turn = threading.Event()

        def say(request: Any, first: int = first, turn: threading.Event = turn) -> Any:
            user = request.messages[1].content
            if "## Directions" in user and "ound 1" in user:
                mine = 0 if "slot 0 |" in user else 1
                if mine != first:
                    turn.wait(30)
                else:
                    turn.set()
            return desk.reply(request)

        place = desk.Place(tmp_path / str(number))
        place.root.mkdir()
        chosen = config(roles=desk.ALL_MODELS, stop=StopSettings(max_rounds=1))
        place.campaign(place.setup(chosen, backends=desk.models(say=say))).run()
        exports.add(place.export())
    assert len(exports) == 1


def test_more_groups_than_slots_are_as_many_as_slots(tmp_path: Path) -> None:
    made = plain()
    script = Script()
    run(tmp_path, script, replace(made, round=replace(made.round, groups=9)))
    assert sorted(context.group for (context,) in asked(script, "propose")) == [0, 1, 2, 3]


def test_formulas_of_the_script_differ() -> None:
    assert len({formula(number) for number in range(150)}) == 150
    assert Candidate(0, "a", "b") == Candidate(0, "a", "b")
