from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
class Evaluated:
    """An evaluation as it is recorded.

    Parameters
    ----------
    report : without ``n``, which :func:`record_trials` puts in.
    figures : all figures, also those by day.
    expression : what was evaluated, in words, for the record.
    """

    report: EvalReport
    figures: Figures
    expression: str


@dataclass(frozen=True, slots=True)
class Fitted(Evaluated):
    """What a model gave: its evaluation, and the signal behind it.

    Parameters
    ----------
    signal : float32 ``(T, N)`` on the store's panel, as known before the close of its row; out of fold,
        missing elsewhere.
    """

    signal: NDArray[np.float32]


def walk_forward(
    store: FeatureStore,
    strategy: Strategy,
    *,
    universe: str | None = None,
    max_bars: int | None = None,
    horizon: int | None = None,
) -> Fitted:
    """Train a strategy fold after fold and evaluate what it says out of fold; see :class:`Trainer`."""
    return Trainer(store, universe=universe, max_bars=max_bars).run(strategy, horizon=horizon)


class Trainer:
    """Trains strategies of one store; what they share is made once: ranks of features, sums by date.

    Features are taken as known at each bar, ranked among the members and centred; a missing one stands at
    the centre, and a name without any has no signal. The model learns the centred ranks of the label. What
    was run before changes no figure.

    Parameters
    ----------
    universe : members that are trained on and evaluated; by default those of the store.
    max_bars : how many of the last bars are used; by default all of the store's period.
    """

    def __init__(
        self, store: FeatureStore, *, universe: str | None = None, max_bars: int | None = None
    ) -> None:
        self.store = store
        self.universe = store.universe if universe is None else universe
        self._stop = store.panel.shape[0]
        self._first = store.start_row if max_bars is None else max(store.start_row, self._stop - max_bars)
        self._members = store.panel.universe(self.universe or ALL)
        self._ranks: dict[str, _Ranked] = {}
        self._targets: dict[Label, _Target] = {}
        self._scorers: dict[tuple[Label, bytes], SignalScorer] = {}

    def run(self, strategy: Strategy, *, horizon: int | None = None) -> Fitted:
        """Train a strategy fold after fold and evaluate what it says out of fold.

        Parameters
        ----------
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
        graph, chosen, label = _resolved(self.store.graph, strategy, horizon)
        folds = folds_of(self._first, self._stop, chosen.cv, label.lag)
        estimator = make_estimator(chosen)  # before any work: it may need an extra
        scorer = self._scorer(label, _tested(folds, self._stop))
        work = self._work(chosen, label, scorer)
        signal = np.full(self.store.panel.shape, np.nan, dtype=np.float32)
        for fold in folds:
            work.run(estimator, fold, signal)
        figures = scorer.figures(signal)
        report = EvalReport(
            method=METHOD,
            subject=chosen.slug,
            target=chosen.target,
            horizon=label.horizon,
            bars=self._stop - self._first,
            instruments=int(self._members[self._first :].any(axis=0).sum()),
            metrics=figures.metrics,
            folds=tuple(_told(fold, figures, self.store) for fold in folds),
            n=None,
            provenance=EvalProvenance(
                data=self.store.panel.name,
                data_hash=self.store.digest,
                period=self.store.period,
                universe=self.universe,
                fingerprint=chosen.fingerprint(graph),
                config_hash=scorer.config_hash(self._first),
                seed=chosen.seed,
            ),
        )
        words = f"{chosen.model}({', '.join(chosen.features)}) -> {chosen.target}"
        return Fitted(report, figures, words, signal)

    def _scorer(self, label: Label, tested: NDArray[np.bool_]) -> SignalScorer:
        key = (label, np.packbits(tested).tobytes())
        if key not in self._scorers:
            self._scorers[key] = SignalScorer(self.store, label, tested, universe=self.universe)
        return self._scorers[key]

    def _work(self, strategy: Strategy, label: Label, scorer: SignalScorer) -> _Work:
        # in an order of their content, so that the order in which they are named changes nothing
        graph = self.store.graph
        names = sorted(strategy.features, key=lambda name: (graph.hash(name), name))
        missing = [name for name in names if name not in self._ranks]
        if missing:
            for name, values in self.store.known(missing).items():
                self._ranks[name] = _Ranked.of(name, values, self._members)
        if label not in self._targets:
            self._targets[label] = _Target.of(scorer.returns, self._members)
        return _Work(tuple(self._ranks[name] for name in names), self._targets[label])


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


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A feature as centred ranks ``(T, N)``, 0 where it is missing, and where members have it."""

    name: str
    ranks: NDArray[np.float32]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, name: str, values: NDArray[np.float32], members: NDArray[np.bool_]) -> _Ranked:
        ranks = _centred(values, members)
        known = members & np.isfinite(ranks)
        return cls(name, np.nan_to_num(ranks, copy=False), known)


