from __future__ import annotations

import numpy as np
from numba import njit

from assay.engine._kernels._jit import kernel

ZSCORE, DEMEAN, SCALE = range(3)

# `reassoc` lets the sums of a row run in several lanes; the order is the same for every row and every run.
_sums = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz", "reassoc"})


@_sums
def _total(row):
    total = 0.0
    count = 0.0
    for s in range(row.shape[0]):
        v = row[s]
        total += np.float64(v) if v == v else 0.0
        count += 1.0 if v == v else 0.0
    return total, count


@_sums
def _squares(row, centre):
    squares = 0.0
    for s in range(row.shape[0]):
        v = row[s]
        d = np.float64(v) - centre if v == v else 0.0
        squares += d * d
    return squares


@_sums
def _gross(row):
    gross = 0.0
    for s in range(row.shape[0]):
        v = row[s]
        gross += abs(np.float64(v)) if v == v else 0.0
    return gross


@kernel
def cross_section(operation, x, parameter, out):
    """Per date: z-score (`parameter` is ddof), distance from the mean, or absolute values scaled to sum
    `parameter`.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    for t in range(rows):
        row = x[t]
        target = out[t]
        centre = 0.0
        divisor = 1.0
        if operation == SCALE:
            divisor = _gross(row) / parameter
        else:
            total, count = _total(row)
            centre = total / count
            if operation == ZSCORE:
                # the sum of equal float32 values is exact in float64, so equal values give exactly 0 squares
                squares = _squares(row, centre)
                divisor = np.sqrt(squares / (count - parameter)) if count > parameter else np.nan
        for s in range(width):
            v = np.float32((np.float64(row[s]) - centre) / divisor)
            target[s] = v if abs(v) < top else nan
