"""A run of steps over blocks of instruments: what only the run itself reads lives in a small workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from assay.engine._program import place_of
from assay.engine._steps import ColumnWork

_WIDEST = 512
"""Instruments of a block: its running sums stay in the nearest cache. Narrower ones were measured slower."""

_NARROWEST = 16

Each: TypeAlias = Callable[[Callable[[slice], None], Iterable[slice]], object]
"""Applies a function to blocks, in turn or on several threads."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the workspace."""

    number: int


@dataclass(frozen=True, slots=True)
class Task:
    """A step of a run: what runs it, what it reads (panels, slots, numbers), and where it writes."""

    run: ColumnWork
    inputs: Sequence[Any]
    out: Any


def column_blocks(shape: tuple[int, int], threads: int) -> list[slice]:
    """Blocks of instruments of nearly equal width: whole vector registers, but for the last."""
    width = shape[1]
    count = max(-(-width // _WIDEST), min(threads, -(-width // _NARROWEST)), 1)
    step = -(-width // count)
    step = max(_NARROWEST, -(-step // _NARROWEST) * _NARROWEST)
    return [slice(left, min(width, left + step)) for left in range(0, width, step)]


class BlockRunner:
    """Carries runs of tasks out block by block."""

    def __init__(self, shape: tuple[int, int], threads: int, each: Each) -> None:
        self._rows = shape[0]
        self._blocks = column_blocks(shape, threads)
        self._each = each
        self._width = max((b.stop - b.start for b in self._blocks), default=0)
        self._free: list[list[np.ndarray[Any, Any]]] = []

    def run(self, tasks: Sequence[Task], slots: int) -> None:
        """Run the tasks, one after the other, for every block; `slots` is how many the run needs."""
        bound = [(task.run, [_bind(x) for x in task.inputs], _bind(task.out)) for task in tasks]

        def pass_through(block: slice) -> None:
            n = block.stop - block.start
            left = 4 * block.start
            workspace = self._take(slots)
            slot = [place_of(part)[0] for part in workspace]

            def place(x: Any) -> Any:
                if type(x) is tuple:
                    return x[0] + left, x[1]
                if type(x) is int:
                    return slot[x], n
                return x

            with np.errstate(all="ignore"):
                for run, inputs, out in bound:
                    run([place(x) for x in inputs], self._rows, n, place(out))
            self._free.append(workspace)

        self._each(pass_through, self._blocks)

    def _take(self, slots: int) -> list[np.ndarray[Any, Any]]:
        """A workspace that nobody uses, with so many slots at least."""
        workspace = self._free.pop() if self._free else []
        while len(workspace) < slots:
            workspace.append(np.empty((1, self._rows * self._width), np.float32))
        return workspace


def _bind(x: Any) -> Any:
    """A panel as its place, a slot as its number, anything else as it is."""
    if isinstance(x, Slot):
        return x.number
    if isinstance(x, np.ndarray):
        return place_of(x)
    return x
