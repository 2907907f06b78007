"""What stands in front of every face over HTTP, by itself."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay.config import Secret
from assay.errors import AssayError
from assay.web import (
    LOOPBACK,
    Bucket,
    Guard,
    Tokens,
    check_loopback,
    is_loopback,
    new_token,
    read_token,
    write_token,
)
from assay.web._guard import _host

TOKEN = "t" * 40


@dataclass
class Settings:
    """What is let pass."""

    tokens: Tokens = field(default_factory=lambda: Tokens({"agent": Secret(TOKEN)}))
    hosts: tuple[str, ...] = LOOPBACK
    rate: int = 60
    body_limit: int = 100
    body_seconds: float = 5.0


def ask(headers: dict[str, str], body: bytes = b"{}", **more: Any) -> tuple[int, dict[str, str]]:
    """The status, and the headers that the application behind the guard has seen."""
    seen: dict[str, str] = {}
    status: list[int] = []
    sent = {"host": "127.0.0.1:80", "authorization": f"Bearer {TOKEN}", **headers}
    scope = {
        "type": "http", "path": "/", "method": "POST", **more,
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }  # fmt: skip

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        seen.update({name.decode(): value.decode() for name, value in scope["headers"]})
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])

    asyncio.run(Guard(inside, Settings(), open_paths=("/open",))(scope, receive, send))
    return status[0], seen


def test_space_around_a_header_is_no_part_of_it() -> None:
    status, seen = ask({"mcp-name": "  data_describe\t", "host": " localhost "})
    assert (status, seen["mcp-name"], seen["host"]) == (200, "data_describe", "localhost")


@pytest.mark.parametrize(
    ("headers", "more", "status"),
    [
        ({}, {}, 200),
        ({"authorization": "Bearer wrong"}, {}, 401),
        ({"authorization": "Bearer wrong"}, {"path": "/open"}, 200),
        ({"host": "evil.example"}, {"path": "/open"}, 403),
        ({"origin": "https://evil.example"}, {}, 403),
        ({"content-length": "101"}, {}, 413),
        ({"content-length": "-1"}, {}, 413),
    ],
)
def test_what_is_let_pass(headers: dict[str, str], more: dict[str, str], status: int) -> None:
    assert ask(headers, **more)[0] == status


def test_a_body_is_counted_whatever_its_head_says() -> None:
    assert ask({"content-length": "1"}, b"x" * 101)[0] == 413


def test_only_the_loopback_is_the_loopback() -> None:
    for host in ("127.0.0.1", "127.8.9.1", "::1", "localhost"):
        assert is_loopback(host)
        check_loopback(host, fix="")
    assert not is_loopback("0.0.0.0")
    with pytest.raises(AssayError, match="not the loopback"):
        check_loopback("0.0.0.0", fix="leave it out")


def test_token_files_are_for_their_owner(tmp_path: Path):
    file = tmp_path / "token"
    write_token(file, new_token())
    assert file.stat().st_mode & 0o777 == 0o600
    assert str(read_token(file)) == "[redacted]"
    with pytest.raises(AssayError, match="exists already"):
        write_token(file, new_token())
    file.chmod(0o644)
    with pytest.raises(AssayError, match="other users"):
        read_token(file)
    file.chmod(0o600)
    file.write_text("short")
    with pytest.raises(AssayError, match="no token"):
        read_token(file)


def test_hosts_and_rates():
    assert [_host(text) for text in ("A:1", "a", "[::1]:8", "[::1]", "a:b")] == [
        "a",
        "a",
        "[::1]",
        "[::1]",
        "a:b",
    ]
    bucket = Bucket(60.0)
    start = bucket.seen
    assert sum(bucket.take(start) == 0.0 for _ in range(100)) == 60
    assert bucket.take(start) == pytest.approx(1.0)
    assert bucket.take(start + 1.0) == 0.0
