"""Windows over two or three inputs: only the bars on which all are valid take part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.engine.reference._storage import Values
from assay.engine.reference._time_series import NAN, mean_of, ratio
from assay.engine.reference._windows import bars_ago, by_pair


def covariance_of(a: Values, b: Values, ddof: int) -> float:
    """Products of the deviations from the means over n - ddof; missing when n <= ddof."""
    if a.size <= ddof:
        return NAN
    return float(np.sum((a - mean_of(a)) * (b - mean_of(b))) / (a.size - ddof))


def correlation_of(a: Values, b: Values) -> float:
    """Pearson's correlation within [-1, 1]; missing where either side is constant."""
    if a.size < 2 or a.min() == a.max() or b.min() == b.max():
        return NAN
    da = a - mean_of(a)
    db = b - mean_of(b)
    r = ratio(float(da @ db), float(np.sqrt(da @ da)) * float(np.sqrt(db @ db)))
    return min(1.0, max(-1.0, r)) if r == r else NAN


def ts_corr(x: Values, y: Values, *, window: int, min_periods: int = 0) -> Values:
    """The correlation of the two windows; missing where either side is constant."""
    return by_pair(correlation_of, x, y, window, min_periods)


def ts_cov(x: Values, y: Values, *, window: int, ddof: int = 0, min_periods: int = 0) -> Values:
    """The covariance of the two windows over n - ddof."""
    return by_pair(lambda a, b: covariance_of(a, b, ddof), x, y, window, min_periods)


def regress(y: Values, x: Values) -> dict[str, float]:
    """Least squares y = alpha + beta x over n >= 3 pairs; nothing when x is constant.

    ``sse`` is the sum of squared residuals, ``sst`` of deviations of y, ``mse`` sse / (n - 2); the
    standard errors are sqrt(mse / sxx) for beta and sqrt(mse (1/n + mean(x)^2 / sxx)) for alpha.
    """
    n = x.size
    if n < 3 or x.min() == x.max():
        return {}
    dx = x - mean_of(x)
    dy = y - mean_of(y)
    sxx = float(dx @ dx)
    beta = float(dx @ dy) / sxx
    sse = float(np.sum((dy - beta * dx) ** 2))
    sst = float(dy @ dy)
    mse = sse / (n - 2)
    return {
        "alpha": mean_of(y) - beta * mean_of(x),
        "beta": beta,
        "sse": sse,
        "sst": sst,
        "r2": 1.0 - ratio(sse, sst),
        "mse": mse,
        "se_beta": float(np.sqrt(mse / sxx)),
        "se_alpha": float(np.sqrt(mse * (1.0 / n + mean_of(x) ** 2 / sxx))),
        "mean_x": mean_of(x),
        "mean_y": mean_of(y),
    }


def ts_regression(y: Values, x: Values, *, window: int, lag: int = 0, output: str = "residual") -> Values:
    """One output of the regression of y on x of ``lag`` bars ago over the valid pairs of a whole window.

    ``fitted`` and ``residual`` are those of the newest bar, missing when it lacks what they need.
    """
    past = bars_ago(x, lag)
    result = np.full(y.shape, np.nan)
    for column in range(y.shape[1]):
        for row in range(window - 1 + lag, y.shape[0]):
            a = y[row - window + 1 : row + 1, column]
            b = past[row - window + 1 : row + 1, column]
            pairs = ~np.isnan(a) & ~np.isnan(b)
            fit = regress(a[pairs], b[pairs])
            if not fit:
                continue
            fitted = fit["mean_y"] + fit["beta"] * (b[-1] - fit["mean_x"])
            result[row, column] = {**fit, "fitted": fitted, "residual": a[-1] - fitted}[output]
    return result


def ts_partial_corr(x: Values, y: Values, z: Values, *, window: int) -> Values:
    """The correlation of x and y with z held fixed: (rxy - rxz ryz) / sqrt((1 - rxz^2)(1 - ryz^2)).

    Missing where z explains x or y, 1 - r^2 of 1e-12 or less: rounding noise is all that is left of it.
    """
    result = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        for row in range(window - 1, x.shape[0]):
            a, b, c = (v[row - window + 1 : row + 1, column] for v in (x, y, z))
            if not np.isnan(a + b + c).any():
                rxy, rxz, ryz = correlation_of(a, b), correlation_of(a, c), correlation_of(b, c)
                free_x, free_y = 1.0 - rxz**2, 1.0 - ryz**2
                if free_x > 1e-12 and free_y > 1e-12:
                    result[row, column] = (rxy - rxz * ryz) / np.sqrt(free_x * free_y)
    return result


def _by_complete(function: Callable[..., float], panels: tuple[Values, ...], window: int) -> Values:
    """``function`` of the windows of several inputs where none has a gap."""
    result = np.full_like(panels[0], np.nan)
    for column in range(result.shape[1]):
        for row in range(window - 1, result.shape[0]):
            parts = [v[row - window + 1 : row + 1, column] for v in panels]
            if not any(np.isnan(part).any() for part in parts):
                result[row, column] = function(*parts)
    return result


def product_moment(*sides: Values) -> float:
    """Mean of the product of the deviations over the product of the standard deviations (n)."""
    if any(side.min() == side.max() for side in sides):
        return NAN
    product, spread = np.ones(sides[0].size), 1.0
    for side in sides:
        deviation = side - mean_of(side)
        product = product * deviation
        spread *= float(np.sqrt(mean_of(deviation**2)))
    return mean_of(product) / spread


def ts_triple_corr(x: Values, y: Values, z: Values, *, window: int) -> Values:
    """The product moment of x, y and z."""
    return _by_complete(product_moment, (x, y, z), window)


def ts_co_kurt(y: Values, x: Values, *, window: int) -> Values:
    """The product moment of y and three times x."""
    return _by_complete(lambda a, b: product_moment(a, b, b, b), (y, x), window)


def theil_sen(y: Values, x: Values) -> float:
    """The median of the slopes between every two points whose x differ."""
    slopes = [
        (y[j] - y[i]) / (x[j] - x[i]) for i in range(x.size) for j in range(i + 1, x.size) if x[i] != x[j]
    ]
    return float(np.median(slopes)) if slopes else NAN


def ts_theilsen(y: Values, x: Values, *, window: int) -> Values:
    """The Theil-Sen slope of y on x."""
    return _by_complete(theil_sen, (y, x), window)


PAIRS: dict[str, Callable[..., Values]] = {
    "ts_corr": ts_corr,
    "ts_cov": ts_cov,
    "ts_regression": ts_regression,
    "ts_partial_corr": ts_partial_corr,
    "ts_triple_corr": ts_triple_corr,
    "ts_co_kurt": ts_co_kurt,
    "ts_theilsen": ts_theilsen,
}
