from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.brain.simulator._outcome import Daily, Floats

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
    earning = earlier(book.targets, 1)
    held = earlier(book.targets, delay)
    before = earlier(held, 1)
    size = np.abs(held[rows])
    return Daily(
        dates=book.dates[rows],
        pnl=np.einsum("tn,tn->t", earning[rows], book.gains[rows]),
        traded=np.abs(held[rows] - before[rows]).sum(axis=1),
        held=size.sum(axis=1),
        largest=size.max(axis=1, initial=0.0),
        long_count=(held[rows] > 0).sum(axis=1),
        short_count=(held[rows] < 0).sum(axis=1),
    )


def earlier(x: NDArray[A], rows: int) -> NDArray[A]:
    """x of ``rows`` rows ago, 0 before the first."""
    if rows == 0:
        return x
    out = np.zeros_like(x)
    out[rows:] = x[:-rows]
    return out
