"""How one step of a graph is carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from assay.engine._elements import NUMPY_ELEMENTS, run_numpy_element
from assay.engine._graph import CODES, PROGRAM, SPREAD, Step
from assay.engine._inputs import AnyArray, Inputs, Mask
from assay.engine._ops import COLUMN_RUNNERS, RUNNERS
from assay.engine._passes._mask import MASK
from assay.engine._program import Place, ProgramRunner, array_at, read_only
from assay.errors import AssayError, DataError
from assay.expr import Op

Work: TypeAlias = Literal["columns", "rows", "whole"]
"""A step runs on any columns alone, on any rows alone, or only on everything."""

ColumnWork: TypeAlias = Callable[[Sequence[Any], int, int, Place], None]
"""Runs over a block: places or numbers read, rows, columns, place written."""


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


def work_of(step: Step, ops: Mapping[str, Op]) -> Work:
    """How a step may be split."""
    if step.op == PROGRAM or step.op in NUMPY_ELEMENTS or step.op in COLUMN_RUNNERS:
        return "columns"
    op = ops.get(step.op)
    if op is not None and op.evaluate is None and op.scope in ("section", "group"):
        return "rows" if op.lookback == "none" and not op.stateful else "whole"
    return "whole"


def column_work(step: Step) -> ColumnWork:
    """What runs a step that splits by columns, its literals bound."""
    if step.program is not None:
        return ProgramRunner(step.program)
    params = dict(step.params)
    if step.op in NUMPY_ELEMENTS:

        def run_element(inputs: Sequence[Any], rows: int, n: int, out: Place) -> None:
            arrays = [array_at(x, rows, n) if isinstance(x, tuple) else x for x in inputs]
            run_numpy_element(step.op, arrays, params, array_at(out, rows, n))

        return run_element
    runner = COLUMN_RUNNERS[step.op]
    return lambda inputs, rows, n, out: runner(inputs, params, rows, n, out)


def run_rows(step: Step, inputs: Sequence[Any], rows: slice, out: AnyArray) -> None:
    """Fill some rows of `out` with the result of a step that splits by rows."""
    with np.errstate(all="ignore"):
        RUNNERS[step.op]([x[rows] for x in inputs], dict(step.params), out[rows])


def run_whole(
    step: Step, inputs: Sequence[Any], out: AnyArray, universe: Mask | None, ops: Mapping[str, Op]
) -> None:
    """Fill `out` with the result of a step that needs its inputs whole."""
    with np.errstate(all="ignore"):
        if step.op in RUNNERS:
            RUNNERS[step.op](inputs, dict(step.params), out)
        elif step.op in _PLAIN:
            _PLAIN[step.op](inputs, out, universe)
        else:
            _run_custom(ops[step.op], inputs, step, out)


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
