"""The heaviest set of at most ``most`` vertices of a graph of which no two are joined.

Graphs and sets are bit masks: ``joined[v]`` has the bits of the neighbours of ``v``. Weights are whole
numbers, so that sums are exact and equal in every order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

STATES: Final = 50_000
"""Sub-problems after which the exact search gives up."""
_KICKS: Final = 10_000
"""Times that the local search shakes a set, divided by the number of vertices, so that it takes seconds."""

_Set: TypeAlias = tuple[int, int]
"""Weight and, negated so that ties go to the smaller mask, members."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A set, its weight, and a bound that no set can exceed; the two are equal when it is exact."""

    members: int
    weight: int
    bound: int

    @property
    def exact(self) -> bool:
        return self.weight == self.bound


def heaviest(
    weights: Sequence[int], joined: Sequence[int], most: int, *, exact_up_to: int, seed: int = 0
) -> Chosen:
    """The heaviest set, exactly where the graph is small enough, else as good as a local search finds.

    ``exact_up_to``: largest part of the graph, not joined to the rest, that is searched through.
    """
    everyone = (1 << len(weights)) - 1
    largest = max((part.bit_count() for part in _parts(everyone, joined)), default=0)
    if largest <= exact_up_to:
        found = _Exact(weights, joined, most).solve(everyone)
        if found is not None:
            return found
    members = _improved(weights, joined, most, greedy(weights, joined, most), np.random.default_rng(seed))
    return Chosen(members, weight_of(weights, members), _bound(weights, joined, most))


def greedy(weights: Sequence[int], joined: Sequence[int], most: int, members: int = 0) -> int:
    """Add to a set what may still be added, the heaviest first."""
    barred = members
    for vertex in _bits(members):
        barred |= joined[vertex]
    for vertex in sorted(range(len(weights)), key=lambda v: (-weights[v], v)):
        if members.bit_count() >= most:
            break
        if weights[vertex] > 0 and not barred >> vertex & 1:
            members |= 1 << vertex
            barred |= joined[vertex] | 1 << vertex
    return members


def weight_of(weights: Sequence[int], members: int) -> int:
    """The weight of a set."""
    return sum(weights[vertex] for vertex in _bits(members))


class _TooMany(Exception):
    """The exact search would take too long."""


class _Exact:
    """Branches on a vertex of most neighbours, part by part, and solves each sub-problem once.

    Where the number of members is bounded, the best set of each size is kept, else the best of all.
    """

    def __init__(self, weights: Sequence[int], joined: Sequence[int], most: int) -> None:
        self._weights, self._joined = weights, joined
        self._bounded = most < len(weights)
        self._sizes = most + 1 if self._bounded else 1
        self._known: dict[int, list[_Set]] = {}

    def solve(self, mask: int) -> Chosen | None:
        """The best set of a mask; None after too many sub-problems."""
        try:
            weight, negated = max(self._best(mask))
        except _TooMany:
            return None
        return Chosen(-negated, weight, weight)

    def _best(self, mask: int) -> list[_Set]:
        known = self._known.get(mask)
        if known is not None:
            return known
        if len(self._known) >= STATES:
            raise _TooMany
        parts = _parts(mask, self._joined)
        if len(parts) > 1:
            found = self._best(parts[0])
            for part in parts[1:]:
                found = self._merged(found, self._best(part))
        else:
            found = self._branched(mask)
        self._known[mask] = found
        return found

    def _branched(self, mask: int) -> list[_Set]:
        """Without the vertex, or with it and without its neighbours."""
        if not mask:
            return [(0, 0)]
        pivot = max(_bits(mask), key=lambda v: ((self._joined[v] & mask).bit_count(), -v))
        bit = 1 << pivot
        without = self._best(mask & ~bit)
        rest = self._best(mask & ~bit & ~self._joined[pivot])
        taken = [(weight + self._weights[pivot], members - bit) for weight, members in rest]
        if not self._bounded:
            return [max(without[0], taken[0])]
        taken = [(-1, 0), *taken][: self._sizes]
        longer, shorter = (without, taken) if len(without) >= len(taken) else (taken, without)
        return [max(pair) for pair in zip(longer, shorter, strict=False)] + list(longer[len(shorter) :])

    def _merged(self, a: list[_Set], b: list[_Set]) -> list[_Set]:
        """The best sets of two parts that are not joined."""
        found: list[_Set] = [(-1, 0)] * min(self._sizes, len(a) + len(b) - 1)
        for i, (weight, members) in enumerate(a):
            for j, (more, others) in enumerate(b[: len(found) - i]):
                found[i + j] = max(found[i + j], (weight + more, members + others))
        return found


