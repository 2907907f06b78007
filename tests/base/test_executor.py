from __future__ import annotations

import importlib.util
import math
import threading

import pytest

from assay.base import Executor, SerialExecutor, ThreadExecutor, check_id, make_executor
from assay.errors import AssayError

KINDS = ["serial", "threads", "processes"]


@pytest.mark.parametrize("kind", KINDS)
def test_results_come_in_the_order_of_the_items(kind: str) -> None:
    executor: Executor = make_executor(kind, workers=2)
    assert executor.map(math.factorial, iter(range(20))) == [math.factorial(n) for n in range(20)]
    assert executor.map(math.factorial, []) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_error_is_handed_over_whole(kind: str) -> None:
    with pytest.raises(AssayError) as caught:
        make_executor(kind, workers=2).map(check_id, ["a", "b", "No 3", "No 4"])
    assert caught.value.message == "'No 3' cannot be a name"
    assert caught.value.where == "name"
    assert caught.value.fix


def test_threads_work_at_the_same_time() -> None:
    barrier = threading.Barrier(2, timeout=10)

    def meet(_: int) -> int:
        return barrier.wait()

    assert sorted(ThreadExecutor(2).map(meet, range(2))) == [0, 1]


def test_one_thread_needs_no_pool() -> None:
    assert isinstance(make_executor("threads", 1), SerialExecutor)


@pytest.mark.parametrize(("kind", "workers"), [("thread", 2), ("", 1), ("threads", 0), ("serial", -1)])
def test_bad_choices_are_refused(kind: str, workers: int) -> None:
    with pytest.raises(AssayError) as caught:
        make_executor(kind, workers)
    assert caught.value.fix


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="ray is installed")
def test_an_absent_ray_names_its_extra() -> None:
    with pytest.raises(AssayError, match="'ray'") as caught:
        make_executor("ray", 2)
    assert caught.value.fix == "pip install 'alpha-assay[ray]'"
