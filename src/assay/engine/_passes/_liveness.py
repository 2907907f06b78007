"""How often each step is read, so that its buffer can be handed on after the last reader."""

from __future__ import annotations

from assay.engine._graph import Graph


def use_counts(graph: Graph) -> list[int]:
    """For each step, the number of steps that read it; a step that reads it twice counts once."""
    uses = [0] * len(graph.steps)
    for step in graph.steps:
        for position in set(step.inputs):
            uses[position] += 1
    return uses
