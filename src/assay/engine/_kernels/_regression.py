from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel, line

RESIDUAL, ALPHA, BETA, FITTED, SSE, SST, R2, MSE, SE_BETA, SE_ALPHA = range(10)


@kernel
def rolling_regression(output, y, y_step, x, x_step, bar_number, window, need, rows, n, out, out_step):
    """Least squares of `y` on `x` (or on 1, 2, .. from the window's oldest bar) over each window's valid
    pairs.

    Passes over the window for a whole block of instruments: means, then sums about the means, then residuals.
    """
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    count = np.empty(n)
    mx = np.empty(n)
    my = np.empty(n)
    xx = np.empty(n)
    yy = np.empty(n)
    xy = np.empty(n)
    slope = np.empty(n)
    unexplained = np.empty(n)
    # squares of the residuals themselves: their difference from the total loses digits beside a spike
    residuals = output in (SSE, R2) or output >= MSE
    for t in range(rows):
        target = line(out, out_step, t, n)
        oldest = max(0, t - window + 1)
        for s in range(n):
            count[s] = 0.0
            mx[s] = 0.0
            my[s] = 0.0
            xx[s] = 0.0
            yy[s] = 0.0
            xy[s] = 0.0
        for u in range(oldest, t + 1):
            yrow = line(y, y_step, u, n)
            xrow = yrow if bar_number else line(x, x_step, u, n)
            bar = float(u - oldest + 1)
            for s in range(n):
                valid = (yrow[s] == yrow[s]) & (xrow[s] == xrow[s])
                v = bar if bar_number else np.float64(xrow[s])
                count[s] += 1.0 if valid else 0.0
                mx[s] += v if valid else 0.0
                my[s] += np.float64(yrow[s]) if valid else 0.0
        for s in range(n):
            mx[s] = mx[s] / count[s]
            my[s] = my[s] / count[s]
        for u in range(oldest, t + 1):
            yrow = line(y, y_step, u, n)
            xrow = yrow if bar_number else line(x, x_step, u, n)
            bar = float(u - oldest + 1)
            for s in range(n):
                valid = (yrow[s] == yrow[s]) & (xrow[s] == xrow[s])
                v = bar if bar_number else np.float64(xrow[s])
                d = v - mx[s] if valid else 0.0
                e = np.float64(yrow[s]) - my[s] if valid else 0.0
                xx[s] += d * d
                yy[s] += e * e
                xy[s] += d * e
        for s in range(n):
            slope[s] = xy[s] / xx[s]
            unexplained[s] = 0.0
        if residuals:
            for u in range(oldest, t + 1):
                yrow = line(y, y_step, u, n)
                xrow = yrow if bar_number else line(x, x_step, u, n)
                bar = float(u - oldest + 1)
                for s in range(n):
                    valid = (yrow[s] == yrow[s]) & (xrow[s] == xrow[s])
                    v = bar if bar_number else np.float64(xrow[s])
                    e = np.float64(yrow[s]) - my[s] - slope[s] * (v - mx[s]) if valid else 0.0
                    unexplained[s] += e * e
        ynow = line(y, y_step, t, n)
        xnow = ynow if bar_number else line(x, x_step, t, n)
        for s in range(n):
            c = count[s]
            r = np.nan
            if c >= need and xx[s] > 0.0:
                if output == SST:
                    r = yy[s]
                else:
                    beta = slope[s]
                    sse = unexplained[s]
                    now = float(t - oldest + 1) if bar_number else np.float64(xnow[s])
                    if output == RESIDUAL:
                        r = np.float64(ynow[s]) - my[s] - beta * (now - mx[s])
                    elif output == ALPHA:
                        r = my[s] - beta * mx[s]
                    elif output == BETA:
                        r = beta
                    elif output == FITTED:
                        r = my[s] + beta * (now - mx[s])
                    elif output == SSE:
                        r = sse
                    elif output == R2:
                        r = 1.0 - sse / yy[s] if yy[s] > 0.0 else np.nan
                    elif c > 2.0:
                        mse = sse / (c - 2.0)
                        if output == MSE:
                            r = mse
                        elif output == SE_BETA:
                            r = np.sqrt(mse / xx[s])
                        else:
                            r = np.sqrt(mse * (1.0 / c + mx[s] * mx[s] / xx[s]))
            v = np.float32(r)
            target[s] = v if abs(v) < top else nan
