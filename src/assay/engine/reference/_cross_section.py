"""Ops over the instruments of one date. Each function sees one date: the row, missing where an
instrument takes no part.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.engine.reference._storage import Codes, Values
from assay.engine.reference._time_series import inverse_distribution, mean_of, variance_of
from assay.engine.reference._windows import average_rank


def valid_of(row: Values) -> Values:
    return row[~np.isnan(row)]


def nonzero(value: float) -> float:
    """A divisor: zero is missing."""
    return float(value) if value != 0 else float("nan")


def ranks(row: Values) -> Values:
    """Ranks from 1 among the valid values; equal values share the mean of their places."""
    v = valid_of(row)
    return np.array([np.nan if np.isnan(value) else average_rank(v, value) for value in row])


def scaled_rank(row: Values, scale: str) -> Values:
    """r/n, or (r-1)/(n-1), 0.5 when n is 1."""
    n = valid_of(row).size
    if scale == "r/n":
        return ranks(row) / nonzero(n)
    return ranks(row) * 0.5 if n == 1 else (ranks(row) - 1.0) / (n - 1.0)


def deviation_scores(row: Values, ddof: int) -> Values:
    """Distances from the mean in standard deviations; missing when they are 0."""
    v = valid_of(row)
    if v.size <= ddof:
        return np.full(row.shape, np.nan)
    return (row - mean_of(v)) / nonzero(float(np.sqrt(variance_of(v, ddof))))


def min_max(row: Values) -> Values:
    """(x - min)/(max - min); missing where they are equal."""
    v = valid_of(row)
    return (row - v.min()) / nonzero(v.max() - v.min()) if v.size else row


def rank(row: Values, *, scale: str = "r/n") -> Values:
    """The rank r of each instrument among the n valid ones: r/n, or (r-1)/(n-1), 0.5 when n is 1."""
    return scaled_rank(row, scale)


def zscore(row: Values, *, ddof: int = 0) -> Values:
    """The distance from the date's mean in standard deviations; missing when they are 0."""
    return deviation_scores(row, ddof)


def demean(row: Values) -> Values:
    """The distance from the date's mean."""
    v = valid_of(row)
    return row - mean_of(v) if v.size else row


def rank_by_side(row: Values, *, scale: float = 1.0) -> Values:
    """(r-1)/(n-1) among the positive values; minus that of the sizes among the negative ones; 0 at 0.

    Scaled so that the absolute results sum to ``scale``.
    """
    result = np.where(row == 0, 0.0, np.nan)
    result[row > 0] = scaled_rank(row[row > 0], "(r-1)/(n-1)")
    result[row < 0] = -scaled_rank(-row[row < 0], "(r-1)/(n-1)")
    return result * scale / nonzero(np.nansum(np.abs(result)))


def scale(row: Values, *, scale: float = 1.0, longscale: float = 0.0, shortscale: float = 0.0) -> Values:
    """x times scale over the sum of |x|; with longscale or shortscale > 0 each side sums to its
    own instead.
    """
    if longscale <= 0 and shortscale <= 0:
        return row * scale / nonzero(np.nansum(np.abs(row)))
    longs = nonzero(row[row > 0].sum())
    shorts = nonzero(-row[row < 0].sum())
    return np.where(row > 0, row * longscale / longs, np.where(row < 0, row * shortscale / shorts, row))


def normalize(row: Values, *, use_std: bool = False, limit: float = 0.0) -> Values:
    """The distance from the mean, ``use_std`` in standard deviations (n - 1), cut to +-limit when
    limit > 0.
    """
    centred = deviation_scores(row, 1) if use_std else demean(row)
    return np.clip(centred, -limit, limit) if limit > 0 else centred


