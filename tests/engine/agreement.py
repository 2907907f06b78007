"""Whether the two engines agree on a node, given the same values of its arguments.

Comparing node by node is what makes the comparison sharp. Over a whole tree the last bit of one node
may decide a tie, a comparison or an empty variance further up, and then both engines are right and
differ. So each node of a tree is given to the reference engine with the argument values of the fast one
(the snap rule), and then the places of missing values must be equal and the values nearly so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.engine import evaluate, reference
from assay.engine.reference._storage import stored
from assay.expr import Call, Constant, Field, Node, added_bars, distinct, op_table

Array = NDArray[Any]

RELATIVE = 1e-6
"""About eight float32 steps: both engines round a float64 result once, sums differ in their order."""

SMALLEST = float(np.finfo(np.float32).tiny)
"""Below it float32 itself has fewer digits."""

LOSES_DIGITS = {
    # sums in which numbers may cancel: the float64 error is relative to what was added, not to the result
    "group_neutralize",
    "demean",
    "normalize",
    "regression_neutralize",
    "vector_neutralize",
    "ts_mean_deviation",
    "ts_resid",
    "ts_regression",
    "ts_moment",
    "ts_cov",
    "ts_skew",
    "ts_kurt",
    "ts_slope",
    "ts_rsquare",
    "ts_corr",
    "ts_partial_corr",
    "ts_triple_corr",
    "ts_co_kurt",
    "group_quantile",
    "ts_sum",
    "ts_mean",
    "ts_ir",
    "group_sum",
    "group_mean",
    "vec_sum",
    "vec_avg",
    "vec_powersum",
    "vec_skew",
    "vec_kurt",
    "ts_zscore",
    "zscore",
    "group_zscore",
    "ts_wma",
    "ts_ema",
    "ts_sma",
    "ts_decay_linear",
    "ts_decay_exp",
    "cumulative_sum",
    "ts_sum_if",
    "rank_gaussian",
    "ts_rank_gaussian",
    "ts_quantile",
    "ts_median",
}

UNIT_SCALE = {
    "ts_corr",
    "ts_partial_corr",
    "ts_triple_corr",
    "ts_co_kurt",
    "ts_rsquare",
    "ts_regression",
    "ts_skew",
    "ts_kurt",
    "vec_skew",
    "vec_kurt",
}
"""Ratios whose natural size is 1: a tiny one is the rest of a subtraction from 1."""


def kind_of(node: Node, slot: str) -> str:
    """What an argument is, for a field what its place asks for."""
    return op_table()[node.op].result if isinstance(node, Call) else slot


def typed_nodes(node: Node) -> dict[Node, str]:
    """Every distinct node with its kind."""
    kinds: dict[Node, str] = {node: kind_of(node, "number")}
    for parent in distinct(node):
        if isinstance(parent, Call):
            slots = op_table()[parent.op].args
            kinds.update({a: kind_of(a, s.kind) for a, s in zip(parent.args, slots, strict=True)})
    return kinds


def by_fast_engine(nodes: list[Node], data: Any, universe: Array | None = None) -> dict[Node, Array]:
    """Values of many nodes from one batch, copied: the engine recycles its arrays."""
    batch = {str(i): node for i, node in enumerate(nodes)}
    results = evaluate(batch, data, universe=universe)
    return {node: np.array(results[name]) for name, node in batch.items()}


def tolerance(call: Call, inputs: list[Array], want: Array) -> Array:
    """How far apart two right answers may lie."""
    allowed = RELATIVE * np.abs(np.nan_to_num(want)) + SMALLEST
    if call.op not in LOSES_DIGITS:
        return allowed
    # the largest input of the window or of the date, to the power that the result has
    largest = np.full(1, 1.0 if call.op in UNIT_SCALE else 0.0)
    for values in inputs:
        if values.dtype.kind == "f":
            known = np.where(np.isfinite(values), np.abs(values.astype(float)), 0.0)
            size = known.max(axis=0) if known.ndim == 3 else known
            largest = np.maximum(largest, _reach(call, size))
    power = 1
    if call.op in ("ts_moment", "vec_powersum"):
        power = call.param("k")
    elif call.op == "ts_cov" or (call.op == "ts_regression" and call.param("output") in ("sse", "mse")):
        power = 2
    return allowed + 1e-12 * largest**power


def _reach(call: Call, size: Array) -> Array:
    """The largest of each date, or of each window with one bar more; of all the past for recursive ops."""
    op = op_table()[call.op]
    if op.scope != "time":
        return np.asarray(size.max(axis=-1, keepdims=True))
    bars = size.shape[0] if op.stateful else 1 + added_bars(call, op.lookback) + 1
    return np.array([size[max(0, t - bars + 1) : t + 1].max(axis=0) for t in range(size.shape[0])])


def disagreement(call: Call, inputs: list[Array], got: Array, universe: Array | None = None) -> str:
    """Empty when the engines agree on this node, else what differs and where."""
    if inputs:
        want = reference.apply(call, inputs, universe=universe)
    else:
        count = np.arange(got.shape[0], dtype=np.float32)[:, None] + float(call.param("start"))
        want = np.broadcast_to(count, got.shape)
    if want.dtype.kind == "i":
        want = np.where(want < 0, np.nan, want)
    missing = np.isnan(got) != np.isnan(want)
    if np.isinf(got).any():
        return f"{call}: infinite values"
    if missing.any():
        t, n = np.argwhere(missing)[0]
        values = f"fast {got[t, n]}, reference {want[t, n]}"
        return f"{call}: missing in one only at {missing.sum()} places, first ({t}, {n}): {values}"
    apart = np.abs(got.astype(float) - want.astype(float))
    wrong = apart > tolerance(call, inputs, want)
    if wrong.any():
        worst = np.where(wrong, apart, -1.0)
        t, n = np.unravel_index(int(np.argmax(worst)), worst.shape)
        values = f"fast {got[t, n]!r}, reference {want[t, n]!r}"
        return f"{call}: {wrong.sum()} values apart, worst ({t}, {n}): {values}"
    return ""


def inputs_of(call: Call, values: dict[Node, Array], data: Any, universe: Array | None) -> list[Array]:
    """The values of a node's arguments: numbers from the fast engine, groups and vectors from the data."""
    found: list[Array] = []
    for arg, slot in zip(call.args, op_table()[call.op].args, strict=True):
        kind = kind_of(arg, slot.kind)
        if kind == "vector":
            assert isinstance(arg, Field)
            found.append(data.vector(arg.name))
        elif kind == "group":
            found.append(group_codes(arg, values, data, universe))
        else:
            found.append(values[arg])
    return found


