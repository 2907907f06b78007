"""The order of work: outputs one after the other, inputs right before their readers, nothing unused."""

from __future__ import annotations

from assay.engine._graph import Graph


def schedule(graph: Graph) -> Graph:
    """The graph with its steps in the order of a depth-first walk from each output; unread steps are dropped.

    Of a step's inputs the one with the most work below comes first, so that few results wait for others.
    """
    weight = [1] * len(graph.steps)
    for position, step in enumerate(graph.steps):
        weight[position] += sum(weight[i] for i in step.inputs)
    fresh = Graph()
    moved: dict[int, int] = {}
    for root in graph.outputs.values():
        pending: list[tuple[int, bool]] = [(root, False)]
        while pending:
            position, ready = pending.pop()
            if position in moved:
                continue
            step = graph.steps[position]
            if ready:
                moved[position] = fresh.add(step.reading(tuple(moved[i] for i in step.inputs)))
            else:
                pending.append((position, True))
                pending.extend((i, False) for i in sorted(set(step.inputs), key=lambda i: weight[i]))
    fresh.outputs = {name: moved[position] for name, position in graph.outputs.items()}
    return fresh
