"""Ops over the instruments of one date that share a group. Instruments without a group (-1) take
no part and get nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.engine.reference._cross_section import deviation_scores, min_max, nonzero, scaled_rank, valid_of
from assay.engine.reference._storage import Codes, Mask, Values
from assay.engine.reference._time_series import mean_of, variance_of


def within(function: Callable[[Values], Values | float], row: Values, group: Codes) -> Values:
    """``function`` of the values of each group, missing ones included, put back in place."""
    result = np.full(row.shape, np.nan)
    for code in set(group[group >= 0].tolist()):
        members = group == code
        result[members] = function(row[members])
    return result


def statistic(function: Callable[[Values], float], row: Values, group: Codes) -> Values:
    """``function`` of the valid values of each group, for every member; missing where there are none."""

    def of_valid(values: Values) -> float:
        v = valid_of(values)
        return function(v) if v.size else float("nan")

    return within(of_valid, row, group)


def group_neutralize(row: Values, group: Codes) -> Values:
    """x minus the mean of its group."""
    return row - statistic(mean_of, row, group)


def group_zscore(row: Values, group: Codes) -> Values:
    """The distance from the group's mean in its standard deviations (n); missing when they are 0."""
    return within(lambda v: deviation_scores(v, 0), row, group)


def group_rank(row: Values, group: Codes, *, scale: str = "r/n") -> Values:
    """The rank r of x in its group of n: r/n, or (r-1)/(n-1), 0.5 when n is 1."""
    return within(lambda v: scaled_rank(v, scale), row, group)


def group_scale(row: Values, group: Codes) -> Values:
    """(x - min)/(max - min) in the group; missing where they are equal."""
    return within(min_max, row, group)


def group_sum(row: Values, group: Codes) -> Values:
    """The sum of the group, for every member."""
    return statistic(lambda v: float(v.sum()), row, group)


def group_max(row: Values, group: Codes) -> Values:
    """The largest of the group, for every member."""
    return statistic(lambda v: float(v.max()), row, group)


def group_min(row: Values, group: Codes) -> Values:
    """The smallest of the group, for every member."""
    return statistic(lambda v: float(v.min()), row, group)


def group_median(row: Values, group: Codes) -> Values:
    """The median of the group, for every member."""
    return statistic(lambda v: float(np.median(v)), row, group)


def group_quantile(row: Values, group: Codes, *, q: float) -> Values:
    """The quantile q of the group, interpolated linearly, for every member."""
    return statistic(lambda v: float(np.quantile(v, q)), row, group)


def group_std(row: Values, group: Codes) -> Values:
    """The standard deviation (n) of the group, for every member."""
    return statistic(lambda v: float(np.sqrt(variance_of(v, 0))), row, group)


def group_count(row: Values, group: Codes) -> Values:
    """The number of valid values in the group, for every member."""
    return within(lambda v: float(valid_of(v).size), row, group)


def group_mean(row: Values, weight: Values, group: Codes, *, mean: str = "arithmetic") -> Values:
    """sum(w x)/sum(w) of the group, or harmonic sum(w)/sum(w/x), for every member; pairs with a
    gap are left out.
    """
    result = np.full(row.shape, np.nan)
    for code in set(group[group >= 0].tolist()):
        used = (group == code) & ~np.isnan(row) & ~np.isnan(weight)
        x, w = row[used], weight[used]
        if mean == "arithmetic":
            value = float(w @ x) / nonzero(w.sum())
        else:
            value = float(w.sum()) / nonzero(float(np.sum(w / np.where(x == 0, np.nan, x))))
        result[group == code] = value if x.size else np.nan
    return result


def group_normalize(
    row: Values, group: Codes, *, constant_check: bool = False, tolerance: float = 0.01, scale: float = 1.0
) -> Values:
    """x times scale over the sum of |x| in the group; ``constant_check``: missing where that sum
    is below tolerance.
    """

    def normalized(v: Values) -> Values:
        total = float(np.nansum(np.abs(v)))
        if constant_check and total < tolerance:
            return np.full(v.shape, np.nan)
        return v * scale / nonzero(total)

    return within(normalized, row, group)


def group_cross(first: Codes, second: Codes) -> Codes:
    """A group for each pair of groups that occurs on the date, numbered in the order of the pairs."""
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    found = sorted({pair for pair in pairs if min(pair) >= 0})
    return np.array([found.index(pair) if min(pair) >= 0 else -1 for pair in pairs], dtype=np.int64)


def group_coalesce(first: Codes, second: Codes) -> Codes:
    """The first group; for a name without one the second, numbered on from the largest of the first."""
    after = max([code for code in first.tolist() if code >= 0], default=-1) + 1
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.array([a if a >= 0 else after + b if b >= 0 else -1 for a, b in pairs], dtype=np.int64)


def group_backfill(x: Values, group: Codes, members: Mask, *, window: int, std: float = 4.0) -> Values:
    """x; where it is missing, the mean of the valid values that the members of its group had in
    the last bars.

    They are first cut to their mean +- ``std`` standard deviations (n - 1); the group is that of
    the current date.
    """
    result = x.copy()
    for row, column in np.argwhere(np.isnan(x) & (group >= 0) & members):
        same = (group[row] == group[row, column]) & members[row]
        v = valid_of(x[max(0, row - window + 1) : row + 1, same].ravel())
        if v.size:
            reach = std * float(np.sqrt(variance_of(v, 1))) if v.size > 1 else 0.0
            result[row, column] = mean_of(np.clip(v, mean_of(v) - reach, mean_of(v) + reach))
    return np.where(members & (group >= 0), result, np.nan)


GROUP: dict[str, Callable[..., Values]] = {
    "group_neutralize": group_neutralize,
    "group_zscore": group_zscore,
    "group_rank": group_rank,
    "group_scale": group_scale,
    "group_sum": group_sum,
    "group_max": group_max,
    "group_min": group_min,
    "group_median": group_median,
    "group_quantile": group_quantile,
    "group_std": group_std,
    "group_count": group_count,
    "group_mean": group_mean,
    "group_normalize": group_normalize,
}
