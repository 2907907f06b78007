from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.base import json_hash
from assay.features import FeatureStore, Label
from assay.market import Fill
from assay.metrics import (
    COSTS_CN,
    COSTS_US,
    PERIODS_PER_YEAR,
    Costs,
    Curve,
    Scorer,
    Tape,
    annualising_factor,
    forward_returns,
    mean_of,
    moments_of,
)
from assay.models._report import EvalMetrics

ALL = "all"
COSTS: Mapping[str, Costs] = {"CN": COSTS_CN, "US": COSTS_US}
MIN_NAMES = 10
QUANTILES = 10
DIGITS = 6
"""Decimals of what a report tells."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of a signal, its daily ICs on all rows, and the book's net excess return by day.

    ``sharpe`` is per bar, not annualised, as trials are recorded.
    """

    metrics: EvalMetrics
    rank_ic: NDArray[np.float64]
    ic: NDArray[np.float64]
    days: NDArray[np.datetime64]
    excess: NDArray[np.float64]
    sharpe: float


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars that a signal is traded on.

    Parameters
    ----------
    times : when each bar ends ``(T,)``: its day, or its second for bars inside the day.
    price : adjusted price of the fill, float32 ``(T, N)``.
    members : who may be traded, bool ``(T, N)``.
    delisted_row : first row at which a name no longer exists ``(N,)``, -1 for none.
    start_row : the first row that is scored.
    minutes : length of a bar inside the day; ``None`` for days.
    """

    times: NDArray[np.datetime64]
    price: NDArray[np.float32]
    members: NDArray[np.bool_]
    delisted_row: NDArray[np.integer[Any]]
    start_row: int
    minutes: int | None = None

    @classmethod
    def daily(cls, store: FeatureStore, fill: Fill, universe: str | None) -> Bars:
        """The days of a store's panel."""
        panel = store.panel
        return cls(
            panel.dates,
            panel.field(fill),
            panel.universe(universe or ALL),
            panel.trading(fill).delisted_row,
            store.start_row,
        )


class SignalScorer:
    """Scores many signals against one label, on the same rows; what the label alone needs is done once.

    Parameters
    ----------
    store : whose data is traded on.
    label : the rule of the label; its horizon counts bars.
    rows : the rows that are scored, bool ``(T,)``; by default all from the first one of the bars on.
    universe : members; ``None`` for all instruments.
    bars : what is traded on; by default the days of the store's period.

    Notes
    -----
    The signal of row ``t`` is known before the close of ``t``, as :meth:`FeatureStore.known` gives it, and is
    ranked among the members of ``t``. The book is the top tenth, equally weighted, bought at the fill of
    ``t+1`` and held for the horizon; every order fills, costs are those of the market. Without a known market
    there are no costs, and no Sharpe ratio. Of bars inside the day the Sharpe ratio is that of the day's
    sums, as everywhere. Figures are those of :mod:`assay.metrics`.
    """

    def __init__(
        self,
        store: FeatureStore,
        label: Label,
        rows: NDArray[np.bool_] | None = None,
        *,
        universe: str | None = None,
        bars: Bars | None = None,
    ) -> None:
        self.bars = Bars.daily(store, label.fill, universe) if bars is None else bars
        price, members, gone = self.bars.price, self.bars.members, self.bars.delisted_row
        tape = Tape(price, delisted_row=gone)
        self.rows = np.arange(len(members)) >= self.bars.start_row if rows is None else rows
        self.store, self.label, self.universe = store, label, universe
        self.judged = members & self.rows[:, None]
        self._names = self.judged.sum(axis=1)[self.rows]
        self.returns = forward_returns(price, label.horizon, delisted_row=gone)
        self._costs = COSTS.get(store.panel.manifest.market or "")
        self._benchmark = tape.equal_weight(members)
        self._scorer = Scorer(
            self.returns,
            bars=tape.bars,
            universe=self.judged,
            quantiles=QUANTILES,
            min_names=MIN_NAMES,
            every=label.horizon,
            offset=int(np.argmax(self.rows)) % label.horizon,
            costs=self._costs or Costs(0.0, 0.0),
        )

    def config_hash(self, first_row: int | None = None) -> str:
        """SHA-256 over all that the figures hang on besides what was evaluated.

        ``first_row`` is the first one that anything was learnt from; by default the first that is scored.
        """
        dates, label, used = self.bars.times, self.label, np.flatnonzero(self.rows)
        content: dict[str, Any] = {
            "data": self.store.digest,
            "first": str(dates[used[0] if first_row is None else first_row]),
            "scored": [str(dates[used[0]]), str(dates[used[-1]]), len(used)],
            "label": asdict(label),
            "universe": self.universe,
            "seen_by_features": self.store.universe,
            "costs": None if self._costs is None else [self._costs.buy_bp, self._costs.sell_bp],
            "quantiles": QUANTILES,
            "min_names": MIN_NAMES,
        }
        if self.bars.minutes is not None:
            content["bar_minutes"] = self.bars.minutes
        return json_hash(content)

    def figures(self, signal: NDArray[np.float32]) -> Figures:
        """Figures of a signal ``(T, N)``; what it says outside of the scored rows and members counts not."""
        score = self._scorer.score(signal)
        lags = 2 * self.label.horizon
        ranked, plain = score.rank_ic.summary(lags), score.ic.summary(lags)
        days, excess, turnover = self._book(score.curve)
        moments = moments_of(excess)
        sharpe = math.nan if self._costs is None else moments.sharpe
        with np.errstate(invalid="ignore"):
            share = score.signal_names[self.rows] / self._names
        metrics = EvalMetrics(
            rank_ic=rounded(ranked.mean),
            ic=rounded(plain.mean),
            rank_icir=rounded(ranked.icir),
            t=rounded(ranked.t),
            sharpe=rounded(sharpe * annualising_factor(PERIODS_PER_YEAR)),
            turnover=rounded(turnover),
            coverage=rounded(mean_of(share)),
            days=ranked.days,
        )
        return Figures(metrics, score.rank_ic.values, score.ic.values, days, excess, sharpe)

    def _book(self, curve: Curve) -> tuple[NDArray[np.datetime64], NDArray[np.float64], float]:
        """Days, net excess returns and yearly turnover, from the first trade on."""
        traded = np.flatnonzero(curve.bought > 0)
        if not len(traded):
            return self.bars.times[:0].astype("datetime64[D]"), np.empty(0), math.nan
        live = slice(int(traded[0]), int(np.flatnonzero(self.rows)[-1]) + 1)
        days = self.bars.times[live].astype("datetime64[D]")
        first = np.flatnonzero(np.r_[True, days[1:] != days[:-1]])
        excess = np.add.reduceat(curve.net[live] - self._benchmark[live], first)
        turnover = np.add.reduceat(curve.turnover[live], first)
        return days[first], excess, float(turnover.mean()) * PERIODS_PER_YEAR


def rounded(value: float) -> float | None:
    """A figure as a report tells it; ``None`` for an undefined one."""
    return round(float(value), DIGITS) if math.isfinite(value) else None
