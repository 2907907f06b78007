from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from assay.engine._graph import Program
from assay.engine._inputs import AnyArray, Panel

Array = TypeVar("Array", bound=np.ndarray[Any, Any])

Place: TypeAlias = tuple[int, int]
"""Address of the first cell of a float32 panel or of a range of its columns, and cells from row to row.

Column kernels read and write by address: a slice of an array costs them more than the work on a short row.
Whoever hands out a place keeps the array alive and never lets an input be written.
"""


def read_only(x: Array) -> Array:
    """A view that cannot be written: whole-panel kernels are compiled for such inputs only."""
    view = x.view()
    view.flags.writeable = False
    return view


def place_of(x: AnyArray) -> Place:
    """Where the cells of a float32 panel are."""
    return x.__array_interface__["data"][0], x.strides[0] // 4


class _Cells:
    """Cells in memory, in the terms numpy makes an array of."""

    def __init__(self, place: Place, rows: int, n: int) -> None:
        address, step = place
        self.__array_interface__ = {
            "version": 3,
            "typestr": "<f4",
            "shape": (rows, n),
            "strides": (4 * step, 4),
            "data": (address, False),
        }


def array_at(place: Place, rows: int, n: int) -> Panel:
    """The cells of a place as an array."""
    return np.asarray(_Cells(place, rows, n))


class ProgramRunner:
    """Runs fused element-wise instructions over panels of one shape, or ranges of their columns."""

    def __init__(self, program: Program) -> None:
        self._code = np.array(program.code, np.int64)
        self._constants = np.array(program.constants, np.float32)

    def __call__(self, inputs: Sequence[Place], rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._elementwise import run_program

        places = (*inputs, out)
        if all(step == n for _, step in places):
            rows, n = 1, rows * n
        addresses = np.array([address for address, _ in places], np.int64)
        steps = np.array([step for _, step in places], np.int64)
        run_program(self._code, self._constants, addresses, steps, len(inputs), rows, n)
