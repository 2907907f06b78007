"""The client against ``assay brain serve``, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from assay.brain import SimulationRequest
from assay.brain.client import AlphaFilter, BrainClient, Credentials, DataQuery, default_settings
from assay.config import BrainClientSettings, Secret

from ...service.brain_sim.conftest import PASSWORD, USER, Server, desk, start  # noqa: F401 - desk is a fixture

pytest.importorskip("fastapi", reason="needs the extra 'server'")

T = TypeVar("T")


@pytest.fixture(scope="module")
def server(desk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: F811
    log = tmp_path_factory.mktemp("log") / "log"
    faults = ("--fault-5xx", "0.05", "--fault-drop", "0.02", "--fault-429", "0.02", "--expire-after", "60")
    running = start(desk, log, "--memory", "--level", "consultant", *faults)
    yield running
    running.end()
    assert "Traceback" not in log.read_text()


def act(server: Server, work: Callable[[BrainClient], Awaitable[T]], **given: Any) -> T:
    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    async def run() -> T:
        settings = BrainClientSettings(base_url=server.url, concurrent=3, attempts=8)
        account = Credentials(Secret(USER), Secret(PASSWORD))
        async with BrainClient(settings, account, sleep=at_once, **given) as client:
            return await work(client)

    return asyncio.run(run())


def test_many_at_once_and_several_in_one_request(server: Server) -> None:
    async def work(client: BrainClient) -> None:
        settings = default_settings(await client.choices())

        def asked(days: int) -> SimulationRequest:
            return SimulationRequest(regular=f"rank(ts_mean(returns, {days}))", settings=settings)

        single = await asyncio.gather(*(client.simulate(asked(days)) for days in range(2, 12)))
        assert [one.status for (one,) in single] == ["COMPLETE"] * 10
        several = await client.simulate([asked(days) for days in (15, 12, 14, 13)])
        assert [one.regular for one in several] == [asked(days).regular for days in (15, 12, 14, 13)]
        alpha = await client.alpha(str(several[0].alpha))
        assert alpha.request_settings == settings
        day = timedelta(days=1)
        now = datetime.now(UTC)
        recent = await client.user_alphas(AlphaFilter(created_from=now - day, created_to=now + day))
        assert alpha.id in [one.id for one in recent]
        assert await client.user_alphas(AlphaFilter(created_to=now - day)) == ()
        named = await client.set_properties(alpha.id, name="kept", tags=["a"])
        assert (named.name, named.tags) == ("kept", ("a",))
        assert "daily-pnl" in await client.recordsets(alpha.id)
        assert (await client.correlations(alpha.id)).kind == "self"
        assert not [check for check in await client.check(alpha.id) if check.result == "PENDING"]
        assert client.quota.remaining is not None

    act(server, work)


def test_fields_and_operators(server: Server, tmp_path: Path) -> None:
    async def work(client: BrainClient) -> tuple[Any, Any]:
        wanted = DataQuery.of(default_settings(await client.choices()))
        return await client.data_fields(wanted), await client.operators()

    fields, operators = act(server, work, cache=tmp_path)
    assert "close" in {one.id for one in fields}
    assert len(operators) > 66
    assert act(server, work, cache=tmp_path) == (fields, operators)


def test_a_person_completes_the_sign_in_in_a_browser(desk: Path, tmp_path: Path) -> None:  # noqa: F811
    server = start(desk, tmp_path / "log", "--memory", "--persona")
    shown: list[str] = []

    def person(url: str) -> None:
        shown.append(url)
        page = httpx.get(url)
        assert "Complete the check" in page.text
        assert httpx.post(url.replace("/persona?", "/persona/complete?")).status_code == 200

    try:
        session = act(server, lambda client: client.login(), on_biometric=person)
    finally:
        server.end()
    assert session.user
    assert shown[0].startswith(f"{server.url}/authentication/persona?inquiry=")
