"""Correlation and covariance of whole windows; those of windows with gaps stand in ``_partial_pairs``.

Two rows are worked on at a time, so that the sums are read and written half as often. They start afresh at
fixed row numbers; the row before that is left alone with its pair when the number of rows is odd.
"""

from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import (
    ANCHOR_ROWS,
    LOST_DIGITS,
    doubles,
    kernel,
    line,
    pointer,
    widest_vectors,
)
from assay.engine._kernels._partial_pairs import CORRELATION, exact_pair

_WIDE = 512
"""Instruments worked on at a time."""

_PITCH = _WIDE + 8
"""Cells from one array of the workspace to the next: not a multiple of 4 kB, which would make the processor
take a read of one for a read of another.
"""

_SX, _SY, _XX, _YY, _XY, _XMAX, _YMAX, _X0, _Y0, _DOUBLES = (i * _PITCH for i in range(10))
_VX, _VY, _CV, _GAP, _ROW = (i * _PITCH for i in range(5))

_LEAST = np.float32(1e-36)
_MOST = np.float32(1e37)
"""Between these a sum of squares is rounded to float32 before its root is taken; beyond, all is float64."""


@kernel
def _restart(x, x_step, y, y_step, oldest, last, d, f, n):
    """Sums of the pairs of some rows about the values of the last one; the last row with a gap."""
    widest_vectors()
    for s in range(n):
        for k in range(_SX, _X0, _PITCH):
            d[k + s] = 0.0
        d[_X0 + s] = 0.0
        d[_Y0 + s] = 0.0
        f[_ROW + _GAP + s] = np.float32(-1)
    if last >= oldest:
        xrow = line(x, x_step, last, n)
        yrow = line(y, y_step, last, n)
        for s in range(n):
            d[_X0 + s] = np.float64(xrow[s]) if xrow[s] == xrow[s] else 0.0
            d[_Y0 + s] = np.float64(yrow[s]) if yrow[s] == yrow[s] else 0.0
    for u in range(oldest, last + 1):
        xrow = line(x, x_step, u, n)
        yrow = line(y, y_step, u, n)
        here = np.float32(u)
        for s in range(n):
            v = xrow[s]
            z = yrow[s]
            valid = (v == v) & (z == z)
            a = np.float64(v) - d[_X0 + s] if valid else 0.0
            b = np.float64(z) - d[_Y0 + s] if valid else 0.0
            d[_SX + s] += a
            d[_SY + s] += b
            d[_XX + s] += a * a
            d[_YY + s] += b * b
            d[_XY + s] += a * b
            g = f[_ROW + _GAP + s]
            f[_ROW + _GAP + s] = g if valid else here
    for s in range(n):
        d[_XMAX + s] = d[_XX + s]
        d[_YMAX + s] = d[_YY + s]


