from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from assay.metrics._arrays import AnyArray, require, series64
from assay.metrics._statistics import is_undefined, mean_of, std_of

_NORMAL = NormalDist()
_EULER = 0.5772156649015329


@dataclass(frozen=True, slots=True)
class Moments:
    """Sharpe ratio per period, skewness and raw kurtosis (normal = 3) of ``n`` returns; all from biased
    moments.
    """

    sharpe: float
    skew: float
    kurtosis: float
    n: int


def moments_of(returns: AnyArray) -> Moments:
    """Moments of one return stream; missing returns are dropped, a constant stream is undefined (NaN)."""
    series = series64(returns, "returns")
    kept = series[np.isfinite(series)]
    mean, std = mean_of(kept), std_of(kept, 0)
    if is_undefined(std, mean):
        return Moments(math.nan, math.nan, math.nan, len(kept))
    z = (kept - mean) / std
    return Moments(mean / std, float(np.mean(z**3)), float(np.mean(z**4)), len(kept))


def _variance_factor(sharpe: float, skew: float, kurtosis: float) -> float:
    return 1.0 - skew * sharpe + (kurtosis - 1.0) / 4.0 * sharpe * sharpe


def _check_kurtosis(skew: float, kurtosis: float) -> None:
    least = skew * skew + 1.0
    require(
        math.isnan(kurtosis) or math.isnan(skew) or kurtosis >= least - 1e-9,
        f"a raw kurtosis of {kurtosis} cannot go with a skewness of {skew}",
        "kurtosis",
        f"give the raw kurtosis (normal = 3), which is at least skewness squared + 1 = {least:.6g}",
    )


def psr(sharpe: float, n: int, skew: float = 0.0, kurtosis: float = 3.0, benchmark: float = 0.0) -> float:
    """Probabilistic Sharpe ratio: the confidence that the true ratio exceeds ``benchmark``.

    Parameters
    ----------
    sharpe, benchmark : per period of the ``n`` returns, not annualised.
    kurtosis : raw, normal = 3.

    Notes
    -----
    Bailey and López de Prado (2012).

    Examples
    --------
    >>> round(psr(0.458, 24), 3), round(psr(0.458, 24, -2.448, 10.164), 3)
    (0.982, 0.913)
    """
    _check_kurtosis(skew, kurtosis)
    factor = _variance_factor(sharpe, skew, kurtosis)
    if n < 2 or not factor > 0:
        return math.nan
    return _NORMAL.cdf((sharpe - benchmark) * math.sqrt(n - 1) / math.sqrt(factor))


def min_track_record(
    sharpe: float, benchmark: float = 0.0, skew: float = 0.0, kurtosis: float = 3.0, confidence: float = 0.95
) -> float:
    """Returns needed before ``sharpe`` exceeds ``benchmark`` at ``confidence``; infinite where it does not
    exceed it.

    Per-period ratios, raw kurtosis. Bailey and López de Prado (2012).
    """
    _check_kurtosis(skew, kurtosis)
    if math.isnan(sharpe):
        return math.nan
    if sharpe <= benchmark:
        return math.inf
    z = _NORMAL.inv_cdf(confidence) / (sharpe - benchmark)
    return 1.0 + _variance_factor(sharpe, skew, kurtosis) * z * z


def expected_max(trials: int) -> float:
    """Expected maximum of ``trials`` independent standard normal values (approximation of the DSR papers).

    Examples
    --------
    >>> round(expected_max(10), 2)
    1.57
    """
    require(trials >= 1, f"trials is {trials}", "trials", "give at least 1")
    if trials == 1:
        return 0.0
    return (1.0 - _EULER) * _NORMAL.inv_cdf(1.0 - 1.0 / trials) + _EULER * _NORMAL.inv_cdf(
        1.0 - 1.0 / (trials * math.e)
    )


def expected_max_sharpe(trials: int, variance: float) -> float:
    """Sharpe ratio that the best of ``trials`` worthless ones is expected to show; ``variance`` is across
    trials.
    """
    require(
        variance >= 0, f"variance is {variance}", "variance", "give the variance of the trials' Sharpe ratios"
    )
    return math.sqrt(variance) * expected_max(trials)


@dataclass(frozen=True, slots=True)
class DeflatedSharpe:
    """DSR with what it was deflated by: ``trials`` and ``variance`` of the trials' per-period Sharpe
    ratios.
    """

    value: float
    threshold: float
    trials: int
    variance: float


def deflated_sharpe(moments: Moments, trials: int, variance: float) -> DeflatedSharpe:
    """Deflated Sharpe ratio: the PSR against the best of ``trials`` worthless strategies.

    Parameters
    ----------
    moments : per-period Sharpe ratio, skewness, raw kurtosis and length of the strategy chosen.
    trials : number of independent trials made; without a record of them there is no DSR.
    variance : variance of the per-period Sharpe ratios across these trials.

    Notes
    -----
    Bailey and López de Prado (2014).
    """
    threshold = expected_max_sharpe(trials, variance)
    value = psr(moments.sharpe, moments.n, moments.skew, moments.kurtosis, threshold)
    return DeflatedSharpe(value, threshold, trials, variance)


def min_backtest_length(trials: int, sharpe: float = 1.0) -> float:
    """Years a backtest must have so that the best of ``trials`` worthless ones is not expected to reach
    ``sharpe``.

    ``sharpe`` is annualised. Bailey, Borwein, López de Prado and Zhu (2014).
    """
    require(sharpe > 0, f"sharpe is {sharpe}", "sharpe", "give a ratio above 0")
    return (expected_max(trials) / sharpe) ** 2


def max_trials(years: float, sharpe: float = 1.0) -> int:
    """The most trials for which :func:`min_backtest_length` stays within ``years``."""
    require(years > 0, f"years is {years}", "years", "give a length above 0")
    low, high = 1, 2
    while min_backtest_length(high, sharpe) <= years and high < 2**60:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if min_backtest_length(middle, sharpe) <= years else (low, middle)
    return low


def sharpe_error(sharpe: float, n: int) -> float:
    """Standard error of a per-period Sharpe ratio of ``n`` independent normal returns: Lo (2002)."""
    require(n >= 1, f"n is {n}", "n", "give at least 1")
    return math.sqrt((1.0 + 0.5 * sharpe * sharpe) / n)


def annualising_factor(periods: int, autocorrelations: Sequence[float] = ()) -> float:
    """Lo's eta(q): what to multiply a per-period Sharpe ratio by, instead of the root of ``periods``.

    ``autocorrelations`` are those of lags 1, 2, ...; missing ones count as 0. NaN where they are not
    possible.
    """
    require(periods >= 1, f"periods is {periods}", "periods", "give at least 1")
    spread = sum((periods - k) * rho for k, rho in enumerate(autocorrelations[: periods - 1], start=1))
    variance = periods + 2.0 * spread
    return periods / math.sqrt(variance) if variance > 0 else math.nan
