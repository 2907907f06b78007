"""Feature search and sweeps against the plain way: one walk-forward after the other."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import pytest

from assay.discovery import Dim, DiscoveryDesk, FeatureSearchSpec, SpecProblems, SweepSpec, select, sweep
from assay.features import FeatureStore
from assay.ledger import Ledger
from assay.models import Fitted, Strategy, WalkForward, walk_forward

from .conftest import FORMULAS

BASE = Strategy("base", cv=WalkForward(80, 21, 21, 2), target="fwd_ret_5")
POOL = tuple(FORMULAS)


def plain(store: FeatureStore, names: tuple[str, ...], **changes) -> Fitted:
    return walk_forward(store, BASE.varied(features=names, **changes))


def rank_ic(fitted: Fitted) -> float:
    value = fitted.report.metrics.rank_ic
    assert value is not None
    return value


def test_exhaustive_search_is_brute_force(desk: DiscoveryDesk, store: FeatureStore) -> None:
    found = select(desk, FeatureSearchSpec(POOL, "exhaustive", 2, 3, strategy=BASE))
    every = {
        ", ".join(names): plain(store, names).report for size in (2, 3) for names in combinations(POOL, size)
    }
    assert found.evaluated == len(every) == 20
    for row in found.rows:
        expected = every[row.report.subject]
        assert row.report == replace(expected, method="feature_search", subject=row.report.subject)
    best = max(every.values(), key=lambda report: report.metrics.rank_ic or -1)
    assert found.rows[0].score == best.metrics.rank_ic
    assert [row.score for row in found.rows] == sorted((row.score for row in found.rows), reverse=True)


@pytest.mark.parametrize("least", [1, 4])
def test_the_greedy_path_is_the_one_taken_by_hand(
    desk: DiscoveryDesk, store: FeatureStore, least: int
) -> None:
    found = select(desk, FeatureSearchSpec(POOL, "greedy", least, 4, strategy=BASE))
    chosen: tuple[str, ...] = ()
    best, tried = -1.0, {}
    while len(chosen) < 4:
        wider = [tuple(n for n in POOL if n in (*chosen, name)) for name in POOL if name not in chosen]
        step = {names: rank_ic(plain(store, names)) for names in wider}
        tried |= step
        top = max(wider, key=lambda names: step[names])
        if len(chosen) >= least and step[top] <= best:
            break
        chosen, best = top, step[top]
    assert found.evaluated == len(tried)
    shown = {row.report.subject: row.score for row in found.rows}
    assert shown == {", ".join(names): value for names, value in tried.items() if len(names) >= least}


def test_sets_that_greedy_search_passed_through_are_trials_too(desk: DiscoveryDesk, ledger: Ledger) -> None:
    found = select(replace(desk, ledger=ledger), FeatureSearchSpec(POOL[:3], min_features=3, strategy=BASE))
    assert len(found.rows) == 1
    assert (found.evaluated, found.n) == (6, 6)


def test_the_order_of_the_pool_changes_no_figure(desk: DiscoveryDesk) -> None:
    spec = FeatureSearchSpec(POOL, "exhaustive", 1, 2, strategy=BASE)
    turned = replace(spec, pool=POOL[::-1])
    scores = [
        {frozenset(row.report.subject.split(", ")): row.report.metrics for row in select(desk, each).rows}
        for each in (spec, turned)
    ]
    assert scores[0] == scores[1]


def test_a_grid_tries_every_combination(desk: DiscoveryDesk, store: FeatureStore) -> None:
    dims = (
        Dim("alpha", (0.5, 50.0)),
        Dim("train_bars", (60, 90)),
        Dim("features", (POOL[:2], POOL[1:4])),
    )
    found = sweep(desk, SweepSpec(dims, strategy=BASE))
    expected = sorted(
        (
            rank_ic(plain(store, names, alpha=alpha, train_bars=bars))
            for alpha, bars, names in product(*(dim.choices for dim in dims))  # type: ignore[arg-type]
        ),
        reverse=True,
    )
    assert [row.score for row in found.rows] == expected
    assert {row.report.subject for row in found.rows} >= {
        "alpha=0.5, train_bars=60, features=reversal+volatility"
    }


def test_random_draws_are_of_the_grid_each_once_and_by_seed(desk: DiscoveryDesk) -> None:
    dims = (Dim("alpha", tuple(range(1, 31))), Dim("train_bars", tuple(range(60, 90))))
    spec = SweepSpec(dims, "random", 12, strategy=BASE.varied(features=POOL[:2]))
    first = sweep(desk, spec)
    subjects = {row.report.subject for row in first.rows}
    assert len(subjects) == first.evaluated == 12
    assert sweep(desk, spec) == first
    other = sweep(desk, replace(spec, strategy=spec.strategy.varied(seed=1)))
    assert {row.report.subject for row in other.rows} != subjects
    few = SweepSpec((Dim("alpha", (1, 2)),), "random", 12, strategy=spec.strategy)
    assert sweep(desk, few).evaluated == 2


def test_configurations_without_a_fold_are_excluded_and_no_trials(
    desk: DiscoveryDesk, ledger: Ledger
) -> None:
    spec = SweepSpec((Dim("train_bars", (80, 9000)),), strategy=BASE.varied(features=POOL[:2]))
    found = sweep(replace(desk, ledger=ledger), spec)
    assert (found.evaluated, found.excluded, found.n) == (1, 1, 1)


def test_without_features_a_sweep_takes_the_formulas_of_the_store(desk: DiscoveryDesk) -> None:
    found = sweep(desk, SweepSpec((Dim("alpha", (1.0,)),), strategy=BASE))
    named = sweep(desk, SweepSpec((Dim("alpha", (1.0,)),), strategy=BASE.varied(features=POOL)))
    assert found == named


@pytest.mark.parametrize("objective", ["ic", "rank_icir", "t", "sharpe"])
def test_other_objectives_rank_by_their_figure(desk: DiscoveryDesk, objective: str) -> None:
    found = select(desk, FeatureSearchSpec(POOL, "exhaustive", 1, 2, objective, strategy=BASE))  # type: ignore[arg-type]
    assert [row.score for row in found.rows] == [getattr(row.report.metrics, objective) for row in found.rows]
    assert found.rows[0].score == max(row.score for row in found.rows)


def test_too_many_sets_are_refused_at_construction() -> None:
    with pytest.raises(SpecProblems) as caught:
        FeatureSearchSpec(tuple(f"f{n}" for n in range(30)), "exhaustive", 1, 10)
    assert caught.value.reason.code == "bad_spec"
