from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from assay.errors import Refusal
from assay.features import Feature, FeatureStore, Function, Label, standard_graph
from assay.market import Panel, simulate
from assay.models import (
    ModelMissing,
    Ridge,
    SignalScorer,
    Strategy,
    StrategyProblems,
    WalkForward,
    folds_of,
    make_estimator,
    walk_forward,
)
from assay.models import _walk as walk_module

from .conftest import FORMULAS

BASE = Strategy("base", features=tuple(FORMULAS))
ROLLING = WalkForward(train_bars=60, test_bars=20, step_bars=30, embargo_bars=3, expanding=False)


@pytest.mark.parametrize("cv", [WalkForward(), ROLLING, WalkForward(40, 7, 7, 0)])
@pytest.mark.parametrize("horizon", [1, 10])
def test_no_training_label_reaches_the_test_rows(cv: WalkForward, horizon: int) -> None:
    reach = Label(horizon).lag
    folds = folds_of(11, 300, cv, reach)
    assert folds[0].test_start == 11 + cv.train_bars
    for fold in folds:
        last = fold.train_stop - 1
        assert last + reach + cv.embargo_bars < fold.test_start
        assert last + 1 + reach + cv.embargo_bars == fold.test_start  # and none is left out in vain
        assert fold.train_start == (11 if cv.expanding else fold.test_start - cv.train_bars)
        assert 0 < fold.test_stop - fold.test_start <= cv.test_bars
    tested = [row for fold in folds for row in range(fold.test_start, fold.test_stop)]
    assert len(tested) == len(set(tested))
    assert folds[-1].test_stop <= 300


def test_too_few_bars_are_refused() -> None:
    for stop, reach in ((60, 2), (190, 200)):
        with pytest.raises(Refusal) as caught:
            folds_of(0, stop, WalkForward(), reach)
        assert caught.value.reason.code == "no_folds"


def test_the_report_and_the_signal(store: FeatureStore) -> None:
    found = walk_forward(store, replace(BASE, cv=ROLLING))
    report, signal = found.report, found.signal
    tested = np.isfinite(signal).any(axis=1)
    dates = store.panel.dates.astype(str)
    spans = [(fold.test_start, fold.test_end) for fold in report.folds]
    inside = np.array([any(first <= day <= last for first, last in spans) for day in dates])
    assert not tested[~inside].any()
    assert tested[inside].all()
    assert report.metrics.days == sum(fold.days for fold in report.folds)
    assert (report.method, report.subject, report.n) == ("walk_forward", "base", None)
    assert (report.target, report.horizon, report.bars) == ("fwd_ret_5", 5, 420)
    assert report.metrics.coverage is not None
    assert report.metrics.coverage > 0.9
    assert report.as_dict()["folds"][0]["test_start"] == spans[0][0]
    assert report.metrics.rank_ic == pytest.approx(float(np.nanmean(found.figures.rank_ic)), abs=1e-6)


def test_the_figures_are_those_of_the_judge(store: FeatureStore, market: Panel) -> None:
    from assay.judge import JudgeSettings, judge

    found = walk_forward(store, BASE)
    quick = JudgeSettings(
        horizon=5, horizons=(5,), lag=0, robustness="off", leak_checks="off", bootstrap=0, neutral=False
    )
    verdict = judge({"signal": found.signal}, market, quick)[0]
    metrics = found.report.metrics
    assert metrics.rank_ic == pytest.approx(verdict.summary["rank_ic"], abs=1e-6)
    assert metrics.ic == pytest.approx(verdict.summary["ic"], abs=1e-6)
    assert metrics.t == pytest.approx(verdict.summary["t"], abs=1e-5)
    assert metrics.days == verdict.summary["days"]


@pytest.mark.parametrize("model", ["ridge", "linear", "lasso", "elastic_net", "lightgbm"])
def test_every_model_gives_the_same_again(store: FeatureStore, model: str) -> None:
    small = {"n_estimators": 8} if model == "lightgbm" else {}
    strategy = BASE.varied(model=model, parameters=small, train_bars=200, test_bars=90, step_bars=90)
    first, again = walk_forward(store, strategy), walk_forward(store, strategy)
    assert np.array_equal(first.signal, again.signal, equal_nan=True)
    assert first.report == again.report
    turned = walk_forward(store, strategy.varied(features=tuple(reversed(strategy.features))))
    assert np.array_equal(first.signal, turned.signal, equal_nan=True)
    assert turned.report.provenance == first.report.provenance


