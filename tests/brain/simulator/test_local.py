from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from assay.brain import (
    Alpha,
    Running,
    Simulation,
    SimulationRequest,
    SimulationSettings,
    SlotsFull,
    fault_of,
)
from assay.brain.simulator import (
    Account,
    FaultSettings,
    FaultyWire,
    LocalPlatform,
    LocalTransport,
    PassingTime,
    Request,
    Wire,
    local_platform,
)
from assay.config import (
    BrainClientSettings,
    BrainSettings,
    BrainSimulatorSettings,
    init_workspace,
    load_workspace,
)
from assay.errors import AssayError, ProviderQuotaExhausted, ProviderTransient, Refusal
from assay.market import simulate, write_dataset

from .wires import LOGIN, HandClock, market, panel, simulation, talk

GOOD = "-rank(ts_corr(close, volume, 20))"
CODES = [
    "rank(-ts_delta(close, 5))",
    GOOD,
    "rank(equity / cap)",
    "rank(ts_mean(returns, 10))",
    "rank(-volume)",
]


def platform(*, attempts: int = 4, **options: Any) -> LocalPlatform:
    changes = {
        name: options.pop(name)
        for name in ("level", "retry_after", "daily_simulations", "session_seconds")
        if name in options
    }
    settings = BrainSettings(
        client=BrainClientSettings(attempts=attempts),
        simulator=BrainSimulatorSettings(held_days=100, **changes),
    )
    return local_platform(None, panel(), settings, clock=HandClock(), **options)


def request(code: str, **settings: Any) -> SimulationRequest:
    return SimulationRequest(regular=code, settings=SimulationSettings(**settings))


def finish(desk: LocalPlatform, location: str) -> Simulation:
    while isinstance(found := desk.poll(location), Running):
        desk.wait(found.retry_after)
    return found


def run(desk: LocalPlatform, code: str, **settings: Any) -> Simulation:
    return finish(desk, desk.start([request(code, **settings)]))


def session(desk: LocalPlatform) -> list[Any]:
    """What a small search sees, slots kept full."""
    seen: list[Any] = []
    waiting = list(CODES)
    running: list[str] = []
    while waiting or running:
        while waiting:
            try:
                running.append(desk.start([request(waiting[0])]))
            except SlotsFull:
                break
            waiting.pop(0)
        ended = finish(desk, running.pop(0))
        assert ended.alpha is not None
        alpha = desk.alpha(ended.alpha)
        seen += [ended.regular, alpha.in_sample, desk.recordset(alpha.id, "daily-pnl").records]
        seen.append(desk.check(alpha.id))
    return seen


