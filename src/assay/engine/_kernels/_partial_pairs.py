"""Correlation and covariance of the valid pairs of each window, where these need not be all."""

from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import ANCHOR_ROWS, LOST_DIGITS, cell, kernel, line, widest_vectors

CORRELATION, COVARIANCE = range(2)

_LEAST = np.float32(1e-36)
_MOST = np.float32(1e37)
"""Between these a sum of squares is rounded to float32 before its root is taken; beyond, all is float64."""


@kernel
def _exact(x, x_step, y, y_step, column, oldest, t):
    """Count, and sums of squares and products about the means, of the valid pairs."""
    count = 0.0
    sx = 0.0
    sy = 0.0
    for u in range(oldest, t + 1):
        v = cell(x, x_step, u, column)
        z = cell(y, y_step, u, column)
        if v == v and z == z:
            count += 1.0
            sx += np.float64(v)
            sy += np.float64(z)
    mx = sx / count
    my = sy / count
    xx = 0.0
    yy = 0.0
    xy = 0.0
    for u in range(oldest, t + 1):
        v = cell(x, x_step, u, column)
        z = cell(y, y_step, u, column)
        if v == v and z == z:
            d = np.float64(v) - mx
            e = np.float64(z) - my
            xx += d * d
            yy += e * e
            xy += d * e
    return count, xx, yy, xy


@kernel
def exact_pair(operation, x, x_step, y, y_step, column, oldest, t, freedom):
    """Correlation or covariance of one window; missing where either side is constant, or infinite."""
    count, a, b, both = _exact(x, x_step, y, y_step, column, oldest, t)
    if operation == CORRELATION:
        r = both / (np.sqrt(a) * np.sqrt(b)) if a > 0.0 and b > 0.0 else np.nan
        r = min(1.0, max(-1.0, r)) if r == r else np.nan
    else:
        r = both / (count - freedom) if count > freedom else np.nan
    v = np.float32(r)
    return v if abs(v) < np.float32(np.inf) else np.float32(np.nan)


@kernel
def _add(xrow, yrow, x0, y0, sx, sy, xx, yy, xy, count, n):
    """Add the pairs of one row to the sums."""
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


@kernel
def _slide(xnow, ynow, xold, yold, x0, y0, sx, sy, xx, yy, xy, n):
    """Add the pairs that enter the window to the sums, and take off those that leave it."""
    widest_vectors()
    for s in range(n):
        v = xnow[s]
        z = ynow[s]
        p = xold[s]
        q = yold[s]
        k = x0[s]
        h = y0[s]
        enters = (v == v) & (z == z)
        leaves = (p == p) & (q == q)
        d = np.float64(v) - k if enters else 0.0
        e = np.float64(z) - h if enters else 0.0
        f = np.float64(p) - k if leaves else 0.0
        g = np.float64(q) - h if leaves else 0.0
        sx[s] += d - f
        sy[s] += e - g
        xx[s] += d * d - f * f
        yy[s] += e * e - g * g
        xy[s] += d * e - f * g


@kernel
def _recount(xnow, ynow, xold, yold, count, n):
    for s in range(n):
        enters = (xnow[s] == xnow[s]) & (ynow[s] == ynow[s])
        leaves = (xold[s] == xold[s]) & (yold[s] == yold[s])
        count[s] += (1.0 if enters else 0.0) - (1.0 if leaves else 0.0)


@kernel
def _centre(sx, sy, xx, yy, xy, xmax, ymax, vx, vy, cv, inverse, gap, whole, n):
    """Sums about the means, with one over the number of pairs; how many lost their digits."""
    widest_vectors()
    lost = 0
    for s in range(n):
        a = xmax[s]
        b = ymax[s]
        c = xx[s]
        d = yy[s]
        e = sx[s]
        f = sy[s]
        i = inverse[s]
        g = gap[s]
        a = max(c, a)
        b = max(d, b)
        xmax[s] = a
        ymax[s] = b
        c = c - e * e * i
        d = d - f * f * i
        vx[s] = np.float32(c)
        vy[s] = np.float32(d)
        cv[s] = np.float32(xy[s] - e * f * i)
        thin = (c < LOST_DIGITS * a) | (d < LOST_DIGITS * b)
        lost += 1 if thin & (g <= whole) else 0
    return lost


