from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.discovery import DiscoveryDesk, FactorMiningSpec, SpecProblems, mine
from assay.discovery._draw import draw
from assay.errors import Refusal
from assay.expr import Expression, parse
from assay.features import FeatureStore, Label, feature, standard_graph
from assay.judge import JudgeSettings, judge
from assay.ledger import Ledger, Scope
from assay.market import simulate
from assay.metrics import lag_rows
from assay.models import SignalScorer

from .conftest import FORMULAS

SPEC = FactorMiningSpec(("close", "high", "volume", "reversal", "industry"), "fwd_ret_5", n_candidates=60)


def test_equal_specs_give_equal_leaderboards_whatever_the_threads(desk: DiscoveryDesk) -> None:
    first = mine(desk, SPEC)
    assert mine(replace(desk, threads=1), SPEC) == first
    other = mine(desk, replace(SPEC, seed=1))
    assert {row.report.subject for row in other.rows} != {row.report.subject for row in first.rows}


def test_the_leaderboard_is_ranked_by_its_objective(desk: DiscoveryDesk) -> None:
    found = mine(desk, SPEC)
    assert found.evaluated == 60
    assert len(found.rows) == 20
    scores = [row.score for row in found.rows]
    assert scores == sorted(scores, reverse=True)
    assert [row.score for row in found.rows] == [abs(row.report.metrics.rank_ic or 0) for row in found.rows]
    assert any((row.report.metrics.rank_ic or 0) < 0 for row in found.rows)
    signed = mine(desk, replace(SPEC, objective="signed"))
    assert [row.score for row in signed.rows] == [row.report.metrics.rank_ic for row in signed.rows]
    assert all(
        len({row.report.provenance.fingerprint for row in board.rows}) == 20 for board in (found, signed)
    )


def test_figures_are_those_of_the_judge_on_the_same_formula(desk: DiscoveryDesk, store: FeatureStore) -> None:
    quick = JudgeSettings(
        horizon=5, horizons=(5,), robustness="off", leak_checks="off", bootstrap=0, neutral=False
    )
    for row in mine(desk, SPEC).rows[:6]:
        expression = parse(row.report.subject, fields=store.panel.fields)
        assert expression.fingerprint == row.report.provenance.fingerprint
        summary = judge(expression, store.panel, quick)[0].summary
        told = row.report.metrics
        for ours, name in ((told.rank_ic, "rank_ic"), (told.rank_icir, "rank_icir"), (told.ic, "ic")):
            assert ours == pytest.approx(summary[name], abs=2e-6), (row.report.subject, name)
        assert told.days == summary["days"]


def test_candidates_are_distinct_keep_to_their_depth_and_do_not_hang_on_the_adjustment(
    store: FeatureStore,
) -> None:
    drawn = draw(store.panel, store.graph, replace(SPEC, inputs=("close", "volume"), n_candidates=150))
    assert len({item.expression.signature for item in drawn}) == len(drawn) == 150
    for item in drawn:
        assert item.expression.depth <= SPEC.max_depth + 1  # a sign may come out in the canonical form
        assert item.expression.exponent.invariant
        assert set(item.expression.fields) <= {"close", "volume"}


def test_features_that_are_formulas_are_written_out(store: FeatureStore) -> None:
    drawn = draw(store.panel, store.graph, replace(SPEC, inputs=("gap", "reversal"), n_candidates=20))
    assert {field for item in drawn for field in item.expression.fields} <= {"open", "close"}


@feature("bar_range", deps=("high", "low"), lag=3)
def bar_range(high, low):
    """Width of the bar."""
    return (high - low) / low


def test_python_features_are_inputs_and_keep_their_lag() -> None:
    panel = simulate(5, instruments=40, days=200)
    store = FeatureStore(panel, standard_graph(panel, formulas=FORMULAS, extra=[bar_range]))
    spec = FactorMiningSpec(("bar_range", "turn"), "fwd_ret_1", n_candidates=12)
    (late,) = [item for item in draw(panel, store.graph, spec) if item.expression.fields == ("bar_range",)][
        :1
    ]
    assert late.fingerprint.startswith("formula:")
    taken = {}
    store.known_formulas({"x": late.expression.node}, lambda name, values: taken.update({name: values}))
    from assay.engine import evaluate

    whole = store.materialize("bar_range").values
    inputs = _Only(np.vstack([whole, np.full((3, panel.shape[1]), np.nan, np.float32)]))
    expected = lag_rows(evaluate({"x": late.expression.node}, inputs)["x"], 3)
    np.testing.assert_array_equal(taken["x"][3:], expected[3:])
    assert mine(DiscoveryDesk(store), spec).evaluated == 12