class TestPlatform:
    def test_a_simulation_that_nobody_polls_ends_all_the_same(self) -> None:
        with platform() as desk:
            desk.start([request(CODES[0])])
            assert desk.user_alphas() == ()
            desk.wait(1.0)
            (found,) = desk.user_alphas()
            assert found.regular is not None
            assert found.regular.code == CODES[0]

    def test_it_says_what_it_is(self) -> None:
        with platform() as desk:
            assert desk.name == "local:sim"
            assert desk.simulated
            assert desk.slots == 3
            assert len(desk.operators()) == 66
            assert "close" in {info.id for info in desk.data_fields()}
            assert desk.choices().regions == ("USA",)
            assert {info.id for info in desk.data_fields("pv1")} < {info.id for info in desk.data_fields()}
            assert desk.data_sets("price")

    def test_a_simulation_from_start_to_submission(self) -> None:
        with platform() as desk:
            location = desk.start([request(GOOD)])
            first = desk.poll(location)
            assert isinstance(first, Running)
            assert first.retry_after == 1.0
            ended = finish(desk, location)
            assert ended.status == "COMPLETE"
            assert ended.alpha is not None
            assert {check.result for check in desk.check(ended.alpha)} == {"PASS"}
            alpha: Alpha = desk.submit(ended.alpha)
            assert (alpha.status, alpha.stage) == ("ACTIVE", "OS")
            assert desk.user_alphas(status="ACTIVE") == (alpha,)
            other = run(desk, "-zscore(ts_corr(close, volume, 20))").alpha
            assert other is not None
            found = desk.correlations(other)
            assert found.max is not None
            assert found.max > 0.7
            assert [row["id"] for row in found.rows] == [alpha.id]
            with pytest.raises(Refusal, match="SELF_CORRELATION"):
                desk.submit(other)

    def test_an_error_of_the_code_is_a_result(self) -> None:
        with platform() as desk:
            ended = run(desk, "rank(clse)")
            assert ended.status == "ERROR"
            assert ended.message == 'Attempted to use unknown variable "clse"'
            assert ended.location is not None
            assert (ended.location.start, ended.location.end) == (5, 9)

    def test_several_at_once(self) -> None:
        with platform(level="consultant") as desk:
            parent = finish(desk, desk.start([request(code) for code in CODES]))
            assert [child.regular for child in desk.children(parent)] == CODES
            bad = finish(desk, desk.start([request(CODES[0]), request("clse")]))
            assert bad.status == "ERROR"
            assert [child.status for child in desk.children(bad)] == ["CANCELLED", "ERROR"]

    def test_slots_and_quota(self) -> None:
        with platform(daily_simulations=4) as desk:
            locations = [desk.start([request(code)]) for code in CODES[:3]]
            with pytest.raises(SlotsFull) as full:
                desk.start([request(CODES[3])])
            assert fault_of(full.value) == "passing"
            for location in locations:
                finish(desk, location)
            run(desk, CODES[3])
            assert desk.quota().remaining == 0
            with pytest.raises(ProviderQuotaExhausted) as over:
                desk.start([request(CODES[4])])
            assert fault_of(over.value) == "stop"

    def test_waiting_takes_no_time(self) -> None:
        clock = HandClock()
        desk = local_platform(None, panel(), BrainSettings(), clock=clock)
        before = desk.account.clock.now()
        desk.wait(7200.0)
        assert (desk.account.clock.now() - before).total_seconds() == 7200.0
        desk.close()

    def test_nothing_goes_over_a_socket(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with platform() as desk:

            def refuse(*_: Any, **__: Any) -> None:
                raise AssertionError("a socket was opened")

            monkeypatch.setattr(socket.socket, "connect", refuse)
            assert run(desk, CODES[0]).status == "COMPLETE"

    def test_the_server_extra_is_not_needed(self) -> None:
        script = (
            "import sys\n"
            "for name in ('fastapi', 'starlette', 'uvicorn'): sys.modules[name] = None\n"
            "from assay.brain.simulator import local_platform\n"
            "from assay.market import simulate\n"
            "with local_platform(None, simulate(7, 40, 400)) as desk:\n"
            "    print(len(desk.operators()))\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
        assert (done.stdout, done.stderr) == ("66\n", "")


class TestWorkspace:
    def test_the_account_is_kept_in_the_workspace(self, tmp_path: Path) -> None:
        init_workspace(tmp_path)
        toy = simulate(7, 40, 600, name="toy")
        write_dataset(toy.data, tmp_path / "data" / "toy")
        place = load_workspace(tmp_path)
        with local_platform(place, toy) as desk:
            location = desk.start([request(CODES[0])])
            with pytest.raises(Refusal, match="another process works on this account"):
                local_platform(place, toy)
        assert (tmp_path / "brain" / "account" / "toy" / "account.sqlite").is_file()
        # a killed session finds what it had started, and pays for it once
        with local_platform(place, toy) as again:
            assert finish(again, location).status == "COMPLETE"
            assert len(again.user_alphas()) == 1


class TestFaults:
    def test_a_session_under_faults_ends_as_a_clean_one(self) -> None:
        with platform() as desk:
            clean = session(desk)
            quick = desk.account.clock.now()
        faults = FaultSettings(error=0.05, drop=0.03, stale=0.03, throttle=0.02, slow=0.5, seed=4)
        with platform(faults=faults, session_requests=40, attempts=8) as desk:
            assert session(desk) == clean
            # there was something to wait for
            assert (desk.account.clock.now() - quick).total_seconds() > 10

    def test_a_session_that_expires_is_renewed(self) -> None:
        with platform(session_seconds=60.0) as desk:
            run(desk, CODES[0])
            desk.wait(3600.0)
            assert run(desk, CODES[1]).status == "COMPLETE"

    def test_what_does_not_pass_is_said_in_the_end(self) -> None:
        with platform(faults=FaultSettings(error=1.0)) as desk, pytest.raises(ProviderTransient) as error:
            desk.operators()
        assert fault_of(error.value) == "passing"

    def test_a_reply_slower_than_the_client_waits_for(self) -> None:
        with (
            platform(faults=FaultSettings(slow=31.0)) as desk,
            pytest.raises(ProviderTransient, match="30 s"),
        ):
            desk.operators()

    def test_equal_seeds_give_equal_faults(self) -> None:
        def statuses(seed: int) -> list[Any]:
            account = Account(market(), login=LOGIN, clock=HandClock())
            wire = FaultyWire(Wire(account), FaultSettings(error=0.3, drop=0.2, throttle=0.1, seed=seed))
            transport = LocalTransport(wire, PassingTime().sleep)
            seen: list[Any] = []

            async def ask() -> None:
                async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                    for _ in range(60):
                        try:
                            seen.append((await client.get("/authentication")).status_code)
                        except httpx.RemoteProtocolError:
                            seen.append("dropped")

            asyncio.run(ask())
            return seen

        assert statuses(1) == statuses(1) != statuses(2)
        assert {204, 429, 500, 502, 503, 504, "dropped"} == set(statuses(1))

    def test_half_of_what_is_dropped_was_done(self) -> None:
        desk = talk(concurrent=100)
        asked = Request(
            "POST",
            "/simulations",
            headers={"cookie": f"t={desk.cookie}"},
            body=json.dumps(simulation()).encode(),
        )
        wire = FaultyWire(desk.wire, FaultSettings(drop=1.0, seed=1))
        assert [wire.handle(asked).reply for _ in range(40)] == [None] * 40
        left = desk.account.simulations.quota().remaining
        assert left is not None
        assert 4970 <= left <= 4990

    @pytest.mark.parametrize(
        "wrong",
        [
            {"error": 1.1},
            {"drop": -0.1},
            {"stale": float("nan")},
            {"error": 0.6, "drop": 0.6},
            {"slow": -1.0},
        ],
    )
    def test_shares_that_cannot_be(self, wrong: dict[str, float]) -> None:
        with pytest.raises(AssayError):
            FaultSettings(**wrong)


class TestTransport:
    def test_replies_have_the_date_of_the_simulator(self) -> None:
        account = Account(market(), login=LOGIN, clock=HandClock())

        async def ask() -> httpx.Response:
            transport = LocalTransport(FaultyWire(Wire(account)))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost:99") as client:
                pair = (LOGIN.username, LOGIN.password.reveal())
                return await client.post("/authentication", auth=pair, content=b"")

        reply = asyncio.run(ask())
        assert reply.headers["date"] == "Mon, 02 Mar 2026 15:00:00 GMT"
        assert reply.cookies["t"]

    def test_a_body_that_is_too_large(self) -> None:
        account = Account(market(), login=LOGIN, clock=HandClock())

        async def ask() -> int:
            transport = LocalTransport(FaultyWire(Wire(account)))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return (await client.post("/simulations", content=b" " * (2**20 + 1))).status_code

        assert asyncio.run(ask()) == 413


def test_record_sets_and_correlations_that_are_not_ready_are_waited_for() -> None:
    with platform(faults=FaultSettings(pending=3)) as place, platform() as ready:
        name, same = (next_alpha(one) for one in (place, ready))
        assert name == same
        for kind in ("self", "prod"):
            assert place.correlations(name, kind) == ready.correlations(name, kind)
        assert place.recordset(name, "daily-pnl") == ready.recordset(name, "daily-pnl")
        # what does not exist is not waited for
        with pytest.raises(Refusal):
            place.recordset(name, "nothing")


def test_not_ready_comes_as_often_as_it_was_asked_for() -> None:
    desk = talk(retry_after=2.0)
    name = desk.run(GOOD)["alpha"]
    wire = FaultyWire(desk.wire, FaultSettings(pending=2))

    def look(path: str) -> tuple[int, bytes, dict[str, str]]:
        reply = wire.handle(Request("GET", path, "", {"cookie": f"t={desk.cookie}"})).reply
        assert reply is not None
        return reply.status, reply.body, dict(reply.headers)

    for path in (f"/alphas/{name}/recordsets/pnl", f"/alphas/{name}/correlations/self"):
        assert [look(path) for _ in range(2)] == [(200, b"", {"Retry-After": "2.0"})] * 2
        status, body, headers = look(path)
        assert (status, bool(body), "Retry-After" in headers) == (200, True, False)
    assert look(f"/alphas/{name}")[1] != b""
    assert look("/alphas/NONE/recordsets/pnl")[0] == 404


def next_alpha(place: LocalPlatform) -> str:
    location = place.start([SimulationRequest(regular=GOOD)])
    while isinstance(found := place.poll(location), Running):
        place.wait(found.retry_after)
    assert found.alpha is not None
    return found.alpha
