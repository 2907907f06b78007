"""What every request has to pass before anything of it is understood: host, origin, token, rate, size."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Collection, Container, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from assay.errors import Reason
from assay.web._reasons import (
    BODY_TOO_LARGE,
    BODY_TOO_SLOW,
    FOREIGN_HOST,
    FOREIGN_ORIGIN,
    TOO_MANY_REQUESTS,
    UNAUTHORIZED,
)
from assay.web._tokens import Tokens

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class GuardSettings(Protocol):
    """What a server lets pass.

    ``hosts`` are the names that a request may give it, ``rate`` the requests a minute of each role,
    ``body_limit`` bytes and ``body_seconds`` what a body may take.
    """

    @property
    def tokens(self) -> Tokens: ...
    @property
    def hosts(self) -> Collection[str]: ...
    @property
    def rate(self) -> int: ...
    @property
    def body_limit(self) -> int: ...
    @property
    def body_seconds(self) -> float: ...


@dataclass(slots=True)
class Bucket:
    """Requests that may still be sent now: ``rate`` of them a minute, saved up to a minute's worth."""

    rate: float
    left: float = field(init=False)
    seen: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.seen = self.rate, time.monotonic()

    def take(self, now: float) -> float:
        """0 where the request may pass; else the seconds to wait."""
        self.left = min(self.rate, self.left + (now - self.seen) * self.rate / 60.0)
        self.seen = now
        if self.left < 1.0:
            return (1.0 - self.left) * 60.0 / self.rate
        self.left -= 1.0
        return 0.0


class _Refused(Exception):
    def __init__(self, status: int, reason: Reason, headers: dict[str, str] | None = None) -> None:
        super().__init__(reason.code)
        self.status, self.reason, self.headers = status, reason, headers or {}


class _ClientGone(Exception):
    pass


class Guard:
    """ASGI middleware; sets ``state.role`` for what lies behind it. ``open_paths`` need no token."""

    def __init__(self, app: AsgiApp, settings: GuardSettings, open_paths: Container[str] = ()) -> None:
        self._app, self._settings, self._open = app, settings, open_paths
        self._buckets = {role: Bucket(settings.rate) for role in settings.tokens.by_role}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no sockets here
        # space around a value is no part of it (RFC 9110, 5.5), and the server below leaves some
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        try:
            role = self._admit(scope)
            body = await asyncio.wait_for(self._body(scope, receive), self._settings.body_seconds)
        except _Refused as refused:
            await _refuse(send, refused)
            return
        except TimeoutError:
            await _refuse(send, _Refused(408, BODY_TOO_SLOW, {"connection": "close"}))
            return
        except _ClientGone:
            return
        scope.setdefault("state", {})["role"] = role
        await self._app(scope, _again(body, receive), _plain(send))

    def _admit(self, scope: Scope) -> str | None:
        headers = _headers(scope)
        if _host(headers.get("host", "")) not in self._settings.hosts:
            raise _Refused(403, FOREIGN_HOST)
        origin = headers.get("origin")
        if origin is not None and not self._same_site(origin):
            raise _Refused(403, FOREIGN_ORIGIN)
        if scope["path"] in self._open:
            return None
        role = self._settings.tokens.role_of(headers.get("authorization"))
        if role is None:
            raise _Refused(401, UNAUTHORIZED, {"www-authenticate": "Bearer"})
        wait = self._buckets[role].take(time.monotonic())
        if wait > 0.0:
            raise _Refused(429, TOO_MANY_REQUESTS, {"retry-after": str(math.ceil(wait))})
        return role

    def _same_site(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and _host(parts.netloc) in self._settings.hosts

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        limit = self._settings.body_limit
        length = _headers(scope).get("content-length", "0")
        if not length.isdigit() or int(length[:20]) > limit:
            raise _Refused(413, BODY_TOO_LARGE, {"connection": "close"})
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _ClientGone
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > limit:
                raise _Refused(413, BODY_TOO_LARGE, {"connection": "close"})
            more = message.get("more_body", False)
        return b"".join(parts)


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _host(text: str) -> str:
    """The host of ``host:port``, an address of IPv6 with its brackets."""
    name, colon, port = text.lower().rpartition(":")
    return name if colon and port.isdigit() else text.lower()


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, handed out once more."""
    sent = False

    async def hand_out() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return hand_out


def _plain(send: Send) -> Send:
    """Answers are of the moment: no cache may keep them."""

    async def mark(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), (b"cache-control", b"no-store")]
        await send(message)

    return mark


def client_fault(reason: Reason) -> dict[str, str]:
    """The body of an answer to a request that was at fault."""
    return {"source": "client", "reason": reason.code, "message": reason.summary, "fix": reason.fix}


async def _refuse(send: Send, refused: _Refused) -> None:
    body = json.dumps(client_fault(refused.reason)).encode()
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "cache-control": "no-store",
        **refused.headers,
    }
    coded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": coded})
    await send({"type": "http.response.body", "body": body})
