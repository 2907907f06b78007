"""Rolling extremes in a number of steps that does not depend on the window.

The rows are cut into blocks as long as the window. A window then is the end of one block and the beginning
of the next: running extremes from the end of each block and from the beginning of each answer every window
with one comparison.
"""

from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel, line


@kernel
def rolling_extremum(sign, x, x_step, window, skip, rows, n, out, out_step):
    """Maximum (`sign` 1) or minimum (`sign` -1) of each window.

    With `skip` missing values are passed over and a window cut short by the start of the data counts.
    """
    nan = np.float32(np.nan)
    lowest = np.float32(-np.inf)
    sign = np.float32(sign)
    suffix_memory = np.empty((window, n), np.float32)
    suffix = suffix_memory.ctypes.data
    prefix = np.empty(n, np.float32)
    filler = lowest if skip else nan
    for k in range(window):
        row = line(suffix, n, k, n)
        for s in range(n):
            row[s] = filler
    for start in range(0, rows, window):
        stop = min(rows, start + window)
        for s in range(n):
            prefix[s] = lowest
        for t in range(start, stop):
            now = line(x, x_step, t, n)
            target = line(out, out_step, t, n)
            # the rows of the block before that the window still covers
            back = line(suffix, n, t - start + 1, n) if t - start + 1 < window else prefix
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
                now = line(x, x_step, start + k, n)
                row = line(suffix, n, k, n)
                if k == window - 1:
                    for s in range(n):
                        v = sign * now[s]
                        row[s] = lowest if (v != v) & skip else v
                else:
                    below = line(suffix, n, k + 1, n)
                    for s in range(n):
                        v = sign * now[s]
                        v = lowest if (v != v) & skip else v
                        m = below[s]
                        row[s] = m if (m >= v) | (m != m) else v
    suffix_memory[0, 0] = lowest  # keeps the memory until here: by address alone it would be let go


@kernel
def rolling_position(sign, x, x_step, window, skip, from_oldest, rows, n, out, out_step):
    """Bars since the maximum (`sign` 1) or minimum (`sign` -1) of each window; the latest of equals wins.

    With `from_oldest` its place counted from the oldest bar of the window, which is 1; the earliest of
    equals wins. `skip` as in :func:`rolling_extremum`.
    """
    nan = np.float32(np.nan)
    lowest = np.float32(-np.inf)
    sign = np.float32(sign)
    suffix_memory = np.empty((window, n), np.float32)
    suffix = suffix_memory.ctypes.data
    prefix = np.empty(n, np.float32)
    # rows of the extremes, counted from the start of their block
    row_memory = np.empty((window, n), np.float32)
    suffix_row = row_memory.ctypes.data
    prefix_row = np.empty(n, np.float32)
    filler = lowest if skip else nan
    length = np.float32(window)
    latest = not from_oldest
    for k in range(window):
        row = line(suffix, n, k, n)
        place = line(suffix_row, n, k, n)
        for s in range(n):
            row[s] = filler
            place[s] = nan
    for start in range(0, rows, window):
        stop = min(rows, start + window)
        for s in range(n):
            prefix[s] = lowest
            prefix_row[s] = nan
        for t in range(start, stop):
            now = line(x, x_step, t, n)
            target = line(out, out_step, t, n)
            here = np.float32(t - start)
            for s in range(n):
                v = sign * now[s]
                v = lowest if (v != v) & skip else v
                m = prefix[s]
                r = prefix_row[s]
                keep = (m > v) | ((m == v) & from_oldest) | (m != m)
                prefix[s] = m if keep else v
                prefix_row[s] = r if keep else here
            split = t - start + 1
            # the place is `slope * row + base` of the row counted from the start of this block
            slope = np.float32(1) if from_oldest else np.float32(-1)
            base = np.float32(start - max(0, t - window + 1) + 1) if from_oldest else here
            if split == window:
                for s in range(n):
                    target[s] = slope * prefix_row[s] + base if prefix[s] > lowest else nan
            else:
                back = line(suffix, n, split, n)
                back_row = line(suffix_row, n, split, n)
                for s in range(n):
                    m = prefix[s]
                    q = back[s]
                    r = prefix_row[s]
                    p = back_row[s] - length
                    keep = (m > q) | ((m == q) & latest) | (m != m)
                    m = m if keep else q
                    r = r if keep else p
                    target[s] = slope * r + base if m > lowest else nan
        if stop < rows:
            for s in range(n):
                prefix[s] = lowest
                prefix_row[s] = nan
            for k in range(window - 1, -1, -1):
                now = line(x, x_step, start + k, n)
                row = line(suffix, n, k, n)
                place = line(suffix_row, n, k, n)
                here = np.float32(k)
                for s in range(n):
                    v = sign * now[s]
                    v = lowest if (v != v) & skip else v
                    m = prefix[s]
                    r = prefix_row[s]
                    keep = (m > v) | ((m == v) & latest) | (m != m)
                    m = m if keep else v
                    r = r if keep else here
                    prefix[s] = m
                    prefix_row[s] = r
                    row[s] = m
                    place[s] = r
    suffix_memory[0, 0] = lowest  # keeps the memory until here: by address alone it would be let go
    row_memory[0, 0] = lowest