@dataclass(frozen=True)
class _Target:
    """A label as centred ranks ``(T, N)``, NaN where it is missing, and sums by date of products with it."""

    y: NDArray[np.float32]
    sums: dict[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of(cls, returns: NDArray[np.float32], members: NDArray[np.bool_]) -> _Target:
        return cls(_centred(returns, members))

    def product(self, one: _Ranked, other: _Ranked) -> NDArray[np.float64]:
        """Sums of products of two features over the names that have a label, float64 ``(T,)``."""
        key = (one.name, other.name) if one.name < other.name else (other.name, one.name)
        if key not in self.sums:
            kept = np.where(np.isfinite(self.y), one.ranks, np.float32(0)).astype(np.float64)
            self.sums[key] = np.einsum("tn,tn->t", kept, other.ranks.astype(np.float64))
        return self.sums[key]

    def moment(self, one: _Ranked) -> NDArray[np.float64]:
        """Sums of products of a feature and the label, float64 ``(T,)``."""
        key = (one.name, "")
        if key not in self.sums:
            y = np.nan_to_num(self.y).astype(np.float64)
            self.sums[key] = np.einsum("tn,tn->t", one.ranks.astype(np.float64), y)
        return self.sums[key]


@dataclass(frozen=True)
class _Work:
    """Features and label of one strategy."""

    features: tuple[_Ranked, ...]
    target: _Target

    def run(self, estimator: Estimator, fold: Fold, signal: NDArray[np.float32]) -> None:
        """Train on a fold and write what it says of the test rows into ``signal``."""
        train, test = slice(fold.train_start, fold.train_stop), slice(fold.test_start, fold.test_stop)
        usable = self._some[train] & np.isfinite(self.target.y[train])
        if not usable.any():
            raise Refusal(EMPTY_FOLD, where="features")
        asked = self._some[test]
        if isinstance(estimator, Ridge):
            gram, moment = self._sums
            estimator.solve(gram[train].sum(axis=0), moment[train].sum(axis=0))
            # added up feature by feature: a product of matrices rounds by its shape
            said = sum(
                weight * item.ranks[test]
                for weight, item in zip(estimator.weights, self.features, strict=True)
            )
            signal[test] = np.where(asked, said, np.nan)
            return
        estimator.fit(self._taken(train, usable), self.target.y[train][usable].astype(np.float64))
        if asked.any():
            signal[test][asked] = estimator.predict(self._taken(test, asked))

    @cached_property
    def _some(self) -> NDArray[np.bool_]:
        """Members with a feature."""
        found: NDArray[np.bool_] = np.logical_or.reduce([item.known for item in self.features])
        return found

    @cached_property
    def _sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By date the sums ``x'x`` ``(T, F, F)`` and ``x'y`` ``(T, F)``: folds share most of their dates."""
        features, target = self.features, self.target
        gram = np.empty((len(target.y), len(features), len(features)))
        for i, one in enumerate(features):
            for j, other in enumerate(features[: i + 1]):
                gram[:, i, j] = gram[:, j, i] = target.product(one, other)
        return gram, np.stack([target.moment(item) for item in features], axis=1)

    def _taken(self, rows: slice, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.stack([item.ranks[rows][chosen] for item in self.features], axis=1).astype(np.float64)


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
