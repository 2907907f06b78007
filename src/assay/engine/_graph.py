from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from assay.expr import ParamValue

StepKind: TypeAlias = Literal["number", "group", "vector"]

CONSTANT = "constant"
FIELD = "field"
PROGRAM = "program"
SPREAD = "spread"
CODES = "codes"

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Program:
    """Fused element-wise instructions: (operation, target, a, b, c) over registers, inputs first, then
    constants.
    """

    code: tuple[tuple[int, int, int, int, int], ...]
    constants: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One node of the graph: an op, the positions of the steps it reads, its literals."""

    op: str
    inputs: tuple[int, ...] = ()
    params: tuple[tuple[str, ParamValue], ...] = ()
    kind: StepKind = "number"
    program: Program | None = None

    def param(self, name: str) -> ParamValue:
        for key, value in self.params:
            if key == name:
                return value
        raise KeyError(f"step {self.op!r} has no parameter {name!r}")

    def reading(self, inputs: tuple[int, ...]) -> Step:
        """The same step with other inputs."""
        if inputs == self.inputs:
            return self
        return Step(self.op, inputs, self.params, self.kind, self.program)

    @property
    def constant(self) -> float:
        """The number of a CONSTANT step."""
        return float(self.params[0][1])


@dataclass(slots=True)
class Graph:
    """Steps, inputs before their readers, each distinct step once; and the step that gives each output."""

    steps: list[Step] = field(default_factory=list)
    outputs: dict[str, int] = field(default_factory=dict)
    _positions: dict[Step, int] = field(default_factory=dict)

    def add(self, step: Step) -> int:
        """Position of `step`; an equal step is kept once."""
        position = self._positions.setdefault(step, len(self.steps))
        if position == len(self.steps):
            self.steps.append(step)
        return position

    def call(self, op: str, *inputs: int, kind: StepKind = "number", **params: ParamValue) -> int:
        """Position of a step written out."""
        return self.add(Step(op, inputs, tuple(params.items()), kind))

    def number(self, value: float) -> int:
        """Position of a constant in float32's range: beyond it lies infinity, a bound that binds nothing.

        NaN is written as text, since it does not equal itself.
        """
        if abs(value) > _LARGEST:
            value = math.copysign(math.inf, value)
        return self.call(CONSTANT, value=value if value == value else "nan")

    def literal(self, value: float) -> int:
        """Position of a number that a formula writes: one that float32 cannot hold is missing."""
        return self.number(value if abs(value) <= _LARGEST else math.nan)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)


Rewrite: TypeAlias = Callable[[Graph, Step], int]
"""Adds to the new graph what stands for a step whose inputs are already in place; gives its position."""


def rewritten(graph: Graph, rewrite: Rewrite) -> Graph:
    """The graph with every step passed through `rewrite`, inputs first."""
    fresh = Graph()
    moved: list[int] = []
    for step in graph.steps:
        moved.append(rewrite(fresh, step.reading(tuple(moved[i] for i in step.inputs))))
    fresh.outputs = {name: moved[position] for name, position in graph.outputs.items()}
    return fresh
