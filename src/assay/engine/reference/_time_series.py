"""Ops over the past of one instrument. A window is the last ``window`` bars, the current one included.

``min_periods`` 0 asks for a whole window without gaps; k > 0 for k valid values, in a window that
the start of the data may cut short. Spread, skew and the like of a constant window are not noise: they
are 0 or missing as stated.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from assay.engine.reference._storage import Values
from assay.engine.reference._windows import average_rank, bars_ago, by_valid, by_window, cut_windows

NAN = float("nan")


def mean_of(v: Values) -> float:
    return float(v.sum() / v.size)


def central_moment(v: Values, order: int) -> float:
    """The mean of the ``order``-th powers of the deviations from the mean."""
    return float(np.mean((v - mean_of(v)) ** order))


def variance_of(v: Values, ddof: int) -> float:
    """Squared deviations from the mean over n - ddof; missing when n <= ddof."""
    if v.size <= ddof:
        return NAN
    return float(np.sum((v - mean_of(v)) ** 2) / (v.size - ddof))


def ratio(numerator: float, denominator: float) -> float:
    return NAN if denominator == 0 else numerator / denominator


def delay(x: Values, *, window: int) -> Values:
    """x of ``window`` bars ago."""
    return bars_ago(x, window)


def delta(x: Values, *, window: int) -> Values:
    """x minus x of ``window`` bars ago."""
    return x - bars_ago(x, window)


def ts_return(x: Values, *, window: int) -> Values:
    """x over x of ``window`` bars ago, minus 1."""
    past = bars_ago(x, window)
    return x / np.where(past == 0, np.nan, past) - 1.0


def ts_sum(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The sum of the window."""
    return by_valid(lambda v: float(v.sum()), x, window, min_periods)


