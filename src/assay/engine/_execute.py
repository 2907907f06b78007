"""Runs a planned graph: a block of instruments passes through a run of steps while it is in the cache, and
buffers are recycled after the last reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from assay.engine._graph import CONSTANT, FIELD, Graph, Step
from assay.engine._inputs import AnyArray, Inputs, Mask, Panel
from assay.engine._passes import segments, use_counts
from assay.engine._pool import Pool
from assay.engine._program import read_only
from assay.engine._steps import read_field, run_columns, run_rows, run_whole, work_of
from assay.expr import Op

Sink: TypeAlias = Callable[[str, Panel], None]

_WIDEST = 512
"""Instruments of a block: enough for long rows in memory, few enough for a window to stay in the cache."""

_NARROWEST = 32
_LANES = 16


@dataclass(frozen=True, slots=True)
class _Task:
    """A step with the arrays it reads and writes."""

    step: Step
    inputs: Sequence[Any]
    out: AnyArray


class Execution:
    """One run of a graph over one set of inputs. Only :meth:`run` is called from outside."""

    def __init__(
        self, graph: Graph, data: Inputs, ops: Mapping[str, Op], universe: Mask | None, sink: Sink | None
    ) -> None:
        self._graph = graph
        self._data = data
        self._ops = ops
        self._universe = universe
        self._sink = sink
        self._names: dict[int, list[str]] = {}
        for name, position in graph.outputs.items():
            self._names.setdefault(position, []).append(name)
        self._shape = (int(data.shape[0]), int(data.shape[1]))
        self._pool = Pool(self._shape)
        self._uses = use_counts(graph)
        self._views: dict[int, Any] = {}
        self._buffers: dict[int, Panel] = {}
        self._results: dict[str, Panel] = {}

    def run(self, threads: int) -> dict[str, Panel]:
        """The outputs by name; empty with a sink."""
        if threads == 1:
            self._run(1, _in_turn)
        else:
            with ThreadPoolExecutor(threads) as pool:
                self._run(threads, lambda function, items: list(pool.map(function, items)))
        return {name: self._results[name] for name in self._graph.outputs} if self._sink is None else {}

    def _run(self, threads: int, each: _Each) -> None:
        blocks = column_blocks(self._shape, threads)
        for segment in segments(self._graph, lambda step: work_of(step, self._ops)):
            tasks: list[_Task] = []
            done: list[int] = []
            for position in segment:
                task = self._prepare(position)
                if task is not None:
                    tasks.append(task)
                if position in self._names:
                    done.append(position)
                self._release_read(position)
            if tasks:
                self._work(tasks, blocks, threads, each)
            for position in done:
                self._hand_out(position)

    def _prepare(self, position: int) -> _Task | None:
        """Make a step's result visible to its readers; a task when it has to be computed."""
        step = self._graph.steps[position]
        if step.op == CONSTANT:
            self._views[position] = np.float32(step.constant)
            return None
        if step.op == FIELD:
            self._views[position] = read_field(step, self._data)
            return None
        inputs = [self._views[i] for i in step.inputs]
        if step.kind == "group":
            out: AnyArray = np.empty(self._shape, np.int32)
        else:
            out = self._buffers[position] = self._pool.take()
        self._views[position] = read_only(out)
        return _Task(step, inputs, out)

    def _work(self, tasks: Sequence[_Task], blocks: Sequence[slice], threads: int, each: _Each) -> None:
        work = work_of(tasks[0].step, self._ops)
        task = tasks[0]
        if work == "columns":

            def pass_through(block: slice) -> None:
                for part in tasks:
                    run_columns(part.step, part.inputs, block.start, block.stop, part.out)

            each(pass_through, blocks)
        elif work == "rows":
            each(
                lambda rows: run_rows(task.step, task.inputs, rows, task.out),
                _row_parts(self._shape[0], threads),
            )
        else:
            run_whole(task.step, task.inputs, task.out, self._universe, self._ops)

    def _release_read(self, position: int) -> None:
        """Take back what this step was the last to read. An output waits for :meth:`_hand_out`."""
        for i in set(self._graph.steps[position].inputs):
            self._uses[i] -= 1
            if self._uses[i] == 0 and i not in self._names:
                self._release(i)

    def _hand_out(self, position: int) -> None:
        view = self._views[position]
        for name in self._names[position]:
            if self._sink is not None:
                self._sink(name, view)
            else:
                self._results[name] = self._kept(position)
        self._names[position] = []
        if self._sink is not None:
            # from now on an output is like any other step; one that was read for the last time goes at once
            del self._names[position]
            if self._uses[position] == 0:
                self._release(position)

    def _kept(self, position: int) -> Panel:
        """The array an output keeps: the step's own buffer, or a copy of an input."""
        buffer = self._buffers.get(position)
        return buffer if buffer is not None else np.array(self._views[position], np.float32)

    def _release(self, position: int) -> None:
        self._views.pop(position, None)
        buffer = self._buffers.pop(position, None)
        if buffer is not None:
            self._pool.give_back(buffer)


_Each: TypeAlias = Callable[[Callable[[slice], None], Iterable[slice]], object]


def _in_turn(function: Callable[[slice], None], items: Iterable[slice]) -> None:
    for item in items:
        function(item)


def column_blocks(shape: tuple[int, int], threads: int) -> list[slice]:
    """Blocks of instruments of nearly equal width: whole vector registers, but for the last."""
    width = shape[1]
    count = max(-(-width // _WIDEST), min(threads, -(-width // _NARROWEST)), 1)
    step = -(-width // count)
    step = max(_LANES, -(-step // _LANES) * _LANES)
    return [slice(left, min(width, left + step)) for left in range(0, width, step)]


def _row_parts(rows: int, threads: int) -> list[slice]:
    step = max(1, -(-rows // threads))
    return [slice(start, min(rows, start + step)) for start in range(0, rows, step)]
