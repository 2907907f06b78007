"""Rolling sums of one panel, kept up to date by adding what enters the window and removing what leaves it.

Windows that must be whole remember the row of the last gap; windows with ``need`` valid values count them.
"""

from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import ANCHOR_ROWS, LOST_DIGITS, cell, kernel, line, widest_vectors

SUM, MEAN, DEVIATION, COUNT = range(4)


@kernel
def _restart(x, x_step, n, oldest, t, total, count):
    """Sum and count the valid values of rows `oldest` to `t`."""
    for s in range(n):
        total[s] = 0.0
        count[s] = 0.0
    for u in range(oldest, t + 1):
        row = line(x, x_step, u, n)
        for s in range(n):
            v = row[s]
            total[s] += np.float64(v) if v == v else 0.0
            count[s] += 1.0 if v == v else 0.0


@kernel
def _exact_sum(x, x_step, column, oldest, t):
    total = 0.0
    for u in range(oldest, t + 1):
        v = cell(x, x_step, u, column)
        if v == v:
            total += np.float64(v)
    return total


@kernel
def rolling_sum(operation, x, x_step, window, need, rows, n, out, out_step):
    """Sum, mean, distance from the mean, or count of the valid values of each window; `need` of them at
    least.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    total = np.empty(n)
    count = np.empty(n)
    largest = np.empty(n)
    gap = np.empty(n, np.float32)
    strict = need == window and operation in (SUM, MEAN)
    factor = 1.0 if operation == SUM else 1.0 / window
    for s in range(n):
        gap[s] = np.float32(-1)
    anchor = 0
    for t in range(rows):
        now = line(x, x_step, t, n)
        target = line(out, out_step, t, n)
        oldest = max(0, t - window + 1)
        here = np.float32(t)
        whole = np.float32(t - window)
        lost = 0
        if t == anchor:
            anchor = t + max(window, ANCHOR_ROWS)
            _restart(x, x_step, n, oldest, t, total, count)
            for s in range(n):
                largest[s] = abs(total[s])
        elif t < window:
            for s in range(n):
                v = now[s]
                total[s] += np.float64(v) if v == v else 0.0
                count[s] += 1.0 if v == v else 0.0
                largest[s] = max(largest[s], abs(total[s]))
        elif strict:
            old = line(x, x_step, t - window, n)
            for s in range(n):
                v = now[s]
                u = old[s]
                q = total[s] + ((np.float64(v) if v == v else 0.0) - (np.float64(u) if u == u else 0.0))
                total[s] = q
                m = largest[s]
                size = abs(q)
                m = max(size, m)
                largest[s] = m
                g = gap[s]
                g = g if v == v else here
                gap[s] = g
                lost += 1 if (size < LOST_DIGITS * m) & (g <= whole) else 0
                f = np.float32(q * factor)
                target[s] = f if (g <= whole) & (abs(f) < top) else nan
        else:
            old = line(x, x_step, t - window, n)
            for s in range(n):
                v = now[s]
                u = old[s]
                total[s] += (np.float64(v) if v == v else 0.0) - (np.float64(u) if u == u else 0.0)
                count[s] += (1.0 if v == v else 0.0) - (1.0 if u == u else 0.0)
                size = abs(total[s])
                largest[s] = max(largest[s], size)
                lost += 1 if size < LOST_DIGITS * largest[s] else 0
        if lost > 0:
            for s in range(n):
                size = abs(total[s])
                if size < LOST_DIGITS * largest[s]:
                    total[s] = _exact_sum(x, x_step, s, oldest, t)
                    largest[s] = abs(total[s])
                    if strict and target[s] == target[s]:
                        target[s] = np.float32(total[s] * factor)
        if strict:
            if t < window or anchor == t + max(window, ANCHOR_ROWS):
                for s in range(n):
                    gap[s] = gap[s] if now[s] == now[s] else here
                    f = np.float32(total[s] * factor)
                    target[s] = f if (gap[s] <= whole) & (abs(f) < top) else nan
        elif operation == COUNT:
            for s in range(n):
                target[s] = np.float32(count[s])
        elif operation == SUM:
            for s in range(n):
                f = np.float32(total[s])
                target[s] = f if (count[s] >= need) & (abs(f) < top) else nan
        elif operation == MEAN:
            for s in range(n):
                f = np.float32(total[s] / count[s])
                target[s] = f if count[s] >= need else nan
        else:
            for s in range(n):
                f = np.float32(np.float64(now[s]) - total[s] / count[s])
                target[s] = f if (count[s] >= need) & (abs(f) < top) else nan


@kernel
def rolling_linear(x, x_step, window, need, zero_missing, rows, n, out, out_step):
    """Mean of each window weighted 1, 2, .. from its oldest bar, over the weights of the valid values.

    With `zero_missing` a missing value counts as 0 with its full weight, and the window must lie within the
    data.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    weighted = np.empty(n)
    total = np.empty(n)
    weights = np.empty(n)
    count = np.empty(n)
    largest = np.empty(n)
    gap = np.empty(n, np.float32)
    newest = float(window)
    share = 2.0 / (window * (window + 1.0))
    strict = need == window or zero_missing
    for s in range(n):
        gap[s] = np.float32(-1)
    anchor = 0
    for t in range(rows):
        now = line(x, x_step, t, n)
        target = line(out, out_step, t, n)
        oldest = max(0, t - window + 1)
        here = np.float32(t)
        whole = np.float32(t - window)
        lost = 0
        steady = False
        if t == anchor:
            anchor = t + max(window, ANCHOR_ROWS)
            _restart(x, x_step, n, oldest, t, total, count)
            for s in range(n):
                weighted[s] = 0.0
                weights[s] = 0.0
            for u in range(oldest, t + 1):
                row = line(x, x_step, u, n)
                weight = float(u - oldest + 1)
                for s in range(n):
                    v = row[s]
                    weighted[s] += weight * np.float64(v) if v == v else 0.0
                    weights[s] += weight if v == v else 0.0
            for s in range(n):
                largest[s] = max(abs(weighted[s]), newest * abs(total[s]))
        elif t < window:
            # the window still grows: the weights of what it holds stay
            weight = float(t + 1)
            for s in range(n):
                v = now[s]
                d = np.float64(v) if v == v else 0.0
                weighted[s] += weight * d
                weights[s] += weight if v == v else 0.0
                total[s] += d
                count[s] += 1.0 if v == v else 0.0
                largest[s] = max(largest[s], max(abs(weighted[s]), newest * abs(total[s])))
        elif strict:
            steady = True
            old = line(x, x_step, t - window, n)
            for s in range(n):
                v = now[s]
                u = old[s]
                d = np.float64(v) if v == v else 0.0
                e = np.float64(u) if u == u else 0.0
                q = weighted[s] + (newest * d - total[s])
                weighted[s] = q
                p = total[s] + (d - e)
                total[s] = p
                m = largest[s]
                size = abs(q)
                m = max(size, m)
                size = newest * abs(p)
                m = max(size, m)
                largest[s] = m
                g = gap[s]
                g = g if (v == v) | zero_missing else here
                gap[s] = g
                lost += 1 if (abs(q) < LOST_DIGITS * m) & (g <= whole) else 0
                target[s] = np.float32(q * share) if g <= whole else nan
        else:
            old = line(x, x_step, t - window, n)
            for s in range(n):
                v = now[s]
                u = old[s]
                d = np.float64(v) if v == v else 0.0
                e = np.float64(u) if u == u else 0.0
                weighted[s] += newest * d - total[s]
                weights[s] += (newest if v == v else 0.0) - count[s]
                total[s] += d - e
                count[s] += (1.0 if v == v else 0.0) - (1.0 if u == u else 0.0)
                largest[s] = max(largest[s], max(abs(weighted[s]), newest * abs(total[s])))
                lost += 1 if abs(weighted[s]) < LOST_DIGITS * largest[s] else 0
        if lost > 0:
            for s in range(n):
                size = abs(weighted[s])
                if size < LOST_DIGITS * largest[s]:
                    exact = 0.0
                    for u in range(oldest, t + 1):
                        v = cell(x, x_step, u, s)
                        if v == v:
                            exact += float(u - oldest + 1) * np.float64(v)
                    weighted[s] = exact
                    total[s] = _exact_sum(x, x_step, s, oldest, t)
                    largest[s] = max(abs(exact), newest * abs(total[s]))
                    if steady and target[s] == target[s]:
                        target[s] = np.float32(exact * share)
        if strict and not steady:
            for s in range(n):
                gap[s] = gap[s] if (now[s] == now[s]) | zero_missing else here
                target[s] = np.float32(weighted[s] * share) if gap[s] <= whole else nan
        elif not strict:
            for s in range(n):
                target[s] = np.float32(weighted[s] / weights[s]) if count[s] >= need else nan
