"""From factors to one signal and its figures, alike for every contender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from assay.engine import evaluate
from assay.expr import Node
from assay.judge import JudgeSettings, judge
from assay.market import Panel
from assay.metrics import average_ranks, forward_returns, newey_west_t

PENALTIES = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
WEEKDAYS = 5
FIGURES = ("ic", "rank_ic", "rank_icir", "neutral_rank_ic", "net_excess", "ir", "turnover")
LIGHTGBM = {
    # as published with Alpha158 on CSI 300
    "objective": "mse", "learning_rate": 0.2, "feature_fraction": 0.8879, "bagging_fraction": 0.8789,
    "lambda_l1": 205.6999, "lambda_l2": 580.9768, "max_depth": 8, "num_leaves": 210, "num_threads": 2,
    "verbosity": -1,
}  # fmt: skip


@dataclass(frozen=True)
class Windows:
    """Dates of signals, both included. ``test`` is used by ``--final`` alone."""

    train: tuple[date, date]
    valid: tuple[date, date]
    test: tuple[date, date]


@dataclass(frozen=True)
class Cells:
    """Members of each date, flat: everything that is fitted is an array over these cells.

    A factor's value of row ``t`` is that of the signal of ``t + 1``: ``label`` and ``rows`` are the signal's.
    """

    panel: Panel
    members: np.ndarray
    rows: np.ndarray
    names: np.ndarray
    label: np.ndarray

    @classmethod
    def of(cls, panel: Panel, universe: str | None, horizon: int) -> Cells:
        """Cells of all dates but the first; ``label`` is the rank of the return among the members."""
        members = np.ones(panel.shape, bool) if universe is None else panel.universe(universe)
        returns = forward_returns(panel.field("close").astype(np.float64), horizon)
        returns[~members] = np.nan
        label = average_ranks(returns.astype(np.float32), universe=members) - 0.5
        rows, names = np.nonzero(members[1:])
        return cls(panel, members, rows + 1, names, label[rows + 1, names])

    def features(self, factors: Mapping[str, Node]) -> np.ndarray:
        """Centred ranks among the members, 0 where missing: ``(cells, factors)``."""
        found = np.zeros((len(self.rows), len(factors)), dtype=np.float32)
        place = {name: number for number, name in enumerate(factors)}

        def take(name: str, values: np.ndarray) -> None:
            signal = np.full_like(values, np.nan)
            signal[1:] = values[:-1]
            ranks = average_ranks(signal, universe=self.members) - 0.5
            found[:, place[name]] = np.nan_to_num(ranks[self.rows, self.names])

        evaluate(factors, self.panel, universe=self.members, sink=take)
        return found

    def within(self, window: tuple[date, date], *, labelled: bool = True) -> np.ndarray:
        """Which cells have their signal in a window, and a label that does not reach beyond it."""
        dates = self.panel.dates
        first = np.searchsorted(dates, np.datetime64(window[0]))
        last = np.searchsorted(dates, np.datetime64(window[1]), side="right")
        inside = (self.rows >= first) & (self.rows < last)
        return inside & np.isfinite(self.label) if labelled else inside

    def values(self, signal: np.ndarray) -> np.ndarray:
        """A prediction per cell as values ``(T, N)`` that a judge with lag 1 takes for the signal."""
        found = np.full(self.panel.shape, np.nan, dtype=np.float32)
        found[self.rows - 1, self.names] = signal
        return found


def rank_ic(cells: Cells, signal: np.ndarray, window: tuple[date, date]) -> float:
    """Mean daily rank correlation of a prediction with the label."""
    inside = cells.within(window)
    found = []
    order = np.flatnonzero(inside)
    for part in np.split(order, np.flatnonzero(np.diff(cells.rows[order])) + 1):
        if len(part) >= 30:
            x = np.argsort(np.argsort(signal[part]))
            found.append(np.corrcoef(x, cells.label[part])[0, 1])
    return float(np.nanmean(found))


def ridge(
    cells: Cells,
    features: np.ndarray,
    windows: Windows,
    *,
    label: np.ndarray | None = None,
    refit: bool = False,
) -> np.ndarray:
    """Least squares on ranks; the penalty that does best on ``valid``.

    Parameters
    ----------
    label : fitted in place of the ranks of returns, for each cell; NaN is left out.
    refit : fit once more on ``train`` and ``valid`` together, with the penalty that was found.
    """
    y = cells.label if label is None else label
    moments = _moments(features, y, cells.within(windows.train))
    tried = [(penalty, features @ _solved(*moments, penalty)) for penalty in PENALTIES]
    penalty, best = max(tried, key=lambda item: rank_ic(cells, item[1], windows.valid))
    if refit:
        both = cells.within(windows.train) | cells.within(windows.valid)
        best = features @ _solved(*_moments(features, y, both), penalty)
    return np.asarray(best)


def _moments(features: np.ndarray, label: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    inside = rows & np.isfinite(label)
    x, y = features[inside].astype(np.float64), label[inside].astype(np.float64)
    return x.T @ x, x.T @ y


def _solved(gram: np.ndarray, moment: np.ndarray, penalty: float) -> np.ndarray:
    return np.linalg.solve(gram + penalty * np.eye(len(gram)), moment).astype(np.float32)


def equal(features: np.ndarray, signs: Sequence[float]) -> np.ndarray:
    """The mean rank, each factor with its sign on ``train``."""
    return np.asarray(features @ np.asarray(signs, dtype=np.float32))


def lightgbm(
    cells: Cells, features: np.ndarray, windows: Windows, *, rounds: int | None, seed: int
) -> np.ndarray:
    """Trees on the same ranks: so many rounds, or None for an early stop on ``valid`` as published."""
    import lightgbm as gbm

    inside, held = cells.within(windows.train), cells.within(windows.valid)
    train = gbm.Dataset(features[inside], cells.label[inside])
    valid = gbm.Dataset(features[held], cells.label[held], reference=train)
    stop = [] if rounds else [gbm.early_stopping(50, verbose=False)]
    model = gbm.train({**LIGHTGBM, "seed": seed}, train, rounds or 1000, valid_sets=[valid], callbacks=stop)
    return np.asarray(model.predict(features))


@dataclass(frozen=True)
class Result:
    """Figures of a signal over a window, the book's averaged over the possible rebalance weekdays."""

    figures: Mapping[str, float]
    neutral: np.ndarray
    ranked: np.ndarray


def measured(values: np.ndarray, panel: Panel, settings: JudgeSettings, window: tuple[date, date]) -> Result:
    """Judge values over a window."""
    books: list[Mapping[str, float]] = []
    first = None
    for day in range(WEEKDAYS):
        start = _later(panel, window[0], day)
        verdict = judge({"signal": values}, panel, replace(settings, start=start, end=window[1]))[0]
        first = first or verdict
        books.append(verdict.summary)
    assert first is not None
    figures = {name: float(first.summary[name]) for name in FIGURES}
    for name in ("net_excess", "ir", "turnover"):
        figures[name] = float(np.mean([book[name] for book in books]))
    neutral = first.series.get("neutral_rank_ic", np.full(len(first.dates), np.nan))
    return Result(figures, neutral, first.series["rank_ic"])


def _later(panel: Panel, start: date, bars: int) -> date:
    row = int(np.searchsorted(panel.dates, np.datetime64(start))) + bars
    found: date = panel.dates[row].astype("datetime64[D]").item()
    return found if bars else start


def paired_t(ours: np.ndarray, theirs: np.ndarray, lags: int = 10) -> float:
    """Newey-West t of the mean difference of two daily series on the same dates."""
    return newey_west_t(ours - theirs, lags)
