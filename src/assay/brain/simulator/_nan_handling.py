"""The setting ``nanHandling``, written into the tree of an expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assay.expr import Call, Constant, Node, Op, op_table

_FOR_EVERY_MEMBER: Final = frozenset(
    {
        "group_sum", "group_mean", "group_max", "group_min", "group_median", "group_std", "group_count",
        "group_quantile",
    }
)  # fmt: skip
"""Group operators whose value is one for the group."""


def with_nan_handling(node: Node, on: bool) -> Node:
    """The tree that treats missing values as the setting says.

    ON: a time-series operator gives 0 where its inputs are missing all through its window; a value of a group
    goes to its members with a missing input, too. OFF: missing stays missing.
    """
    return _Writer(on).write(node)


class _Writer:
    def __init__(self, on: bool) -> None:
        self._on = on
        self._ops: Mapping[str, Op] = op_table()
        self._done: dict[Node, Node] = {}

    def write(self, node: Node) -> Node:
        if not isinstance(node, Call):
            return node
        if node not in self._done:
            inputs = tuple(self.write(part) for part in node.args)
            self._done[node] = self._handled(Call(node.op, inputs, node.params))
        return self._done[node]

    def _handled(self, call: Call) -> Node:
        op = self._ops[call.op]
        if self._on and op.scope == "time" and op.lookback == "window" and "window" in dict(call.params):
            return _zero_where_all_missing(call, op)
        if not self._on and call.op in _FOR_EVERY_MEMBER:
            return Call("where", (Call("is_missing", (call.args[0],)), Constant(float("nan")), call))
        return call


def _zero_where_all_missing(call: Call, op: Op) -> Node:
    window = dict(call.params)["window"]
    nothing: Node | None = None
    for arg, part in zip(op.args, call.args, strict=True):
        if arg.kind == "group":
            continue
        missing = Call("ts_count_missing", (part,), (("window", window),))
        here = Call("eq", (missing, Constant(float(window))))
        nothing = here if nothing is None else Call("and", (nothing, here))
    if nothing is None:
        return call
    # only missing results are looked at: the count itself is missing before the first whole window
    return Call("where", (Call("is_missing", (call,)), Call("where", (nothing, Constant(0.0), call)), call))
