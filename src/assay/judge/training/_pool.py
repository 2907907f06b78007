"""What candidates are compared with: reference factors, the zoo, and what was admitted before them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.judge.training._cells import LEAST_NAMES, Floats, Ranks, Stack
from assay.judge.training._score import TrainingScore

LEAST_DAYS = 60
"""Days that two series of ICs must share to have a correlation."""


@dataclass(frozen=True, slots=True)
class PoolMember:
    """One factor of the pool: where it comes from, its sampled values and its RankIC by date."""

    name: str
    source: str
    fingerprint: str
    ranks: Ranks
    rank_ics: Floats


class Nearest(NamedTuple):
    """The member with the largest absolute correlation; ``name`` is None where no correlation exists."""

    name: str | None
    correlation: float


class Residual(NamedTuple):
    """What the pool leaves of a RankIC: the part of its mean that no mixture of ``members`` explains."""

    rank_ic: float
    t: float
    days: int
    members: tuple[str, ...]


@dataclass(frozen=True)
class Pool:
    """Factors that candidates are compared with, in the order they came. Growing gives a new pool."""

    members: tuple[PoolMember, ...] = ()

    def __len__(self) -> int:
        return len(self.members)

    def grown(self, name: str, score: TrainingScore, source: str = "run") -> Pool:
        """The pool with one more factor, as it was scored."""
        return Pool((*self.members, member_of(name, score, source)))

    def joined(self, other: Pool) -> Pool:
        """The two pools, one after the other."""
        return Pool((*self.members, *other.members))

    def value_correlations(self, score: TrainingScore) -> Floats:
        """Mean rank correlation by date of the candidate's sampled values with each member's ``(P,)``."""
        if not self.members:
            return np.empty(0)
        return self._ranks.correlations(Stack.of_ranks([score.ranks]), LEAST_NAMES)[:, 0]

    def ic_correlations(self, score: TrainingScore) -> Floats:
        """Correlation of the candidate's daily RankIC with each member's, over the days of both ``(P,)``."""
        if not self.members:
            return np.empty(0)
        return self._series.correlations(Stack.of_series([score.rank_ics]), LEAST_DAYS)[:, 0]

    def nearest(self, correlations: Floats) -> Nearest:
        """The member that goes with the largest absolute value; the earlier of two equal ones."""
        known = np.flatnonzero(np.isfinite(correlations))
        if not len(known):
            return Nearest(None, float("nan"))
        best = int(known[np.argmax(np.abs(correlations[known]))])
        return Nearest(self.members[best].name, float(correlations[best]))

    def rank_ics(self, places: Iterable[int]) -> Floats:
        """Daily RankICs of some members ``(T, k)``."""
        return np.stack([self.members[place].rank_ics for place in places], axis=1)

    @cached_property
    def _ranks(self) -> Stack:
        return Stack.of_ranks([member.ranks for member in self.members])

    @cached_property
    def _series(self) -> Stack:
        return Stack.of_series([member.rank_ics for member in self.members])


def member_of(name: str, score: TrainingScore, source: str) -> PoolMember:
    """A scored factor as a member of a pool."""
    return PoolMember(name, source, score.expression.fingerprint, score.ranks, score.rank_ics)


def pool_of(scores: Mapping[str, TrainingScore], source: str) -> Pool:
    """A pool of scored factors by name."""
    return Pool(tuple(member_of(name, score, source) for name, score in scores.items()))
