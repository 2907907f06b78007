from __future__ import annotations

from collections.abc import Mapping

from assay.engine._graph import Graph
from assay.engine._passes import (
    fold_constants,
    fuse_elements,
    intern,
    lower,
    mask_members,
    schedule,
    spread_inputs,
    spread_outputs,
)  # fmt: skip
from assay.expr import Node, Op


def plan(nodes: Mapping[str, Node], ops: Mapping[str, Op], *, masked: bool) -> Graph:
    """The graph of a batch, ready to run: every distinct step once, in the order of work."""
    graph = intern(nodes, ops)
    if masked:
        graph = mask_members(graph, ops)
    graph = spread_inputs(fold_constants(lower(graph)))
    return schedule(fuse_elements(schedule(spread_outputs(graph))))
