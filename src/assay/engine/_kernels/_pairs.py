from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import ANCHOR_ROWS, BLOCK, LOST_DIGITS, kernel

CORRELATION, COVARIANCE = range(2)


@kernel
def _exact(x, y, t, column, window):
    """Sums of squares and products about the means of one window's valid pairs."""
    count = 0.0
    sx = 0.0
    sy = 0.0
    for u in range(max(0, t - window + 1), t + 1):
        v = x[u, column]
        z = y[u, column]
        if v == v and z == z:
            count += 1.0
            sx += np.float64(v)
            sy += np.float64(z)
    mx = sx / count
    my = sy / count
    xx = 0.0
    yy = 0.0
    xy = 0.0
    for u in range(max(0, t - window + 1), t + 1):
        v = x[u, column]
        z = y[u, column]
        if v == v and z == z:
            d = np.float64(v) - mx
            e = np.float64(z) - my
            xx += d * d
            yy += e * e
            xy += d * e
    return xx, yy, xy


@kernel
def rolling_pairs(operation, x, y, window, need, ddof, out):
    """Correlation or covariance of each window's valid pairs; correlation is missing where either side is
    constant.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    x0 = np.empty(BLOCK)
    y0 = np.empty(BLOCK)
    sx = np.empty(BLOCK)
    sy = np.empty(BLOCK)
    xx = np.empty(BLOCK)
    yy = np.empty(BLOCK)
    xy = np.empty(BLOCK)
    count = np.empty(BLOCK)
    xmax = np.empty(BLOCK)
    ymax = np.empty(BLOCK)
    vx = np.empty(BLOCK)
    vy = np.empty(BLOCK)
    cv = np.empty(BLOCK)
    share = 1.0 / window
    strict = need == window
    for first in range(0, width, BLOCK):
        n = min(BLOCK, width - first)
        anchor = 0
        for s in range(n):
            x0[s] = 0.0
            y0[s] = 0.0
        for t in range(rows):
            xnow = x[t, first : first + n]
            ynow = y[t, first : first + n]
            target = out[t, first : first + n]
            if t == anchor:
                anchor = t + max(window, ANCHOR_ROWS)
                for s in range(n):
                    v = xnow[s]
                    z = ynow[s]
                    x0[s] = np.float64(v) if v == v else x0[s]
                    y0[s] = np.float64(z) if z == z else y0[s]
                    sx[s] = 0.0
                    sy[s] = 0.0
                    xx[s] = 0.0
                    yy[s] = 0.0
                    xy[s] = 0.0
                    count[s] = 0.0
                    xmax[s] = 0.0
                    ymax[s] = 0.0
                for u in range(max(0, t - window + 1), t + 1):
                    xrow = x[u, first : first + n]
                    yrow = y[u, first : first + n]
                    for s in range(n):
                        v = xrow[s]
                        z = yrow[s]
                        valid = (v == v) & (z == z)
                        d = np.float64(v) - x0[s] if valid else 0.0
                        e = np.float64(z) - y0[s] if valid else 0.0
                        sx[s] += d
                        sy[s] += e
                        xx[s] += d * d
                        yy[s] += e * e
                        xy[s] += d * e
                        count[s] += 1.0 if valid else 0.0
            elif t >= window:
                xold = x[t - window, first : first + n]
                yold = y[t - window, first : first + n]
                for s in range(n):
                    v = xnow[s]
                    z = ynow[s]
                    p = xold[s]
                    q = yold[s]
                    enters = (v == v) & (z == z)
                    leaves = (p == p) & (q == q)
                    d = np.float64(v) - x0[s] if enters else 0.0
                    e = np.float64(z) - y0[s] if enters else 0.0
                    f = np.float64(p) - x0[s] if leaves else 0.0
                    g = np.float64(q) - y0[s] if leaves else 0.0
                    sx[s] += d - f
                    sy[s] += e - g
                    xx[s] += d * d - f * f
                    yy[s] += e * e - g * g
                    xy[s] += d * e - f * g
                    count[s] += (1.0 if enters else 0.0) - (1.0 if leaves else 0.0)
            else:
                for s in range(n):
                    v = xnow[s]
                    z = ynow[s]
                    valid = (v == v) & (z == z)
                    d = np.float64(v) - x0[s] if valid else 0.0
                    e = np.float64(z) - y0[s] if valid else 0.0
                    sx[s] += d
                    sy[s] += e
                    xx[s] += d * d
                    yy[s] += e * e
                    xy[s] += d * e
                    count[s] += 1.0 if valid else 0.0
            lost = 0
            for s in range(n):
                a = max(xx[s], xmax[s])
                b = max(yy[s], ymax[s])
                xmax[s] = a
                ymax[s] = b
                inverse = share if strict else 1.0 / count[s]
                p = xx[s] - sx[s] * sx[s] * inverse
                q = yy[s] - sy[s] * sy[s] * inverse
                vx[s] = p
                vy[s] = q
                cv[s] = xy[s] - sx[s] * sy[s] * inverse
                lost += 1 if ((p < LOST_DIGITS * a) | (q < LOST_DIGITS * b)) & (count[s] >= need) else 0
            if lost > 0:
                for s in range(n):
                    thin = vx[s] < LOST_DIGITS * xmax[s] or vy[s] < LOST_DIGITS * ymax[s]
                    if thin and count[s] >= need:
                        vx[s], vy[s], cv[s] = _exact(x, y, t, first + s, window)
            if operation == CORRELATION:
                for s in range(n):
                    r = cv[s] / np.sqrt(vx[s] * vy[s])
                    r = min(1.0, max(-1.0, r))
                    known = (count[s] >= need) & (vx[s] > 0.0) & (vy[s] > 0.0)
                    target[s] = np.float32(r) if known else nan
            else:
                freedom = float(ddof)
                for s in range(n):
                    v = np.float32(cv[s] / (count[s] - freedom))
                    target[s] = v if (count[s] >= need) & (count[s] > freedom) & (abs(v) < top) else nan
