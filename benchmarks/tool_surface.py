"""What the tool surface costs: calls in process, the start over pipes, clients over HTTP, memory.

    python benchmarks/tool_surface.py                     about a minute
    python benchmarks/tool_surface.py --calls 100000      memory over so many calls; some minutes more

Prints Markdown. Calls in process go to the registry itself, and once more through the official client, which
checks every result against its schema. The market is the simulated one, 100 stocks over 750 days.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from assay.base import Operator
from assay.config import init_workspace
from assay.mcp import build_server, surface
from assay.tools import Caller, Ok, Registry
from assay.web import new_token, write_token
from mcp import Client, StdioServerParameters

COMMAND = (sys.executable, "-c", "import sys; from assay.cli import main; sys.exit(main(sys.argv[1:]))")
CLIENTS, EACH, REPEATS, STARTS = 16, 25, 200, 5
CALLS: tuple[tuple[str, str, dict[str, Any], float], ...] = (
    ("features.list", "features.list", {}, 5.0),
    ("writing.list_notes", "writing.list_notes", {}, 5.0),
    ("writing.get_note", "writing.get_note", {"slug": "walk-forward-without-leakage"}, 5.0),
    ("data.describe", "data.describe", {}, 5.0),
    ("refusal: a bad formula", "factor.evaluate", {"expression": "rank("}, 2.0),
    ("refusal: bad arguments", "factor.evaluate", {"expression": "close", "horizon": 0}, 2.0),
    ("refusal: no such run", "run.status", {"run": "none"}, 2.0),
)
MINING = {
    "inputs": ["close", "open", "high", "low", "volume", "amount"],
    "target": "fwd_ret_5",
    "n_candidates": 2000,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=2_000, help="calls over which memory is held")
    options = parser.parse_args()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}"
    )
    with tempfile.TemporaryDirectory() as folder:
        # a new workspace has two published notes; what is searched is the simulated market
        registry = surface(init_workspace(Path(folder) / "desk"))
        in_process(registry)
        starts()
        over_http()
        memory(registry, options.calls)


def timed(action: Callable[[], Any], repeats: int = REPEATS) -> list[float]:
    """Milliseconds of each of ``repeats`` runs, after one that is not counted."""
    action()
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        found.append((time.perf_counter() - start) * 1e3)
    return found


def in_process(registry: Registry) -> None:
    caller = Caller(Operator.agent("benchmark", "1"))
    known = {tool.id for tool in registry.tools()}
    print("\n| call | registry, median ms | p95 | by the client, median ms | bound |\n|---|---|---|---|---|")
    for label, tool, sent, bound in CALLS:
        if tool in known:
            assert bool(label.startswith("refusal")) != isinstance(registry.call(tool, sent, caller), Ok), (
                label
            )
            direct = timed(lambda tool=tool, sent=sent: registry.call(tool, sent, caller))
            wire = asyncio.run(through_client(registry, tool, sent))
            print(f"| {label} | {median(direct)} | {p95(direct)} | {median(wire)} | {bound:g} |")
    if "discovery.factor_mining" in known:
        seconds = timed(lambda: registry.call("discovery.factor_mining", MINING, caller), 1)[0] / 1e3
        print(f"\ndiscovery.factor_mining, 2,000 candidates on this market: {seconds:.1f} s")


async def through_client(registry: Registry, tool: str, sent: dict[str, Any]) -> list[float]:
    found = []
    async with Client(build_server(registry)) as client:
        for _ in range(REPEATS // 2):
            start = time.perf_counter()
            await client.call_tool(tool.replace(".", "_"), sent)
            found.append((time.perf_counter() - start) * 1e3)
    return found[1:]


def median(values: list[float]) -> str:
    return f"{statistics.median(values):.2f}"


def p95(values: list[float]) -> str:
    return f"{statistics.quantiles(values, n=20)[-1]:.2f}"


def starts() -> None:
    """From the start of the process to the answer to tools/list, spoken by hand and by the client."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
    lines = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    )
    sent = "".join(json.dumps(line) + "\n" for line in lines).encode()
    wall, cpu = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(STARTS):
            before, start = used(), time.perf_counter()
            with subprocess.Popen(
                [*COMMAND, "mcp", "serve"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ) as process:  # fmt: skip
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(sent)
                process.stdin.flush()
                answers = [json.loads(process.stdout.readline()) for _ in range(2)]
                wall.append(time.perf_counter() - start)
                assert answers[1]["result"]["tools"]
                process.stdin.close()
            cpu.append(used() - before)
        parameters = StdioServerParameters(
            command=COMMAND[0], args=[*COMMAND[1:], "mcp", "serve"], cwd=folder
        )
        client = asyncio.run(listed(parameters))
    print(
        f"\nstart to first tools/list over pipes: median {statistics.median(wall):.2f} s, "
        f"best {min(wall):.2f} s, "
        f"CPU {statistics.median(cpu):.2f} s; by the official client {client:.2f} s (bound 2 s)"
    )


def used() -> float:
    """CPU seconds of the children that have ended."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


async def listed(parameters: StdioServerParameters) -> float:
    """Seconds until the official client has the list; to end the process takes it more."""
    start = time.perf_counter()
    async with Client(parameters) as client:
        await client.list_tools()
        return time.perf_counter() - start


@contextmanager
def serving() -> Iterator[tuple[str, dict[str, str]]]:
    """A server over HTTP: its address, and the headers that it wants."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), 8793
        token = new_token()
        write_token(folder / "token", token)
        command = [*COMMAND, "mcp", "serve", "--http", "--port", str(port), "--token-file", "token"]
        with subprocess.Popen(
            [*command, "--rate", "1000000"], cwd=folder, stdout=subprocess.DEVNULL
        ) as process:
            url = f"http://127.0.0.1:{port}/mcp"
            while True:
                try:
                    httpx.get(url)
                except httpx.ConnectError:
                    time.sleep(0.05)
                else:
                    break
            yield url, {"Authorization": f"Bearer {token}"}
            process.terminate()


def over_http() -> None:
    """Clients at once: each asks what only it asks, and looks at what comes back."""
    with serving() as (url, headers):

        async def one(number: int) -> list[float]:
            async with httpx.AsyncClient(headers=headers, timeout=120) as http:
                info = Implementation(name=f"client-{number}", version="1")
                transport = streamable_http_client(url, http_client=http)
                async with Client(transport, client_info=info) as client:
                    found = []
                    for call in range(EACH):
                        window = 2 + number * EACH + call
                        start = time.perf_counter()
                        answer = await client.call_tool(
                            "expression_explain", {"expression": f"ts_mean(close, {window})"}
                        )
                        found.append((time.perf_counter() - start) * 1e3)
                        assert answer.structured_content is not None
                        assert answer.structured_content["lookback"] == window, "mixed up"
                    return found

        async def all_of_them() -> list[list[float]]:
            return await asyncio.gather(*(one(number) for number in range(CLIENTS)))

        asyncio.run(one(CLIENTS))  # opens the market
        start = time.perf_counter()
        found = [value for values in asyncio.run(all_of_them()) for value in values]
        seconds = time.perf_counter() - start
    print(
        f"\n{CLIENTS} clients at once over HTTP, {EACH} calls each: {len(found)} of {CLIENTS * EACH} "
        f"answered, none "
        f"mixed up; {len(found) / seconds:.0f} calls/s, median {median(found)} ms, p95 {p95(found)} ms"
    )


def memory(registry: Registry, calls: int) -> None:
    async def act() -> list[int]:
        async with Client(build_server(registry)) as client:
            sizes = []
            for call in range(calls + 1):
                if call % max(1, calls // 5) == 0:
                    sizes.append(resident())
                await client.call_tool("expression_check", {"expression": f"ts_mean(close, {call % 900 + 2}"})
            return sizes

    sizes = asyncio.run(act())
    shown = ", ".join(f"{size / 2**20:.1f}" for size in sizes)
    print(f"\nmemory over {calls:,} calls, each fifth of them: {shown} MiB")


def resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    main()
