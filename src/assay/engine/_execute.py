"""Runs a planned graph: buffers recycled after the last reader, independent steps on several threads."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np

from assay.engine._graph import CONSTANT, FIELD, Graph, Step
from assay.engine._inputs import AnyArray, Inputs, Mask, Panel
from assay.engine._passes import use_counts
from assay.engine._pool import Pool
from assay.engine._program import read_only
from assay.engine._steps import read_field, run_step
from assay.expr import Op

Sink: TypeAlias = Callable[[str, Panel], None]


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
        self.pool = Pool(self._shape)
        self._uses = use_counts(graph)
        self._views: dict[int, AnyArray | np.float32] = {}
        self._buffers: dict[int, Panel] = {}
        self._results: dict[str, Panel] = {}
        self._sink_lock = threading.Lock()

    def run(self, threads: int) -> dict[str, Panel]:
        """The outputs by name; empty with a sink."""
        if threads == 1:
            for position in range(len(self._graph.steps)):
                self._finish(position, self._carry_out(position, self._place(position)))
        else:
            _Crew(self).run(threads)
        return {name: self._results[name] for name in self._graph.outputs} if self._sink is None else {}

    def _place(self, position: int) -> AnyArray | None:
        """Where the step writes; nothing for a step that only points to what exists."""
        step = self._graph.steps[position]
        if step.op in (CONSTANT, FIELD):
            return None
        if step.kind == "group":
            return np.empty(self._shape, np.int32)
        panel = self.pool.take()
        self._buffers[position] = panel
        return panel

    def _carry_out(self, position: int, out: AnyArray | None) -> AnyArray | np.float32:
        """Run a step and give its result as its readers see it."""
        step: Step = self._graph.steps[position]
        result: AnyArray | np.float32
        if step.op == CONSTANT:
            result = np.float32(step.constant)
        elif out is None:
            result = read_field(step, self._data)
        else:
            inputs = [self._views[i] for i in step.inputs]
            run_step(step, inputs, out, self._universe, self._ops)
            result = read_only(out)
        if self._sink is not None:
            for name in self._names.get(position, ()):
                with self._sink_lock:
                    self._sink(name, result)  # type: ignore[arg-type]  # outputs are panels
        return result

    def _finish(self, position: int, result: AnyArray | np.float32) -> None:
        """Record a result, and take back the buffers that have been read for the last time."""
        self._views[position] = result
        if self._sink is None:
            for name in self._names.get(position, ()):
                self._results[name] = self._kept(position, result)
        for i in set(self._graph.steps[position].inputs):
            self._uses[i] -= 1
            if self._uses[i] == 0:
                self._release(i)
        if self._uses[position] == 0:
            self._release(position)

    def _kept(self, position: int, result: AnyArray | np.float32) -> Panel:
        """The array an output keeps: the step's own buffer, or a copy of an input."""
        buffer = self._buffers.get(position)
        if buffer is not None:
            return buffer
        return np.array(result, np.float32)

    def _release(self, position: int) -> None:
        self._views.pop(position, None)
        buffer = self._buffers.pop(position, None)
        if buffer is not None and (self._sink is not None or position not in self._names):
            self.pool.give_back(buffer)


class _Crew:
    """Several threads that take the first step whose inputs are ready."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        steps = execution._graph.steps
        self._readers: dict[int, list[int]] = {}
        self._waiting = [0] * len(steps)
        for position, step in enumerate(steps):
            inputs = set(step.inputs)
            self._waiting[position] = len(inputs)
            for i in inputs:
                self._readers.setdefault(i, []).append(position)
        self._ready = [position for position, count in enumerate(self._waiting) if count == 0]
        heapq.heapify(self._ready)
        self._left = len(steps)
        self._failed = False
        self._change = threading.Condition()

    def run(self, threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            for future in [pool.submit(self._work) for _ in range(threads)]:
                future.result()

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._ready and self._left > 0 and not self._failed:
                    self._change.wait()
                if self._left == 0 or self._failed:
                    return
                position = heapq.heappop(self._ready)
                out = self._execution._place(position)
            done = False
            try:
                result = self._execution._carry_out(position, out)
                done = True
            finally:
                if not done:
                    with self._change:
                        self._failed = True
                        self._change.notify_all()
            with self._change:
                self._execution._finish(position, result)
                self._left -= 1
                for reader in self._readers.get(position, ()):
                    self._waiting[reader] -= 1
                    if self._waiting[reader] == 0:
                        heapq.heappush(self._ready, reader)
                self._change.notify_all()
