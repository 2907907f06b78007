from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.base import canonical_json
from assay.features import FeatureStore, Label, label_values
from assay.metrics import (
    COSTS_CN,
    COSTS_US,
    PERIODS_PER_YEAR,
    Costs,
    Scorer,
    Tape,
    annualising_factor,
    coverage,
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


class SignalScorer:
    """Scores many signals against one label, on the same rows; what the label alone needs is done once.

    Parameters
    ----------
    store : whose panel is traded on.
    label : the rule of the label.
    rows : the rows that are scored, bool ``(T,)``; by default all of the store's period.
    universe : members; ``None`` for all instruments.

    Notes
    -----
    The signal of row ``t`` is known before the close of ``t``, as :meth:`FeatureStore.known` gives it, and is
    ranked among the members of ``t``. The book is the top tenth, equally weighted, bought at the fill of
    ``t+1`` and held for the horizon; every order fills, costs are those of the market. Without a known market
    there are no costs, and no Sharpe ratio. Figures are those of :mod:`assay.metrics`.
    """

    def __init__(
        self,
        store: FeatureStore,
        label: Label,
        rows: NDArray[np.bool_] | None = None,
        *,
        universe: str | None = None,
    ) -> None:
        panel = store.panel
        trading = panel.trading(label.fill)
        tape = Tape(panel.field(label.fill), trading.limit_up, trading.limit_down, trading.delisted_row)
        members = panel.universe(universe or ALL)
        self.rows = np.arange(len(members)) >= store.start_row if rows is None else rows
        self.store, self.label, self.universe = store, label, universe
        self.judged = members & self.rows[:, None]
        self.returns = label_values(panel, label)
        self._costs = COSTS.get(panel.manifest.market or "")
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
        dates, label, used = self.store.panel.dates, self.label, np.flatnonzero(self.rows)
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
        return hashlib.sha256(canonical_json(content).encode()).hexdigest()

    def figures(self, signal: NDArray[np.float32]) -> Figures:
        """Figures of a signal ``(T, N)``; what it says outside of the scored rows and members counts not."""
        score = self._scorer.score(np.where(self.judged, signal, np.float32(np.nan)))
        lags = 2 * self.label.horizon
        ranked, plain = score.rank_ic.summary(lags), score.ic.summary(lags)
        days, excess, turnover = self._book(score.curve)
        moments = moments_of(excess)
        sharpe = math.nan if self._costs is None else moments.sharpe
        share = coverage(signal[self.rows], self.judged[self.rows])
        metrics = EvalMetrics(
            rank_ic=rounded(ranked.mean),
            ic=rounded(plain.mean),
            rank_icir=rounded(ranked.icir),
            t=rounded(ranked.t),
            sharpe=rounded(sharpe * annualising_factor(PERIODS_PER_YEAR)),
            turnover=rounded(turnover),
            coverage=rounded(mean_of(share.per_date)),
            days=ranked.days,
        )
        return Figures(metrics, score.rank_ic.values, score.ic.values, days, excess, sharpe)

    def _book(self, curve: Any) -> tuple[NDArray[np.datetime64], NDArray[np.float64], float]:
        """Days, net excess returns and yearly turnover, from the first trade on."""
        traded = np.flatnonzero(curve.bought > 0)
        if not len(traded):
            return self.store.panel.dates[:0], np.empty(0), math.nan
        live = slice(int(traded[0]), int(np.flatnonzero(self.rows)[-1]) + 1)
        excess = np.asarray(curve.net[live] - self._benchmark[live], dtype=np.float64)
        turnover = float(curve.turnover[live].mean()) * PERIODS_PER_YEAR
        return self.store.panel.dates[live], excess, turnover


def rounded(value: float) -> float | None:
    """A figure as a report tells it; ``None`` for an undefined one."""
    return round(float(value), DIGITS) if math.isfinite(value) else None
