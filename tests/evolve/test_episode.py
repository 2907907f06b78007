"""Budgets, order of calls, who wins, and what it earns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.errors import AssayError, Reason, Refusal
from assay.evolve import CAPS, STEPS, WEIGHTS, EvolutionRecord, evolve
from assay.judge import Reward
from assay.spec import GatedSpec, GateVerdict, parse_spec
from assay.tools import Budget, TrajectoryStore

from .desk import EVALUATE, FIGURES, SEED, VALIDATE, FakeJudge, FakeRewarder, expr, gated_spec, play, tried

WINDOWS = [f"TS_PCTCHANGE($close, {n})" for n in (5, 10, 15, 20, 25)]


# ---------------------------------------------------------------- budgets


@pytest.mark.parametrize("budget", [None, Budget(turns=12), Budget(turns=500), Budget(turns=500, calls=400)])
def test_there_are_at_most_twelve_steps(budget: Budget | None) -> None:
    turns = [[(VALIDATE, expr(f"TS_PCTCHANGE($close, {n})"))] for n in range(2, 60)]
    found = play(turns, budget=budget).found
    assert (found.trajectory.spent.turns, found.trajectory.stop) == (STEPS, "turns")


def test_a_smaller_budget_holds() -> None:
    assert play(tried(*WINDOWS), budget=Budget(turns=3)).found.trajectory.spent.turns == 3


def test_a_fifth_evaluation_does_not_run() -> None:
    validate = [[(VALIDATE, expr(text))] for text in WINDOWS]
    evaluate = [[(EVALUATE, expr(text))] for text in WINDOWS]
    played = play([*validate, *evaluate])
    assert played.kinds[-1] == "budget_exceeded"
    assert len(played.judge.asked) == 1 + 4


@pytest.mark.parametrize("count", [2, 5, 40])
def test_several_evaluations_in_one_step_run_none(count: int) -> None:
    played = play([[(VALIDATE, expr(WINDOWS[0]))], [(EVALUATE, expr(WINDOWS[0]))] * count])
    assert played.kinds == [None, *["multi_tool_per_step"] * count]
    assert len(played.judge.asked) == 1


def test_refused_evaluations_count() -> None:
    refused = [[(EVALUATE, expr(WINDOWS[n]))] for n in range(4)]
    played = play([*refused, [(VALIDATE, expr(WINDOWS[4]))], [(EVALUATE, expr(WINDOWS[4]))]])
    assert played.kinds[-1] == "budget_exceeded"
    assert len(played.judge.asked) == 1


def test_backtests_that_fail_count_too() -> None:
    def down(expression: Any) -> Any:
        raise OSError("disk")

    judge = FakeJudge(down)
    played = play([[(VALIDATE, expr(WINDOWS[0]))], *[[(EVALUATE, expr(WINDOWS[0]))]] * 8], judge=judge)
    outcomes = [outcome for outcome, _ in played.outcomes]
    assert outcomes == ["ok", *["failed"] * 4, *["refused"] * 4]
    assert len(judge.asked) == 1 + 4
    # nobody's fault: it costs no validity, protocol or share of backtests, but there is nothing to reward
    assert played.found.audit.illegal_tool_calls == 0
    assert (played.found.reward, list(played.found.caps)) == (0.0, ["no_candidate_cap"])


# ---------------------------------------------------------------- order


def test_what_was_not_validated_is_not_evaluated() -> None:
    played = play(
        [[(VALIDATE, expr(WINDOWS[0]))], [(EVALUATE, expr(WINDOWS[1]))], [(EVALUATE, expr(WINDOWS[0]))]]
    )
    assert played.outcomes == [("ok", None), ("refused", "not_validated"), ("ok", None)]
    assert len(played.judge.asked) == 2
    assert played.found.subscores["protocol"] == pytest.approx(2 / 3)


def test_a_formula_in_another_spelling_is_the_one_that_was_validated() -> None:
    played = play(
        [
            [(VALIDATE, expr("$close / DELAY($close, 5)"))],
            [(EVALUATE, expr("($close)/DELAY( $close,5 ) # x"))],
        ]
    )
    assert played.outcomes[1] == ("ok", None)


@pytest.mark.parametrize(
    "formula",
    [
        "RANK(",
        "foo($close)",
        "ts_corr(close, volume, 10)",
        "COUNT($close, 5)",
        "$net_mf_amount",
        "TS_MEAN($close)",
        "TS_MEAN($close, 505)",
        "DELAY($close, -1)",
        "1",
        "$industry",
        "$close",
        "import os; os.system('x')",
    ],
)
def test_an_illegal_formula_is_told_and_costs_only_where_it_is_sent_to_be_evaluated(formula: str) -> None:
    asked = play([[(VALIDATE, expr(formula))], *tried(WINDOWS[0])])
    assert asked.answers[0]["result"]["ok"] is False
    assert asked.answers[0]["result"]["problem"]["code"]
    assert asked.found.subscores["validity"] == 0.5
    assert asked.found.caps == {}
    sent = play([*tried(WINDOWS[0]), [(EVALUATE, expr(formula))]])
    assert sent.outcomes[-1] == ("refused", "illegal_expr")
    assert (sent.found.reward, list(sent.found.caps)) == (0.15, ["illegal_expr_cap"])
    assert len(sent.judge.asked) == 2


def balanced(terms: list[str]) -> str:
    """Their sum as a tree that is not deep."""
    half = len(terms) // 2
    return terms[0] if half == 0 else f"({balanced(terms[:half])} + {balanced(terms[half:])})"


def test_a_formula_that_no_spec_can_hold_is_not_ok() -> None:
    most, more = (balanced([f"TS_PCTCHANGE($close, {n})" for n in range(1, count + 1)]) for count in (64, 66))
    assert play([[(VALIDATE, expr(more))]]).answers[0]["result"]["problem"]["code"] == "too_long"
    best = play(tried(most)).found.best
    assert best is not None
    assert parse_spec(best.model_dump(mode="json")) == best
    assert best.windows == tuple(range(1, 65))


def test_windows_have_to_be_those_of_the_formula() -> None:
    right = expr(WINDOWS[0], windows=[5])
    wrong = expr(WINDOWS[0], windows=[6])
    played = play([[(VALIDATE, wrong)], [(VALIDATE, right)], [(EVALUATE, wrong)], [(EVALUATE, right)]])
    assert played.answers[0]["result"]["problem"]["code"] == "bad_windows"
    assert played.outcomes[2:] == [("refused", "bad_windows"), ("ok", None)]
    assert played.found.caps == {}


# ---------------------------------------------------------------- who wins


def test_search_chooses_one_winner_and_the_hidden_period_is_read_for_it_alone() -> None:
    played = play(tried(*WINDOWS[:4]))
    assert played.found.best is not None
    assert played.found.best.expr == "TS_PCTCHANGE($close, 20)"
    assert len(played.rewarder.asked) == 1
    # the direction is negative: what is traded has the other sign
    assert played.rewarder.asked[0].node == played.judge.asked[-1].node
    assert played.rewarder.asked[0].node.op == "neg"
    assert (played.found.delta, played.found.improved) == (0.5, True)


def test_the_best_change_is_the_winner_even_where_the_seed_is_better() -> None:
    judge = FakeJudge(lambda expression: replace(FIGURES, ir=0.1))
    played = play(tried(*WINDOWS[:2]), judge=judge)
    assert played.found.best is not None
    assert played.found.best.expr == WINDOWS[0]
    assert played.found.improved is False


def test_a_drifted_candidate_is_not_evaluated_and_cannot_win() -> None:
    judge = FakeJudge(lambda expression: replace(FIGURES, ir=99.0 if expression.lookback == 6 else 1.0))
    drifted = expr("TS_PCTCHANGE($close, 5)", neutralization="size")
    played = play([*tried(WINDOWS[3]), [(VALIDATE, drifted)], [(EVALUATE, drifted)]], judge=judge)
    assert played.kinds[-2:] == ["frozen_field_mutation"] * 2
    assert [item.lookback for item in judge.asked] == [31, 21]
    assert played.found.best is not None
    assert played.found.best.expr == WINDOWS[3]
    assert (played.found.reward, list(played.found.caps)) == (0.30, ["spec_drift_cap"])


# ---------------------------------------------------------------- what it earns


def test_the_weights_are_those_of_the_table() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert dict(CAPS) == {
        "multi_tool_per_step_cap": 0.0,
        "illegal_expr_cap": 0.15,
        "spec_drift_cap": 0.30,
        "no_candidate_cap": 0.0,
        "hidden_gate_cap": 0.0,
    }


@pytest.mark.parametrize(
    ("delta", "performance"), [(-1.0, 0.0), (-0.4, 0.3), (0.0, 0.5), (0.25, 0.625), (1.0, 1.0)]
)
def test_a_reward_by_hand(delta: float, performance: float) -> None:
    found = play(tried(WINDOWS[0], WINDOWS[1]), rewarder=FakeRewarder(Reward(delta))).found
    parts = {
        "validity": 1.0,
        "no_drift": 1.0,
        "protocol": 1.0,
        "backtest_success": 1.0,
        "performance": performance,
        "robustness": 0.9,  # (0.9 + (1 - 0.1)) / 2
        "novelty": pytest.approx(1 / 3),  # one of the three nodes -( TS_PCTCHANGE( $close ) ), the window
    }
    assert dict(found.subscores) == parts
    weighed = 0.15 + 0.15 + 0.10 + 0.10 + 0.35 * performance + 0.10 * 0.9 + 0.05 / 3
    assert found.reward == pytest.approx(min(weighed, 1 + min(0.0, delta)), abs=1e-6)


def test_a_change_that_loses_earns_no_more_than_it_leaves() -> None:
    """Legal work alone is no reason to pay: at the least delta a change earns what doing nothing does."""
    rewards = []
    for delta in (-1.0, -0.95, -0.5, -0.3, -0.25, 0.0, 0.05, 1.0):
        found = play(tried(WINDOWS[0]), rewarder=FakeRewarder(Reward(delta))).found
        assert found.reward is not None
        assert found.reward <= 1 + delta
        assert ("loss_cap" in found.caps) == (delta <= -0.3)
        rewards.append(found.reward)
    assert rewards[0] == 0.0 == play([]).found.reward
    assert rewards == sorted(rewards)


@pytest.mark.parametrize(
    "turns",
    [
        [],
        [[(VALIDATE, expr(WINDOWS[0]))]],
        [[(VALIDATE, expr(SEED))]],
        tried(SEED),
        tried(f"-{SEED}"),
        tried(f"3 * {SEED}"),
        tried(f"{SEED} / -7"),
        tried(f"0 - {SEED}"),
        tried(f"RANK({SEED})"),
        tried(f"-RANK(2 * {SEED})"),
        tried("TS_PCTCHANGE($close,30) + 0"),
    ],
)
def test_doing_nothing_and_the_seed_in_other_words_earn_the_minimum(turns: list[Any]) -> None:
    played = play(turns)
    assert (played.found.best, played.found.delta, played.found.reward) == (None, -1.0, 0.0)
    assert list(played.found.caps) == ["no_candidate_cap"]
    assert played.rewarder.asked == []
    assert all(item.is_seed for item in played.found.candidates)


def test_a_candidate_that_trades_exactly_as_the_seed_is_the_seed() -> None:
    judge = FakeJudge(lambda expression: FIGURES)
    played = play(tried(WINDOWS[0]), judge=judge)
    assert played.answers[1]["result"]["is_seed"] is True
    assert (played.found.best, played.found.reward) == (None, 0.0)


def test_a_failed_backtest_is_a_loss() -> None:
    broken = replace(FIGURES, ir=None, rank_ic=None, t=None, days=0)
    alone = play(tried(WINDOWS[0]), judge=FakeJudge(lambda expression: broken))
    assert (alone.found.delta, alone.found.reward) == (-1.0, 0.0)
    assert alone.rewarder.asked == []

    def one_of_two(expression: Any) -> Any:
        return broken if expression.lookback == 6 else replace(FIGURES, ir=0.9)

    beside = play(tried(WINDOWS[0], WINDOWS[1]), judge=FakeJudge(one_of_two))
    whole = play(tried(WINDOWS[1]), judge=FakeJudge(one_of_two))
    assert beside.found.subscores["backtest_success"] == 0.5
    assert beside.found.reward is not None
    assert whole.found.reward == pytest.approx(beside.found.reward + 0.05)


@pytest.mark.parametrize("floor", ["leak", "adjustment", "low_coverage", "undefined", "shuffle", "late"])
def test_a_winner_that_fails_a_hidden_control_earns_the_minimum(floor: Any) -> None:
    found = play(tried(WINDOWS[0]), rewarder=FakeRewarder(Reward(-1.0, floor))).found
    assert (found.delta, found.reward, list(found.caps)) == (-1.0, 0.0, ["hidden_gate_cap"])


def test_which_control_failed_is_not_told(tmp_path: Any) -> None:
    texts = set()
    for number, floor in enumerate(("leak", "late", "low_coverage")):
        store = TrajectoryStore(tmp_path, f"r{number}")
        play(tried(WINDOWS[0]), rewarder=FakeRewarder(Reward(-1.0, floor)), store=store)
        texts.add((store.folder(gated_spec().spec_id, "r0") / "score.json").read_text())
    assert len(texts) == 1


def test_a_period_that_cannot_be_read_leaves_the_episode_unscored(tmp_path: Any) -> None:
    class Shut(FakeRewarder):
        def reward(self, *args: Any) -> Reward:
            from assay.ledger import LOOK_BUDGET_EXHAUSTED

            raise Refusal(LOOK_BUDGET_EXHAUSTED)

    store = TrajectoryStore(tmp_path, "r")
    found = play(tried(WINDOWS[0]), rewarder=Shut(), store=store).found
    assert (found.delta, found.reward, found.unscored) == (None, None, "look_budget_exhausted")
    record = EvolutionRecord.load(store, gated_spec().spec_id)
    assert (record.reward, record.unscored) == (None, "look_budget_exhausted")


def test_a_busy_ledger_is_no_shut_period(tmp_path: Any) -> None:
    class Busy(FakeRewarder):
        def reward(self, *args: Any) -> Reward:
            raise Refusal(Reason("ledger_busy", "another process writes", "wait"))

    with pytest.raises(Refusal):
        play(tried(WINDOWS[0]), rewarder=Busy(), store=TrajectoryStore(tmp_path, "r"))
    assert not (tmp_path / "r").exists()


# ---------------------------------------------------------------- what may be evolved


def _forged() -> GatedSpec:
    spec = gated_spec()
    gate = replace(spec.gate, checks=())
    forged = object.__new__(GatedSpec)
    object.__setattr__(forged, "gate", gate)
    return forged


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (gated_spec().spec, "not_gated"),
        (gated_spec().spec.model_dump(), "not_gated"),
        (gated_spec().gate, "not_gated"),
        (None, "not_gated"),
        (_forged(), "spec_not_admitted"),
    ],
)
def test_only_a_gated_spec_is_evolved(given: Any, code: str) -> None:
    judge = FakeJudge()
    with pytest.raises(Refusal) as caught:
        play([], gated=given, judge=judge) if given else evolve_nothing(judge)
    assert caught.value.reason.code == code
    assert judge.asked == []


def evolve_nothing(judge: FakeJudge) -> None:
    from assay.evolve import EvolveSearch
    from assay.tools import Caller

    from .desk import AGENT, script

    evolve(
        None,  # type: ignore[arg-type]
        search=EvolveSearch(judge),
        rewarder=FakeRewarder(),
        policy=script([]),
        caller=Caller(AGENT),
    )


def test_an_injected_spec_never_becomes_gated() -> None:
    spec = gated_spec()
    with pytest.raises(Refusal):
        GatedSpec.of(GateVerdict(spec.spec, "negative", "0" * 64, (), ()))


def test_a_seed_that_moves_with_the_adjustment_factor_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        play([], gated=gated_spec(expr="TS_MEAN($close, 5)", windows=(5,)))
    assert caught.value.reason.code == "seed_not_usable"


# ---------------------------------------------------------------- what is stored


def test_the_record_reads_back_what_was_stored(tmp_path: Any) -> None:
    store = TrajectoryStore(tmp_path, "r")
    gated = gated_spec()
    found = play(tried(WINDOWS[0], WINDOWS[1]), store=store).found
    assert (tmp_path / "r" / gated.spec_id / "r0" / "metadata.json").is_file()
    record = EvolutionRecord.load(store, gated.spec_id)
    assert (record.best, record.delta, record.reward) == (found.best, found.delta, found.reward)
    assert (record.candidates, record.seed) == (found.candidates, found.seed)
    assert (record.spec_hash, record.verdict_hash) == (gated.hash, gated.verdict_hash)
    assert record.audit["tool_calls"] == 4
    with pytest.raises(AssayError):
        EvolutionRecord.load(store, "spec-0000000000000000")
