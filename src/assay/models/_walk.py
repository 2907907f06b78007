from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.base import did_you_mean
from assay.errors import Problem, Refusal
from assay.features import FeatureGraph, FeatureStore, Label, label_feature
from assay.metrics import average_ranks, mean_of
from assay.models._estimators import Estimator, Ridge, make_estimator
from assay.models._folds import Fold, folds_of
from assay.models._reasons import EMPTY_FOLD
from assay.models._report import EvalFold, EvalProvenance, EvalReport
from assay.models._scorer import ALL, Figures, SignalScorer, rounded
from assay.models._strategy import Strategy, StrategyProblems

METHOD = "walk_forward"


@dataclass(frozen=True, slots=True)
class Fitted:
    """What an evaluation gave: its report, and the signal behind it.

    Parameters
    ----------
    report : without ``n``, which :func:`record_trials` puts in.
    signal : float32 ``(T, N)`` on the store's panel, as known before the close of its row; of a model out of
        fold, missing elsewhere.
    figures : all figures, also those by day.
    expression : what was evaluated, in words, for the record.
    """

    report: EvalReport
    signal: NDArray[np.float32]
    figures: Figures
    expression: str


def walk_forward(
    store: FeatureStore,
    strategy: Strategy,
    *,
    universe: str | None = None,
    max_bars: int | None = None,
    horizon: int | None = None,
) -> Fitted:
    """Train a strategy fold after fold and evaluate what it says out of fold.

    Features are taken as known at each bar, ranked among the members and centred; a missing one stands at
    the centre, and a name without any has no signal. The model learns the centred ranks of the label.

    Parameters
    ----------
    universe : members that are trained on and evaluated; by default those of the store.
    max_bars : how many of the last bars are used; by default all of the store's period.
    horizon : bars of the label, instead of those of the strategy's target.

    Raises
    ------
    StrategyProblems
        A feature or the target is unknown, or the wrong one is a label; there is no feature.
    Refusal
        ``no_folds``: the bars do not suffice. ``empty_fold``: there is nothing to train on.
        ``broken_feature``.
    ModelMissing
        The model needs an extra that is not installed.
    """
    graph, chosen, label = _resolved(store.graph, strategy, horizon)
    universe = store.universe if universe is None else universe
    stop = store.panel.shape[0]
    first = store.start_row if max_bars is None else max(store.start_row, stop - max_bars)
    folds = folds_of(first, stop, chosen.cv, label.lag)
    estimator = make_estimator(chosen)  # before any work: it may need an extra
    scorer = SignalScorer(store, label, _tested(folds, stop), universe=universe)
    rows = _Rows.of(store, chosen, scorer)
    signal = np.full(store.panel.shape, np.nan, dtype=np.float32)
    for fold in folds:
        rows.run(estimator, fold, signal)
    figures = scorer.figures(signal)
    report = EvalReport(
        method=METHOD,
        subject=chosen.slug,
        target=chosen.target,
        horizon=label.horizon,
        bars=stop - first,
        instruments=int(rows.members[first:].any(axis=0).sum()),
        metrics=figures.metrics,
        folds=tuple(_told(fold, figures, store) for fold in folds),
        n=None,
        provenance=EvalProvenance(
            data=store.panel.name,
            data_hash=store.digest,
            period=store.period,
            universe=universe,
            fingerprint=chosen.fingerprint(graph),
            config_hash=scorer.config_hash(first),
            seed=chosen.seed,
        ),
    )
    return Fitted(report, signal, figures, f"{chosen.model}({', '.join(chosen.features)}) -> {chosen.target}")


def _resolved(
    graph: FeatureGraph, strategy: Strategy, horizon: int | None
) -> tuple[FeatureGraph, Strategy, Label]:
    """The strategy with its target at the horizon, a graph that has this target, and its rule."""
    problems: list[Problem] = []
    label = None
    for name in strategy.features:
        if name not in graph:
            near = did_you_mean(name, graph)
            fix = f"did you mean {near[0]}?" if near else ""
            problems.append(Problem("features", "names a feature that is unknown", fix))
        elif graph[name].is_label:
            problems.append(Problem("features", f"names the label {name}", "leave it out"))
    if not strategy.features:
        problems.append(Problem("features", "is empty", "give at least one feature"))
    if strategy.target not in graph or not isinstance(rule := graph[strategy.target].rule, Label):
        problems.append(
            Problem("target", f"{strategy.target[:80]!r} is no label of returns", "use fwd_ret_5")
        )
    else:
        label = rule
    if problems or label is None:
        raise StrategyProblems(problems, where=f"strategy {strategy.slug!r}")
    if horizon is None or horizon == label.horizon:
        return graph, strategy, label
    made = label_feature(horizon, fill=label.fill)
    if made.name not in graph:
        graph = graph.extended([made])
    return graph, replace(strategy, target=made.name), replace(label, horizon=horizon)


