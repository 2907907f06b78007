"""Whether the two engines agree on a node, given the same values of its arguments.

Comparing node by node is what makes the comparison sharp. Over a whole tree the last bit of one node may
decide a tie, a comparison or an empty variance further up, and then both engines are right and differ. So each
node of a tree is given to the reference engine with the argument values of the fast one (the snap rule), and then
the places of missing values must be equal and the values nearly so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.engine import evaluate, reference
from assay.expr import Call, Constant, Field, Node, distinct, op_table

Array = NDArray[Any]

RELATIVE = 1e-6
"""About eight float32 steps: both engines round a float64 result once, sums differ in their order."""

LOSES_DIGITS = {
    # differences of nearly equal numbers: the float64 error is relative to what was subtracted, not to the result
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
    "ts_sum",
    "ts_mean",
    "ts_ir",
    "group_sum",
    "group_mean",
    "vec_sum",
    "vec_avg",
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
    allowed = RELATIVE * np.abs(np.nan_to_num(want))
    if call.op in LOSES_DIGITS:
        finite = [np.abs(a[np.isfinite(a)]).max(initial=1.0) for a in inputs if a.dtype.kind == "f"]
        allowed = allowed + 1e-12 * max(finite, default=1.0)
    return allowed


def disagreement(call: Call, inputs: list[Array], got: Array, universe: Array | None = None) -> str:
    """Empty when the engines agree on this node, else what differs and where."""
    if inputs:
        want = reference.apply(call, inputs, universe=universe)
    else:
        want = np.arange(got.shape[0], dtype=np.float32)[:, None] + float(call.param("start"))
        want = np.broadcast_to(want, got.shape)
    missing = np.isnan(got) != np.isnan(want)
    if np.isinf(got).any():
        return f"{call}: infinite values"
    if missing.any():
        t, n = np.argwhere(missing)[0]
        return f"{call}: missing at {missing.sum()} places, first ({t}, {n}): fast {got[t, n]}, reference {want[t, n]}"
    apart = np.abs(got.astype(float) - want.astype(float))
    wrong = apart > tolerance(call, inputs, want)
    if wrong.any():
        worst = np.where(wrong, apart, -1.0)
        t, n = np.unravel_index(int(np.argmax(worst)), worst.shape)
        return f"{call}: {wrong.sum()} values apart, worst ({t}, {n}): fast {got[t, n]!r}, reference {want[t, n]!r}"
    return ""


def inputs_of(call: Call, values: dict[Node, Array], data: Any, universe: Array | None) -> list[Array]:
    """The values of a node's arguments: numbers as the fast engine gave them, groups and vectors from the data."""
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


def check_tree(tree: Node, data: Any, universe: Array | None = None) -> list[str]:
    """Every node of the tree on which the engines disagree."""
    kinds = typed_nodes(tree)
    wanted = [node for node, kind in kinds.items() if kind in ("number", "bool", "any")]
    values = by_fast_engine(wanted, data, universe)
    found = []
    for node in wanted:
        if isinstance(node, Call):
            problem = disagreement(node, inputs_of(node, values, data, universe), values[node], universe)
        elif isinstance(node, Constant):
            problem = "" if np.array_equal(values[node], np.full(data.shape, node.value, np.float32)) else str(node)
        else:
            problem = ""
        if problem:
            found.append(problem)
    return found
