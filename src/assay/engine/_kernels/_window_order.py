from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel, line, widest_vectors


@kernel
def _place(row, now, twice, n):
    """Add (v < now) + (v <= now) for one row of the window."""
    widest_vectors()
    one = np.float32(1)
    for s in range(n):
        v = row[s]
        q = now[s]
        c = twice[s]
        c = c + one if v < q else c
        c = c + one if v <= q else c
        twice[s] = c


@kernel
def _place_four(a, b, c, d, now, twice, n):
    """The same for four rows at once, which saves reading and writing the sums."""
    widest_vectors()
    one = np.float32(1)
    zero = np.float32(0)
    for s in range(n):
        q = now[s]
        e = zero
        f = zero
        v = a[s]
        e = e + one if v < q else e
        f = f + one if v <= q else f
        v = b[s]
        e = e + one if v < q else e
        f = f + one if v <= q else f
        v = c[s]
        e = e + one if v < q else e
        f = f + one if v <= q else f
        v = d[s]
        e = e + one if v < q else e
        f = f + one if v <= q else f
        twice[s] += e + f


@kernel
def rolling_rank(x, x_step, window, need, zero_to_one, rows, n, out, out_step):
    """Average rank of the newest value among the valid values of each window, over their number.

    The rank is divided, not multiplied by a reciprocal: equal ranks of different dates must stay equal.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    # per instrument: the sum of (v < newest) + (v <= newest), which is 2 * less + equal
    twice = np.empty(n, np.float32)
    count = np.empty(n, np.float32)
    gap = np.empty(n, np.float32)
    one = np.float32(1)
    two = np.float32(2)
    zero = np.float32(0)
    half = np.float32(0.5)
    strict = need == window
    for s in range(n):
        gap[s] = -one
        count[s] = np.float32(window)
    for t in range(rows):
        now = line(x, x_step, t, n)
        target = line(out, out_step, t, n)
        oldest = max(0, t - window + 1)
        for s in range(n):
            twice[s] = zero
        u = oldest
        while u + 3 <= t:
            a = line(x, x_step, u, n)
            b = line(x, x_step, u + 1, n)
            c = line(x, x_step, u + 2, n)
            d = line(x, x_step, u + 3, n)
            _place_four(a, b, c, d, now, twice, n)
            u += 4
        while u <= t:
            _place(line(x, x_step, u, n), now, twice, n)
            u += 1
        if strict:
            here = np.float32(t)
            whole = np.float32(t - window)
            for s in range(n):
                gap[s] = gap[s] if now[s] == now[s] else here
        else:
            here = one
            whole = zero
            for s in range(n):
                count[s] = zero
            for u in range(oldest, t + 1):
                row = line(x, x_step, u, n)
                for s in range(n):
                    count[s] += one if row[s] == row[s] else zero
            for s in range(n):
                gap[s] = zero if (count[s] >= need) & (now[s] == now[s]) else one
        if zero_to_one:
            for s in range(n):
                r = (twice[s] - one) / (two * (count[s] - one))
                r = half if count[s] == one else r
                target[s] = r if gap[s] <= whole else nan
        else:
            for s in range(n):
                r = (twice[s] + one) / (two * count[s])
                target[s] = r if gap[s] <= whole else nan


@kernel
def rolling_quantile(x, x_step, window, need, quantile, interpolate, rows, n, out, out_step):
    """Quantile of the valid values of each window, interpolated linearly or the lower of the two values
    around it.

    The window is kept sorted for all instruments of a block at once: one pass over it drops the value that
    leaves and puts in the one that enters, without branches. Missing values stand at the end as infinity.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    # row k holds the k-th smallest value of every instrument; one more row stays infinite
    memory = np.empty((window + 1, n), np.float32)
    ordered = memory.ctypes.data
    leaving = np.empty(n, np.float32)
    entering = np.empty(n, np.float32)
    before = np.empty(n, np.float32)
    count = np.empty(n, np.int64)
    for s in range(n):
        count[s] = 0
    for k in range(window + 1):
        row = line(ordered, n, k, n)
        for s in range(n):
            row[s] = top
    for t in range(rows):
        now = line(x, x_step, t, n)
        target = line(out, out_step, t, n)
        for s in range(n):
            v = now[s]
            entering[s] = v if v == v else top
            before[s] = -top
            leaving[s] = top
            count[s] += 1 if v == v else 0
        if t >= window:
            old = line(x, x_step, t - window, n)
            for s in range(n):
                v = old[s]
                leaving[s] = v if v == v else top
                count[s] -= 1 if v == v else 0
        for k in range(window):
            row = line(ordered, n, k, n)
            after = line(ordered, n, k + 1, n)
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
                a = np.float64(memory[low, s])
                b = np.float64(memory[high, s])
                target[s] = np.float32(a + (b - a) * (place - low))
            else:
                target[s] = nan
    memory[0, 0] = top  # keeps the memory until here: by address alone it would be let go
