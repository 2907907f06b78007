"""Ops over the several values that one instrument has on one date; missing where it has none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.engine.reference._storage import Values
from assay.engine.reference._time_series import mean_of, variance_of


def per_cell(function: Callable[[Values], float], lists: Values) -> Values:
    """``function`` of the valid values of each cell of (values, dates, instruments)."""
    result = np.full(lists.shape[1:], np.nan)
    for row in range(lists.shape[1]):
        for column in range(lists.shape[2]):
            cell = lists[:, row, column]
            valid = cell[~np.isnan(cell)]
            if valid.size:
                result[row, column] = function(valid)
    return result


VECTOR: dict[str, Callable[[Values], float]] = {
    "vec_sum": lambda v: float(v.sum()),
    "vec_avg": mean_of,
    "vec_min": lambda v: float(v.min()),
    "vec_max": lambda v: float(v.max()),
    "vec_count": lambda v: float(v.size),
    "vec_std": lambda v: float(np.sqrt(variance_of(v, 0))),
    "vec_median": lambda v: float(np.median(v)),
    "vec_range": lambda v: float(v.max() - v.min()),
}
"""What one cell's values give."""
