from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.brain.simulator._outcome import Daily, Floats
from assay.brain.simulator._positions import row_blocks

A = TypeVar("A", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Book:
    """Target positions by the last row that they read, and what a dollar in each name earned."""

    dates: NDArray[np.datetime64]
    targets: Floats
    gains: Floats


def daily_of(book: Book, delay: int, rows: slice) -> Daily:
    """Series of the dates ``rows``, of positions in dollars.

    The position of t comes from rows <= t - delay. What rows <= s say earns from the close of s to the next:
    with delay 1 that is the position of t, from close t-1 to close t; with delay 0 the position of t earns
    from close t on, since a position that reads a close cannot have earned the way to it.
    """
    first = rows.start
    blocks = row_blocks(rows.stop - first)
    return Daily.joined([_part(book, delay, slice(first + at.start, first + at.stop)) for at in blocks])


def _part(book: Book, delay: int, rows: slice) -> Daily:
    held = earlier(book.targets, delay, rows)
    size = np.abs(held)
    earning = held if delay == 1 else earlier(book.targets, 1, rows)
    return Daily(
        dates=book.dates[rows],
        pnl=np.einsum("tn,tn->t", earning, book.gains[rows]),
        traded=np.abs(held - earlier(book.targets, delay + 1, rows)).sum(axis=1),
        held=size.sum(axis=1),
        largest=size.max(axis=1, initial=0.0),
        long_count=np.count_nonzero(held > 0, axis=1),
        short_count=np.count_nonzero(held < 0, axis=1),
    )


def earlier(x: NDArray[A], ago: int, rows: slice) -> NDArray[A]:
    """The rows that lie ``ago`` before ``rows``, 0 before the first; a view where nothing lies before it."""
    if rows.start >= ago:
        return x[rows.start - ago : rows.stop - ago]
    before = np.zeros((ago - rows.start, *x.shape[1:]), dtype=x.dtype)
    return np.concatenate([before, x[: rows.stop - ago]])
