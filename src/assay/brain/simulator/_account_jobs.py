"""How simulations are computed: one by one where they are asked for, or in threads that go ahead."""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait


class Bench:
    """Does a piece of work for each number, in the order of the numbers.

    Parameters
    ----------
    work : what is done for a number; it keeps its own result. Where it raises, the number is worked on again
        when it is asked for again.
    workers : threads that work ahead. 0: nothing is done before it is asked for, so that what is at work
        at a moment depends on the requests alone.
    """

    def __init__(self, work: Callable[[int], None], workers: int) -> None:
        self._work = work
        self._pool = ThreadPoolExecutor(workers, "assay-brain") if workers else None
        self._futures: dict[int, Future[None]] = {}
        self._waiting: list[int] = []
        self._lock = threading.Lock()

    def add(self, number: int) -> None:
        """Take a number in."""
        with self._lock:
            if self._pool is None:
                insort(self._waiting, number)
            else:
                self._futures[number] = self._pool.submit(self._work, number)

    def settle(self, number: int, patience: float) -> bool:
        """Whether the work for a number is done; waits up to ``patience`` seconds for it.

        Without threads it is done now, after whatever comes before it.

        Raises
        ------
        Exception
            What the work raised; it is begun again.
        """
        with self._lock:
            if self._pool is None:
                while self._waiting and self._waiting[0] <= number:
                    self._work(self._waiting[0])
                    del self._waiting[0]
                return True
            future = self._futures.get(number)
        if future is None:
            return True
        wait((future,), timeout=patience)
        if not future.done() or future.cancelled():
            return False
        failed = future.exception()
        with self._lock:
            # of several that saw it fail, one begins it again
            if self._futures.get(number) is future:
                del self._futures[number]
                if failed is not None:
                    self._futures[number] = self._pool.submit(self._work, number)
        if failed is not None:
            raise failed
        return True

    def working(self, number: int) -> bool:
        """Whether the work for a number has begun."""
        with self._lock:
            future = self._futures.get(number)
        return future is not None and not future.cancelled() and (future.running() or future.done())

    def close(self) -> None:
        """Drop what has not begun; wait for what has."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
