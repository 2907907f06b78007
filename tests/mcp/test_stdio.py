"""The server as a process of its own, on pipes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcp import StdioServerParameters

from .conftest import MODES, talk
from .processes import START, piped


@pytest.fixture(scope="module")
def desk(tmp_path_factory, market, plan) -> Path:
    from .conftest import make_workspace

    return make_workspace(tmp_path_factory.mktemp("stdio") / "desk", market, plan).root


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_starts_it_and_is_served(desk: Path, mode: str) -> None:
    parameters = StdioServerParameters(
        command=START[0], args=[*START[1:], "serve", "--data", "sim"], cwd=str(desk)
    )

    async def act(client):
        tools = (await client.list_tools()).tools
        described = await client.call_tool("data_describe", {})
        refused = await client.call_tool("factor_evaluate", {"expression": "rank("})
        scored = await client.call_tool("factor_evaluate", {"expression": "-ts_return(close, 5)"})
        return tools, described, refused, scored, await client.call_tool("ledger_counts", {})

    tools, described, refused, scored, counts = talk(parameters, act, mode)
    assert "data_describe" in {tool.name for tool in tools}
    assert described.structured_content["name"] == "sim"
    assert refused.meta["reason"] == "bad_expression"
    assert scored.structured_content["days"] > 100
    assert counts.structured_content["trials"] == 1


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    """A tool that prints, a library that prints, a child that prints: all of it goes to standard error."""
    script = """
import os, subprocess, sys
from pydantic import Field
from assay.mcp import build_server, serve_stdio
from assay.tools import Arguments, Registry, Result, Tool
class Nothing(Arguments): pass
class Said(Result):
    text: str
def loud(arguments, context):
    print("printed"); os.write(1, b"written"); subprocess.run(["echo", "echoed"])
    return Said(text=sys.stdin.readline())
serve_stdio(build_server(Registry([Tool("toy.loud", "Loud.", Nothing, Said, (), loud)])))
"""
    with piped(tmp_path, script=script) as server:
        server.hello()
        answer = server.ask("tools/call", {"name": "toy_loud", "arguments": {}})
        assert answer["result"]["structuredContent"] == {"text": ""}
        assert server.close() == 0
    noise = (tmp_path / "stderr.txt").read_text()
    assert all(word in noise for word in ("printed", "written", "echoed"))


def test_lines_that_are_no_message_are_answered_as_such(tmp_path: Path) -> None:
    deep = '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x","arguments":'
    deep += '{"a":' * 300 + "1" + "}" * 302
    with piped(tmp_path) as server:
        server.hello()
        for line, number, code in (
            (b"{nonsense", None, -32700),
            (b"[1, 2]", None, -32700),
            (b'{"jsonrpc":"2.0","id":4}', 4, -32600),
            (b"\xff\xfe\x00", None, -32700),
            (b'"' + b"x" * 5_000_000 + b'"', None, -32700),
            (deep.encode(), 9, -32600),
            # what cannot be an id: half of a surrogate pair, and all that is neither a whole number nor text
            (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, -32700),
            *(
                (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % odd, None, -32700)
                for odd in (b"null", b"true", b"1.5", b"1e400", b"NaN", b"[]", b"{}", b"9" * 5000)
            ),
        ):
            server.write(line)
            answer = server.read()
            assert (answer["id"], answer["error"]["code"]) == (number, code), line[:80]
            assert answer["error"]["data"]["reason"] == "not_understood"
        unknown = server.ask("tools/none", number=6)["error"]
        assert (unknown["code"], unknown["data"]["reason"]) == (-32601, "unknown_method")
        server.write(b"")  # a blank line says nothing
        assert server.ask("ping", number=5)["result"] == {}
        assert server.close() == 0


@pytest.mark.parametrize("ending", ["stdin", "stdout", "both"])
def test_a_client_that_goes_away_ends_it(tmp_path: Path, ending: str) -> None:
    with piped(tmp_path) as server:
        server.hello()
        assert server.process.stdin is not None
        assert server.process.stdout is not None
        if ending != "stdin":
            server.process.stdout.close()
            server.send("tools/list", number=1)
        if ending != "stdout":
            server.process.stdin.close()
        assert server.process.wait(60) == 0
    assert "Traceback" not in (tmp_path / "stderr.txt").read_text()


def test_a_client_that_goes_away_in_mid_call_leaves_the_trial_whole(desk: Path) -> None:
    from assay.ledger import Ledger

    before = Ledger.open(desk / "ledger").trials().n if (desk / "ledger").exists() else 0
    with piped(desk, "--data", "sim") as server:
        server.hello()
        server.ask("tools/call", {"name": "data_describe", "arguments": {}}, 1)
        sent = {"name": "factor_evaluate", "arguments": {"expression": "rank(ts_mean(volume, 17))"}}
        server.send("tools/call", sent, 2)
        server.ask("ping", number=3)  # the call before it has been taken up
        server.process.stdout.close()
        server.process.stdin.close()
        assert server.process.wait(120) == 0
    ledger = Ledger.open(desk / "ledger")
    ledger.verify(objects=True)
    assert ledger.torn() is None
    assert ledger.trials().n in (before, before + 1)


def test_sigterm_ends_it_while_the_client_is_silent(tmp_path: Path) -> None:
    with piped(tmp_path) as server:
        server.hello()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 143


def test_neither_data_nor_compiler_is_loaded_for_the_list() -> None:
    script = """
import asyncio, json, sys
from mcp import Client
from assay.mcp import Attached, LateOffer, build_server, catalogued
async def main():
    async with Client(build_server(LateOffer(catalogued(), Attached().open))) as client:
        await client.list_tools()
        slow = ("numba", "pandas", "polars", "matplotlib", "scipy", "fastapi", "assay.market")
        print(json.dumps([name for name in slow if name in sys.modules]))
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=120)
    assert json.loads(done.stdout) == []