def ts_mean(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The mean of the window."""
    return by_valid(mean_of, x, window, min_periods)


def ts_product(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The product of the window."""
    return by_valid(lambda v: float(np.prod(v)), x, window, min_periods)


def ts_max(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The largest of the window."""
    return by_valid(lambda v: float(v.max()), x, window, min_periods)


def ts_min(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The smallest of the window."""
    return by_valid(lambda v: float(v.min()), x, window, min_periods)


def ts_median(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The middle of the window, or the mean of the two in the middle."""
    return by_valid(lambda v: float(np.median(v)), x, window, min_periods)


def ts_mad(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The mean distance of the window from its mean."""
    return by_valid(lambda v: float(np.mean(np.abs(v - mean_of(v)))), x, window, min_periods)


def ts_var(x: Values, *, window: int, ddof: int = 0, min_periods: int = 0) -> Values:
    """The variance of the window over n - ddof."""
    return by_valid(lambda v: variance_of(v, ddof), x, window, min_periods)


def ts_std(x: Values, *, window: int, ddof: int = 0, min_periods: int = 0) -> Values:
    """The square root of the variance of the window."""
    return by_valid(lambda v: float(np.sqrt(variance_of(v, ddof))), x, window, min_periods)


def ts_zscore(x: Values, *, window: int, ddof: int = 0, min_periods: int = 0) -> Values:
    """The distance of the current value from the mean of the window, in standard deviations;
    missing when they are 0.
    """

    def score(w: Values) -> float:
        v = w[~np.isnan(w)]
        return ratio(w[-1] - mean_of(v), float(np.sqrt(variance_of(v, ddof))))

    return by_window(score, x, window, min_periods)


def ts_skew(x: Values, *, window: int, bias: bool = True, min_periods: int = 0) -> Values:
    """m3 / m2^1.5, without bias times sqrt(n(n-1))/(n-2); missing for a constant window."""

    def skew(v: Values) -> float:
        m2 = central_moment(v, 2)
        if m2 == 0 or (not bias and v.size < 3):
            return NAN
        g = central_moment(v, 3) / m2**1.5
        n = v.size
        return g if bias else float(g * np.sqrt(n * (n - 1)) / (n - 2))

    return by_valid(skew, x, window, min_periods)


def ts_kurt(x: Values, *, window: int, bias: bool = True, min_periods: int = 0) -> Values:
    """m4 / m2^2 - 3, without bias the usual k-statistic of n >= 4 values; missing for a constant window."""

    def kurt(v: Values) -> float:
        m2 = central_moment(v, 2)
        if m2 == 0 or (not bias and v.size < 4):
            return NAN
        g = central_moment(v, 4) / m2**2 - 3.0
        n = v.size
        return g if bias else (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g + 6.0)

    return by_valid(kurt, x, window, min_periods)


def _place(w: Values, extreme: float, count_from: str) -> float:
    places = np.flatnonzero(w == extreme)
    return float(places[0] + 1) if count_from == "oldest" else float(w.size - 1 - places[-1])


def ts_argmax(x: Values, *, window: int, min_periods: int = 0, count_from: str = "newest") -> Values:
    """Bars since the largest value, 0 = now, the latest wins a tie; from the oldest bar, which is
    1, the earliest does.
    """
    return by_window(lambda w: _place(w, np.nanmax(w), count_from), x, window, min_periods)


def ts_argmin(x: Values, *, window: int, min_periods: int = 0, count_from: str = "newest") -> Values:
    """Bars since the smallest value, 0 = now, the latest wins a tie; from the oldest bar, which is
    1, the earliest does.
    """
    return by_window(lambda w: _place(w, np.nanmin(w), count_from), x, window, min_periods)


def ts_rank(x: Values, *, window: int, min_periods: int = 0, scale: str = "r/n") -> Values:
    """The rank r of the current value among the n valid ones of the window: r/n, or (r-1)/(n-1),
    0.5 when n is 1.
    """

    def place(w: Values) -> float:
        if np.isnan(w[-1]):
            return NAN
        v = w[~np.isnan(w)]
        r = average_rank(v, w[-1])
        if scale == "r/n":
            return r / v.size
        return 0.5 if v.size == 1 else (r - 1.0) / (v.size - 1.0)

    return by_window(place, x, window, min_periods)


def ts_quantile(x: Values, *, window: int, q: float, min_periods: int = 0) -> Values:
    """The value below which the share ``q`` of the window lies, with linear interpolation."""
    return by_valid(lambda v: float(np.quantile(v, q, method="linear")), x, window, min_periods)


def ts_decay_linear(x: Values, *, window: int, missing: str = "strict") -> Values:
    """The mean of the window with weights 1 (oldest) to ``window`` (now); missing values void it,
    or count as zero.
    """
    weights = np.arange(1.0, window + 1.0)
    filled = x if missing == "strict" else np.where(np.isnan(x), 0.0, x)
    return by_window(lambda w: float(w @ weights / weights.sum()), filled, window, 0)


def ts_decay_exp(x: Values, *, window: int, factor: float) -> Values:
    """The mean of the window with weight factor^k for the value of k bars ago."""
    weights = float(factor) ** np.arange(window - 1.0, -1.0, -1.0)
    return by_window(lambda w: ratio(float(w @ weights), weights.sum()), x, window, 0)


def ts_ema(x: Values, *, span: float, min_periods: int = 0) -> Values:
    """The mean of the valid values so far with weight (1 - 2/(span+1))^k for the one of k bars ago.

    ``min_periods`` valid values are needed; 0 = ``span``, rounded up.
    """
    keep = 1.0 - 2.0 / (span + 1.0)
    needed = min_periods or int(np.ceil(span))
    result = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        for row in range(x.shape[0]):
            past = x[: row + 1, column]
            valid = ~np.isnan(past)
            if np.count_nonzero(valid) < needed:
                continue
            ages = np.arange(row, -1.0, -1.0)[valid]
            # only the ratio matters: counting ages from the newest valid value keeps old weights
            # from underflowing
            weights = keep ** (ages - ages[-1])
            result[row, column] = past[valid] @ weights / weights.sum()
    return result


def ts_sma(x: Values, *, window: int, m: int) -> Values:
    """y = (m x + (window - m) y')/window, y' the value before; the first valid x starts it, a
    missing x is passed over.
    """
    result = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        before = NAN
        for row in range(x.shape[0]):
            now = x[row, column]
            if np.isnan(now):
                continue
            before = now if np.isnan(before) else (m * now + (window - m) * before) / window
            result[row, column] = before
    return result


def ts_wma(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The mean of the window with weights 1 (oldest) to the window's length (now) over the valid values."""

    def weighted(w: Values) -> float:
        weights = np.arange(1.0, w.size + 1.0)
        valid = ~np.isnan(w)
        return float(w[valid] @ weights[valid] / weights[valid].sum())

    return by_window(weighted, x, window, min_periods)


def ts_scale(x: Values, *, window: int, constant: float = 0.0) -> Values:
    """(x - smallest)/(largest - smallest) of the window, plus ``constant``; missing for a constant window."""
    return by_window(
        lambda w: ratio(w[-1] - w.min(), w.max() - w.min()) + constant,
        x,
        window,
        0,
    )


def ts_count_missing(x: Values, *, window: int) -> Values:
    """How many values of the window are missing."""
    return by_window(lambda w: float(w.sum()), np.isnan(x).astype(float), window, 0)


def ts_count(condition: Values, *, window: int) -> Values:
    """On how many bars of the window the condition holds."""
    return by_window(lambda w: float(np.count_nonzero(w)), condition, window, 0)


def ts_mean_deviation(x: Values, *, window: int) -> Values:
    """x minus the mean of the valid values of the window."""

    def deviation(w: Values) -> float:
        return float(w[-1] - mean_of(w[~np.isnan(w)]))

    return np.where(np.isnan(x), np.nan, by_window(deviation, x, window, 1))


def ts_moment(x: Values, *, window: int, k: int) -> Values:
    """The ``k``-th central moment of the window."""
    return by_valid(lambda v: central_moment(v, k), x, window, 0)


def ts_ir(x: Values, *, window: int) -> Values:
    """The mean of the window over its standard deviation; missing for a constant window."""
    return by_valid(lambda v: ratio(mean_of(v), float(np.sqrt(variance_of(v, 0)))), x, window, 0)


def _line(w: Values) -> tuple[float, float, float, float]:
    """Least squares of the valid values on their bar number: slope, intercept, residual and total squares."""
    bars = np.arange(w.size, dtype=float)[~np.isnan(w)]
    v = w[~np.isnan(w)]
    sxx = float(np.sum((bars - bars.mean()) ** 2))
    if sxx == 0:
        return NAN, NAN, NAN, NAN
    slope = float(np.sum((bars - bars.mean()) * (v - mean_of(v))) / sxx)
    intercept = mean_of(v) - slope * float(bars.mean())
    sse = float(np.sum((v - intercept - slope * bars) ** 2))
    return slope, intercept, sse, float(np.sum((v - mean_of(v)) ** 2))


def ts_slope(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The slope of the least-squares line of x on the bar number."""
    return by_window(lambda w: _line(w)[0], x, window, min_periods)


def ts_rsquare(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The share of the variance that the line explains; missing for a constant window."""

    def rsquare(w: Values) -> float:
        _, _, sse, sst = _line(w)
        return 1.0 - ratio(sse, sst)

    return by_window(rsquare, x, window, min_periods)


def ts_resid(x: Values, *, window: int, min_periods: int = 0) -> Values:
    """The current value minus the line's."""

    def resid(w: Values) -> float:
        slope, intercept, _, _ = _line(w)
        return float(w[-1] - intercept - slope * (w.size - 1))

    return by_window(resid, x, window, min_periods)


def cumulative_sum(x: Values) -> Values:
    """The sum of all valid values so far; missing before the first."""
    begun = np.cumsum(~np.isnan(x), axis=0) > 0
    return np.where(begun, np.nancumsum(x, axis=0), np.nan)


def ts_sum_if(x: Values, condition: Values, *, window: int) -> Values:
    """The sum of x over those bars of the window on which the condition holds."""
    kept = np.where(np.isnan(condition) | np.isnan(x), np.nan, np.where(condition != 0, x, 0.0))
    return by_valid(lambda v: float(v.sum()), kept, window, 0)


def ts_kth(x: Values, *, window: int, k: int, ignore: str = "NaN") -> Values:
    """The ``k``-th newest of the window's values that ``ignore`` does not list; missing if there
    are fewer.
    """
    words = ignore.split()
    skips_missing = any(word.lower() == "nan" for word in words)
    skipped = [float(np.float32(word)) for word in words if word.lower() != "nan"]

    def kth(w: Values) -> float:
        kept = [v for v in w[::-1] if not (np.isnan(v) and skips_missing) and v not in skipped]
        return kept[k - 1] if len(kept) >= k else NAN

    return cut_windows(kth, x, window)


def ts_backfill(x: Values, *, window: int, k: int = 1) -> Values:
    """x; where it is missing, the ``k``-th newest valid value of the window."""

    def fill(w: Values) -> float:
        if not np.isnan(w[-1]):
            return float(w[-1])
        valid = w[~np.isnan(w)]
        return float(valid[-k]) if valid.size >= k else NAN

    return cut_windows(fill, x, window)


def inverse_distribution(p: float, driver: str) -> float:
    """The value below which the share ``p`` of the distribution lies; for the uniform one p itself."""
    if driver == "gaussian":
        return NormalDist().inv_cdf(p) if 0 < p < 1 else NAN
    return float(np.tan(np.pi * (p - 0.5))) if driver == "cauchy" else p


def ts_rank_gaussian(x: Values, *, window: int, driver: str = "gaussian") -> Values:
    """The driver's inverse distribution at p = (r - 1/2)/window, r the rank of x in the window;
    uniform: p - 1/2.
    """

    def score(w: Values) -> float:
        p = (average_rank(w, w[-1]) - 0.5) / window
        return p - 0.5 if driver == "uniform" else inverse_distribution(p, driver)

    return by_window(score, x, window, 0)


def ts_last_different(x: Values, *, window: int) -> Values:
    """The newest valid value of the window that differs from x; missing if there is none or x is missing."""

    def last(w: Values) -> float:
        if np.isnan(w[-1]):
            return NAN
        others = w[~np.isnan(w) & (w != w[-1])]
        return float(others[-1]) if others.size else NAN

    return cut_windows(last, x, window)


def bars_since_change(x: Values) -> Values:
    """Bars since x last differed from its valid value before; 0 on the bar of the change and
    before any change.
    """
    result = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        before, changed = NAN, -1
        for row in range(x.shape[0]):
            now = x[row, column]
            if np.isnan(now):
                continue
            if not np.isnan(before) and now != before:
                changed = row
            result[row, column] = row - changed if changed >= 0 else 0
            before = now
    return result


def ts_entropy(x: Values, *, window: int, buckets: int = 10) -> Values:
    """-sum p log p, p the shares of the window in equal buckets from its smallest to its largest value."""

    def entropy(w: Values) -> float:
        low, high = w.min(), w.max()
        if low == high:
            return 0.0
        places = np.minimum((w - low) / (high - low) * buckets, buckets - 1).astype(int)
        p = np.bincount(places) / w.size
        p = p[p > 0]
        return float(-np.sum(p * np.log(p)))

    return by_window(entropy, x, window, 0)


def ts_percentage(x: Values, *, window: int, q: float = 0.5) -> Values:
    """The quantile ``q`` of the window, the lower of the two values around it."""
    return by_valid(lambda v: float(np.sort(v)[int(np.floor(q * (v.size - 1)))]), x, window, 0)


TIME_SERIES: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        delay,
        delta,
        ts_return,
        ts_sum,
        ts_mean,
        ts_product,
        ts_max,
        ts_min,
        ts_median,
        ts_mad,
        ts_std,
        ts_var,
        ts_zscore,
        ts_skew,
        ts_kurt,
        ts_argmax,
        ts_argmin,
        ts_rank,
        ts_quantile,
        ts_decay_linear,
        ts_decay_exp,
        ts_ema,
        ts_sma,
        ts_wma,
        ts_scale,
        ts_count_missing,
        ts_count,
        ts_sum_if,
        ts_mean_deviation,
        ts_kth,
        ts_backfill,
        ts_rank_gaussian,
        ts_last_different,
        bars_since_change,
        ts_slope,
        ts_rsquare,
        ts_resid,
        ts_moment,
        ts_entropy,
        ts_percentage,
        ts_ir,
        cumulative_sum,
    )
}
