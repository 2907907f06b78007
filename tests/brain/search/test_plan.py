from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.brain import DailyPnl
from assay.brain.search import Candidate, SubmissionPlan, plan_submissions

Pairs = dict[tuple[str, str], float]
DAYS = tuple(str(day) for day in np.arange("2019-01-01", "2021-01-01", dtype="datetime64[D]"))
NO_PNL = DailyPnl((), ())


def alpha(id_: str, sharpe: float, fitness: float | None = None, **given: object) -> Candidate:
    filled = {"pnl": NO_PNL, **given}
    return Candidate(id_, sharpe, sharpe if fitness is None else fitness, **filled)  # type: ignore[arg-type]


def correlation(pairs: Pairs, a: str, b: str) -> float:
    return pairs.get((a, b), pairs.get((b, a), 0.0))


def feasible(plan: SubmissionPlan, submitted: Sequence[Candidate], pairs: Pairs) -> bool:
    """Each submission under the rule, one after another."""
    before = list(submitted)
    for step in plan.steps:
        for other in before:
            near = correlation(pairs, step.alpha.id, other.id) >= 0.7
            if near and not (step.alpha.sharpe or 0) >= 1.1 * (other.sharpe or 0):
                return False
        before.append(step.alpha)
    return True


def in_turn(order: Sequence[Candidate], submitted: Sequence[Candidate], pairs: Pairs, most: int) -> float:
    """What submitting in an order is worth, the refused ones passed over."""
    before, worth, taken = list(submitted), 0.0, 0
    for item in order:
        clashes = [
            other
            for other in before
            if correlation(pairs, item.id, other.id) >= 0.7 and item.sharpe < 1.1 * other.sharpe  # type: ignore[operator]
        ]
        if not clashes and taken < most:
            before.append(item)
            worth, taken = worth + (item.fitness or 0.0), taken + 1
    return worth


@st.composite
def accounts(draw: st.DrawFn, most: int = 6) -> tuple[list[Candidate], list[Candidate], Pairs]:
    n, m = draw(st.integers(0, most)), draw(st.integers(0, 2))
    value = st.integers(10, 40).map(lambda v: v / 10)
    made = [alpha(f"c{i}", draw(value), draw(value)) for i in range(n)]
    old = [alpha(f"s{i}", draw(value)) for i in range(m)]
    names = [item.id for item in (*made, *old)]
    pairs = {
        (a, b): draw(st.sampled_from([-0.5, 0.2, 0.69, 0.7, 0.95]))
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }
    return made, old, pairs


@settings(max_examples=120, deadline=None)
@given(accounts(), st.integers(1, 3), st.one_of(st.none(), st.integers(1, 2)))
def test_a_plan_keeps_the_rule_and_no_order_is_worth_more(
    account: tuple[list[Candidate], list[Candidate], Pairs], cap: int, days: int | None
) -> None:
    made, old, pairs = account
    plan = plan_submissions(made, old, cap=cap, days=days, correlations=pairs)
    most = len(made) if days is None else cap * days
    assert plan.exact
    assert feasible(plan, old, pairs)
    assert len(plan.steps) <= most
    best = max((in_turn(order, old, pairs, most) for order in permutations(made)), default=0.0)
    assert plan.value == pytest.approx(best)
    assert {s.alpha.id for s in plan.steps} | {e.alpha.id for e in plan.excluded} == {a.id for a in made}
    assert all(step.day <= (days or len(made)) for step in plan.steps)


@settings(max_examples=40, deadline=None)
@given(accounts(most=12))
def test_the_local_search_keeps_the_rule_and_is_never_worse_than_greedy(
    account: tuple[list[Candidate], list[Candidate], Pairs],
) -> None:
    made, old, pairs = account
    plan = plan_submissions(made, old, correlations=pairs, exact=False)
    assert feasible(plan, old, pairs)
    best_first = sorted(made, key=lambda a: -(a.fitness or 0))
    assert plan.value >= plan.greedy - 1e-9
    assert plan.value >= in_turn(best_first, old, pairs, len(made)) - 1e-9
    exact = plan_submissions(made, old, correlations=pairs)
    assert plan.value <= exact.value + 1e-9 <= plan.bound + 2e-9
    assert 0.0 <= plan.gap <= 1.0


def test_two_that_correlate_are_both_in_if_the_better_one_comes_second() -> None:
    plan = plan_submissions([alpha("a", 1.5), alpha("b", 2.0)], correlations={("a", "b"): 0.9})
    assert [step.alpha.id for step in plan.steps] == ["a", "b"]
    assert plan.steps[1].after == {"a": 0.9}
    assert plan.value == 3.5


