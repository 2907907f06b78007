from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel

NEUTRALIZE, ZSCORE, SCALE, NORMALIZE, SUM, MAX, MIN, STD, COUNT, MEAN, HARMONIC = range(11)


@kernel
def group_statistic(operation, x, weight, groups, number, least, factor, out):
    """Per date and group: each member set against its group, or (from SUM on) a statistic for every member.

    `weight` is read by MEAN and HARMONIC; NORMALIZE multiplies by `factor` over the sum of absolute
    values, which must reach `least`.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    total = np.empty(number)
    count = np.empty(number)
    squares = np.empty(number)
    low = np.empty(number)
    high = np.empty(number)
    ranged = operation in (SCALE, MAX, MIN)
    spread = operation in (ZSCORE, STD)
    weighted = operation in (MEAN, HARMONIC)
    for t in range(rows):
        row = x[t]
        code = groups[t]
        target = out[t]
        for g in range(number):
            total[g] = 0.0
            count[g] = 0.0
            squares[g] = 0.0
            low[g] = np.inf
            high[g] = -np.inf
        for s in range(width):
            v = np.float64(row[s])
            g = code[s]
            if v == v and g >= 0:
                if weighted:
                    w = np.float64(weight[t, s])
                    if w == w:
                        total[g] += w * v if operation == MEAN else (w / v if v != 0.0 else np.nan)
                        count[g] += w
                elif operation == NORMALIZE:
                    total[g] += abs(v)
                else:
                    total[g] += v
                    count[g] += 1.0
                    if ranged:
                        low[g] = min(low[g], v)
                        high[g] = max(high[g], v)
        if spread:
            for s in range(width):
                v = np.float64(row[s])
                g = code[s]
                if v == v and g >= 0:
                    d = v - total[g] / count[g]
                    squares[g] += d * d
        for s in range(width):
            g = code[s]
            if g < 0:
                target[s] = nan
                continue
            v = np.float64(row[s])
            if operation == NEUTRALIZE:
                r = v - total[g] / count[g]
            elif operation == ZSCORE:
                r = (v - total[g] / count[g]) / np.sqrt(squares[g] / count[g])
            elif operation == SCALE:
                r = (v - low[g]) / (high[g] - low[g])
            elif operation == NORMALIZE:
                r = v * factor / total[g] if total[g] >= least else np.nan
            elif operation == SUM:
                r = total[g] if count[g] > 0.0 else np.nan
            elif operation == MAX:
                r = high[g]
            elif operation == MIN:
                r = low[g]
            elif operation == STD:
                r = np.sqrt(squares[g] / count[g])
            elif operation == COUNT:
                r = count[g]
            elif operation == MEAN:
                r = total[g] / count[g]
            else:
                r = count[g] / total[g]
            f = np.float32(r)
            target[s] = f if abs(f) < top else nan