def test_ridge_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="the extra 'models' is not installed")
    rng = np.random.default_rng(3)
    x = rng.normal(size=(500, 6))
    y = x @ rng.normal(size=6) + rng.normal(size=500)
    for alpha in (0.0, 0.3, 50.0):
        peer = linear.Ridge(alpha=alpha, fit_intercept=False).fit(x, y)
        own = Ridge(alpha).fit(x, y)
        assert np.allclose(own.weights, peer.coef_, rtol=1e-8, atol=1e-10)
        assert np.allclose(own.predict(x), peer.predict(x))


def test_columns_that_depend_on_each_other_do_no_harm() -> None:
    x = np.random.default_rng(3).normal(size=(200, 2))
    x = np.column_stack([x, x[:, 0]])
    found = Ridge(0.0).fit(x, x[:, 0])
    assert np.allclose(found.predict(x), x[:, 0])
    assert np.allclose(found.weights, [0.5, 0.0, 0.5])


@pytest.mark.parametrize(("model", "package"), [("lasso", "sklearn"), ("lightgbm", "lightgbm")])
def test_an_absent_extra_is_named(monkeypatch: pytest.MonkeyPatch, model: str, package: str) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelMissing, match="which is not installed") as caught:
        make_estimator(BASE.varied(model=model))
    assert caught.value.fix == "pip install 'alpha-assay[models]'"


# --- leaks ---------------------------------------------------------------------------------------------


def without_purge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training runs up to the test rows, whatever the labels reach."""

    def naive(first: int, stop: int, cv: WalkForward, reach: int):
        return folds_of(first, stop, replace(cv, embargo_bars=0), 0)

    monkeypatch.setattr(walk_module, "folds_of", naive)


def named_store(panel: Panel) -> FeatureStore:
    """A store in which a model can learn every name by heart."""
    names = [
        Feature(f"is_{number}", Function(partial(is_name, number=number)), ("close",), lag=0)
        for number in range(panel.shape[1])
    ]
    return FeatureStore(panel, standard_graph(panel, extra=names))


def is_name(close, *, number: int):
    out = np.zeros_like(close)
    out[:, number] = 1.0
    return out


def learn_by_heart(panel: Panel) -> float:
    """RankIC on the first row after training, of a model that repeats what it saw of each name last."""
    store = named_store(panel)
    strategy = Strategy(
        "by-heart",
        features=tuple(name for name in store.graph if name.startswith("is_")),
        target="fwd_ret_20",
        cv=WalkForward(train_bars=45, test_bars=1, step_bars=4, embargo_bars=0, expanding=False),
    )
    found = walk_forward(store, strategy).report.metrics.rank_ic
    assert found is not None
    return found


def test_labels_that_overlap_the_test_rows_teach_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a market without any signal only a leak can foresee; training up to the test rows has one."""
    dead = simulate(8, instruments=40, days=300, signal=False)
    assert abs(learn_by_heart(dead)) < 0.1
    without_purge(monkeypatch)
    assert learn_by_heart(dead) > 0.2


def differs_when_cut(market: Panel, strategy: Strategy) -> int:
    """How many values of the signal change when the data ends with their row."""
    graph = standard_graph(market, formulas=FORMULAS)
    whole = walk_forward(FeatureStore(market, graph), strategy).signal
    changed = 0
    for row in (strategy.cv.train_bars, 200, 317):
        cut = walk_forward(FeatureStore(market.between(None, market.dates[row]), graph), strategy).signal
        same = (cut == whole[: row + 1]) | (np.isnan(cut) & np.isnan(whole[: row + 1]))
        changed += int(same.size - np.count_nonzero(same))
    return changed


