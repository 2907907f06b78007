from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import ANCHOR_ROWS, LOST_DIGITS, cell, kernel, line, widest_vectors

VARIANCE, DEVIATION, ZSCORE, RATIO = range(4)

_LEAST = np.float32(1e-36)
_MOST = np.float32(1e37)
"""Between these a variance is rounded to float32 before its root is taken; beyond it stays float64."""


@kernel
def _exact(x, x_step, column, oldest, t):
    """Mean of the valid values as float64 holds it, and about it their sum, which is what the rounding of the
    mean left over, and their sum of squares; exactly zero squares for equal values.
    """
    count = 0.0
    total = 0.0
    for u in range(oldest, t + 1):
        v = cell(x, x_step, u, column)
        if v == v:
            count += 1.0
            total += np.float64(v)
    mean = total / count
    rest = 0.0
    squares = 0.0
    for u in range(oldest, t + 1):
        v = cell(x, x_step, u, column)
        if v == v:
            d = np.float64(v) - mean
            rest += d
            squares += d * d
    return mean, rest, squares


@kernel
def _result(operation, now, mean, variance):
    """The asked statistic of one window in float64."""
    if operation == VARIANCE:
        return variance
    deviation = np.sqrt(variance)
    if operation == DEVIATION:
        return deviation
    return (mean if operation == RATIO else now - mean) / deviation


@kernel
def rolling_variance(operation, x, x_step, window, need, ddof, rows, n, out, out_step):
    """Variance, standard deviation, z-score of the newest value, or mean over deviation, of each window.

    The sums are taken about a value of the window itself; where the variance is a sliver of what they have
    held, it is computed again from the window.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    origin = np.empty(n)
    total = np.empty(n)
    squares = np.empty(n)
    count = np.empty(n)
    largest = np.empty(n)
    spread = np.empty(n)
    gap = np.empty(n, np.float32)
    share = 1.0 / window
    strict = need == window
    freedom = float(ddof)
    rooted = operation != VARIANCE
    scored = operation in (ZSCORE, RATIO)
    divisor = 1.0 / (window - freedom) if window > ddof else np.nan
    anchor = 0
    for s in range(n):
        origin[s] = 0.0
        gap[s] = np.float32(-1)
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
            for s in range(n):
                v = now[s]
                origin[s] = np.float64(v) if v == v else origin[s]
                total[s] = 0.0
                squares[s] = 0.0
                count[s] = 0.0
            for u in range(oldest, t + 1):
                row = line(x, x_step, u, n)
                for s in range(n):
                    v = row[s]
                    d = np.float64(v) - origin[s] if v == v else 0.0
                    total[s] += d
                    squares[s] += d * d
                    count[s] += 1.0 if v == v else 0.0
            for s in range(n):
                largest[s] = squares[s]
        elif t < window:
            for s in range(n):
                v = now[s]
                d = np.float64(v) - origin[s] if v == v else 0.0
                total[s] += d
                squares[s] += d * d
                count[s] += 1.0 if v == v else 0.0
                largest[s] = max(largest[s], squares[s])
        elif strict and not scored:
            steady = True
            old = line(x, x_step, t - window, n)
            for s in range(n):
                v = now[s]
                u = old[s]
                k = origin[s]
                d = np.float64(v) - k if v == v else 0.0
                e = np.float64(u) - k if u == u else 0.0
                p = total[s] + (d - e)
                total[s] = p
                q = squares[s] + (d - e) * (d + e)
                squares[s] = q
                m = largest[s]
                m = max(q, m)
                largest[s] = m
                q = q - p * p * share
                f = np.float32(q * divisor)
                g = gap[s]
                g = g if v == v else here
                gap[s] = g
                fine = (q >= LOST_DIGITS * m) & (f < _MOST) & ((f > _LEAST) | (m == 0.0))
                lost += 1 if (not fine) & (g <= whole) else 0
                root = np.sqrt(f)
                f = root if rooted else f
                target[s] = f if g <= whole else nan
        else:
            old = line(x, x_step, t - window, n)
            for s in range(n):
                v = now[s]
                u = old[s]
                d = np.float64(v) - origin[s] if v == v else 0.0
                e = np.float64(u) - origin[s] if u == u else 0.0
                total[s] += d - e
                squares[s] += d * d - e * e
                count[s] += (1.0 if v == v else 0.0) - (1.0 if u == u else 0.0)
                largest[s] = max(largest[s], squares[s])
        if steady:
            if lost > 0:
                for s in range(n):
                    q = squares[s] - total[s] * total[s] * share
                    f = np.float32(q * divisor)
                    odd = q < LOST_DIGITS * largest[s] or f > _MOST or f < _LEAST
                    if gap[s] <= whole and odd:
                        mean, _, q = _exact(x, x_step, s, oldest, t)
                        f = np.float32(_result(operation, 0.0, mean, q * divisor))
                        target[s] = f if abs(f) < top else nan
            continue
        for s in range(n):
            gap[s] = gap[s] if now[s] == now[s] else here
            q = squares[s] - total[s] * total[s] / count[s]
            spread[s] = q
            lost += 1 if (q < LOST_DIGITS * largest[s]) & (count[s] >= need) else 0
        if lost > 0:
            for s in range(n):
                if spread[s] < LOST_DIGITS * largest[s] and count[s] >= need:
                    mean, rest, q = _exact(x, x_step, s, oldest, t)
                    # sums about the mean: an origin far from the window would round the mean away
                    origin[s] = mean
                    total[s] = rest
                    squares[s] = q
                    largest[s] = q
                    spread[s] = q
        for s in range(n):
            mean = origin[s] + total[s] / count[s]
            f = np.float32(_result(operation, np.float64(now[s]), mean, spread[s] / (count[s] - freedom)))
            target[s] = f if (count[s] >= need) & (count[s] > freedom) & (abs(f) < top) else nan
