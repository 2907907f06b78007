"""How many independent trials a set of correlated daily returns amounts to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.ledger._series import DailySeries, on_all_days

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.intp]

LARGEST = 4_000
"""Most series that are clustered; each further one counts one, which errs upward."""

MOST_CLUSTERS = 500
"""Most clusters that are tried; where more would be right, the rest counts nearly one a member."""

LEAST_COMMON_DAYS = 20
"""Two series with fewer common days count as uncorrelated."""

LEAST_SILHOUETTE = 0.25
"""A cluster below it has no structure to speak of (Kaufman and Rousseeuw 1990)."""


_SAME = 1e-6
"""Distances of equal series differ from 0 by rounding, up to about 1e-8."""


def effective_number(series: Sequence[DailySeries]) -> float:
    """Effective number of independent series among ``series``: from 1 to their number; 0 for none.

    Average-linkage clusters of the correlations, at distance ``sqrt((1 - rho) / 2)`` (Lopez de Prado and
    Lewis 2019); their number is that with the greatest mean silhouette (Rousseeuw 1987). A cluster counts
    once. One whose own mean silhouette is below :data:`LEAST_SILHOUETTE` is no cluster; the members of all
    of these, ``m`` together, count ``rho + (1 - rho) m``, with ``rho`` their mean correlation (Bailey and
    Lopez de Prado 2014): ``m`` where they are independent, 1 where they are the same.

    Notes
    -----
    Lopez de Prado and Lewis divide the mean by the deviation of the silhouettes. Beside blocks, independent
    series widen that deviation (theirs are near 0), and too few clusters win; the mean alone finds both.

    At most :data:`MOST_CLUSTERS` clusters are tried, which can only raise the number. Memory and time grow
    with the square of the number of series: hand in :data:`LARGEST` at most.
    """
    if len(series) < 2:
        return float(len(series))
    correlation = correlations(on_all_days(series))
    found = best_clusters(correlation)
    sizes = np.bincount(found.labels)
    tight = (sizes > 1) & (np.bincount(found.labels, found.silhouettes) >= LEAST_SILHOUETTE * sizes)
    loose = np.flatnonzero(~tight[found.labels])
    return float(tight.sum()) + _loose_number(correlation[np.ix_(loose, loose)])


def _loose_number(correlation: Floats) -> float:
    """How many independent series those of no cluster stand for."""
    m = len(correlation)
    if m < 2:
        return float(m)
    mean = (correlation.sum() - m) / (m * (m - 1))
    rho = min(max(float(mean), 0.0), 1.0)
    return rho + (1.0 - rho) * m


def correlations(matrix: Floats) -> Floats:
    """Pearson correlation of each two columns over the days that both have; ones on the diagonal.

    Where it is undefined (a constant column, fewer than :data:`LEAST_COMMON_DAYS` common days) it is 0.
    """
    known = np.isfinite(matrix)
    # from a column's own mean, or the sums below would cancel
    centred = np.where(known, matrix - np.nanmean(matrix, axis=0, where=known), 0.0)
    spread = np.sqrt((centred * centred).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
    centred = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    if known.all():
        result = centred.T @ centred / len(matrix)
        common = np.full(result.shape, float(len(matrix)))
    else:
        there = known.astype(np.float64)
        common = there.T @ there
        result = _pairwise(centred, there, common)
    result = np.where(common >= LEAST_COMMON_DAYS, np.clip(result, -1.0, 1.0), 0.0)
    result = (result + result.T) / 2.0
    np.fill_diagonal(result, 1.0)
    return result


def _pairwise(centred: Floats, there: Floats, common: Floats) -> Floats:
    """Correlations over the days that each two series share: ``common`` of them."""
    days = np.maximum(common, 1.0)
    sums = centred.T @ there  # of the row's series, over the days it shares with the column's
    squares = (centred * centred).T @ there
    covariance = centred.T @ centred / days - (sums / days) * (sums.T / days)
    variance = squares / days - (sums / days) ** 2
    scale = np.sqrt(np.maximum(variance, 0.0) * np.maximum(variance.T, 0.0))
    result: Floats = np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-12)
    return result


@dataclass(frozen=True, slots=True)
class Clusters:
    """Label (from 0) and silhouette of each series."""

    labels: Labels
    silhouettes: Floats


def best_clusters(correlation: Floats) -> Clusters:
    """The cut of the tree whose mean silhouette is greatest; with no cut to choose from, one cluster."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    n = len(correlation)
    best = Clusters(np.zeros(n, dtype=np.intp), np.zeros(n))
    if n < 3:
        return best
    distance = np.sqrt(np.maximum(1.0 - correlation, 0.0) / 2.0)
    cuts = _Cuts(distance, linkage(squareform(distance, checks=False), method="average"))
    greatest = -math.inf
    for _ in range(min(n - 1, MOST_CLUSTERS) - 1):
        cuts.split()
        silhouettes = cuts.silhouettes()
        mean = float(silhouettes.mean())
        if mean > greatest:
            greatest, best = mean, Clusters(cuts.labels.copy(), silhouettes)
    return best


class _Cuts:
    """The cuts of a tree into 1, 2, 3, ... clusters, one after another.

    ``totals[i, c]`` is the sum of distances of ``i`` to the members of cluster ``c``: a split replaces one
    column by two, so that no cut costs more than the columns there are.
    """

    def __init__(self, distance: Floats, tree: Floats) -> None:
        n = len(distance)
        self._distance, self._tree, self._n = distance, tree, n
        self.labels: Labels = np.zeros(n, dtype=np.intp)
        columns = min(n, MOST_CLUSTERS)
        self._totals = np.zeros((n, columns))
        self._totals[:, 0] = distance.sum(axis=1)
        self._sizes = np.zeros(columns)
        self._sizes[0] = n
        self._used = 1
        self._next = n - 2  # rows of the tree are merges by ascending distance: undo the last first
        self._cluster_of = {2 * n - 2: 0}

    def split(self) -> None:
        """Undo one more merge."""
        left, right = int(self._tree[self._next, 0]), int(self._tree[self._next, 1])
        old, new = self._cluster_of.pop(self._n + self._next), self._used
        moved = self._leaves(right)
        part = self._distance[:, moved].sum(axis=1)
        self._totals[:, new] = part
        self._totals[:, old] -= part
        self._sizes[new] = len(moved)
        self._sizes[old] -= len(moved)
        self.labels[moved] = new
        self._cluster_of[left], self._cluster_of[right] = old, new
        self._used += 1
        self._next -= 1

    def silhouettes(self) -> Floats:
        """Of each member at this cut; 0 for the only member of a cluster (Rousseeuw 1987)."""
        rows = np.arange(self._n)
        sizes = self._sizes[: self._used]
        own = sizes[self.labels]
        inside = self._totals[rows, self.labels] / np.maximum(own - 1.0, 1.0)
        means = self._totals[:, : self._used] / sizes
        means[rows, self.labels] = np.inf
        outside = means.min(axis=1)
        larger = np.maximum(inside, outside)
        result: Floats = np.divide(outside - inside, larger, out=np.zeros(self._n), where=larger > _SAME)
        result[own == 1] = 0.0
        return result

    def _leaves(self, node: int) -> Labels:
        found, stack = [], [node]
        while stack:
            one = stack.pop()
            if one < self._n:
                found.append(one)
            else:
                stack += [int(self._tree[one - self._n, 0]), int(self._tree[one - self._n, 1])]
        return np.array(found, dtype=np.intp)
