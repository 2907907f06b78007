"""Altered views of a panel's inputs, on which the leak checks evaluate an expression a second time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.base import generator

Array = NDArray[Any]
BoolArray = NDArray[np.bool_]


class Source(Protocol):
    """What the engine reads: fields and groups ``(T, N)``, vectors ``(K, T, N)``."""

    @property
    def shape(self) -> tuple[int, int]: ...
    def field(self, name: str) -> Array: ...
    def group(self, name: str) -> Array: ...
    def vector(self, name: str) -> Array: ...


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows ``[start, stop)`` of a source, as if the data ended there."""

    source: Source
    start: int
    stop: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.stop - self.start, self.source.shape[1]

    def field(self, name: str) -> Array:
        return np.ascontiguousarray(self.source.field(name)[self.start : self.stop])

    def group(self, name: str) -> Array:
        return np.ascontiguousarray(self.source.group(name)[self.start : self.stop])

    def vector(self, name: str) -> Array:
        return np.ascontiguousarray(self.source.vector(name)[:, self.start : self.stop])

    def mask(self, universe: BoolArray | None) -> BoolArray | None:
        """The same rows of a universe."""
        return None if universe is None else np.ascontiguousarray(universe[self.start : self.stop])


@dataclass(frozen=True, slots=True)
class Scrambled:
    """A source with nonsense from row ``cut`` on: values shuffled over dates and names, some missing."""

    source: Source
    cut: int
    seed: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.source.shape

    def field(self, name: str) -> Array:
        values = self.source.field(name).copy()
        values[self.cut :] = self._shuffle(values[self.cut :], "field", name)
        tail = values[self.cut :]
        tail[self._rng("missing", name).random(tail.shape) < 0.1] = np.nan
        return values

    def group(self, name: str) -> Array:
        codes = self.source.group(name).copy()
        codes[self.cut :] = self._shuffle(codes[self.cut :], "group", name)
        return codes

    def vector(self, name: str) -> Array:
        values = self.source.vector(name).copy()
        values[:, self.cut :] = self._shuffle(values[:, self.cut :], "vector", name)
        return values

    def mask(self, universe: BoolArray | None) -> BoolArray | None:
        """The universe, scrambled from ``cut`` on as well."""
        if universe is None:
            return None
        members = universe.copy()
        members[self.cut :] = self._shuffle(members[self.cut :], "universe", "")
        return members

    def _rng(self, *path: str) -> np.random.Generator:
        return generator(self.seed, "scramble", *path)

    def _shuffle(self, tail: Array, *path: str) -> Array:
        return self._rng(*path).permutation(tail.ravel()).reshape(tail.shape)


@dataclass(frozen=True, slots=True)
class Permuted:
    """A source whose instruments stand in another order: column ``j`` is column ``order[j]``."""

    source: Source
    order: NDArray[np.intp]

    @property
    def shape(self) -> tuple[int, int]:
        return self.source.shape

    def field(self, name: str) -> Array:
        return np.ascontiguousarray(self.source.field(name)[:, self.order])

    def group(self, name: str) -> Array:
        return np.ascontiguousarray(self.source.group(name)[:, self.order])

    def vector(self, name: str) -> Array:
        return np.ascontiguousarray(self.source.vector(name)[:, :, self.order])

    def mask(self, universe: BoolArray | None) -> BoolArray | None:
        """The universe in the same order."""
        return None if universe is None else np.ascontiguousarray(universe[:, self.order])


@dataclass(frozen=True, slots=True)
class Rescaled:
    """A source as another choice of each name's adjustment factor would give it.

    A field of exponent ``e`` is multiplied by ``2 ** (e * powers[j])`` for name ``j``: a price by the factor,
    a volume by its inverse, a ratio not at all. Powers of two change no digit of a float.
    """

    source: Source
    exponents: Mapping[str, float]
    powers: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        return self.source.shape

    def field(self, name: str) -> Array:
        values = self.source.field(name)
        exponent = self.exponents.get(name, 0.0)
        if exponent == 0.0:
            return values
        factors = np.exp2(exponent * self.powers).astype(np.float32)
        return np.asarray(values * factors, dtype=np.float32)

    def group(self, name: str) -> Array:
        return self.source.group(name)

    def vector(self, name: str) -> Array:
        return self.source.vector(name)

    def mask(self, universe: BoolArray | None) -> BoolArray | None:
        """The universe, which does not depend on adjustment."""
        return universe
