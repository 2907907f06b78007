"""Rolling sums of one panel, kept up to date by adding what enters the window and removing what leaves it."""

from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import ANCHOR_ROWS, BLOCK, LOST_DIGITS, kernel

SUM, MEAN, DEVIATION, COUNT = range(4)

_SMALL = 1e6


@kernel
def rolling_sum(operation, x, window, need, out):
    """Sum, mean, distance from the mean, or count of the valid values of each window; `need` of them at
    least.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    total = np.empty(BLOCK)
    count = np.empty(BLOCK)
    largest = np.empty(BLOCK)
    share = 1.0 / window
    strict = need == window
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        anchor = 0
        for t in range(rows):
            now = x[t, first : first + n]
            target = out[t, first : first + n]
            if t == anchor:
                anchor = t + max(window, ANCHOR_ROWS)
                for s in range(n):
                    total[s] = 0.0
                    count[s] = 0.0
                    largest[s] = 0.0
                for u in range(max(0, t - window + 1), t + 1):
                    row = x[u, first : first + n]
                    for s in range(n):
                        v = row[s]
                        valid = v == v
                        total[s] += np.float64(v) if valid else 0.0
                        count[s] += 1.0 if valid else 0.0
            elif t >= window:
                old = x[t - window, first : first + n]
                for s in range(n):
                    v = now[s]
                    u = old[s]
                    enters = v == v
                    leaves = u == u
                    total[s] += (np.float64(v) if enters else 0.0) - (np.float64(u) if leaves else 0.0)
                    count[s] += (1.0 if enters else 0.0) - (1.0 if leaves else 0.0)
            else:
                for s in range(n):
                    v = now[s]
                    valid = v == v
                    total[s] += np.float64(v) if valid else 0.0
                    count[s] += 1.0 if valid else 0.0
            if operation == COUNT:
                for s in range(n):
                    target[s] = np.float32(count[s])
                continue
            lost = 0
            for s in range(n):
                size = abs(total[s])
                m = max(largest[s], size)
                largest[s] = m
                lost += 1 if (size < LOST_DIGITS * m) & ((size > 0.0) | (m > _SMALL)) else 0
            if lost > 0:
                for s in range(n):
                    size = abs(total[s])
                    if size < LOST_DIGITS * largest[s] and (size > 0.0 or largest[s] > _SMALL):
                        exact = 0.0
                        for u in range(max(0, t - window + 1), t + 1):
                            v = x[u, first + s]
                            if v == v:
                                exact += np.float64(v)
                        total[s] = exact
                        largest[s] = abs(exact)
            if operation == SUM:
                for s in range(n):
                    v = np.float32(total[s])
                    target[s] = v if (count[s] >= need) & (abs(v) < top) else nan
            elif strict and operation == MEAN:
                for s in range(n):
                    target[s] = np.float32(total[s] * share) if count[s] >= need else nan
            elif operation == MEAN:
                for s in range(n):
                    target[s] = np.float32(total[s] / count[s]) if count[s] >= need else nan
            else:
                for s in range(n):
                    v = np.float32(np.float64(now[s]) - total[s] / count[s])
                    target[s] = v if (count[s] >= need) & (abs(v) < top) else nan


@kernel
def rolling_linear(x, window, need, zero_missing, out):
    """Mean of each window weighted 1, 2, .. from its oldest bar, over the weights of the valid values.

    With `zero_missing` a missing value counts as 0 with its full weight, and the window must lie within
    the data.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    weighted = np.empty(BLOCK)
    total = np.empty(BLOCK)
    weights = np.empty(BLOCK)
    count = np.empty(BLOCK)
    largest = np.empty(BLOCK)
    newest = float(window)
    whole = 0.5 * window * (window + 1.0)
    share = 1.0 / whole
    strict = need == window or zero_missing
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        anchor = 0
        for t in range(rows):
            now = x[t, first : first + n]
            target = out[t, first : first + n]
            if t == anchor:
                anchor = t + max(window, ANCHOR_ROWS)
                for s in range(n):
                    weighted[s] = 0.0
                    total[s] = 0.0
                    weights[s] = 0.0
                    count[s] = 0.0
                    largest[s] = 0.0
                oldest = max(0, t - window + 1)
                for u in range(oldest, t + 1):
                    row = x[u, first : first + n]
                    weight = float(u - oldest + 1)
                    for s in range(n):
                        v = row[s]
                        valid = v == v
                        d = np.float64(v) if valid else 0.0
                        weighted[s] += weight * d
                        total[s] += d
                        weights[s] += weight if valid else 0.0
                        count[s] += 1.0 if valid else 0.0
            elif t >= window:
                old = x[t - window, first : first + n]
                for s in range(n):
                    v = now[s]
                    u = old[s]
                    enters = v == v
                    leaves = u == u
                    d = np.float64(v) if enters else 0.0
                    e = np.float64(u) if leaves else 0.0
                    weighted[s] += newest * d - total[s]
                    total[s] += d - e
                    count[s] += (1.0 if enters else 0.0) - (1.0 if leaves else 0.0)
                if not strict:
                    for s in range(n):
                        v = now[s]
                        u = old[s]
                        before = count[s] - (1.0 if v == v else 0.0) + (1.0 if u == u else 0.0)
                        weights[s] += (newest if v == v else 0.0) - before
            else:
                # the window still grows: the weights of what it holds stay
                weight = float(t + 1)
                for s in range(n):
                    v = now[s]
                    valid = v == v
                    d = np.float64(v) if valid else 0.0
                    weighted[s] += weight * d
                    weights[s] += weight if valid else 0.0
                    total[s] += d
                    count[s] += 1.0 if valid else 0.0
            lost = 0
            for s in range(n):
                size = abs(weighted[s])
                m = max(largest[s], max(size, newest * abs(total[s])))
                largest[s] = m
                lost += 1 if (size < LOST_DIGITS * m) & ((size > 0.0) | (m > _SMALL)) else 0
            if lost > 0:
                for s in range(n):
                    size = abs(weighted[s])
                    if size < LOST_DIGITS * largest[s] and (size > 0.0 or largest[s] > _SMALL):
                        exact = 0.0
                        plain = 0.0
                        oldest = max(0, t - window + 1)
                        for u in range(oldest, t + 1):
                            v = x[u, first + s]
                            if v == v:
                                exact += float(u - oldest + 1) * np.float64(v)
                                plain += np.float64(v)
                        weighted[s] = exact
                        total[s] = plain
                        largest[s] = max(abs(exact), newest * abs(plain))
            if zero_missing:
                for s in range(n):
                    target[s] = np.float32(weighted[s] * share) if t >= window - 1 else nan
            elif strict:
                for s in range(n):
                    target[s] = np.float32(weighted[s] * share) if count[s] >= need else nan
            else:
                for s in range(n):
                    target[s] = np.float32(weighted[s] / weights[s]) if count[s] >= need else nan
