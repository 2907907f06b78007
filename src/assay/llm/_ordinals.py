from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping

Sample = tuple[str, str]
"""Role and request hash."""


class Ordinals:
    """Numbers the calls of a run that have the same role and request: 0, 1, 2 in the order of the calls.

    Calls made side by side have no order. Each branch takes a lane (:meth:`lanes`), and lanes number by
    their place, not by who comes first: of three lanes the second takes 1, 4, 7. Numbers may be left out
    so. While lanes are in use, the owner makes no call of its own.
    """

    def __init__(self, used: Mapping[Sample, int] | None = None) -> None:
        self._next: dict[Sample, int] = dict(used or {})
        self._lock = threading.Lock()

    def restore(self, keys: Iterable[tuple[str, str, int]]) -> None:
        """Counts the calls, given by role, request hash and ordinal, that the run made before."""
        for role, request_hash, ordinal in keys:
            self._mark((role, request_hash), ordinal)

    def take(self, role: str, request_hash: str) -> int:
        """The ordinal of the next call."""
        with self._lock:
            number = self._next.get((role, request_hash), 0)
            self._next[role, request_hash] = number + 1
        return self._outside((role, request_hash), number)

    def lanes(self, n: int) -> tuple[Ordinals, ...]:
        """``n`` counters for ``n`` branches that run side by side, in their order."""
        with self._lock:
            base = dict(self._next)

        def lane(place: int) -> Ordinals:
            def outside(sample: Sample, number: int) -> int:
                own = base.get(sample, 0) + place + n * number
                self._mark(sample, own)
                return self._outside(sample, own)

            return _Lane(outside)

        return tuple(lane(place) for place in range(n))

    def _outside(self, sample: Sample, number: int) -> int:
        return number

    def _mark(self, sample: Sample, number: int) -> None:
        with self._lock:
            self._next[sample] = max(self._next.get(sample, 0), number + 1)


class _Lane(Ordinals):
    def __init__(self, outside: Callable[[Sample, int], int]) -> None:
        super().__init__()
        self._to_owner = outside

    def _outside(self, sample: Sample, number: int) -> int:
        return self._to_owner(sample, number)