def _improved(
    weights: Sequence[int], joined: Sequence[int], most: int, start: int, rng: np.random.Generator
) -> int:
    """Force a vertex in, put out what stands against it, and fill up; then the same from shaken sets."""
    best = current = _climbed(weights, joined, most, start)
    for _ in range(_KICKS // len(weights) if len(weights) > 1 else 0):
        shaken = current
        for vertex in rng.permutation(len(weights))[:3]:
            shaken = _forced(shaken, int(vertex), weights, joined, most)
        shaken = _climbed(weights, joined, most, shaken)
        if weight_of(weights, shaken) >= weight_of(weights, current):
            current = shaken
        if weight_of(weights, current) > weight_of(weights, best):
            best = current
    return best


def _climbed(weights: Sequence[int], joined: Sequence[int], most: int, members: int) -> int:
    weight, improving = weight_of(weights, members), True
    while improving:
        improving = False
        for vertex in range(len(weights)):
            if weights[vertex] <= 0 or members >> vertex & 1:
                continue
            tried = greedy(weights, joined, most, _forced(members, vertex, weights, joined, most))
            if (found := weight_of(weights, tried)) > weight:
                members, weight, improving = tried, found, True
    return members


def _forced(members: int, vertex: int, weights: Sequence[int], joined: Sequence[int], most: int) -> int:
    """The set with a vertex, without what is joined to it, and without the lightest where it is too large."""
    if most <= 0:
        return members
    kept = members & ~joined[vertex] & ~(1 << vertex)
    while kept.bit_count() >= most:
        kept &= ~(1 << min(_bits(kept), key=lambda v: (weights[v], -v)))
    return kept | 1 << vertex


def _bound(weights: Sequence[int], joined: Sequence[int], most: int) -> int:
    """What no set can exceed, from covers of the graph by cliques, of each of which one vertex can be in."""
    return min(_by_cliques(weights, joined, most), _by_shares(weights, joined))


def _by_cliques(weights: Sequence[int], joined: Sequence[int], most: int) -> int:
    """The heaviest of each clique of a cover that is disjoint; of those at most ``most``."""
    left, heaviest_of = (1 << len(weights)) - 1, []
    while left:
        first = max(_bits(left), key=lambda v: (weights[v], -v))
        heaviest_of.append(max(0, weights[first]))
        left &= ~_clique(first, left, joined)
    return sum(sorted(heaviest_of, reverse=True)[:most])


def _by_shares(weights: Sequence[int], joined: Sequence[int]) -> int:
    """Cliques that may overlap, each with a share of the weight of all its vertices."""
    rest = [max(0, weight) for weight in weights]
    left, total = sum(1 << v for v, weight in enumerate(rest) if weight), 0
    while left:
        first = min(_bits(left), key=lambda v: (rest[v], v))
        share = rest[first]
        total += share
        for vertex in _bits(_clique(first, left, joined)):
            rest[vertex] -= share
            if not rest[vertex]:
                left &= ~(1 << vertex)
    return total


def _clique(first: int, among: int, joined: Sequence[int]) -> int:
    """A clique around a vertex that no further one can join."""
    clique, near = 1 << first, joined[first] & among
    while near:
        vertex = max(_bits(near), key=lambda v: ((joined[v] & near).bit_count(), -v))
        clique |= 1 << vertex
        near &= joined[vertex]
    return clique


def _parts(mask: int, joined: Sequence[int]) -> list[int]:
    """The connected parts of the vertices of a mask."""
    parts = []
    while mask:
        part = edge = mask & -mask
        while edge:
            vertex = edge.bit_length() - 1
            edge &= ~(1 << vertex)
            new = joined[vertex] & mask & ~part
            part |= new
            edge |= new
        parts.append(part)
        mask &= ~part
    return parts


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
