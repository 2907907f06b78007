"""Which cells of a factor are kept, and how alike two factors are on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.base import generator
from assay.judge._setup import BoolArray
from assay.metrics import average_ranks

Ranks = NDArray[np.unsignedinteger]
"""Doubled average ranks ``(S, W)`` among the members of each sampled date, 0 where there is no value.

Doubled, they are whole numbers, so that sums over them are exact in whatever order they are added."""

Floats = NDArray[np.float64]

LEAST_NAMES = 10
"""Names that a date needs in both factors to count for their correlation."""

_BLOCK = 128
"""Factors whose cells are spread out as numbers at a time; all of a long run would fill the memory."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A fixed sample of cells: one date drawn at random in each of ``S`` equal stretches, with all members.

    Parameters
    ----------
    rows : sampled rows ``(S,)``, ascending.
    columns : columns of each date's members ``(S, W)``, filled up with 0 where ``used`` is False.
    members : the universe on these rows ``(S, N)``.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    used: BoolArray
    members: BoolArray

    @classmethod
    def draw(cls, judged: BoolArray, rows: slice, count: int, seed: int) -> Cells:
        """Draw the sample among the judged rows of a universe ``(T, N)``; equal arguments, equal sample."""
        total = rows.stop - rows.start
        edges = np.linspace(0, total, min(count, total) + 1).astype(np.intp)
        rng = generator(seed, "value sample")
        chosen = rows.start + edges[:-1] + (rng.random(len(edges) - 1) * np.diff(edges)).astype(np.intp)
        members = judged[chosen]
        width = max(1, int(members.sum(axis=1).max(initial=0)))
        columns = np.zeros((len(chosen), width), dtype=np.intp)
        used = np.arange(width) < members.sum(axis=1)[:, None]
        for row, inside in enumerate(members):
            columns[row, used[row]] = np.flatnonzero(inside)
        return cls(chosen, columns, used, members)

    def ranks(self, signal: NDArray[np.float32]) -> Ranks:
        """The sampled cells of a signal ``(T, N)`` as doubled ranks."""
        ranked = average_ranks(signal[self.rows], universe=self.members, scaled=False)
        doubled = np.nan_to_num(2.0 * np.take_along_axis(ranked, self.columns, axis=1))
        small = np.uint16 if 2 * self.columns.shape[1] < 2**16 else np.uint32
        return np.where(self.used, doubled, 0.0).astype(small)


@dataclass(frozen=True)
class Stack:
    """Values of many factors, side by side in segments: ``values`` ``(S, P, W)``, 0 where ``known`` is False.

    For values of factors a segment is a sampled date; a series of ICs is one segment of all dates.
    """

    values: Floats
    known: BoolArray

    @classmethod
    def of_ranks(cls, ranks: list[Ranks]) -> Stack:
        """Ranks of several factors, ``(S, W)`` each."""
        values = np.stack(ranks, axis=1).astype(np.float64)
        return cls(values, values > 0)

    @classmethod
    def of_series(cls, series: list[Floats]) -> Stack:
        """Series of several factors, ``(T,)`` each, NaN where undefined."""
        values = np.stack(series)[None]
        known = np.isfinite(values)
        return cls(np.where(known, values, 0.0), known)

    @cached_property
    def _parts(self) -> tuple[Floats, Floats, Floats]:
        return self.values, self.values * self.values, self.known.astype(np.float64)

    def correlations(self, other: Stack, least: int) -> Floats:
        """Correlation of each factor with each of ``other``, ``(P, Q)``: the mean over segments.

        A segment's correlation is Pearson's over the places that both know; it does not count below ``least``
        places, nor where either does not vary there. A mean over no segment is NaN.
        """
        x, xx, has = self._parts
        y, yy, had = (part.transpose(0, 2, 1) for part in other._parts)
        n = has @ had
        sum_x, sum_y = x @ had, has @ y
        covariance = n * (x @ y) - sum_x * sum_y
        spread_x = n * (xx @ had) - sum_x * sum_x
        spread_y = n * (has @ yy) - sum_y * sum_y
        # of whole numbers the spreads are exact; of others what is left of equal values is rounding
        floor = 1e-12 * n
        fine = (n >= least) & (spread_x > floor * (xx @ had)) & (spread_y > floor * (has @ yy))
        norm = np.sqrt(np.where(fine, spread_x, 1.0)) * np.sqrt(np.where(fine, spread_y, 1.0))
        each = np.where(fine, np.clip(covariance / norm, -1.0, 1.0), 0.0)
        count = fine.sum(axis=0)
        mean: Floats = np.divide(each.sum(axis=0), count, out=np.full(count.shape, np.nan), where=count > 0)
        return mean


def rank_correlations(one: Sequence[Ranks], other: Sequence[Ranks]) -> Floats:
    """Mean rank correlation by date of each two factors, ``(len(one), len(other))``, on sampled cells.

    Per date Pearson's correlation of the ranks over the names that both have, at least 10; NaN where no date
    counts. Each factor's ranks are among all names that it has.
    """
    found = np.full((len(one), len(other)), np.nan)
    for left in range(0, len(one), _BLOCK):
        rows = Stack.of_ranks(list(one[left : left + _BLOCK]))
        for right in range(0, len(other), _BLOCK):
            columns = Stack.of_ranks(list(other[right : right + _BLOCK]))
            found[left : left + _BLOCK, right : right + _BLOCK] = rows.correlations(columns, LEAST_NAMES)
    return found
