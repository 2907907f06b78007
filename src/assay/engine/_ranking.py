"""Order and ranks of the values of each date: one SIMD sort of integer keys per row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.engine._inputs import Groups, Mask, Panel
from assay.engine._program import read_only
from assay.errors import DataError

RankScale: TypeAlias = Literal["r/n", "(r-1)/(n-1)"]

_CELLS = 65536
"""Cells ordered at a time: keys, order and values of a block stay in the second-level cache."""

_SHORT_KEYS_UP_TO = 1024
"""Widest row ordered by 32-bit keys: beyond, too many different values would share a shortened key."""

_GROUPED_UP_TO = 65536
"""Instruments, and groups, that fit a grouped 64-bit key."""


@dataclass(frozen=True, slots=True)
class SortedRows:
    """Ascending order of each row.

    ``order[t, :counts[t]]`` are the columns of the valid values of row t, from the smallest; equal values
    stand by column. The rest of the row is -1.
    """

    order: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


def sorted_order(x: Panel) -> SortedRows:
    """Order of the valid values of each row of a float32 panel; missing values are left out.

    Parameters
    ----------
    x : float32 (T, N), C order.

    Returns
    -------
    The order, int32 (T, N), and the number of valid values of each row, int64 (T,).
    """
    x = read_only(x)
    order = np.empty(x.shape, np.int32)
    counts = np.empty(x.shape[0], np.int64)
    for rows in _blocks(x.shape):
        _order_block(x[rows], order[rows], counts[rows])
    return SortedRows(order, counts)


def rank_rows(x: Panel, out: Panel | None = None, scale: RankScale = "r/n") -> Panel:
    """Average ranks r of the n valid values of each row, as r/n or (r-1)/(n-1); 0.5 for the latter when n
    is 1.

    Parameters
    ----------
    x : float32 (T, N), C order; NaN = missing, no infinities.
    out : where to write; a new array when None.
    scale : "r/n" or "(r-1)/(n-1)".
    """
    x = read_only(x)
    result = np.empty(x.shape, np.float32) if out is None else out
    zero_to_one = scale != "r/n"
    rank = _rank_by_short_keys if x.shape[1] <= _SHORT_KEYS_UP_TO else _rank_by_long_keys
    for rows in _blocks(x.shape):
        rank(x[rows], zero_to_one, result[rows])
    return result


def _rank_by_short_keys(x: Panel, zero_to_one: bool, out: Panel) -> None:
    from assay.engine._kernels._row_rank import ranks_from_short, short_keys

    bits = _index_bits(x.shape[1])
    keys = np.empty(x.shape, np.uint32)
    unsorted: Mask = np.empty(x.shape[0], np.bool_)
    short_keys(x, bits, keys)
    keys.sort(axis=1)
    ranks_from_short(x, bits, keys, zero_to_one, unsorted, out)
    if unsorted.any():
        again = np.flatnonzero(unsorted)
        part = np.empty((again.size, x.shape[1]), np.float32)
        _rank_by_long_keys(read_only(x[again]), zero_to_one, part)
        out[again] = part


def _rank_by_long_keys(x: Panel, zero_to_one: bool, out: Panel) -> None:
    from assay.engine._kernels._row_rank import ranks_from_order

    order = np.empty(x.shape, np.int32)
    counts = np.empty(x.shape[0], np.int64)
    _order_by_long_keys(x, order, counts)
    ranks_from_order(x, order, counts, zero_to_one, out)


def grouped_order(
    x: Panel, groups: Groups
) -> Iterator[tuple[slice, npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
    """Blocks of rows with their order by group, then value: rows, order, counts as in :class:`SortedRows`.

    Values without a group are left out.
    """
    from assay.engine._kernels._row_rank import long_keys, order_from_long

    if x.shape[1] > _GROUPED_UP_TO or int(groups.max(initial=0)) >= _GROUPED_UP_TO - 1:
        raise DataError(
            f"group ranks take at most {_GROUPED_UP_TO} instruments and groups",
            where=f"panel of {x.shape[1]} instruments, group codes up to {int(groups.max(initial=0))}",
            fix="rank a narrower universe, or use coarser groups",
        )
    x, groups = read_only(x), read_only(groups)
    for rows in _blocks(x.shape):
        n = rows.stop - rows.start
        keys = np.empty((n, x.shape[1]), np.uint64)
        order = np.empty((n, x.shape[1]), np.int32)
        counts = np.empty(n, np.int64)
        long_keys(x[rows], groups[rows], True, keys)
        keys.sort(axis=1)
        order_from_long(keys, 16, order, counts)
        yield rows, order, counts


def _index_bits(width: int) -> int:
    return max(1, (width - 1).bit_length())


def _block_height(shape: tuple[int, int]) -> int:
    return max(1, _CELLS // max(1, shape[1]))


def _blocks(shape: tuple[int, int]) -> Iterator[slice]:
    height = _block_height(shape)
    for start in range(0, shape[0], height):
        yield slice(start, min(shape[0], start + height))


def _order_block(x: Panel, order: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]) -> None:
    if x.shape[1] > _SHORT_KEYS_UP_TO:
        _order_by_long_keys(x, order, counts)
        return
    from assay.engine._kernels._row_rank import order_from_short, short_keys

    bits = _index_bits(x.shape[1])
    keys = np.empty(x.shape, np.uint32)
    unsorted: Mask = np.empty(x.shape[0], np.bool_)
    short_keys(x, bits, keys)
    keys.sort(axis=1)
    order_from_short(x, bits, keys, order, counts, unsorted)
    if unsorted.any():
        again = np.flatnonzero(unsorted)
        part_order = np.empty((again.size, x.shape[1]), np.int32)
        part_counts = np.empty(again.size, np.int64)
        _order_by_long_keys(read_only(x[again]), part_order, part_counts)
        order[again] = part_order


def _order_by_long_keys(x: Panel, order: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]) -> None:
    from assay.engine._kernels._row_rank import long_keys, order_from_long

    keys = np.empty(x.shape, np.uint64)
    long_keys(x, read_only(np.empty((1, 1), np.int32)), False, keys)
    keys.sort(axis=1)
    order_from_long(keys, 32, order, counts)
