"""What is turned away before it is understood."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from assay.config import Secret
from assay.errors import AssayError
from assay.service import ServiceSettings, Tokens, serve
from assay.web import is_loopback

from .conftest import end, make_workspace, start

OK = {"expression": "$close"}


@pytest.fixture(scope="module")
def server(tmp_path_factory, source):
    folder = tmp_path_factory.mktemp("guard")
    running = start(make_workspace(folder / "desk", source), folder, "--rate", "100000")
    yield running
    end(running)


def test_without_a_token_nothing_but_health_is_told(server):
    with httpx.Client(base_url=server.url) as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}):
            for path in ("/backtest", "/test_expr", "/specs", "/none"):
                answer = client.post(path, json=OK, headers=headers)
                assert (answer.status_code, answer.json()["reason"]) == (401, "unauthorized")
                assert answer.headers["www-authenticate"] == "Bearer"
        token = server.search.headers["authorization"].removeprefix("Bearer ")
        for wrong in (token[:-1], token + "x", token.swapcase()):
            answer = client.post("/test_expr", json=OK, headers={"Authorization": f"Bearer {wrong}"})
            assert answer.status_code == 401
        assert set(client.get("/health").json()) == {"status", "version"}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8001", "127.0.0.1.evil.example", "", "localhost.evil"]
)
def test_a_foreign_host_is_turned_away(server, host):
    for path in ("/health", "/test_expr"):
        answer = server.search.post(path, json=OK, headers={"Host": host})
        assert (answer.status_code, answer.json()["reason"]) == (403, "foreign_host")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://x", "http://["]
)
def test_a_page_of_another_site_is_turned_away(server, origin):
    answer = server.search.post("/test_expr", json=OK, headers={"Origin": origin})
    assert (answer.status_code, answer.json()["reason"]) == (403, "foreign_origin")
    own = server.search.post("/test_expr", json=OK, headers={"Origin": server.url})
    assert own.status_code == 200


def test_large_bodies_are_not_read(server):
    big = b'{"expression": "' + b"x" * 70_000 + b'"}'
    whole = server.search.post("/test_expr", content=big)
    pieces = server.search.post("/test_expr", content=(big[k : k + 1000] for k in range(0, len(big), 1000)))
    for answer in (whole, pieces):
        assert (answer.status_code, answer.json()["reason"]) == (413, "body_too_large")


def test_slow_and_broken_bodies_keep_nobody_else_waiting(server):
    host, port = server.url.removeprefix("http://").split(":")
    head = f"POST /test_expr HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n"
    head += f"Authorization: {server.search.headers['authorization']}\r\n\r\n{{"
    waiting = [socket.create_connection((host, int(port))) for _ in range(20)]
    try:
        for connection in waiting:
            connection.sendall(head.encode())
        assert server.search.post("/test_expr", json=OK).status_code == 200
        waiting[0].settimeout(60)
        assert waiting[0].recv(4096).startswith(b"HTTP/1.1 408")
    finally:
        for connection in waiting:
            connection.close()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 30_000, b"\xff\xfe", b'{"expression": NaN}', b'"\\ud800"']
)
def test_bodies_that_are_no_request(server, content):
    answer = server.search.post("/test_expr", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["reason"] == "bad_request"


@pytest.mark.parametrize(
    "content",
    [b'{"expression": "$close", "expression": "$open"}', b'{"x": [{"expression": 1, "expression": 1}]}'],
)
def test_a_key_that_is_given_twice_is_named(server, content):
    answer = server.search.post("/test_expr", content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request")
    assert answer.json()["details"]["problems"] == [
        {"where": "body", "message": "'expression' is given twice"}
    ]


def test_a_body_that_is_not_announced_as_json_is_told_how(server):
    answer = server.search.post("/test_expr", content=b'{"expression": "$close"}')
    assert answer.status_code == 422
    assert answer.json()["details"]["problems"][0] == {
        "where": "header Content-Type",
        "message": "send application/json",
    }


def test_side_by_side_each_gets_its_own_answer(server):
    windows = range(2, 6)

    def ask(window: int) -> int:
        answer = server.search.post("/test_expr", json={"expression": f"TS_MEAN($close, {window})"})
        return int(answer.json()["lookback"])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, windows)) == list(windows)


def test_another_address_than_the_loopback_needs_a_word(tmp_path: Path):
    settings = ServiceSettings(data=tmp_path, tokens=Tokens({"search": Secret("x" * 40)}))
    with pytest.raises(AssayError, match="not the loopback"):
        serve(settings, host="0.0.0.0", port=1)
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")


def test_a_head_that_never_ends_is_not_waited_for(server):
    host, port = server.url.removeprefix("http://").split(":")
    silent, slow = (socket.create_connection((host, int(port)), timeout=60) for _ in range(2))
    with silent, slow:
        slow.sendall(b"POST /test_expr HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Part: ")
        assert silent.recv(1) == b""
        assert slow.recv(1) == b""
    assert server.search.get("/health").status_code == 200
