from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel, line

DELAY, DELTA, RETURN = range(3)


@kernel
def shift(operation, x, x_step, window, rows, n, out, out_step):
    """Value `window` rows ago, the change since then, or the relative change since then."""
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    for t in range(rows):
        target = line(out, out_step, t, n)
        if t < window:
            for s in range(n):
                target[s] = nan
            continue
        now = line(x, x_step, t, n)
        past = line(x, x_step, t - window, n)
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
