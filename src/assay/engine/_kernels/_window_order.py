from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import BLOCK, kernel


@kernel
def rolling_rank(x, window, need, zero_to_one, out):
    """Average rank of the newest value among the valid values of each window, over their number.

    The rank is divided, not multiplied by a reciprocal: equal ranks of different dates must stay equal.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    twice = np.empty(BLOCK, np.float32)
    count = np.empty(BLOCK, np.float32)
    one = np.float32(1)
    two = np.float32(2)
    zero = np.float32(0)
    half = np.float32(0.5)
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        for t in range(rows):
            now = x[t, first : first + n]
            target = out[t, first : first + n]
            for s in range(n):
                twice[s] = zero
                count[s] = zero
            for u in range(max(0, t - window + 1), t + 1):
                row = x[u, first : first + n]
                for s in range(n):
                    v = row[s]
                    q = now[s]
                    twice[s] += (one if v < q else zero) + (one if v <= q else zero)
                    count[s] += one if v == v else zero
            for s in range(n):
                # sum of (v < q) + (v <= q) is 2 * less + equal, the newest value being one of the equals
                if zero_to_one:
                    r = (twice[s] - one) / (two * (count[s] - one))
                    r = half if count[s] == one else r
                else:
                    r = (twice[s] + one) / (two * count[s])
                target[s] = r if (count[s] >= need) & (now[s] == now[s]) else nan


@kernel
def rolling_quantile(x, window, need, quantile, interpolate, out):
    """Quantile of the valid values of each window, interpolated linearly or the lower of the two values
    around it.

    The window is kept sorted for all instruments of a block at once: one pass over it drops the value that
    leaves and puts in the one that enters, without branches. Missing values stand at the end as infinity.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    ordered = np.empty((window + 1, BLOCK), np.float32)
    leaving = np.empty(BLOCK, np.float32)
    entering = np.empty(BLOCK, np.float32)
    before = np.empty(BLOCK, np.float32)
    count = np.empty(BLOCK, np.int64)
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        for s in range(n):
            count[s] = 0
        for k in range(window + 1):
            row = ordered[k]
            for s in range(n):
                row[s] = top
        for t in range(rows):
            now = x[t, first : first + n]
            target = out[t, first : first + n]
            for s in range(n):
                v = now[s]
                entering[s] = v if v == v else top
                before[s] = -top
                leaving[s] = top
                count[s] += 1 if v == v else 0
            if t >= window:
                old = x[t - window, first : first + n]
                for s in range(n):
                    v = old[s]
                    leaving[s] = v if v == v else top
                    count[s] -= 1 if v == v else 0
            for k in range(window):
                row = ordered[k]
                after = ordered[k + 1]
                for s in range(n):
                    kept = row[s] if row[s] < leaving[s] else after[s]
                    low = max(entering[s], before[s])
                    row[s] = min(kept, low)
                    before[s] = kept
            for s in range(n):
                c = count[s]
                if c >= need and c > 0:
                    place = quantile * (c - 1)
                    low = int(np.floor(place))
                    high = min(low + 1, c - 1) if interpolate else low
                    a = np.float64(ordered[low, s])
                    b = np.float64(ordered[high, s])
                    target[s] = np.float32(a + (b - a) * (place - low))
                else:
                    target[s] = nan
