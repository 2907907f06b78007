from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from assay.base._optional import require
from assay.errors import AssayError

T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Runs a function over items and gives the results in the items' order."""

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Results in the order of ``items``; the first error is raised and the rest is abandoned."""
        ...


class SerialExecutor:
    """One item after the other, in the calling thread."""

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        return [function(item) for item in items]


class ThreadExecutor:
    """A pool of threads; worthwhile where the work releases the GIL (kernels, sorting, IO)."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(function, items))


class ProcessExecutor:
    """A pool of processes started by ``forkserver``: forking a process that has threads can deadlock."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(self.workers, mp_context=get_context("forkserver")) as pool:
            return list(pool.map(function, items))


class RayExecutor:
    """Tasks on a Ray cluster (extra ``ray``)."""

    def __init__(self, workers: int) -> None:
        self._ray = require("ray", extra="ray")
        if not self._ray.is_initialized():
            self._ray.init(num_cpus=workers, include_dashboard=False)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        task = self._ray.remote(function)
        results: list[R] = self._ray.get([task.remote(item) for item in items])
        return results


def make_executor(kind: str = "threads", workers: int = 1) -> Executor:
    """An executor by name: ``serial``, ``threads``, ``processes`` or ``ray``.

    Raises
    ------
    AssayError
        The name is not one of the four, or ``workers`` is below 1.
    """
    if workers < 1:
        raise AssayError(f"workers is {workers}", fix="give at least 1 worker")
    if kind == "serial" or (kind == "threads" and workers == 1):
        return SerialExecutor()
    known: dict[str, Callable[[int], Executor]] = {
        "threads": ThreadExecutor,
        "processes": ProcessExecutor,
        "ray": RayExecutor,
    }
    if kind not in known:
        raise AssayError(f"no executor is named {kind!r}", fix="use serial, threads, processes or ray")
    return known[kind](workers)
