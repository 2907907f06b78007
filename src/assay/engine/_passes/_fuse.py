"""Chains of element-wise steps become programs that read and write memory once."""

from __future__ import annotations

from dataclasses import dataclass

from assay.engine._elements import ELEMENT_CODES
from assay.engine._graph import CONSTANT, PROGRAM, Graph, Program, Step
from assay.engine._passes._liveness import use_counts

_MOST_INPUTS = 4
_REGISTERS = 12
_MOST_STEPS = 24
_MOST_REPEATED = 2


@dataclass(frozen=True, slots=True)
class _Tree:
    """An element-wise expression over steps of the graph: a leaf has no operation and names a step."""

    operation: int
    children: tuple[_Tree, ...]
    leaf: int = -1
    size: int = 0


def fuse_elements(graph: Graph) -> Graph:
    """The graph with every element-wise step a program.

    A step read once joins the program of its reader. So does a short one of a single panel, however often
    it is read: to compute it again costs less than to write and read a panel. Steps that nobody reads any
    more are left for :func:`schedule` to drop.
    """
    uses = use_counts(graph)
    shown = set(graph.outputs.values())
    trees: dict[int, _Tree] = {}
    for position, step in enumerate(graph.steps):
        if step.op not in ELEMENT_CODES:
            continue
        children = [_Tree(-1, (), i) for i in step.inputs]
        for place, i in enumerate(step.inputs):
            if i in trees and i not in shown and (uses[i] == 1 or _cheap(graph, trees[i])):
                children[place] = trees[i]
                if not _fits(graph, _tree(step, children)):
                    children[place] = _Tree(-1, (), i)
        trees[position] = _tree(step, children)
    fresh = Graph()
    moved: dict[int, int] = {}
    for position, step in enumerate(graph.steps):
        if position in trees:
            moved[position] = _emit(graph, fresh, trees[position], moved)
        else:
            inputs = tuple(moved[i] for i in step.inputs)
            moved[position] = fresh.add(Step(step.op, inputs, step.params, step.kind))
    fresh.outputs = {name: moved[position] for name, position in graph.outputs.items()}
    return fresh


def _cheap(graph: Graph, tree: _Tree) -> bool:
    return tree.size <= _MOST_REPEATED and len(_split(graph, tree)[0]) == 1


def _tree(step: Step, children: list[_Tree]) -> _Tree:
    return _Tree(ELEMENT_CODES[step.op], tuple(children), size=1 + sum(c.size for c in children))


def _leaves(tree: _Tree) -> list[int]:
    if tree.leaf >= 0:
        return [tree.leaf]
    return [leaf for child in tree.children for leaf in _leaves(child)]


def _fits(graph: Graph, tree: _Tree) -> bool:
    if tree.size > _MOST_STEPS:
        return False
    inputs, constants = _split(graph, tree)
    return len(inputs) <= _MOST_INPUTS and _assemble(graph, tree, inputs, constants) is not None


def _split(graph: Graph, tree: _Tree) -> tuple[list[int], list[int]]:
    leaves = list(dict.fromkeys(_leaves(tree)))
    inputs = [i for i in leaves if graph.steps[i].op != CONSTANT]
    return inputs, [i for i in leaves if graph.steps[i].op == CONSTANT]


def _assemble(
    graph: Graph, tree: _Tree, inputs: list[int], constants: list[int]
) -> tuple[tuple[int, int, int, int, int], ...] | None:
    """Instructions for a tree, or None when the registers do not suffice. No target is one of its own
    sources.
    """
    places = {leaf: register for register, leaf in enumerate([*inputs, *constants])}
    fixed = len(places)
    free = list(range(_REGISTERS - 1, fixed - 1, -1))
    code: list[tuple[int, int, int, int, int]] = []
    computed: dict[int, int] = {}

    def visit(node: _Tree) -> int | None:
        if node.leaf >= 0:
            return places[node.leaf]
        if id(node) in computed:  # both inputs of one step may be the same tree
            return computed[id(node)]
        sources: list[int] = []
        for child in sorted(node.children, key=lambda c: -c.size):
            register = visit(child)
            if register is None:
                return None
            sources.append(register)
        order = sorted(range(len(node.children)), key=lambda k: -node.children[k].size)
        placed = [0, 0, 0]
        for register, k in zip(sources, order, strict=True):
            placed[k] = register
        if not free:
            return None
        target = free.pop()
        code.append((node.operation, target, placed[0], placed[1], placed[2]))
        free.extend(r for r in sorted(set(sources)) if r >= fixed)
        computed[id(node)] = target
        return target

    return tuple(code) if visit(tree) is not None else None


def _emit(graph: Graph, fresh: Graph, tree: _Tree, moved: dict[int, int]) -> int:
    inputs, constants = _split(graph, tree)
    code = _assemble(graph, tree, inputs, constants)
    if code is None:
        raise AssertionError("a single element-wise step always fits its registers")
    values = tuple(graph.steps[i].constant for i in constants)
    kept = tuple(moved[i] for i in inputs)
    return fresh.add(Step(PROGRAM, kept, (), "number", Program(code, values)))
