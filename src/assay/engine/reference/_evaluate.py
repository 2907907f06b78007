from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.engine.reference._cross_section import CROSS_SECTION, bucket, densify
from assay.engine.reference._elementwise import ELEMENTWISE
from assay.engine.reference._group import GROUP, group_backfill, group_coalesce, group_cross
from assay.engine.reference._pairs import PAIRS
from assay.engine.reference._stateful import STATEFUL
from assay.engine.reference._storage import Codes, Mask, Values, stored
from assay.engine.reference._time_series import TIME_SERIES
from assay.engine.reference._vector import VECTOR, per_cell
from assay.expr import Call, Constant, Field, Node, Op, op_table

WHOLE_PANEL = {**ELEMENTWISE, **TIME_SERIES, **PAIRS, **STATEFUL}
"""Ops that never look at the universe."""

_GROUPINGS: dict[str, Any] = {
    "bucket": bucket,
    "densify": densify,
    "group_cross": group_cross,
    "group_coalesce": group_coalesce,
}
"""Ops whose result is a group."""


class Inputs(Protocol):
    """What an expression is evaluated on; see the contract of the engine."""

    @property
    def shape(self) -> tuple[int, int]: ...
    def field(self, name: str) -> NDArray[np.float32]: ...
    def group(self, name: str) -> NDArray[np.int32]: ...
    def vector(self, name: str) -> NDArray[np.float32]: ...


def evaluate(node: Node, data: Inputs, *, universe: Mask | None = None) -> NDArray[np.float32]:
    """The value of one expression at every date and instrument, computed the slow and obvious way.

    Every node is evaluated in float64 from stored inputs, rounded to float32 and made missing where
    infinite. A repeated sub-expression is evaluated each time anew.

    Parameters
    ----------
    node : the expression.
    data : fields float32 (T, N), groups int32 (T, N) with -1 for none, vectors float32 (K, T, N).
    universe : membership by date, bool (T, N); None = all. Ops over the cross section and groups see
        members only and give nothing to the others.

    Returns
    -------
    float32 (T, N), NaN = missing; a group expression gives its codes, NaN = none.

    Raises
    ------
    KeyError
        The op table does not know the op.
    """
    members = np.ones(data.shape, dtype=np.bool_) if universe is None else universe
    result = _value(node, data, members, "number")
    if result.dtype.kind == "i":
        result = np.where(result < 0, np.nan, result)
    return result.astype(np.float32)


def apply(call: Call, inputs: Sequence[NDArray[Any]], *, universe: Mask | None = None) -> NDArray[Any]:
    """The value of one node given the values of its arguments: float32 (T, N), or int64 codes for a group.

    ``inputs`` are in the order of ``call.args``. An op without arguments needs a shape and is refused here.
    """
    if not inputs:
        raise ValueError(f"{call.op} has no inputs to take a shape from; use evaluate")
    shape = inputs[0].shape[-2:]
    members = np.ones(shape, dtype=np.bool_) if universe is None else universe
    wide = [a.astype(np.int64) if a.dtype.kind in "iu" else stored(a) for a in inputs]
    result = _call(call, wide, (shape[0], shape[1]), members)
    return result if result.dtype.kind == "i" else result.astype(np.float32)


def _value(node: Node, data: Inputs, members: Mask, kind: str) -> NDArray[Any]:
    if isinstance(node, Constant):
        return stored(np.full(data.shape, node.value))
    if isinstance(node, Field):
        return _field(node.name, data, kind)
    op = op_table()[node.op]
    inputs = [_value(arg, data, members, slot.kind) for arg, slot in zip(node.args, op.args, strict=True)]
    return _call(node, inputs, data.shape, members)


def _field(name: str, data: Inputs, kind: str) -> NDArray[Any]:
    if kind == "group":
        return np.asarray(data.group(name), dtype=np.int64)
    return stored(np.asarray(data.vector(name) if kind == "vector" else data.field(name), dtype=np.float64))


def _call(call: Call, inputs: Sequence[Any], shape: tuple[int, int], members: Mask) -> NDArray[Any]:
    params = dict(call.params)
    with np.errstate(all="ignore"):
        if call.op in _GROUPINGS:
            return _groups(call.op, inputs, params, members)
        return stored(_numbers(call, inputs, params, shape, members))


def _numbers(
    call: Call, inputs: Sequence[Any], params: dict[str, Any], shape: tuple[int, int], members: Mask
) -> Values:
    op = call.op
    if op == "ts_step":
        return np.asarray(np.arange(shape[0], dtype=float)[:, None] + np.full(shape, float(params["start"])))
    if op == "hump":  # its limit is a share of the members' sum
        inputs = [_masked(inputs[0], members)]
    if op in WHOLE_PANEL:
        return np.asarray(WHOLE_PANEL[op](*inputs, **params))
    if op in VECTOR:
        return per_cell(VECTOR[op], *inputs, **params)
    if op == "group_backfill":
        x, group = inputs
        return group_backfill(x, group, members, **params)
    if op in CROSS_SECTION or op in GROUP:
        function = {**CROSS_SECTION, **GROUP}[op]
        dates = zip(*(_masked(a, members) for a in inputs), strict=True)
        by_date = np.array([function(*rows, **params) for rows in dates]).reshape(shape)
        return np.where(members, by_date, np.nan)
    return _custom(op_table()[op], inputs, params, members)


def _groups(op: str, inputs: Sequence[Any], params: dict[str, Any], members: Mask) -> Codes:
    function = _GROUPINGS[op]
    dates = zip(*(_masked(a, members) for a in inputs), strict=True)
    codes = np.array([function(*rows, **params) for rows in dates], dtype=np.int64).reshape(members.shape)
    return np.where(members, codes, -1)


def _masked(values: NDArray[Any], members: Mask) -> NDArray[Any]:
    """Values of members; the others are missing, or in no group."""
    return np.where(members, values, -1 if values.dtype.kind == "i" else np.nan)


def _custom(op: Op, inputs: Sequence[Any], params: dict[str, Any], members: Mask) -> Values:
    """An op of an installed package has one definition, its own function."""
    if op.evaluate is None:
        raise KeyError(f"op {op.name!r} has neither a definition here nor an evaluation of its own")
    if op.scope in ("section", "group"):
        inputs = [_masked(a, members) for a in inputs]
    narrow = [a.astype(np.int32 if a.dtype.kind == "i" else np.float32) for a in inputs]
    result = np.asarray(op.evaluate(narrow, params), dtype=np.float64)
    return np.where(members, result, np.nan) if op.scope in ("section", "group") else result
