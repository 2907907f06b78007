from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import BLOCK, kernel


@kernel
def rolling_extremum(sign, x, window, skip, out):
    """Maximum (`sign` 1) or minimum (`sign` -1) of each window, by prefixes and suffixes of blocks of
    `window` rows.

    With `skip` missing values are passed over and a window cut short by the start of the data counts.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    lowest = np.float32(-np.inf)
    sign = np.float32(sign)
    suffix = np.empty((window, BLOCK), np.float32)
    prefix = np.empty(BLOCK, np.float32)
    filler = lowest if skip else nan
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        for k in range(window):
            row = suffix[k]
            for s in range(n):
                row[s] = filler
        for start in range(0, rows, window):
            stop = min(rows, start + window)
            for s in range(n):
                prefix[s] = lowest
            for t in range(start, stop):
                now = x[t, first : first + n]
                target = out[t, first : first + n]
                # the rows of the block before that the window still covers
                back = suffix[t - start + 1] if t - start + 1 < window else prefix
                for s in range(n):
                    v = sign * now[s]
                    v = lowest if (v != v) & skip else v
                    m = prefix[s]
                    m = m if (m >= v) | (m != m) else v
                    prefix[s] = m
                for s in range(n):
                    m = prefix[s]
                    q = back[s]
                    m = m if (m >= q) | (m != m) else q
                    target[s] = sign * m if m > lowest else nan
            if stop < rows:
                for k in range(window - 1, -1, -1):
                    now = x[start + k, first : first + n]
                    row = suffix[k]
                    if k == window - 1:
                        for s in range(n):
                            v = sign * now[s]
                            row[s] = lowest if (v != v) & skip else v
                    else:
                        below = suffix[k + 1]
                        for s in range(n):
                            v = sign * now[s]
                            v = lowest if (v != v) & skip else v
                            m = below[s]
                            row[s] = m if (m >= v) | (m != m) else v


@kernel
def rolling_position(sign, x, window, need, from_oldest, out):
    """Bars since the maximum (`sign` 1) or minimum (`sign` -1) of each window; the latest of equals wins.

    With `from_oldest` its place counted from the oldest bar of the window, which is 1; the earliest of
    equals wins.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    sign = np.float32(sign)
    lowest = np.float32(-np.inf)
    one = np.float32(1)
    zero = np.float32(0)
    best = np.empty(BLOCK, np.float32)
    place = np.empty(BLOCK, np.float32)
    count = np.empty(BLOCK, np.float32)
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        for t in range(rows):
            target = out[t, first : first + n]
            for s in range(n):
                best[s] = lowest
                place[s] = nan
                count[s] = zero
            oldest = max(0, t - window + 1)
            for u in range(oldest, t + 1):
                row = x[u, first : first + n]
                here = np.float32(u - oldest + 1) if from_oldest else np.float32(t - u)
                for s in range(n):
                    v = sign * row[s]
                    better = (v > best[s]) | ((v == best[s]) & (not from_oldest))
                    best[s] = v if better else best[s]
                    place[s] = here if better else place[s]
                    count[s] += one if v == v else zero
            for s in range(n):
                target[s] = place[s] if count[s] >= need else nan