@kernel
def _correlate(vx, vy, cv, gap, whole, target, n):
    """Correlations from sums about the means; how many of these are out of the range of float32."""
    widest_vectors()
    one = np.float32(1)
    nan = np.float32(np.nan)
    lost = 0
    for s in range(n):
        a = vx[s]
        b = vy[s]
        g = gap[s]
        r = cv[s] / (np.sqrt(a) * np.sqrt(b))
        r = min(one, max(-one, r))
        odd = (a < _LEAST) | (b < _LEAST) | (a > _MOST) | (b > _MOST)
        lost += 1 if odd & (g <= whole) else 0
        target[s] = r if g <= whole else nan
    return lost


@kernel
def rolling_partial_pairs(operation, x, x_step, y, y_step, window, need, ddof, rows, n, out, out_step):
    """Correlation or covariance of each window's valid pairs; correlation is missing where either side is
    constant.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    one = np.float32(1)
    x0 = np.empty(n)
    y0 = np.empty(n)
    sx = np.empty(n)
    sy = np.empty(n)
    xx = np.empty(n)
    yy = np.empty(n)
    xy = np.empty(n)
    count = np.empty(n)
    xmax = np.empty(n)
    ymax = np.empty(n)
    gap = np.empty(n, np.float32)
    vx = np.empty(n, np.float32)
    vy = np.empty(n, np.float32)
    cv = np.empty(n, np.float32)
    inverse = np.empty(n)
    whole = np.float32(0)
    freedom = float(ddof)
    anchor = 0
    for s in range(n):
        x0[s] = 0.0
        y0[s] = 0.0
    for t in range(rows):
        xnow = line(x, x_step, t, n)
        ynow = line(y, y_step, t, n)
        target = line(out, out_step, t, n)
        oldest = max(0, t - window + 1)
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
            for u in range(oldest, t + 1):
                xrow = line(x, x_step, u, n)
                yrow = line(y, y_step, u, n)
                _add(xrow, yrow, x0, y0, sx, sy, xx, yy, xy, count, n)
        elif t < window:
            _add(xnow, ynow, x0, y0, sx, sy, xx, yy, xy, count, n)
        else:
            xold = line(x, x_step, t - window, n)
            yold = line(y, y_step, t - window, n)
            _slide(xnow, ynow, xold, yold, x0, y0, sx, sy, xx, yy, xy, n)
            _recount(xnow, ynow, xold, yold, count, n)
        # a window with too few pairs looks like one with a gap
        for s in range(n):
            inverse[s] = 1.0 / count[s]
            gap[s] = -one if count[s] >= need else one
        lost = _centre(sx, sy, xx, yy, xy, xmax, ymax, vx, vy, cv, inverse, gap, whole, n)
        if operation == CORRELATION:
            lost += _correlate(vx, vy, cv, gap, whole, target, n)
        else:
            for s in range(n):
                v = np.float32(cv[s] / (count[s] - freedom))
                known = (gap[s] <= whole) & (count[s] > freedom)
                target[s] = v if known & (abs(v) < top) else nan
        if lost > 0:
            for s in range(n):
                if gap[s] > whole:
                    continue
                a = np.float64(vx[s])
                b = np.float64(vy[s])
                odd = a < _LEAST or b < _LEAST or a > _MOST or b > _MOST
                if odd or a < 2.0 * LOST_DIGITS * xmax[s] or b < 2.0 * LOST_DIGITS * ymax[s]:
                    target[s] = exact_pair(operation, x, x_step, y, y_step, s, oldest, t, freedom)