def test_of_two_that_are_alike_only_one_is_in_and_the_other_is_told_why() -> None:
    plan = plan_submissions([alpha("a", 1.9), alpha("b", 2.0)], correlations={("a", "b"): 0.9})
    assert [step.alpha.id for step in plan.steps] == ["b"]
    (left,) = plan.excluded
    assert (left.alpha.id, left.why, dict(left.others)) == ("a", "planned", {"b": 0.9})
    assert left.message == ("it correlates with b by 0.90 (planned): a Sharpe of 2.20 is needed, it has 1.90")


def test_what_is_submitted_already_comes_first() -> None:
    old = [alpha("s", 2.0)]
    near = {("a", "s"): 0.8, ("b", "s"): 0.8, ("a", "b"): 0.1, ("c", "s"): 0.1, ("a", "c"): 0, ("b", "c"): 0}
    made = [alpha("a", 2.1), alpha("b", 2.2), alpha("c", 1.3)]
    plan = plan_submissions(made, old, correlations=near)
    assert [step.alpha.id for step in plan.steps] == ["b", "c"]
    assert [(e.alpha.id, e.why) for e in plan.excluded] == [("a", "existing")]


def test_every_reason_is_told() -> None:
    pairs = {("cheap", "dear"): 0.0}
    made = [
        alpha("bad", 2.0, failing=("LOW_FITNESS",)),
        alpha("in", 2.0),
        alpha("dark", 2.0),
        alpha("dear", 2.0),
        alpha("cheap", 1.3),
    ]
    names = ("in", "dear", "cheap")
    pairs |= {(a, b): 0.0 for a in names for b in (*names, "bad", "dark") if a != b and (b, a) not in pairs}
    plan = plan_submissions(made, [alpha("in", 2.0)], cap=1, days=1, correlations=pairs)
    assert [step.alpha.id for step in plan.steps] == ["dear"]
    assert [(e.alpha.id, e.why) for e in plan.excluded] == [
        ("bad", "failing"),
        ("in", "submitted"),
        ("dark", "no_pnl"),
        ("cheap", "cap"),
    ]
    assert "LOW_FITNESS" in plan.excluded[0].message


def test_the_days_hold_as_many_as_the_cap() -> None:
    names = [f"a{i}" for i in range(5)]
    pairs = {(a, b): 0.0 for a in names for b in names if a < b}
    plan = plan_submissions([alpha(n, 2.0) for n in names], cap=2, correlations=pairs)
    assert [step.day for step in plan.steps] == [1, 1, 2, 2, 3]


def test_correlations_come_from_the_daily_pnl_of_common_days() -> None:
    rng = np.random.default_rng(0)
    base, noise = rng.normal(size=len(DAYS)), rng.normal(size=(2, len(DAYS)))
    near = DailyPnl(DAYS, tuple(base + 0.1 * noise[0]))
    far = DailyPnl(DAYS, tuple(noise[1]))
    made = [
        alpha("a", 2.0, pnl=DailyPnl(DAYS, tuple(base))),
        alpha("b", 1.9, pnl=near),
        alpha("c", 1.5, pnl=far),
    ]
    plan = plan_submissions(made)
    assert {step.alpha.id for step in plan.steps} == {"a", "c"}
    assert plan.excluded[0].others["a"] == pytest.approx(np.corrcoef(base, base + 0.1 * noise[0])[0, 1])


def test_the_platforms_own_correlations_go_first() -> None:
    rng = np.random.default_rng(0)
    base = DailyPnl(DAYS, tuple(rng.normal(size=len(DAYS))))
    made = [alpha("a", 2.0, pnl=base), alpha("b", 1.9, pnl=base)]
    assert len(plan_submissions(made).steps) == 1
    assert len(plan_submissions(made, correlations={("b", "a"): 0.3}).steps) == 2


def test_a_submitted_alpha_without_pnl_is_named() -> None:
    base = DailyPnl(DAYS, tuple(np.random.default_rng(0).normal(size=len(DAYS))))
    plan = plan_submissions([alpha("a", 2.0, pnl=base)], [alpha("s", 2.0)])
    assert plan.unknown == ("s",)


def test_the_weight_may_be_the_number_of_alphas() -> None:
    pairs = {("hub", "x"): 0.9, ("hub", "y"): 0.9, ("x", "y"): 0.0}
    made = [alpha("hub", 1.9, 9.0), alpha("x", 1.8, 1.0), alpha("y", 1.8, 1.0)]
    assert [s.alpha.id for s in plan_submissions(made, correlations=pairs).steps] == ["hub"]
    counted = plan_submissions(made, correlations=pairs, weight="count")
    assert [s.alpha.id for s in counted.steps] == ["x", "y"]


def test_nothing_to_submit_is_an_empty_plan() -> None:
    plan = plan_submissions([])
    assert (plan.steps, plan.excluded, plan.value, plan.gap, plan.exact) == ((), (), 0.0, 0.0, True)