def _tested(folds: Sequence[Fold], rows: int) -> NDArray[np.bool_]:
    tested = np.zeros(rows, dtype=np.bool_)
    for fold in folds:
        tested[fold.test_start : fold.test_stop] = True
    return tested


@dataclass(frozen=True)
class _Rows:
    """Features ``(F, T, N)`` and label ``(T, N)`` as centred ranks.

    A missing feature is 0, a missing label NaN. ``some`` are the members with a feature.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    some: NDArray[np.bool_]
    members: NDArray[np.bool_]

    @classmethod
    def of(cls, store: FeatureStore, strategy: Strategy, scorer: SignalScorer) -> _Rows:
        members = store.panel.universe(scorer.universe or ALL)
        # in an order of their content, so that the order in which they are named changes nothing
        names = sorted(strategy.features, key=lambda name: (store.graph.hash(name), name))
        known = store.known(names)
        x = np.stack([_centred(known[name], members) for name in names])
        some = members & np.isfinite(x).any(axis=0)
        return cls(np.nan_to_num(x, copy=False), _centred(scorer.returns, members), some, members)

    def run(self, estimator: Estimator, fold: Fold, signal: NDArray[np.float32]) -> None:
        """Train on a fold and write what it says of the test rows into ``signal``."""
        train, test = slice(fold.train_start, fold.train_stop), slice(fold.test_start, fold.test_stop)
        usable = self.some[train] & np.isfinite(self.y[train])
        if not usable.any():
            raise Refusal(EMPTY_FOLD, where="features")
        if isinstance(estimator, Ridge):
            gram, moment = self._sums
            estimator.solve(gram[train].sum(axis=0), moment[train].sum(axis=0))
        else:
            estimator.fit(self._taken(train, usable), self.y[train][usable].astype(np.float64))
        asked = self.some[test]
        if asked.any():
            signal[test][asked] = estimator.predict(self._taken(test, asked))

    @cached_property
    def _sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By date the sums ``x'x`` ``(T, F, F)`` and ``x'y`` ``(T, F)``: folds share most of their dates."""
        features, dates, _ = self.x.shape
        gram, moment = np.zeros((dates, features, features)), np.zeros((dates, features))
        usable = self.some & np.isfinite(self.y)
        for row in np.flatnonzero(usable.any(axis=1)):
            x = self.x[:, row, usable[row]].astype(np.float64)
            gram[row], moment[row] = x @ x.T, x @ self.y[row, usable[row]].astype(np.float64)
        return gram, moment

    def _taken(self, rows: slice, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.ascontiguousarray(self.x[:, rows][:, chosen].T, dtype=np.float64)


def _centred(values: NDArray[np.float32], members: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Ranks of the members of each date, from -0.5 to 0.5, with mean 0."""
    ranks = average_ranks(values, universe=members)
    names = np.isfinite(ranks).sum(axis=1, keepdims=True).astype(np.float32)
    with np.errstate(divide="ignore"):
        return np.asarray(ranks - (names + 1.0) / (2.0 * names), dtype=np.float32)


def _told(fold: Fold, figures: Figures, store: FeatureStore) -> EvalFold:
    dates, test = store.panel.dates, slice(fold.test_start, fold.test_stop)
    return EvalFold(
        train_start=str(dates[fold.train_start]),
        train_end=str(dates[fold.train_stop - 1]),
        test_start=str(dates[fold.test_start]),
        test_end=str(dates[fold.test_stop - 1]),
        days=int(np.isfinite(figures.rank_ic[test]).sum()),
        rank_ic=rounded(mean_of(figures.rank_ic[test])),
        ic=rounded(mean_of(figures.ic[test])),
    )
