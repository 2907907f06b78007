from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.base import generator
from assay.metrics._arrays import AnyArray, Floats, Ints, require, series64
from assay.metrics._conventions import DDOF, UNDEFINED_TOLERANCE

Statistic = Literal["mean", "ratio"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Percentile interval of a statistic by the stationary block bootstrap."""

    estimate: float
    low: float
    high: float
    level: float
    block: float
    resamples: int
    statistic: Statistic


def optimal_block(values: AnyArray) -> float:
    """Mean block length for the stationary bootstrap, chosen from the data.

    Politis and White (2004) with the correction of Patton, Politis and White (2009), at least 1. The
    choice of the cut-off lag follows the package ``arch``.
    """
    x = _series(values)
    n = len(x)
    gap = x - x.mean()
    if n < 8 or float(gap @ gap) <= (UNDEFINED_TOLERANCE * max(1.0, abs(float(x.mean())))) ** 2 * n:
        return 1.0
    window = max(5, int(math.log10(n)))
    longest = min(math.ceil(math.sqrt(n)) + window, n - 2)
    covariance = np.array([float(gap[k:] @ gap[: n - k]) / n for k in range(longest + 1)])
    scale = [
        math.sqrt(float(gap[k + 1 :] @ gap[k + 1 :]) * float(gap[: n - k - 1] @ gap[: n - k - 1])) / n
        for k in range(longest + 1)
    ]
    small = np.abs(covariance) < 2.0 * math.sqrt(math.log10(n) / n) * np.array(scale)
    reach = longest
    for first in range(longest - window + 1):  # the first run of insignificant autocorrelations
        if small[first : first + window].all():
            reach = min(2 * max(first, 1), longest)
            break
    k = np.arange(1, reach + 1)
    weight = np.minimum(1.0, 2.0 * (1.0 - k / reach))
    lags = covariance[1 : reach + 1]
    spectrum = covariance[0] + 2.0 * float(weight @ lags)
    curvature = 2.0 * float((weight * k) @ lags)
    if spectrum == 0:
        return 1.0
    block = (curvature**2 / spectrum**2) ** (1.0 / 3.0) * n ** (1.0 / 3.0)
    return float(min(max(block, 1.0), math.ceil(min(3.0 * math.sqrt(n), n / 3.0))))


def stationary_indices(n: int, block: float, resamples: int, rng: np.random.Generator) -> Ints:
    """Row numbers (resamples, n) of stationary bootstrap samples: blocks of geometric length with mean
    ``block``.
    """
    require(block >= 1, f"block is {block}", "block", "give a mean length of at least 1")
    fresh = rng.random((resamples, n)) < 1.0 / block
    fresh[:, 0] = True
    start = rng.integers(0, n, (resamples, n))
    column = np.arange(n)
    last = np.maximum.accumulate(np.where(fresh, column, 0), axis=1)
    return np.asarray((np.take_along_axis(start, last, axis=1) + column - last) % n, dtype=np.int64)


def bootstrap_interval(
    values: AnyArray,
    statistic: Statistic = "mean",
    *,
    block: float | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Interval of the mean, or of mean/std (ICIR, Sharpe ratio), that allows for autocorrelation.

    Missing values are dropped first. ``block`` is the mean block length, :func:`optimal_block` by default.
    Percentile interval; Politis and Romano (1994).
    """
    require(0 < level < 1, f"level is {level}", "level", "give a share between 0 and 1")
    require(resamples >= 10, f"resamples is {resamples}", "resamples", "give at least 10")
    x = _series(values)
    if len(x) < 3:
        return Interval(math.nan, math.nan, math.nan, level, 1.0, resamples, statistic)
    length = optimal_block(x) if block is None else float(block)
    rng = generator(seed, "bootstrap")
    compute = _STATISTICS[statistic]
    parts = []
    step = max(1, 2_000_000 // len(x))  # bounds the memory
    for first in range(0, resamples, step):
        rows = stationary_indices(len(x), length, min(step, resamples - first), rng)
        parts.append(compute(x[rows]))
    draws = np.concatenate(parts)
    draws = draws[np.isfinite(draws)]
    estimate = float(compute(x[None, :])[0])
    if len(draws) == 0 or math.isnan(estimate):
        return Interval(estimate, math.nan, math.nan, level, length, resamples, statistic)
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, float(low), float(high), level, length, resamples, statistic)


def _mean(rows: Floats) -> Floats:
    return np.asarray(rows.mean(axis=1), dtype=np.float64)


def _ratio(rows: Floats) -> Floats:
    mean, std = rows.mean(axis=1), rows.std(axis=1, ddof=DDOF)
    fine = std > UNDEFINED_TOLERANCE * np.maximum(1.0, np.abs(mean))
    return np.where(fine, mean / np.where(fine, std, 1.0), np.nan)


_STATISTICS: dict[Statistic, Callable[[Floats], Floats]] = {"mean": _mean, "ratio": _ratio}


def _series(values: AnyArray) -> Floats:
    series = series64(values, "values")
    return series[np.isfinite(series)]
