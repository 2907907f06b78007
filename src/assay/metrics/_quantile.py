from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.metrics._arrays import AnyArray, Floats, require
from assay.metrics._conventions import NEWEY_WEST_LAGS, QUANTILES
from assay.metrics._statistics import mean_of, newey_west_t, std_of


@dataclass(frozen=True, slots=True)
class QuantileSummary:
    """Means over dates. ``spread`` is the top quantile's mean less the bottom's, on dates that have both.

    ``monotonicity`` is the rank correlation of a quantile's number with its mean return.
    """

    mean: tuple[float, ...]
    std: tuple[float, ...]
    t: tuple[float, ...]
    names: tuple[float, ...]
    empty_days: tuple[int, ...]
    spread: float
    spread_t: float
    lags: int
    monotonicity: float


@dataclass(frozen=True, slots=True)
class QuantileReturns:
    """Mean label per date and quantile (T, Q), lowest signals first; NaN where no name of the quantile has
    a label.

    ``names`` counts the names behind each mean.
    """

    values: Floats
    names: NDArray[np.int32]

    @property
    def spread(self) -> Floats:
        """Top quantile less bottom quantile per date; for markets without short selling a theoretical
        figure.
        """
        return np.asarray(self.values[:, -1] - self.values[:, 0], dtype=np.float64)

    @property
    def ladder(self) -> Floats:
        """Return per date of the portfolio that holds every name by its quantile's place: one unit long, one
        short.

        Names weigh the number of their quantile less its mean over the names with a label: the rank-weighted
        portfolio of Asness, Moskowitz and Pedersen (Journal of Finance 68, 2013), with all names of a
        quantile alike. NaN where the names are of fewer than two quantiles.
        """
        names = np.where(np.isfinite(self.values), self.names, 0).astype(np.float64)
        total = np.maximum(names.sum(axis=1, keepdims=True), 1.0)
        place = np.arange(self.values.shape[1], dtype=np.float64)[None, :]
        weight = names * (place - (names * place).sum(axis=1, keepdims=True) / total)
        unit = np.abs(weight).sum(axis=1) / 2.0
        earned = (weight * np.nan_to_num(self.values)).sum(axis=1)
        several = np.count_nonzero(names, axis=1) > 1
        return np.asarray(np.divide(earned, unit, out=np.full(len(unit), math.nan), where=several))

    def between(self, start: int, stop: int) -> QuantileReturns:
        """The dates of rows ``start`` to ``stop``, half-open."""
        return QuantileReturns(self.values[start:stop], self.names[start:stop])

    def summary(self, lags: int = NEWEY_WEST_LAGS) -> QuantileSummary:
        """Means, their Newey-West t, and how evenly the returns rise with the quantile."""
        columns = [self.values[:, q] for q in range(self.values.shape[1])]
        used = np.any(self.names > 0, axis=1)
        means = tuple(mean_of(column) for column in columns)
        return QuantileSummary(
            mean=means,
            std=tuple(std_of(column) for column in columns),
            t=tuple(newey_west_t(column, lags) for column in columns),
            names=tuple(mean_of(self.names[used, q]) for q in range(len(columns))),
            empty_days=tuple(int(np.sum(used & np.isnan(column))) for column in columns),
            spread=mean_of(self.spread),
            spread_t=newey_west_t(self.spread, lags),
            lags=lags,
            monotonicity=_rank_correlation(np.array(means)),
        )


def quantile_membership(
    signal: AnyArray, quantiles: int = QUANTILES, universe: AnyArray | None = None
) -> NDArray[np.int16]:
    """The quantile 0..Q-1 of each name on each date, -1 without a signal.

    Average ranks are split equally: quantile = ceil(Q·r/n) - 1. Equal values share a rank and so a
    quantile; with few distinct values some quantiles stay empty, and no name is dropped.
    """
    from assay.metrics._ranks import average_ranks

    require(quantiles >= 2, f"quantiles is {quantiles}", "quantiles", "give at least 2")
    ranks = average_ranks(signal, universe=universe, scaled=False)
    count = np.sum(np.isfinite(ranks), axis=1, keepdims=True)
    doubled = np.where(np.isfinite(ranks), 2.0 * ranks, 1.0).astype(np.int64)
    number = (doubled * quantiles - 1) // np.maximum(2 * count, 1)
    return np.where(np.isfinite(ranks), number, -1).astype(np.int16)


def quantile_turnover(membership: AnyArray, quantile: int, lag: int = 1) -> Floats:
    """Share of a quantile's names that were not in it ``lag`` rows before; NaN where either set is empty.

    ``lag`` counts rows, that is bars of the exchange calendar, never calendar days.
    """
    require(lag >= 1, f"lag is {lag}", "lag", "give at least 1 row")
    inside = np.asarray(membership) == quantile
    out = np.full(len(inside), math.nan)
    now, before = inside[lag:], inside[:-lag]
    size = now.sum(axis=1)
    fine = (size > 0) & before.any(axis=1)
    out[lag:][fine] = (now & ~before).sum(axis=1)[fine] / size[fine]
    return out


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of the universe with a signal, per date (NaN where the universe is empty), and overall."""

    per_date: Floats
    mean: float
    lowest: float
    dates_without_signal: int


def coverage(signal: AnyArray, universe: AnyArray | None = None) -> Coverage:
    """How much of the universe a signal speaks about."""
    has = np.isfinite(signal)
    members = np.ones(has.shape, dtype=bool) if universe is None else np.asarray(universe, dtype=bool)
    size = members.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(size > 0, (has & members).sum(axis=1) / size, math.nan)
    known = share[np.isfinite(share)]
    lowest = float(known.min()) if len(known) else math.nan
    return Coverage(share, mean_of(share), lowest, int(np.sum(known == 0)))


def _rank_correlation(values: Floats) -> float:
    """Spearman correlation of values with their position; NaN with a missing value or without variation."""
    if not np.isfinite(values).all():
        return math.nan
    position = np.arange(len(values), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values))
    ranks[order] = position
    for value in np.unique(values):
        ranks[values == value] = ranks[values == value].mean()
    if std_of(ranks) == 0:
        return math.nan
    return float(np.corrcoef(position, ranks)[0, 1])