def group_codes(node: Node, values: dict[Node, Array], data: Any, universe: Array | None) -> Array:
    """The codes of a group, made by the reference engine: group results stay inside the fast one."""
    if isinstance(node, Field):
        return np.asarray(data.group(node.name))
    assert isinstance(node, Call)
    return reference.apply(node, inputs_of(node, values, data, universe), universe=universe)


def check_nodes(trees: list[Node], data: Any, universe: Array | None = None) -> list[str]:
    """Every node of the trees on which the engines disagree; the fast engine sees them as one batch."""
    kinds = {node: kind for tree in trees for node, kind in typed_nodes(tree).items()}
    wanted = [node for node, kind in kinds.items() if kind != "vector" and not _is_group_field(node, kind)]
    values = by_fast_engine(wanted, data, universe)
    found = []
    for node in wanted:
        problem = ""
        if isinstance(node, Call):
            problem = disagreement(node, inputs_of(node, values, data, universe), values[node], universe)
        elif isinstance(node, Constant):
            same = np.array_equal(values[node], stored(np.full(data.shape, node.value)), equal_nan=True)
            problem = "" if same else f"{node}: {values[node][0, 0]!r}"
        if problem:
            found.append(problem)
    return found


def _is_group_field(node: Node, kind: str) -> bool:
    return kind == "group" and isinstance(node, Field)
