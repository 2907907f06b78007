from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Workers(Generic[T]):
    """Runs jobs beside whoever hands them in; at most ``threads + 1`` wait, because each holds a whole panel.

    With one thread jobs run where they are handed in. Which thread runs a job changes nothing in its result.
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._places = BoundedSemaphore(threads + 1)
        self._pending: dict[str, Future[T]] = {}
        self._done: dict[str, T] = {}

    def __enter__(self) -> Workers[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=kind is not None)

    def submit(self, name: str, job: Callable[[], T]) -> None:
        """Run a job, now or soon."""
        if self._pool is None:
            self._done[name] = job()
            return
        self._places.acquire()
        future = self._pool.submit(job)
        future.add_done_callback(lambda _: self._places.release())
        self._pending[name] = future

    def results(self) -> dict[str, T]:
        """All results by name; the first error is raised."""
        return {**self._done, **{name: future.result() for name, future in self._pending.items()}}
