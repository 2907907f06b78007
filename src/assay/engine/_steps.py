"""How one step of a graph is carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.engine._elements import NUMPY_ELEMENTS, run_numpy_element
from assay.engine._graph import CODES, PROGRAM, SPREAD, Step
from assay.engine._inputs import AnyArray, Inputs, Mask
from assay.engine._ops import RUNNERS
from assay.engine._passes._mask import MASK
from assay.engine._program import read_only, run_program_step
from assay.errors import AssayError, DataError
from assay.expr import Op


def read_field(step: Step, data: Inputs) -> AnyArray:
    """The input a FIELD step names, checked, read-only; infinite values of a number are missing."""
    name = str(step.param("name"))
    shape = tuple(data.shape)
    if step.kind == "group":
        return read_only(_checked(np.ascontiguousarray(data.group(name), np.int32), shape, name))
    if step.kind == "vector":
        values = np.asarray(data.vector(name), np.float32)
        _checked(values[0] if values.shape[0] else np.empty(shape), shape, name)
        return values
    from assay.engine._kernels._infinite import count_infinite

    panel = read_only(_checked(np.ascontiguousarray(data.field(name), np.float32), shape, name))
    if count_infinite(panel.reshape(-1)):
        panel = read_only(np.where(np.isinf(panel), np.float32(np.nan), panel))
    return panel


def _checked(array: AnyArray, shape: tuple[int, ...], name: str) -> AnyArray:
    if array.shape != shape:
        raise DataError(
            f"field {name!r} has shape {array.shape}, the data {shape}",
            where=name,
            fix="give every field one value for each date and instrument",
        )
    return array


def run_step(
    step: Step,
    inputs: Sequence[AnyArray | np.float32],
    out: AnyArray,
    universe: Mask | None,
    ops: Mapping[str, Op],
) -> None:
    """Fill `out` with the result of one step that is neither a constant nor a field."""
    with np.errstate(all="ignore"):
        if step.program is not None and step.op == PROGRAM:
            run_program_step(step.program, _panels(inputs), out)
        elif step.op in NUMPY_ELEMENTS:
            run_numpy_element(step.op, inputs, dict(step.params), out)
        elif step.op in RUNNERS:
            RUNNERS[step.op](inputs, dict(step.params), out)
        elif step.op in _PLAIN:
            _PLAIN[step.op](inputs, out, universe)
        else:
            _run_custom(ops[step.op], inputs, step, out)


def _panels(inputs: Sequence[AnyArray | np.float32]) -> list[Any]:
    return [x for x in inputs if isinstance(x, np.ndarray)]


def _spread(inputs: Sequence[Any], out: AnyArray, universe: Mask | None) -> None:
    value = inputs[0]
    out[...] = np.float32(np.nan) if np.isinf(value) else value


def _mask(inputs: Sequence[Any], out: AnyArray, universe: Mask | None) -> None:
    out[...] = -1 if out.dtype.kind == "i" else np.nan
    np.copyto(out, inputs[0], where=True if universe is None else universe)


def _codes(inputs: Sequence[Any], out: AnyArray, universe: Mask | None) -> None:
    np.copyto(out, inputs[0], casting="unsafe")
    np.copyto(out, np.float32(np.nan), where=inputs[0] < 0)


_PLAIN = {SPREAD: _spread, MASK: _mask, CODES: _codes}


def _run_custom(op: Op, inputs: Sequence[Any], step: Step, out: AnyArray) -> None:
    if op.evaluate is None:
        raise AssayError(
            f"op {op.name!r} has no kernel and no evaluate function",
            where=op.name,
            fix="give the op an evaluate function where it is declared",
        )
    result = np.asarray(op.evaluate(inputs, dict(step.params)))
    if result.shape != out.shape:
        raise AssayError(
            f"op {op.name!r} gave shape {result.shape}, its inputs have {out.shape}",
            where=op.name,
            fix="return one value for each date and instrument",
        )
    np.copyto(out, result, casting="unsafe")
    if out.dtype.kind == "f":
        np.copyto(out, np.nan, where=np.isinf(out))