@kernel
def _slide(x, x_step, y, y_step, t, second, old, old_second, before, d, f, share, n):
    """Move the window to row `t` and on to row `second`, and put down the sums about the means of both.

    `before` is a missing row, read in place of the rows before the data. A variance that lost its digits
    is put down as missing.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    xa = pointer(x + 4 * x_step * t)
    ya = pointer(y + 4 * y_step * t)
    xb = pointer(x + 4 * x_step * second)
    yb = pointer(y + 4 * y_step * second)
    xc = pointer(x + 4 * x_step * old if old >= 0 else before)
    yc = pointer(y + 4 * y_step * old if old >= 0 else before)
    xd = pointer(x + 4 * x_step * old_second if old_second >= 0 else before)
    yd = pointer(y + 4 * y_step * old_second if old_second >= 0 else before)
    first_row = np.float32(t)
    second_row = np.float32(second)
    for s in range(n):
        k = d[_X0 + s]
        h = d[_Y0 + s]
        sx = d[_SX + s]
        sy = d[_SY + s]
        xx = d[_XX + s]
        yy = d[_YY + s]
        xy = d[_XY + s]
        xmax = d[_XMAX + s]
        ymax = d[_YMAX + s]
        gap = f[_ROW + _GAP + s]

        v = xa[s]
        z = ya[s]
        p = xc[s]
        q = yc[s]
        enters = (v == v) & (z == z)
        leaves = (p == p) & (q == q)
        a = np.float64(v) - k if enters else 0.0
        b = np.float64(z) - h if enters else 0.0
        c = np.float64(p) - k if leaves else 0.0
        e = np.float64(q) - h if leaves else 0.0
        sx = (sx + a) - c
        sy = (sy + b) - e
        xx = (xx + a * a) - c * c
        yy = (yy + b * b) - e * e
        xy = (xy + a * b) - c * e
        xmax = max(xx, xmax)
        ymax = max(yy, ymax)
        gap = gap if enters else first_row
        vx = xx - sx * sx * share
        vy = yy - sy * sy * share
        f[_VX + s] = nan if vx < LOST_DIGITS * xmax else np.float32(vx)
        f[_VY + s] = nan if vy < LOST_DIGITS * ymax else np.float32(vy)
        f[_CV + s] = np.float32(xy - sx * sy * share)
        f[_GAP + s] = gap

        v = xb[s]
        z = yb[s]
        p = xd[s]
        q = yd[s]
        enters = (v == v) & (z == z)
        leaves = (p == p) & (q == q)
        a = np.float64(v) - k if enters else 0.0
        b = np.float64(z) - h if enters else 0.0
        c = np.float64(p) - k if leaves else 0.0
        e = np.float64(q) - h if leaves else 0.0
        sx = (sx + a) - c
        sy = (sy + b) - e
        xx = (xx + a * a) - c * c
        yy = (yy + b * b) - e * e
        xy = (xy + a * b) - c * e
        xmax = max(xx, xmax)
        ymax = max(yy, ymax)
        gap = gap if enters else second_row
        vx = xx - sx * sx * share
        vy = yy - sy * sy * share
        f[_ROW + _VX + s] = nan if vx < LOST_DIGITS * xmax else np.float32(vx)
        f[_ROW + _VY + s] = nan if vy < LOST_DIGITS * ymax else np.float32(vy)
        f[_ROW + _CV + s] = np.float32(xy - sx * sy * share)
        f[_ROW + _GAP + s] = gap

        d[_SX + s] = sx
        d[_SY + s] = sy
        d[_XX + s] = xx
        d[_YY + s] = yy
        d[_XY + s] = xy
        d[_XMAX + s] = xmax
        d[_YMAX + s] = ymax


@kernel
def _correlate(f, whole, target, n):
    """Correlations from sums about the means; how many of these have lost their digits, or are out of the
    range of float32.
    """
    widest_vectors()
    one = np.float32(1)
    nan = np.float32(np.nan)
    lost = 0
    for s in range(n):
        a = f[_VX + s]
        b = f[_VY + s]
        g = f[_GAP + s]
        r = f[_CV + s] / (np.sqrt(a) * np.sqrt(b))
        r = min(one, max(-one, r))
        fine = (a >= _LEAST) & (b >= _LEAST) & (a <= _MOST) & (b <= _MOST)
        lost += 0 if fine | (g > whole) else 1
        target[s] = r if g <= whole else nan
    return lost


@kernel
def _scale(f, whole, factor, target, n):
    """Covariances from sums of products about the means; how many may have lost their digits."""
    widest_vectors()
    nan = np.float32(np.nan)
    zero = np.float32(0)
    lost = 0
    for s in range(n):
        a = f[_VX + s]
        b = f[_VY + s]
        g = f[_GAP + s]
        v = f[_CV + s] * factor
        v = v + v * zero  # NaN where infinite
        lost += 0 if ((a == a) & (b == b)) | (g > whole) else 1
        target[s] = v if g <= whole else nan
    return lost


@kernel
def _repair(operation, x, x_step, y, y_step, t, window, freedom, f, target, n):
    """Compute again from the window itself what has lost its digits."""
    whole = np.float32(t - window)
    for s in range(n):
        a = f[_VX + s]
        b = f[_VY + s]
        fine = a >= _LEAST and b >= _LEAST and a <= _MOST and b <= _MOST
        if not fine and f[_GAP + s] <= whole:
            target[s] = exact_pair(operation, x, x_step, y, y_step, s, t - window + 1, t, freedom)


@kernel
def rolling_pairs(operation, x, x_step, y, y_step, window, ddof, rows, n, out, out_step):
    """Correlation or covariance of each whole window of pairs; correlation is missing where either side is
    constant.
    """
    nan = np.float32(np.nan)
    double_memory = np.empty(_DOUBLES)
    single_memory = np.empty(2 * _ROW, np.float32)
    missing_memory = np.full(_WIDE, nan, np.float32)
    d = doubles(double_memory.ctypes.data)
    freedom = float(ddof)
    share = 1.0 / window
    factor = np.float32(1.0 / (window - freedom)) if window > ddof else nan
    for left in range(0, n, _WIDE):
        wide = min(_WIDE, n - left)
        xs = x + 4 * left
        ys = y + 4 * left
        for t in range(min(rows, window - 1)):
            target = line(out + 4 * left, out_step, t, wide)
            for s in range(wide):
                target[s] = nan
        anchor = window - 1
        t = window - 1
        while t < rows:
            f = pointer(single_memory.ctypes.data)
            if t == anchor:
                anchor = t + max(window, ANCHOR_ROWS)
                _restart(xs, x_step, ys, y_step, max(0, t - window), t - 1, d, f, wide)
            stop = min(t + 2, min(anchor, rows))
            before = np.int64(missing_memory.ctypes.data)
            second = stop - 1
            _slide(xs, x_step, ys, y_step, t, second, t - window, second - window, before, d, f, share, wide)
            for u in range(t, stop):
                f = pointer(np.int64(single_memory.ctypes.data) + 4 * _ROW * (u - t))
                target = line(out + 4 * left, out_step, u, wide)
                whole = np.float32(u - window)
                if operation == CORRELATION:
                    lost = _correlate(f, whole, target, wide)
                else:
                    lost = _scale(f, whole, factor, target, wide)
                if lost > 0:
                    _repair(operation, xs, x_step, ys, y_step, u, window, freedom, f, target, wide)
            t = stop
    double_memory[0] = 0.0  # keeps the memory until here: by address alone it would be let go
    single_memory[0] = nan
    missing_memory[0] = nan
