"""Per-date regression on group dummies and a few columns, by the Frisch-Waugh theorem: demean within
groups first.
"""

import numpy as np

from assay.metrics._kernels._jit import kernel, part, sums

_GRID = 2.0**30  # residuals are rounded to 1/_GRID, so that equal ones tie whatever the order of summation
_FLAT = 1e-10  # share of a column's variation below which nothing of it is left beside the columns before it


@part
def _demean(column, member, used, total, size):
    for g in range(total.shape[0]):
        total[g] = 0.0
    for j in range(used):
        total[member[j]] += column[j]
    for g in range(total.shape[0]):
        total[g] = total[g] / size[g] if size[g] > 0.0 else 0.0
    for j in range(used):
        column[j] -= total[member[j]]


@sums
def _dot(a, b, used):
    total = 0.0
    for j in range(used):
        total += a[j] * b[j]
    return total


@kernel
def residuals(ranks, styles, groups, group_count, min_names, tiny, out):
    """Residual of ``ranks`` (T, N) on dummies of ``groups`` (T, N) and on ``styles`` (K, T, N), as shares
    of n.

    Code -1 is a group of its own. A date stays NaN with fewer than ``min_names`` complete names, or when
    nothing is left.
    """
    K, T, N = styles.shape
    where, member = np.empty(N, np.int64), np.empty(N, np.int64)
    size, total = np.zeros(group_count + 1), np.zeros(group_count + 1)
    columns = np.empty((K + 1, N))
    for t in range(T):
        used = np.int64(0)
        size[:] = 0.0
        for i in range(N):
            complete = ranks[t, i] == ranks[t, i]
            for k in range(K):
                complete &= styles[k, t, i] == styles[k, t, i]
            if complete:
                where[used] = i
                member[used] = groups[t, i] if groups[t, i] >= 0 else group_count
                size[member[used]] += 1.0
                used += 1
        if used < min_names:
            continue
        for k in range(K + 1):
            source = ranks[t] if k == K else styles[k, t]
            column = columns[k]
            for j in range(used):
                column[j] = source[where[j]]
            _demean(column, member, used, total, size)
            before = _dot(column, column, used)
            for _ in range(2 if k == K else 1):  # a second round removes the rounding of the first
                for p in range(k):
                    share = _dot(columns[p], column, used)
                    for j in range(used):
                        column[j] -= share * columns[p, j]
                _demean(column, member, used, total, size)
            if k < K:
                left = _dot(column, column, used)
                scale = 1.0 / np.sqrt(left) if left > _FLAT * before and left > 0.0 else 0.0
                for j in range(used):
                    column[j] *= scale
        rest = columns[K]
        spread = np.sqrt(_dot(rest, rest, used) / used) / used
        if spread > tiny:
            for j in range(used):
                out[t, where[j]] = np.rint(rest[j] / used * _GRID) / _GRID
