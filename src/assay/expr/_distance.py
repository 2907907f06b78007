from __future__ import annotations

from typing import NamedTuple

from assay.expr._tree import Call, Constant, Field, Node


class _Flat(NamedTuple):
    """A tree in postorder: labels, leftmost leaf of each node, and the key roots, all from 1."""

    labels: list[object]
    leftmost: list[int]
    keyroots: list[int]


def edit_distance(a: Node, b: Node) -> int:
    """Fewest nodes to insert, delete or relabel that turn one tree into the other.

    Inputs keep their order; parameters are part of a node's label. Cost grows with the product of the
    sizes times that of the depths. Source: Zhang and Shasha (1989), SIAM J. Comput. 18(6).
    """
    if a == b:
        return 0
    x, y = _flatten(a), _flatten(b)
    rows, columns = len(x.labels), len(y.labels)
    distance = [[0] * columns for _ in range(rows)]
    for i in x.keyroots:
        for j in y.keyroots:
            _forests(x, y, i, j, distance)
    return distance[rows - 1][columns - 1]


def _forests(x: _Flat, y: _Flat, i: int, j: int, distance: list[list[int]]) -> None:
    """Fill the distances of all pairs of subtrees on the left paths of two key roots."""
    first, other = x.leftmost[i], y.leftmost[j]
    table = [[0] * (j - other + 2) for _ in range(i - first + 2)]
    for row in range(1, len(table)):
        table[row][0] = row
    table[0] = list(range(len(table[0])))
    for row in range(1, len(table)):
        node = first + row - 1
        here, above = table[row], table[row - 1]
        for column in range(1, len(here)):
            partner = other + column - 1
            best = min(above[column], here[column - 1]) + 1
            if x.leftmost[node] == first and y.leftmost[partner] == other:
                change = above[column - 1] + (x.labels[node] != y.labels[partner])
                here[column] = distance[node][partner] = min(best, change)
            else:
                left = table[x.leftmost[node] - first][y.leftmost[partner] - other]
                here[column] = min(best, left + distance[node][partner])


def _flatten(root: Node) -> _Flat:
    labels: list[object] = [None]
    leftmost: list[int] = [0]
    stack: list[tuple[Node, int]] = [(root, 0)]  # (node, place where its leaves begin; 0 = not yet opened)
    while stack:
        node, begin = stack.pop()
        if begin or not isinstance(node, Call) or not node.args:
            labels.append(_label(node))
            leftmost.append(begin or len(labels) - 1)
            continue
        # the first leaf of this node is the next one to be numbered
        stack.append((node, len(labels)))
        stack.extend((arg, 0) for arg in reversed(node.args))
    last: dict[int, int] = {}
    for place in range(1, len(labels)):
        last[leftmost[place]] = place
    return _Flat(labels, leftmost, sorted(last.values()))


def _label(node: Node) -> object:
    if isinstance(node, Call):
        return node.op, node.params
    return node if isinstance(node, Constant | Field) else None
