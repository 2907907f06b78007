from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from assay.brain import Platform, SimulationRequest
from assay.brain.client import BlockingClient, BrainClient
from assay.errors import ProviderQuotaExhausted, Refusal

from .conftest import Desk
from .server import Answer, alpha, page, refused, simulation


@pytest.fixture
def blocking(desk: Desk) -> Iterator[BlockingClient]:
    with BlockingClient(desk.client(concurrent=5), "BRAIN", simulated=False) as made:
        yield made


def test_it_is_a_platform(desk: Desk, blocking: BlockingClient) -> None:
    platform: Platform = blocking
    assert (platform.name, platform.simulated, platform.slots) == ("BRAIN", False, 5)
    desk.platform.on("POST", "/simulations", Answer(b"", 201, {"Location": "/simulations/S1"}))
    desk.platform.on("GET", "/simulations/S1", Answer(simulation("S1", "rank(close)", alpha="A1")))
    desk.platform.on("GET", "/alphas/A1", Answer(alpha("A1")))
    desk.platform.on("GET", "/users/self/alphas", page([alpha("A1")]))
    location = platform.start([SimulationRequest(regular="rank(close)")])
    assert getattr(platform.poll(location), "alpha", None) == "A1"
    assert platform.alpha("A1").id == "A1"
    assert [one.id for one in platform.user_alphas(status="UNSUBMITTED", limit=1)] == ["A1"]
    assert platform.quota().remaining is None


def test_waiting_is_by_the_clients_clock(desk: Desk, blocking: BlockingClient) -> None:
    blocking.wait(7.5)
    assert desk.time.slept == [7.5]


def test_fields_are_those_of_the_default_settings(desk: Desk, blocking: BlockingClient) -> None:
    desk.platform.on("GET", "/data-fields", page([{"id": "close"}]))
    assert blocking.data_fields("pv1", "clo")[0].id == "close"
    assert "region=USA" in desk.platform.asked("GET", "/data-fields")[0].query


def test_errors_come_through_as_they_are(blocking: BlockingClient) -> None:
    with pytest.raises(Refusal) as caught:
        blocking.user_alphas(status="INDUSTRY")
    assert caught.value.reason.code == "bad_settings"


def test_it_can_be_called_where_a_loop_runs_already(desk: Desk, blocking: BlockingClient) -> None:
    desk.platform.on("GET", "/alphas/A1", Answer(alpha("A1")))

    async def inside() -> Any:
        return blocking.alpha("A1").id

    assert asyncio.run(inside()) == "A1"


def test_closing_ends_thread_and_connections_and_may_be_done_twice(desk: Desk) -> None:
    before = set(threading.enumerate())
    made = BlockingClient(desk.client(), "BRAIN", simulated=False)
    (thread,) = {one for one in set(threading.enumerate()) - before if one.name == "platform BRAIN"}
    made.close()
    made.close()
    assert not thread.is_alive()


def test_an_interrupted_caller_leaves_no_request_behind(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def endless(seconds: float) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    client: BrainClient = desk.client(sleep=endless)

    class Interrupted:
        """A future whose waiter is interrupted once the work has begun."""

        def __init__(self, future: Any) -> None:
            self._future = future

        def result(self) -> Any:
            assert begun.wait(10)
            raise KeyboardInterrupt

        def cancel(self) -> None:
            self._future.cancel()

    with BlockingClient(client, "BRAIN", simulated=False) as made:
        submit = asyncio.run_coroutine_threadsafe
        with monkeypatch.context() as patch:
            patch.setattr(asyncio, "run_coroutine_threadsafe", lambda *given: Interrupted(submit(*given)))
            with pytest.raises(KeyboardInterrupt):
                made.wait(1)
        assert ended.wait(10)


def test_a_quota_that_is_used_up_begins_no_further_simulation(desk: Desk, blocking: BlockingClient) -> None:
    desk.platform.on("POST", "/simulations", refused(429, "SIMULATION_LIMIT_EXCEEDED"))
    heard: dict[int, Any] = {}
    groups = [[SimulationRequest(regular=f"rank(close + {place})")] for place in range(20)]
    blocking.simulate_all(groups, heard.__setitem__)
    assert set(heard) == set(range(20))
    assert {type(error) for error in heard.values()} == {ProviderQuotaExhausted}
    assert len(desk.platform.asked("POST", "/simulations")) <= blocking.slots