@pytest.mark.parametrize("target", ["fwd_ret_1", "fwd_ret_20"])
def test_a_signal_is_the_same_when_the_data_ends_with_its_row(
    market: Panel, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    strategy = BASE.varied(target=target, train_bars=80, embargo_bars=0)
    assert differs_when_cut(market, strategy) == 0
    without_purge(monkeypatch)
    assert differs_when_cut(market, strategy) > 0


def test_the_embargo_leaves_out_more(store: FeatureStore) -> None:
    near, far = (walk_forward(store, BASE.varied(embargo_bars=bars)).report for bars in (0, 15))
    days = store.panel.dates.astype(str)
    gap = [int(np.argmax(days == fold.train_end)) for fold in (near.folds[0], far.folds[0])]
    assert gap[0] - gap[1] == 15


def test_a_feature_is_used_when_it_is_known(market: Panel) -> None:
    """A feature that is known ten bars late teaches what it says ten bars late."""
    late = FeatureStore(market, standard_graph(market, formulas=FORMULAS, lag=10))
    early = FeatureStore(market, standard_graph(market, formulas=FORMULAS, lag=1))
    delayed = {name: f"delay({text}, 9)" for name, text in FORMULAS.items()}
    by_hand = FeatureStore(market, standard_graph(market, formulas=delayed, lag=1))
    signals = [walk_forward(store, BASE).signal for store in (late, early, by_hand)]
    # the content differs and with it the order of the columns, so sums differ in the last digits
    assert np.allclose(signals[0], signals[2], equal_nan=True, atol=1e-6)
    assert not np.allclose(signals[0], signals[1], equal_nan=True, atol=1e-3)


# --- what is asked for ---------------------------------------------------------------------------------


def test_horizon_and_bars_of_a_call(store: FeatureStore) -> None:
    found = walk_forward(store, BASE, horizon=7, max_bars=200).report
    assert (found.target, found.horizon, found.bars) == ("fwd_ret_7", 7, 200)
    assert found.folds[0].train_start == str(store.panel.dates[220])
    plain = walk_forward(store, BASE).report
    keys = {(item.provenance.fingerprint, item.provenance.config_hash) for item in (found, plain)}
    assert len(keys) == 2
    shorter = walk_forward(store, BASE, max_bars=400).report.provenance
    assert shorter.fingerprint == plain.provenance.fingerprint
    assert shorter.config_hash != plain.provenance.config_hash


def test_only_the_period_is_used(market: Panel) -> None:
    graph = standard_graph(market, formulas=FORMULAS)
    start = market.dates[100]
    found = walk_forward(FeatureStore(market, graph, period="search", start=start.item()), BASE)
    assert found.report.folds[0].train_start == str(start)
    assert found.report.provenance.period == "search"
    assert found.report.bars == 320


def test_members_alone_are_learnt_from(market: Panel, store: FeatureStore) -> None:
    index = next(name for name in market.universes if name != "all")
    found = walk_forward(store, BASE, universe=index)
    assert found.report.provenance.universe == index
    assert np.isnan(found.signal[~market.universe(index)]).all()
    assert not np.array_equal(found.signal, walk_forward(store, BASE).signal, equal_nan=True)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"features": ()}, "features: is empty"),
        ({"features": ("reversl",)}, "did you mean reversal?"),
        ({"features": ("fwd_ret_1",)}, "names the label fwd_ret_1"),
        ({"target": "close"}, "is no label of returns"),
        ({"target": "fwd_ret_99"}, "is no label of returns"),
    ],
)
def test_a_strategy_that_does_not_fit_is_refused(store: FeatureStore, change: dict, told: str) -> None:
    with pytest.raises(StrategyProblems) as caught:
        walk_forward(store, BASE.varied(**change))
    assert told in str(caught.value)


def test_nothing_to_learn_from_is_refused(market: Panel) -> None:
    graph = standard_graph(market, formulas={"late": "ts_mean(close, 400)"})
    with pytest.raises(Refusal) as caught:
        walk_forward(FeatureStore(market, graph), replace(BASE, features=("late",)))
    assert caught.value.reason.code == "empty_fold"


def test_one_scorer_for_many_signals(store: FeatureStore) -> None:
    scorer = SignalScorer(store, Label(5))
    known = store.known(["reversal", "volatility"])
    figures = {name: scorer.figures(values) for name, values in known.items()}
    assert figures["reversal"].metrics != figures["volatility"].metrics
    nothing = scorer.figures(np.full(store.panel.shape, np.nan, dtype=np.float32)).metrics
    assert (nothing.rank_ic, nothing.sharpe, nothing.turnover, nothing.days) == (None, None, None, 0)
    assert scorer.config_hash() != SignalScorer(store, Label(10)).config_hash()
