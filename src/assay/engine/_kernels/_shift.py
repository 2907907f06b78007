from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel

DELAY, DELTA, RETURN = range(3)


@kernel
def shift(operation, x, window, left, right, out):
    """Value `window` rows ago, the change since then, or the relative change since then."""
    rows = x.shape[0]
    n = right - left
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    for t in range(rows):
        target = out[t, left:right]
        if t < window:
            for s in range(n):
                target[s] = nan
            continue
        now = x[t, left:right]
        past = x[t - window, left:right]
        if operation == DELAY:
            for s in range(n):
                target[s] = past[s]
        elif operation == DELTA:
            for s in range(n):
                v = now[s] - past[s]
                target[s] = v if abs(v) < top else nan
        else:
            for s in range(n):
                v = np.float32(np.float64(now[s]) / np.float64(past[s]) - 1.0)
                target[s] = v if abs(v) < top else nan
