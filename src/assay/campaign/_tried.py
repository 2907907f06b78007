"""How alike the tried trials are, from numbers that the run has stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError
from assay.ledger import DailySeries

FloatArray = npt.NDArray[np.float64]

LEAST_COMMON = 20
"""Numbers that two trials must have in common; with fewer their correlation is not defined."""

_ROOM = 64
_CONSTANT = 1e-12
_ROUNDING = 1e-7  # of the largest number of a row: a spread that the subtraction of squares may leave


class TriedSeries:
    """Correlations between rows of numbers, one row for each trial: daily ICs, or sampled values.

    A pair is correlated (Pearson) where both rows have a number. Each pair is summed by itself in a fixed
    order, once, when the later trial joins: so it has the same number to the last bit in a run that was
    resumed. A matrix product would be faster, but the order of its sums hangs on the shape of the matrix.

    Parameters
    ----------
    length : numbers in a row.
    """

    def __init__(self, length: int) -> None:
        self._length = length
        self._places: dict[str, int] = {}
        # what is known less the row's mean, 0 elsewhere; its square; 1 where it is known
        self._rows = np.zeros((_ROOM, length))
        self._squares = np.zeros((_ROOM, length))
        self._masks = np.zeros((_ROOM, length))
        self._least_spread = np.zeros(_ROOM)
        self._matrix = np.full((_ROOM, _ROOM), np.nan)

    @classmethod
    def of_series(cls, series: Mapping[str, DailySeries]) -> TriedSeries:
        """From daily series that the ledger keeps, by id of their trial, in the order of joining."""
        days = np.unique(np.concatenate([np.empty(0, "datetime64[D]"), *(s.days for s in series.values())]))
        made = cls(len(days))
        for name, one in series.items():
            row = np.full(len(days), np.nan)
            row[np.searchsorted(days, one.days)] = one.values
            made.add(name, row)
        return made

    @property
    def ids(self) -> tuple[str, ...]:
        """The trials that joined, in order."""
        return tuple(self._places)

    def add(self, name: str, row: npt.ArrayLike) -> None:
        """A trial joins. NaN: no number there. A name that joined before stays as it is.

        Raises
        ------
        AssayError
            The row has another length.
        """
        values = self._checked(row, name)
        if name in self._places:
            return
        place = self._put(values)
        self._places[name] = place
        found = self._with_earlier(place)
        self._matrix[place, : place + 1] = found
        self._matrix[: place + 1, place] = found

    def likeness(self, row: npt.ArrayLike) -> FloatArray:
        """The correlations of a row that does not join with those that did, in their order.

        Raises
        ------
        AssayError
            The row has another length.
        """
        return self._with_earlier(self._put(self._checked(row, "row")))[:-1]

    def _checked(self, row: npt.ArrayLike, name: str) -> FloatArray:
        values = np.asarray(row, dtype=np.float64)
        if values.shape != (self._length,):
            raise AssayError(
                f"a row of shape {values.shape} where each has {self._length} numbers",
                where=name,
                fix="give each trial's numbers for the same days or cells",
            )
        return values

    def _put(self, values: FloatArray) -> int:
        """Write a row to the first free place; only a name makes it taken."""
        place = len(self._places)
        if place == len(self._rows):
            self._grow()
        known = np.isfinite(values)
        # less its mean: the sums below would lose the digits of a large one
        mean = float(values[known].mean()) if known.any() else 0.0
        row = np.where(known, values - mean, 0.0)
        self._rows[place], self._squares[place], self._masks[place] = row, row**2, known
        size = float(np.abs(row).max(initial=0.0))
        self._least_spread[place] = max(_CONSTANT * max(1.0, abs(mean)), _ROUNDING * size)
        return place

    def correlation(self, left: str, right: str) -> float | None:
        """Of two trials; None where it is not defined."""
        found = float(self._matrix[self._place(left), self._place(right)])
        return None if np.isnan(found) else found

    def correlations(self, ids: Sequence[str]) -> FloatArray:
        """Of each pair: ``(n, n)``, symmetric, NaN where it is not defined."""
        places = [self._place(name) for name in ids]
        chosen: FloatArray = self._matrix[np.ix_(places, places)]
        return chosen

    def _place(self, name: str) -> int:
        if name not in self._places:
            raise AssayError(f"no trial {name!r} joined", where="trial", fix="name an evaluated trial")
        return self._places[name]

    def _with_earlier(self, place: int) -> FloatArray:
        """The correlations of a row with those up to it, itself included."""
        upto = slice(place + 1)
        rows, squares, masks = self._rows[upto], self._squares[upto], self._masks[upto]
        row, square, mask = self._rows[place], self._squares[place], self._masks[place]
        n = np.vecdot(masks, mask)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean, means = np.vecdot(masks, row) / n, np.vecdot(rows, mask) / n
            spread = np.sqrt(np.maximum(np.vecdot(masks, square) / n - mean**2, 0.0))
            spreads = np.sqrt(np.maximum(np.vecdot(squares, mask) / n - means**2, 0.0))
            shared = np.vecdot(rows, row) / n - mean * means
            found = np.clip(shared / (spread * spreads), -1.0, 1.0)
        defined = (n >= LEAST_COMMON) & (spread > self._least_spread[place])
        defined &= spreads > self._least_spread[upto]
        return np.where(defined, found, np.nan)

    def _grow(self) -> None:
        old = len(self._rows)
        more = np.zeros((old, self._length))
        self._rows, self._squares = np.vstack([self._rows, more]), np.vstack([self._squares, more])
        self._masks = np.vstack([self._masks, more])
        self._least_spread = np.concatenate([self._least_spread, np.zeros(old)])
        self._matrix = np.pad(self._matrix, (0, old), constant_values=np.nan)
