"""From expression trees to one graph in which every distinct step stands once."""

from __future__ import annotations

from collections.abc import Mapping

from assay.engine._graph import CODES, FIELD, Graph, Step, StepKind
from assay.expr import Call, Constant, Field, Node, Op, canonical

_KINDS: dict[str, StepKind] = {"group": "group", "vector": "vector"}


def intern(nodes: Mapping[str, Node], ops: Mapping[str, Op]) -> Graph:
    """One graph for a batch of trees. A field is read as the kind its reader declares; on its own as a
    number.
    """
    graph = Graph()
    known: dict[tuple[Node, StepKind], int] = {}
    canonical_parts: dict[Node, Node] = {}

    def place(root: Node, kind: StepKind) -> int:
        pending: list[tuple[Node, StepKind, bool]] = [(root, kind, False)]
        while pending:
            node, wanted, ready = pending.pop()
            if (node, wanted) in known:
                continue
            if isinstance(node, Constant):
                known[node, wanted] = graph.literal(node.value)
            elif isinstance(node, Field):
                known[node, wanted] = graph.add(Step(FIELD, (), (("name", node.name),), wanted))
            else:
                op = ops[node.op]
                kinds = [_KINDS.get(arg.kind, "number") for arg in op.args]
                if ready:
                    inputs = tuple(known[arg, k] for arg, k in zip(node.args, kinds, strict=True))
                    result = _KINDS.get(op.result, "number")
                    known[node, wanted] = graph.add(Step(node.op, inputs, node.params, result))
                else:
                    pending.append((node, wanted, True))
                    pending.extend(
                        (a, k, False) for a, k in zip(reversed(node.args), reversed(kinds), strict=True)
                    )
        return known[root, kind]

    for name, written in nodes.items():
        node = canonical(written, canonical_parts)
        result = _KINDS.get(ops[node.op].result, "number") if isinstance(node, Call) else "number"
        position = place(node, result)
        graph.outputs[name] = graph.call(CODES, position) if result == "group" else position
    return graph
