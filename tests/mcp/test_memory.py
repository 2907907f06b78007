"""Many calls leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import resource
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from mcp_types import Implementation

from assay.mcp import Callers
from assay.mcp._callers import MOST_CLIENTS
from mcp import Client, MCPError

from .conftest import MODES, talk

WARM, SAMPLE, ALL = 300, 2_000, 100_000
LIMIT = 12 * 1024 * 1024
"""Bytes: what the allocator may keep. A leak of a hundred bytes a call would be 10 MB in the long run."""


MOST_A_CLIENT = 4096
"""Bytes that may stay of a client that came and went: its name and identity, up to a bound of clients."""


def resident() -> int:
    """Bytes of memory that the process has."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def make_calls(client: Client, number: int) -> None:
    """Calls that work, that are refused, that are none, with names and windows that never come again."""
    for call in range(number):
        kind = call % 5
        if kind == 0:
            answer = await client.call_tool(
                "expression_check", {"expression": f"ts_mean(close, {call % 900 + 2})"}
            )
            assert not answer.is_error
        elif kind == 1:
            answer = await client.call_tool("factor_evaluate", {"expression": f"nothing_{call}("})
            assert answer.meta["reason"] == "bad_expression"
        elif kind == 2:
            answer = await client.call_tool("run_status", {"run": f"r-{call}"})
            assert answer.meta["reason"] == "unknown_run"
        elif kind == 3:
            with pytest.raises(MCPError):
                await client.call_tool(f"nothing_{call}", {})
        else:
            assert not (await client.call_tool("data_describe", {})).is_error


def grown(server: Any, mode: str, number: int) -> int:
    async def act(client: Client) -> int:
        await make_calls(client, WARM)
        before = resident()
        await make_calls(client, number)
        return resident() - before

    return int(talk(server, act, mode))


@pytest.mark.parametrize("mode", MODES)
def test_memory_is_flat_over_a_sample_of_calls(server, mode: str) -> None:
    assert grown(server, mode, SAMPLE) < LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_memory_is_flat_over_all_calls(server, mode: str) -> None:
    assert grown(server, mode, ALL) < LIMIT


def test_clients_that_come_and_go_leave_nothing(server) -> None:
    async def visit(number: int) -> None:
        info = Implementation(name=f"client-{number}" * 3, version=str(number))
        async with Client(server, client_info=info) as client:
            await client.call_tool("run_list", {})

    async def visits(first: int, last: int) -> None:
        for number in range(first, last):
            await visit(number)

    asyncio.run(visits(0, 50))
    # what Python holds: the size of the process also tells of the tests that ran in it before
    tracemalloc.start()
    try:
        asyncio.run(visits(50, 100))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        asyncio.run(visits(100, 300))
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 200 * MOST_A_CLIENT
    finally:
        tracemalloc.stop()


def test_names_that_clients_give_themselves_are_kept_up_to_a_bound() -> None:
    callers = Callers()
    first = callers.of(Implementation(name="first", version="1"))
    for number in range(MOST_CLIENTS - 1):
        callers.of(Implementation(name=f"client-{number}", version="1"))
    assert callers.of(Implementation(name="first", version="1")) == first
    for number in range(2 * MOST_CLIENTS):
        callers.of(Implementation(name=f"other-{number}", version="1"))
    assert callers.of(Implementation(name="first", version="1")) != first
