"""Windows of the seldom ops, with numpy alone: clear and exact, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.engine._inputs import Panel

Values = npt.NDArray[np.float64]

_MOST_VALUES = 2_000_000
"""Values in the windows of a block: bounds the memory that a seldom op takes beside its result."""


def window_blocks(shape: tuple[int, int], window: int) -> Iterator[slice]:
    """Row blocks whose windows hold a bounded number of values."""
    height = max(1, _MOST_VALUES // max(1, shape[1] * window))
    for start in range(0, shape[0], height):
        yield slice(start, min(shape[0], start + height))


def windows_of(x: Panel, rows: slice, window: int) -> Values:
    """(rows, instruments, window) in float64, oldest first; bars before the start of the data are NaN."""
    before = rows.start - window + 1
    part = x[max(0, before) : rows.stop].astype(np.float64)
    if before < 0:
        part = np.concatenate([np.full((-before, x.shape[1]), np.nan), part])
    # contiguous windows are summed in one order, however many rows a block has
    return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(part, window, axis=0))


def per_window(function: Callable[[Values], Values], x: Panel, window: int, out: Panel) -> None:
    """Fill `out` with a function of the windows along their last axis; infinite results become missing."""
    for rows in window_blocks(x.shape, window):
        out[rows] = function(windows_of(x, rows, window))
    drop_infinite(out)


def enough(valid: npt.NDArray[np.bool_], window: int, min_periods: int) -> npt.NDArray[np.bool_]:
    """Where a window has the valid values it needs: all of them, or at least `min_periods` when that is
    positive.
    """
    result: npt.NDArray[np.bool_] = valid.sum(axis=-1) >= (min_periods or window)
    return result


def drop_infinite(out: Any) -> None:
    """Infinite results become missing."""
    np.copyto(out, np.nan, where=np.isinf(out))
