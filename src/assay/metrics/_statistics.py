from __future__ import annotations

import math

import numpy as np

from assay.metrics._arrays import AnyArray, require, series64
from assay.metrics._conventions import DDOF, NEWEY_WEST_LAGS, UNDEFINED_TOLERANCE


def is_undefined(std: float, mean: float) -> bool:
    """Whether a standard deviation is too small beside its mean for a ratio to mean anything."""
    return not std > UNDEFINED_TOLERANCE * max(1.0, abs(mean))


def mean_of(values: AnyArray) -> float:
    """Mean of the values that are not missing; NaN without any. Two passes, so that a large level costs no
    digits.
    """
    kept = _kept(values)
    if len(kept) == 0:
        return math.nan
    first = float(kept.mean())
    return first + float((kept - first).mean())


def std_of(values: AnyArray, ddof: int = DDOF) -> float:
    """Standard deviation of the values that are not missing; NaN with fewer than ``ddof + 1``.

    Two passes with Chan's correction: the single-pass formula gives 0 for the NIST NumAcc4 series.
    """
    kept = _kept(values)
    n = len(kept)
    if n <= ddof:
        return math.nan
    gap = kept - mean_of(kept)
    total = float(gap @ gap) - float(gap.sum()) ** 2 / n
    return math.sqrt(max(total, 0.0) / (n - ddof))


def ratio_of(values: AnyArray, ddof: int = DDOF) -> float:
    """mean/std of the values that are not missing; NaN where the undefined rule says so."""
    mean, std = mean_of(values), std_of(values, ddof)
    return math.nan if is_undefined(std, mean) else mean / std


def autocorrelation(values: AnyArray, lag: int = 1) -> float:
    """Autocorrelation at ``lag`` about the common mean (the definition of the NIST reference data).

    Missing values are dropped first. NaN where the series is constant or not longer than ``lag``.
    """
    require(lag >= 1, f"lag is {lag}", "lag", "give at least 1")
    kept = _kept(values)
    if len(kept) <= lag or is_undefined(std_of(kept, 0), mean_of(kept)):
        return math.nan
    gap = kept - mean_of(kept)
    return float(gap[lag:] @ gap[:-lag]) / float(gap @ gap)


def newey_west_t(values: AnyArray, lags: int = NEWEY_WEST_LAGS) -> float:
    """t statistic of the mean under autocorrelation: Bartlett weights, ``lags`` lags, no small-sample factor.

    Missing values are dropped first. NaN with fewer than ``lags + 2`` values or where the long-run
    variance is not positive. Source: Newey and West (1987).
    """
    require(lags >= 0, f"lags is {lags}", "lags", "give 0 or more")
    kept = _kept(values)
    n = len(kept)
    mean = mean_of(kept)
    if n < lags + 2 or is_undefined(std_of(kept, 0), mean):
        return math.nan
    gap = kept - mean
    variance = float(gap @ gap)
    for lag in range(1, lags + 1):
        variance += 2.0 * (1.0 - lag / (lags + 1.0)) * float(gap[lag:] @ gap[:-lag])
    return mean / math.sqrt(variance / n / n) if variance > 0 else math.nan


def _kept(values: AnyArray) -> AnyArray:
    series = series64(values, "values")
    return series[np.isfinite(series)]
