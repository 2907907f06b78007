from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import ANCHOR_ROWS, BLOCK, LOST_DIGITS, kernel

VARIANCE, DEVIATION, ZSCORE, RATIO = range(4)


@kernel
def _exact(x, t, column, window):
    """Count, mean and sum of squares about the mean of one window; exactly zero squares for equal values."""
    count = 0.0
    total = 0.0
    for u in range(max(0, t - window + 1), t + 1):
        v = x[u, column]
        if v == v:
            count += 1.0
            total += np.float64(v)
    mean = total / count
    squares = 0.0
    for u in range(max(0, t - window + 1), t + 1):
        v = x[u, column]
        if v == v:
            d = np.float64(v) - mean
            squares += d * d
    return count, mean, squares


@kernel
def rolling_variance(operation, x, window, need, ddof, out):
    """Variance, standard deviation, z-score of the newest value, or mean over deviation, of each window.

    The sums are taken about a value of the window itself; where the variance is a sliver of what they have
    held, it is computed again from the window.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    origin = np.empty(BLOCK)
    total = np.empty(BLOCK)
    squares = np.empty(BLOCK)
    count = np.empty(BLOCK)
    largest = np.empty(BLOCK)
    spread = np.empty(BLOCK)
    share = 1.0 / window
    strict = need == window
    freedom = float(ddof)
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        anchor = 0
        for s in range(n):
            origin[s] = 0.0
        for t in range(rows):
            now = x[t, first : first + n]
            target = out[t, first : first + n]
            if t == anchor:
                anchor = t + max(window, ANCHOR_ROWS)
                for s in range(n):
                    v = now[s]
                    origin[s] = np.float64(v) if v == v else origin[s]
                    total[s] = 0.0
                    squares[s] = 0.0
                    count[s] = 0.0
                    largest[s] = 0.0
                for u in range(max(0, t - window + 1), t + 1):
                    row = x[u, first : first + n]
                    for s in range(n):
                        v = row[s]
                        valid = v == v
                        d = np.float64(v) - origin[s] if valid else 0.0
                        total[s] += d
                        squares[s] += d * d
                        count[s] += 1.0 if valid else 0.0
            elif t >= window:
                old = x[t - window, first : first + n]
                for s in range(n):
                    v = now[s]
                    u = old[s]
                    enters = v == v
                    leaves = u == u
                    d = np.float64(v) - origin[s] if enters else 0.0
                    e = np.float64(u) - origin[s] if leaves else 0.0
                    total[s] += d - e
                    squares[s] += d * d - e * e
                    count[s] += (1.0 if enters else 0.0) - (1.0 if leaves else 0.0)
            else:
                for s in range(n):
                    v = now[s]
                    valid = v == v
                    d = np.float64(v) - origin[s] if valid else 0.0
                    total[s] += d
                    squares[s] += d * d
                    count[s] += 1.0 if valid else 0.0
            lost = 0
            if strict:
                for s in range(n):
                    m = max(largest[s], squares[s])
                    largest[s] = m
                    q = squares[s] - total[s] * total[s] * share
                    spread[s] = q
                    lost += 1 if (q < LOST_DIGITS * m) & (count[s] >= need) else 0
            else:
                for s in range(n):
                    m = max(largest[s], squares[s])
                    largest[s] = m
                    q = squares[s] - total[s] * total[s] / count[s]
                    spread[s] = q
                    lost += 1 if (q < LOST_DIGITS * m) & (count[s] >= need) else 0
            if lost > 0:
                for s in range(n):
                    if spread[s] < LOST_DIGITS * largest[s] and count[s] >= need:
                        c, mean, q = _exact(x, t, first + s, window)
                        spread[s] = q
                        total[s] = (mean - origin[s]) * c
            if operation == VARIANCE:
                for s in range(n):
                    v = np.float32(spread[s] / (count[s] - freedom))
                    target[s] = v if (count[s] >= need) & (count[s] > freedom) & (abs(v) < top) else nan
            elif operation == DEVIATION:
                for s in range(n):
                    v = np.float32(np.sqrt(spread[s] / (count[s] - freedom)))
                    target[s] = v if (count[s] >= need) & (count[s] > freedom) & (abs(v) < top) else nan
            else:
                for s in range(n):
                    deviation = np.sqrt(spread[s] / (count[s] - freedom))
                    mean = origin[s] + total[s] / count[s]
                    above = mean if operation == RATIO else np.float64(now[s]) - mean
                    v = np.float32(above / deviation)
                    target[s] = v if (count[s] >= need) & (count[s] > freedom) & (abs(v) < top) else nan
