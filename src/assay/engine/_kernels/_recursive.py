from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel, line

EXPONENTIAL, SMOOTHED = range(2)


@kernel
def recursive_mean(operation, x, x_step, rate, need, rows, n, out, out_step):
    """Averages that remember everything before.

    EXPONENTIAL: weights (1 - rate)^k over their sum, k bars back; a missing value is skipped and its bar
    counts. SMOOTHED: y = rate * x + (1 - rate) * y', from the first valid value; a missing value gives a
    missing result.
    """
    nan = np.float32(np.nan)
    mean = np.zeros(n)
    weight = np.zeros(n)
    count = np.zeros(n)
    fade = 1.0 - rate
    for t in range(rows):
        now = line(x, x_step, t, n)
        target = line(out, out_step, t, n)
        for s in range(n):
            v = now[s]
            valid = v == v
            if operation == EXPONENTIAL:
                w = weight[s] * fade
                m = (w * mean[s] + np.float64(v)) / (w + 1.0)
                weight[s] = w + 1.0 if valid else w
            else:
                m = rate * np.float64(v) + fade * mean[s] if count[s] > 0.0 else np.float64(v)
            mean[s] = m if valid else mean[s]
            count[s] += 1.0 if valid else 0.0
            known = (count[s] >= need) & (valid | (operation == EXPONENTIAL))
            target[s] = np.float32(mean[s]) if known else nan
