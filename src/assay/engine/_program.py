from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from assay.engine._graph import Program
from assay.engine._inputs import Panel

Array = TypeVar("Array", bound=np.ndarray[Any, Any])


def run_program_step(program: Program, inputs: Sequence[Panel], left: int, right: int, out: Panel) -> None:
    """Run fused element-wise instructions over a range of columns of panels of one shape."""
    from assay.engine._kernels._elementwise import run_program

    code = np.array(program.code, np.int64)
    constants = np.array(program.constants, np.float32)
    addresses = np.array([_first_cell(x) + 4 * left for x in (*inputs, out)], np.int64)
    rows, columns = out.shape
    if right - left == columns:
        lines, length = 1, rows * columns
    else:
        lines, length = rows, right - left
    run_program(code, constants, addresses, len(inputs), lines, length, columns)


def _first_cell(x: Panel) -> int:
    address: int = x.__array_interface__["data"][0]
    return address


def read_only(x: Array) -> Array:
    """A view that cannot be written: kernels are compiled for such inputs only."""
    view = x.view()
    view.flags.writeable = False
    return view
