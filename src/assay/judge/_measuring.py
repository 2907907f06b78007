from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore, Lock
from types import TracebackType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.judge._items import Item
from assay.judge._measure import Measured, lagged_signal, measure
from assay.judge._setup import Setup

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a stage (``judged`` or ``leak checks``), how many are done, and how many there are."""


class MeasuringPool:
    """Measures factors on the settings' threads while the caller goes on.

    At most ``threads + 1`` signals wait at a time, because each is a whole panel. Which thread measures a
    factor changes nothing in its figures.
    """

    def __init__(self, setup: Setup, total: int, progress: Progress | None = None) -> None:
        self._setup = setup
        self._total = total
        self._progress = progress
        threads = setup.settings.threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._places = BoundedSemaphore(threads + 1)
        self._lock = Lock()
        self._done: dict[str, Measured] = {}
        self._pending: list[Future[None]] = []

    def __enter__(self) -> MeasuringPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=kind is not None)

    def submit(self, items: Sequence[Item]) -> None:
        """Evaluate all expressions as one batch and hand each output on; then the values."""
        from assay.engine import evaluate

        setup = self._setup
        nodes = {item.name: item.expression.node for item in items if item.expression is not None}
        if nodes:
            evaluate(
                nodes,
                setup.view,
                universe=setup.members,
                threads=setup.settings.threads,
                sink=self._submit,
            )
        for item in items:
            if item.values is not None:
                self._submit(item.name, item.values.values[setup.window.first : setup.window.stop])

    def results(self) -> dict[str, Measured]:
        """The figures of all factors by name, once they are there; the first error is raised."""
        for future in self._pending:
            future.result()
        return self._done

    def _submit(self, name: str, values: NDArray[np.float32]) -> None:
        signal = lagged_signal(values, self._setup)
        self._places.acquire()
        if self._pool is None:
            self._work(name, signal)
        else:
            self._pending.append(self._pool.submit(self._work, name, signal))

    def _work(self, name: str, signal: NDArray[np.float32]) -> None:
        try:
            measured = measure(signal, self._setup)
        finally:
            self._places.release()
        with self._lock:
            self._done[name] = measured
            if self._progress is not None:
                self._progress("judged", len(self._done), self._total)
