"""Cross-section and group ops see the members of the date only."""

from __future__ import annotations

from collections.abc import Mapping

from assay.engine._graph import CONSTANT, SPREAD, Graph, Step, rewritten
from assay.expr import Op

MASK = "mask"
_FILLS_MISSING = frozenset({"bucket"})
"""Built-in ops that give a value where the input is missing and no group masks it."""

LOOK_BACK = frozenset({"group_backfill"})
"""Ops that read the past of today's members, so that only their groups are cut."""


def mask_members(graph: Graph, ops: Mapping[str, Op]) -> Graph:
    """The graph with the inputs of every cross-section and group op cut to the universe."""

    def cut(fresh: Graph, position: int) -> int:
        step = fresh.steps[position]
        if step.kind == "vector":
            return position
        if step.op == CONSTANT:
            position = fresh.call(SPREAD, position)
        return fresh.call(MASK, position, kind=step.kind)

    def rewrite(fresh: Graph, step: Step) -> int:
        op = ops.get(step.op)
        if op is None or op.scope not in ("section", "group"):
            return fresh.add(step)
        inputs = tuple(
            i if step.op in LOOK_BACK and fresh.steps[i].kind == "number" else cut(fresh, i)
            for i in step.inputs
        )
        result = fresh.add(Step(step.op, inputs, step.params, step.kind))
        custom = op.evaluate is not None
        return fresh.call(MASK, result, kind=step.kind) if custom or step.op in _FILLS_MISSING else result

    return rewritten(graph, rewrite)
