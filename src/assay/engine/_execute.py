"""Runs a planned graph: a block of instruments passes through a run of steps while it is in the cache, and
buffers are recycled after the last reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np

from assay.engine._blocks import BlockRunner, Each, Slot, Task
from assay.engine._graph import CONSTANT, FIELD, Graph, Step
from assay.engine._inputs import AnyArray, Inputs, Mask, Panel
from assay.engine._passes import segments, use_counts
from assay.engine._pool import Pool
from assay.engine._program import read_only
from assay.engine._steps import Work, column_work, read_field, run_rows, run_whole, work_of
from assay.expr import Op

Sink: TypeAlias = Callable[[str, Panel], None]

_HANDED_OUT = 8
"""Outputs that one run of steps may leave behind: with a sink their panels are then used again."""


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

    def _run(self, threads: int, each: Each) -> None:
        blocks = BlockRunner(self._shape, threads, each)
        for segment in segments(self._graph, self._work_of, _HANDED_OUT):
            if len(segment) == 1 and self._work_of(self._graph.steps[segment[0]]) != "columns":
                self._run_single(segment[0], threads, each)
            else:
                self._run_segment(segment, blocks)
            for position in segment:
                if position in self._names:
                    self._hand_out(position)

    def _work_of(self, step: Step) -> Work:
        return "columns" if step.op in (CONSTANT, FIELD) else work_of(step, self._ops)

    def _run_single(self, position: int, threads: int, each: Each) -> None:
        step = self._graph.steps[position]
        inputs = [self._views[i] for i in step.inputs]
        out = self._make(position)
        if work_of(step, self._ops) == "rows":
            each(lambda rows: run_rows(step, inputs, rows, out), _row_parts(self._shape[0], threads))
        else:
            run_whole(step, inputs, out, self._universe, self._ops)
        self._release_read(position)

    def _run_segment(self, segment: Sequence[int], blocks: BlockRunner) -> None:
        """Run steps that split by columns; a result that only they read gets a slot of the workspace."""
        local = self._local(segment)
        free: list[Slot] = []
        held: dict[int, Slot] = {}
        slots = 0
        tasks: list[Task] = []
        for position in segment:
            step = self._graph.steps[position]
            if step.op == CONSTANT:
                self._views[position] = np.float32(step.constant)
            elif step.op == FIELD:
                self._views[position] = read_field(step, self._data)
            else:
                inputs = [held[i] if i in held else self._views[i] for i in step.inputs]
                if position in local:
                    if not free:
                        free.append(Slot(slots))
                        slots += 1
                    held[position] = free.pop()
                    out: Slot | AnyArray = held[position]
                else:
                    out = self._make(position)
                tasks.append(Task(column_work(step), inputs, out))
            free.extend(held.pop(i) for i in self._release_read(position) if i in held)
        if tasks:
            blocks.run(tasks, slots)

    def _local(self, segment: Sequence[int]) -> set[int]:
        """Steps of a run whose result nobody else reads."""
        reads: dict[int, int] = {}
        for position in segment:
            for i in set(self._graph.steps[position].inputs):
                reads[i] = reads.get(i, 0) + 1
        return {
            position
            for position in segment
            if position not in self._names and reads.get(position, 0) == self._uses[position]
        }

    def _make(self, position: int) -> AnyArray:
        """The panel a step writes, visible to its readers."""
        if self._graph.steps[position].kind == "group":
            out: AnyArray = np.empty(self._shape, np.int32)
        else:
            out = self._buffers[position] = self._pool.take()
        self._views[position] = read_only(out)
        return out

    def _release_read(self, position: int) -> list[int]:
        """Take back what this step was the last to read, and give its positions.

        An output waits for :meth:`_hand_out`.
        """
        done = []
        for i in set(self._graph.steps[position].inputs):
            self._uses[i] -= 1
            if self._uses[i] == 0 and i not in self._names:
                self._release(i)
                done.append(i)
        return done

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


def _in_turn(function: Callable[[slice], None], items: Iterable[slice]) -> None:
    for item in items:
        function(item)


def _row_parts(rows: int, threads: int) -> list[slice]:
    step = max(1, -(-rows // threads))
    return [slice(start, min(rows, start + step)) for start in range(0, rows, step)]
