from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.metrics._arrays import AnyArray, Floats, require, series64
from assay.metrics._conventions import DDOF, PERIODS_PER_YEAR
from assay.metrics._statistics import is_undefined, mean_of, ratio_of, std_of


@dataclass(frozen=True, slots=True)
class Drawdown:
    """The deepest fall from a peak: ``depth`` is negative or 0; ``peak`` and ``trough`` are rows, -1 =
    before row 0.
    """

    depth: float
    peak: int
    trough: int


def nav_of(returns: AnyArray) -> Floats:
    """Net asset value after each return, beginning at 1 before the first.

    Raises
    ------
    DataError
        A return is missing; a gap must be dropped or explained, not taken for 0.
    """
    series = _complete(returns)
    return np.asarray(np.cumprod(1.0 + series), dtype=np.float64)


def max_drawdown(returns: AnyArray) -> Drawdown:
    """The deepest fall of the net asset value, its start of 1 included.

    Examples
    --------
    >>> round(max_drawdown([-0.10, -1 / 6, 0.02]).depth, 12)
    -0.25
    """
    nav = np.concatenate([[1.0], nav_of(returns)])
    fall = nav / np.maximum.accumulate(nav) - 1.0
    trough = int(np.argmin(fall))
    peak = int(np.argmax(nav[: trough + 1]))
    return Drawdown(float(fall[trough]), peak - 1, trough - 1)


def total_return(returns: AnyArray) -> float:
    """Compounded return over all periods."""
    nav = nav_of(returns)
    return float(nav[-1]) - 1.0 if len(nav) else 0.0


def annual_return(returns: AnyArray, periods: int = PERIODS_PER_YEAR) -> float:
    """Compounded return a year; years are the number of returns over ``periods``, never calendar days."""
    nav = nav_of(returns)
    if len(nav) == 0:
        return math.nan
    return float(nav[-1]) ** (periods / len(nav)) - 1.0 if nav[-1] > 0 else -1.0


def annual_volatility(returns: AnyArray, periods: int = PERIODS_PER_YEAR) -> float:
    """Standard deviation (ddof 1) times the root of ``periods``."""
    return std_of(_complete(returns), DDOF) * math.sqrt(periods)


def annual_ir(excess: AnyArray, periods: int = PERIODS_PER_YEAR) -> float:
    """Information ratio: annualised mean/std (ddof 1) of excess returns; NaN where undefined."""
    return ratio_of(_complete(excess), DDOF) * math.sqrt(periods)


def tracking_error(excess: AnyArray, periods: int = PERIODS_PER_YEAR) -> float:
    """Annualised standard deviation (ddof 1) of excess returns."""
    return annual_volatility(excess, periods)


def beta_of(returns: AnyArray, benchmark: AnyArray) -> float:
    """Slope of returns on the benchmark; NaN where the benchmark is constant."""
    y, x = _complete(returns), _complete(benchmark)
    require(
        len(x) == len(y),
        f"{len(y)} returns, {len(x)} benchmark returns",
        "benchmark",
        "align the series first",
    )
    if is_undefined(std_of(x, 0), mean_of(x)):
        return math.nan
    gap = x - mean_of(x)
    return float(gap @ (y - mean_of(y))) / float(gap @ gap)


def break_even_bp(gross_excess: AnyArray, traded: AnyArray) -> float:
    """Cost per unit of traded value, in basis points, at which the mean excess return after cost is zero.

    ``traded`` counts purchases and sales; NaN without any trade, negative where the gross excess is.
    """
    volume = float(np.sum(_complete(traded)))
    return float(np.sum(_complete(gross_excess))) / volume * 1e4 if volume > 0 else math.nan


def _complete(values: AnyArray) -> Floats:
    series = series64(values, "returns")
    missing = int(np.sum(~np.isfinite(series)))
    require(
        missing == 0,
        f"{missing} of {len(series)} returns are missing",
        "returns",
        "drop or explain them first: a gap is not a return of 0",
    )
    return series
