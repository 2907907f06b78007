"""Ops over the several values that one instrument has on one date; missing where it has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.engine.reference._storage import Values
from assay.engine.reference._time_series import central_moment, mean_of, variance_of


def per_cell(function: Callable[..., float], lists: Values, **params: Any) -> Values:
    """``function`` of the valid values of each cell of (values, dates, instruments)."""
    result = np.full(lists.shape[1:], np.nan)
    for row in range(lists.shape[1]):
        for column in range(lists.shape[2]):
            cell = lists[:, row, column]
            valid = cell[~np.isnan(cell)]
            if valid.size:
                result[row, column] = function(valid, **params)
    return result


def choose(v: Values, nth: int) -> float:
    """The value number ``nth`` in stored order, counted from 0."""
    return float(v[nth]) if nth < v.size else float("nan")


def lower_quantile(v: Values, q: float) -> float:
    """The quantile ``q``, the lower of the two values around it."""
    return float(np.sort(v)[int(np.floor(q * (v.size - 1)))])


def skewness(v: Values) -> float:
    """m3 / m2^1.5; missing when all are equal."""
    return central_moment(v, 3) / central_moment(v, 2) ** 1.5 if v.min() < v.max() else float("nan")


def kurtosis(v: Values) -> float:
    """m4 / m2^2 - 3; missing when all are equal."""
    return central_moment(v, 4) / central_moment(v, 2) ** 2 - 3.0 if v.min() < v.max() else float("nan")


VECTOR: dict[str, Callable[..., float]] = {
    "vec_sum": lambda v: float(v.sum()),
    "vec_avg": mean_of,
    "vec_min": lambda v: float(v.min()),
    "vec_max": lambda v: float(v.max()),
    "vec_count": lambda v: float(v.size),
    "vec_std": lambda v: float(np.sqrt(variance_of(v, 0))),
    "vec_median": lambda v: float(np.median(v)),
    "vec_range": lambda v: float(v.max() - v.min()),
    "vec_norm": lambda v: float(np.abs(v).sum()),
    "vec_powersum": lambda v, k: float(sum(value**k for value in v)),
    "vec_choose": choose,
    "vec_percentage": lower_quantile,
    "vec_skew": skewness,
    "vec_kurt": kurtosis,
}
"""What one cell's values give."""
