"""A workspace with a simulated data set, the surface on it, and toys that break on purpose."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp.server.lowlevel import Server

from assay.base import Operator
from assay.config import PeriodPlan, Workspace, init_workspace, load_workspace, propose_plan
from assay.market import Panel, simulate, write_dataset
from assay.mcp import build_server, surface
from assay.tools import Caller, Registry
from mcp import Client

AGENT = Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "small-1")
MODES = ("legacy", "2026-07-28")


class StillClock:
    """A clock that stands."""

    def now(self) -> datetime:
        return datetime(2022, 2, 22, tzinfo=UTC)


@pytest.fixture(scope="session")
def market() -> Panel:
    return simulate(instruments=30, days=400, name="sim")


@pytest.fixture(scope="session")
def plan(market: Panel) -> PeriodPlan:
    return propose_plan(market.dates, (5, 20))


def make_workspace(root: Path, market: Panel, plan: PeriodPlan) -> Workspace:
    """A workspace with the data set ``sim``."""
    made = init_workspace(root, plans={"sim": plan})
    write_dataset(market.data, made.data_dir / "sim")
    return load_workspace(root)


@pytest.fixture
def workspace(tmp_path: Path, market: Panel, plan: PeriodPlan) -> Workspace:
    return make_workspace(tmp_path / "desk", market, plan)


@pytest.fixture(scope="session")
def registry(tmp_path_factory, market: Panel, plan: PeriodPlan) -> Registry:
    """The surface on a workspace that all tests of a session share."""
    made = make_workspace(tmp_path_factory.mktemp("shared") / "desk", market, plan)
    return surface(made, made.data_dir / "sim")


@pytest.fixture(scope="session")
def server(registry: Registry) -> Server[Any]:
    return build_server(registry)


@pytest.fixture
def caller() -> Caller:
    return Caller(AGENT)


def talk(server: Any, act: Callable[[Client], Awaitable[Any]], mode: str = MODES[0]) -> Any:
    """What ``act`` gives, done with the official client."""

    async def main() -> Any:
        async with Client(server, mode=mode) as client:
            return await act(client)

    return asyncio.run(main())