def rank_gaussian(row: Values, *, driver: str = "gaussian", sigma: float = 1.0) -> Values:
    """sigma times the driver's inverse distribution at p = 1/n + (r-1)/(n-1) (1 - 2/n); uniform: p
    less its mean.

    Fewer than three valid values give nothing.
    """
    n = valid_of(row).size
    if n <= 2:
        return np.full(row.shape, np.nan)
    p = 1.0 / n + scaled_rank(row, "(r-1)/(n-1)") * (1.0 - 2.0 / n)
    if driver == "uniform":
        return (p - mean_of(valid_of(p))) * sigma
    return np.array([v if np.isnan(v) else inverse_distribution(float(v), driver) for v in p]) * sigma


def winsorize(row: Values, *, std: float = 4.0) -> Values:
    """x, cut to the mean +- ``std`` standard deviations (n)."""
    v = valid_of(row)
    if v.size == 0:
        return row
    reach = std * float(np.sqrt(variance_of(v, 0)))
    return np.clip(row, mean_of(v) - reach, mean_of(v) + reach)


def truncate(row: Values, *, max_percent: float = 0.01) -> Values:
    """x, cut so that |x| is at most ``max_percent`` of the sum of |x|."""
    limit = max_percent * float(np.nansum(np.abs(row)))
    return np.clip(row, -limit, limit)


def vector_neutralize(x: Values, y: Values) -> Values:
    """x minus its projection on y: x - (x.y / y.y) y, over the instruments on which both are valid."""
    both = ~np.isnan(x) & ~np.isnan(y)
    return x - float(x[both] @ y[both]) / nonzero(float(y[both] @ y[both])) * y


def regression_neutralize(y: Values, x: Values) -> Values:
    """The residual of the regression of y on x and a constant, over the instruments on which both
    are valid.
    """
    both = ~np.isnan(x) & ~np.isnan(y)
    a, b = x[both], y[both]
    if a.size < 2 or a.min() == a.max():
        return np.full(x.shape, np.nan)
    da, db = a - mean_of(a), b - mean_of(b)
    return (y - mean_of(b)) - float(da @ db) / float(da @ da) * (x - mean_of(a))


def scale_down(row: Values, *, constant: float = 0.0) -> Values:
    """(x - min)/(max - min) less ``constant``; missing where they are equal."""
    return min_max(row) - constant


def left_tail(row: Values, *, limit: float = 0.0) -> Values:
    """x where it is at most ``limit`` (as float32), else missing."""
    return np.where(row <= float(np.float32(limit)), row, np.nan)


def right_tail(row: Values, *, limit: float = 0.0) -> Values:
    """x where it is at least ``limit`` (as float32), else missing."""
    return np.where(row >= float(np.float32(limit)), row, np.nan)


def bucket(row: Values, *, edges: str, skip_both: bool = False, missing_group: bool = False) -> Codes:
    """How many edges lie below x (so an edge belongs to the bucket below it); the outer two may be no group.

    Edges are compared as float32, as every stored value is. With ``missing_group`` the missing are
    a group of their own.
    """
    borders = [float(np.float32(edge)) for edge in edges.split(",")]
    codes = np.full(row.shape, -1, dtype=np.int64)
    for i, value in enumerate(row):
        if np.isnan(value):
            codes[i] = len(borders) + 1 if missing_group else -1
            continue
        below = sum(edge < value for edge in borders)
        codes[i] = -1 if skip_both and below in (0, len(borders)) else below
    return codes


def densify(row: Codes) -> Codes:
    """The same groups, numbered 0, 1, 2 .. in the order of their codes."""
    found = sorted(set(row[row >= 0].tolist()))
    return np.array([found.index(code) if code >= 0 else -1 for code in row], dtype=np.int64)


CROSS_SECTION: dict[str, Callable[..., Values]] = {
    "rank": rank,
    "rank_by_side": rank_by_side,
    "zscore": zscore,
    "demean": demean,
    "scale": scale,
    "normalize": normalize,
    "rank_gaussian": rank_gaussian,
    "winsorize": winsorize,
    "truncate": truncate,
    "vector_neutralize": vector_neutralize,
    "regression_neutralize": regression_neutralize,
    "scale_down": scale_down,
    "left_tail": left_tail,
    "right_tail": right_tail,
}
