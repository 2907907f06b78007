"""Runs of steps that a block of instruments passes through while it is in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from assay.engine._graph import CONSTANT, FIELD, Graph, Step

_LONGEST = 32
"""Steps of one run: its outputs are handed out only at its end."""


def segments(graph: Graph, work_of: Callable[[Step], str]) -> Iterator[Sequence[int]]:
    """The steps in order, cut into runs of steps that split by columns, and single other steps.

    `work_of` says "columns" of a step that splits so. Constants and fields cost nothing and stand in any run.
    """
    run: list[int] = []
    for position, step in enumerate(graph.steps):
        free = step.op in (CONSTANT, FIELD)
        if free or work_of(step) == "columns":
            run.append(position)
            if len(run) >= _LONGEST:
                yield run
                run = []
            continue
        if run:
            yield run
            run = []
        yield [position]
    if run:
        yield run
