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
    padded = [*inputs, *([inputs[0]] * (4 - len(inputs)))]
    run_program(code, constants, len(inputs), *padded, left, right, out)


def read_only(x: Array) -> Array:
    """A view that cannot be written: kernels are compiled for such inputs only."""
    view = x.view()
    view.flags.writeable = False
    return view
