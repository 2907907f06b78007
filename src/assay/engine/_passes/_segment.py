"""Runs of steps that a block of instruments passes through while it is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from assay.engine._graph import CONSTANT, FIELD, Graph, Step

_LONGEST = 96
"""Steps of one run."""


def segments(graph: Graph, work_of: Callable[[Step], str], most_outputs: int) -> Iterator[Sequence[int]]:
    """The steps in order, cut into runs of steps that split by columns, and single other steps.

    `work_of` says "columns" of a step that splits so. Constants and fields cost nothing and stand in any
    run. A run ends after `most_outputs` outputs, since these are handed out at its end.
    """
    shown = set(graph.outputs.values())
    run: list[int] = []
    outputs = 0
    for position, step in enumerate(graph.steps):
        free = step.op in (CONSTANT, FIELD)
        if free or work_of(step) == "columns":
            run.append(position)
            outputs += position in shown
            if len(run) >= _LONGEST or outputs >= most_outputs:
                yield run
                run, outputs = [], 0
            continue
        if run:
            yield run
            run, outputs = [], 0
        yield [position]
    if run:
        yield run
