from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel, line, widest_vectors

MAD, SKEW, KURT = range(3)


@kernel
def _add_values(row, total, count, n):
    """Add one row of the window to the sums and to the numbers of valid values."""
    widest_vectors()
    for s in range(n):
        v = row[s]
        total[s] += np.float64(v) if v == v else 0.0
        count[s] += 1.0 if v == v else 0.0


@kernel
def _add_distances(row, mean, absolute, n):
    """Add the distances of one row of the window from its mean."""
    widest_vectors()
    for s in range(n):
        v = row[s]
        absolute[s] += abs(np.float64(v) - mean[s]) if v == v else 0.0


@kernel
def _add_powers(fourth, row, mean, second, higher, n):
    """Add the second and the third (or the fourth) powers of the distances of one row of the window."""
    widest_vectors()
    for s in range(n):
        v = row[s]
        d = np.float64(v) - mean[s] if v == v else 0.0
        q = d * d
        second[s] += q
        higher[s] += q * q if fourth else q * d


@kernel
def rolling_moments(operation, x, x_step, window, need, bias, rows, n, out, out_step):
    """Mean distance from the mean, skewness or excess kurtosis of the valid values of each window.

    Each window is summed afresh about its own mean, for all instruments of a block at once: sums of third and
    fourth powers that are carried along lose their digits long before those of squares do.
    """
    widest_vectors()
    nan = np.float32(np.nan)
    top = np.float32(np.inf)
    count = np.empty(n)
    mean = np.empty(n)
    second = np.empty(n)
    higher = np.empty(n)
    for t in range(rows):
        target = line(out, out_step, t, n)
        oldest = max(0, t - window + 1)
        if t - oldest + 1 < need:
            for s in range(n):
                target[s] = nan
            continue
        for s in range(n):
            mean[s] = 0.0
            count[s] = 0.0
            second[s] = 0.0
            higher[s] = 0.0
        for u in range(oldest, t + 1):
            _add_values(line(x, x_step, u, n), mean, count, n)
        for s in range(n):
            mean[s] /= count[s]
        if operation == MAD:
            for u in range(oldest, t + 1):
                _add_distances(line(x, x_step, u, n), mean, second, n)
            for s in range(n):
                f = np.float32(second[s] / count[s])
                target[s] = f if (count[s] >= need) & (f < top) else nan
            continue
        for u in range(oldest, t + 1):
            _add_powers(operation == KURT, line(x, x_step, u, n), mean, second, higher, n)
        for s in range(n):
            k = count[s]
            m = second[s] / k
            if operation == KURT:
                g = higher[s] / k / (m * m) - 3.0
                g = g if bias else (k - 1.0) / ((k - 2.0) * (k - 3.0)) * ((k + 1.0) * g + 6.0)
                enough = bias or k >= 4.0
            else:
                g = higher[s] / k / (m * np.sqrt(m))
                g = g if bias else g * np.sqrt(k * (k - 1.0)) / (k - 2.0)
                enough = bias or k >= 3.0
            f = np.float32(g)
            target[s] = f if enough & (k >= need) & (m > 0.0) & (abs(f) < top) else nan
