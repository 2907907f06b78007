"""The server over streamable HTTP: guard, limits, and many clients at once."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from mcp import Client

from .conftest import MODES, make_workspace
from .processes import HELLO, Served, served

CLIENTS, CALLS = 16, 12


@pytest.fixture(scope="module")
def server(tmp_path_factory, market, plan):
    root = make_workspace(tmp_path_factory.mktemp("http") / "desk", market, plan).root
    with served(root, "--data", "sim", "--rate", "100000") as running:
        yield running


def post(server: Served, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    sent = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    usual = {"Accept": "application/json, text/event-stream", **server.headers}
    return httpx.post(server.url, headers={**usual, **(headers or {})}, **{"json": sent, **more}, timeout=60)


def test_who_has_the_token_is_served(server: Served) -> None:
    assert post(server).status_code == 200


@pytest.mark.parametrize("token", ["", "Bearer wrong", "Basic x", "Bearer"])
def test_without_the_token_nobody_is(server: Served, token: str) -> None:
    answer = post(server, {"Authorization": token})
    assert (answer.status_code, answer.json()["reason"]) == (401, "unauthorized")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil:80"])
def test_a_foreign_host_is_turned_away(server: Served, host: str) -> None:
    answer = post(server, {"Host": host})
    assert (answer.status_code, answer.json()["reason"]) == (403, "foreign_host")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"])
def test_a_page_of_another_site_is_turned_away(server: Served, origin: str) -> None:
    answer = post(server, {"Origin": origin})
    assert (answer.status_code, answer.json()["reason"]) == (403, "foreign_origin")


def test_a_body_that_is_too_large_is_turned_away(server: Served) -> None:
    answer = post(server, json={"x": "y" * 2_000_000})
    assert (answer.status_code, answer.json()["reason"]) == (413, "body_too_large")


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"\xff", b"[" * 5000 + b"]" * 5000])
def test_a_body_that_is_no_message_is_a_fault_of_the_client(server: Served, body: bytes) -> None:
    usual = {"Content-Type": "application/json"}
    for version in ({}, {"MCP-Protocol-Version": "2026-07-28"}):
        answer = post(server, {**usual, **version}, json=None, content=body)
        assert 400 <= answer.status_code < 500
    assert post(server).status_code == 200


@pytest.mark.parametrize(
    ("body", "headers", "reason"),
    [
        (b"{nonsense", {}, "not_understood"),
        (b"[1, 2]", {}, "not_understood"),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', {}, "not_understood"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Mcp-Session-Id": "none"}, "bad_request"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Accept": "text/html"}, "bad_request"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"MCP-Protocol-Version": "2026-07-28"}, "bad_request"),
    ],
)
def test_what_the_transport_turns_away_has_a_reason(
    server: Served, body: bytes, headers: dict[str, str], reason: str
) -> None:
    answer = post(server, {"Content-Type": "application/json", **headers}, json=None, content=body)
    error = answer.json()["error"]
    assert 400 <= answer.status_code < 500
    assert (error["data"]["reason"], bool(error["data"]["fix"])) == (reason, True)
    assert "pydantic" not in answer.text


def test_it_is_bound_to_the_loopback_alone(server: Served) -> None:
    addresses = {item[4][0] for item in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        if not address.startswith("127."):
            with pytest.raises(OSError):
                socket.create_connection((address, server.port), timeout=5)


async def a_client(server: Served, number: int, mode: str) -> list[tuple[int, Any]]:
    """Calls of one client, each of which only it makes, and what came back."""
    async with httpx.AsyncClient(headers=server.headers, timeout=120) as http:
        transport = streamable_http_client(server.url, http_client=http)
        info = Implementation(name=f"client-{number}", version="1")
        async with Client(transport, mode=mode, client_info=info) as client:
            found = []
            for turn in range(CALLS):
                window = 2 + number * CALLS + turn
                answer = await client.call_tool(
                    "expression_explain", {"expression": f"ts_mean(close, {window})"}
                )
                found.append((window, answer.structured_content["lookback"]))
            scored = await client.call_tool(
                "factor_evaluate", {"expression": f"rank(ts_mean(volume, {2 + number}))"}
            )
            found.append((2 + number, scored.structured_content["fingerprint"]))
            return found


def test_sixteen_clients_at_once_lose_nothing_and_mix_nothing_up(server: Served, market) -> None:
    from assay.expr import parse
    from assay.ledger import Ledger

    async def all_at_once() -> list[list[tuple[int, Any]]]:
        modes = [MODES[number % 2] if number % 2 == 0 else "auto" for number in range(CLIENTS)]
        return await asyncio.gather(*(a_client(server, number, mode) for number, mode in enumerate(modes)))

    for found in asyncio.run(all_at_once()):
        *explained, (window, fingerprint) = found
        assert len(explained) == CALLS
        assert all(lookback == asked for asked, lookback in explained)
        assert fingerprint == parse(f"rank(ts_mean(volume, {window}))").fingerprint
    folder = Path(f"/proc/{server.process.pid}/cwd").resolve() / "ledger"
    ledger = Ledger.open(folder)
    ledger.verify(objects=True)
    assert ledger.trials().n == CLIENTS
    starts = [entry.body["operator"]["identifier"] for entry in ledger.entries(kind="run_start")]
    by_client = Counter(name.rpartition("/")[0] for name in starts)
    assert by_client == {f"client:client-{number}": 1 for number in range(CLIENTS)}


def test_a_client_that_vanishes_in_mid_call_leaves_the_others_alone(server: Served) -> None:
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"factor_evaluate",'
        b'"arguments":{"expression":"rank(ts_corr(close, volume, 33))"},'
        b'"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
        b'"io.modelcontextprotocol/clientCapabilities":{}}}}'
    )
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: factor_evaluate\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            gone.sendall(head + body)
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            gone.sendall(head + body[:40])
    assert post(server).status_code == 200
    found = asyncio.run(a_client(server, 40, "auto"))
    assert len(found) == CALLS + 1


def test_more_than_may_be_at_work_are_told_to_come_back(tmp_path: Path) -> None:
    with served(tmp_path, "--at-once", "2") as server:

        async def act() -> list[int]:
            sent = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
            usual = {"Accept": "application/json, text/event-stream", **server.headers}
            async with httpx.AsyncClient(headers=usual, timeout=60) as http:
                answers = await asyncio.gather(*(http.post(server.url, json=sent) for _ in range(40)))
            assert all(answer.headers.get("retry-after") for answer in answers if answer.status_code == 429)
            return [answer.status_code for answer in answers]

        codes = Counter(asyncio.run(act()))
        assert set(codes) == {200, 429}
        assert post(server).status_code == 200