class _Only:
    """One field, as the engine asks for it."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.shape = values, values.shape

    def field(self, name: str) -> np.ndarray:
        return self.values


def test_what_ranks_alike_has_one_place(desk: DiscoveryDesk) -> None:
    spec = replace(SPEC, inputs=("amount", "turn"), n_candidates=200, max_depth=2)
    found = mine(desk, spec)
    assert found.repeated > 0
    series = []
    for row in found.rows:
        (score,) = judge_series(desk.store, row.report.subject)
        series.append(score)
    for number, one in enumerate(series):
        for other in series[:number]:
            assert np.nanmax(np.abs(one - other)) > 1e-3


def judge_series(store: FeatureStore, text: str) -> list[np.ndarray]:
    """Daily RankICs of a formula, turned so that their mean is positive."""
    found: list[np.ndarray] = []
    node = parse(text, fields=store.panel.fields).node
    scorer = SignalScorer(store, Label(5))

    def take(name: str, values: np.ndarray) -> None:
        figures = scorer.figures(values)
        found.append(figures.rank_ic * np.sign(figures.metrics.rank_ic or 1.0))

    store.known_formulas({"x": node}, take)
    return found


def test_a_rank_ic_of_few_bars_has_no_place(desk: DiscoveryDesk) -> None:
    found = mine(desk, replace(SPEC, n_candidates=200))
    assert found.undefined > 0
    assert min(row.report.metrics.days for row in found.rows) >= 30


def test_every_candidate_is_a_trial_and_a_repeat_adds_none(desk: DiscoveryDesk, ledger: Ledger) -> None:
    recorded = replace(desk, ledger=ledger)
    first = mine(recorded, SPEC)
    assert (first.evaluated, first.n) == (60, 60)
    assert all(row.report.n == 60 for row in first.rows)
    assert mine(recorded, SPEC) == first
    assert ledger.trials(Scope(data="sim")).n == 60
    more = mine(recorded, replace(SPEC, n_candidates=80))
    assert more.n == 80  # the first 60 draws are the same
    assert {entry.body["desk"] for entry in ledger.entries(kind="trial")} == {"discovery"}


def test_nothing_after_the_stores_last_bar_counts(store: FeatureStore) -> None:
    """A market whose later rows are nonsense gives the same leaderboard."""
    panel = store.panel
    cut = panel.dates[250].item()
    other = {name: values.copy() for name, values in panel.data.fields.items()}
    for values in other.values():
        values[251:] = 7.0
    scrambled = type(panel)(replace(panel.data, fields=other))
    boards = [
        mine(DiscoveryDesk(FeatureStore(each.between(None, cut), store.graph)), SPEC)
        for each in (panel, scrambled)
    ]
    shown = [[(row.score, row.report.subject, row.report.metrics) for row in board.rows] for board in boards]
    assert shown[0] == shown[1]


def test_figures_without_a_batch_are_the_same(desk: DiscoveryDesk, store: FeatureStore) -> None:
    scorer = SignalScorer(store, Label(5))
    for row in mine(desk, SPEC).rows[:5]:
        expression: Expression = parse(row.report.subject, fields=store.panel.fields)
        taken = {}
        store.known_formulas({"x": expression.node}, lambda name, values, into=taken: into.update(x=values))
        assert scorer.figures(taken["x"]).metrics == row.report.metrics


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"inputs": ()}, "bad_inputs"),
        ({"max_depth": 11}, "bad_max_depth"),
        ({"n_candidates": 20_001}, "bad_n_candidates"),
        ({"n_candidates": True}, "bad_n_candidates"),
        ({"objective": "rank_ic"}, "bad_objective"),
        ({"target": ""}, "bad_target"),
        ({"seed": -1}, "bad_spec"),
    ],
)
def test_wide_specs_are_refused_at_construction(changes, reason: str) -> None:
    with pytest.raises(SpecProblems) as caught:
        replace(SPEC, **changes)
    assert caught.value.reason.code == reason


def test_all_problems_of_a_spec_are_told_at_once() -> None:
    with pytest.raises(SpecProblems) as caught:
        FactorMiningSpec((), "", 0, 0, "best")
    assert [problem.where for problem in caught.value.problems] == [
        "inputs", "target", "max_depth", "n_candidates", "objective",
    ]  # fmt: skip


def test_unknown_names_are_refused_with_what_was_meant(desk: DiscoveryDesk) -> None:
    with pytest.raises(Refusal) as caught:
        mine(desk, replace(SPEC, inputs=("close", "reversl")))
    assert caught.value.reason.code == "unknown_feature"
    assert "reversal" in (caught.value.fix or "")
