"""The server over streamable HTTP, behind the guard that every face over HTTP has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import PARSE_ERROR

from assay.config import Secret
from assay.errors import AssayError
from assay.mcp._faults import BAD_REQUEST, NOT_UNDERSTOOD
from assay.web import BUSY, LOOPBACK, AsgiApp, Guard, Receive, Scope, Send, Tokens, client_fault

PATH: Final = "/mcp"
ROLE: Final = "agent"
_SESSIONS: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """Within which limits the server answers over HTTP.

    Parameters
    ----------
    token : bearer token of those who may call.
    hosts : host names that a request may name.
    rate : requests a minute.
    body_limit, body_seconds : bytes of a request's body, and seconds within which it must come.
    at_once : requests that may be at work or wait; further ones are told to come back.
    """

    token: Secret
    hosts: tuple[str, ...] = LOOPBACK
    rate: int = 6000
    body_limit: int = 1_048_576
    body_seconds: float = 10.0
    at_once: int = 64

    def __post_init__(self) -> None:
        for name in ("rate", "body_limit", "body_seconds", "at_once"):
            if getattr(self, name) <= 0:
                raise AssayError(f"{name} is {getattr(self, name)}", where=name, fix="give more than 0")

    @property
    def tokens(self) -> Tokens:
        """The token by its one role."""
        return Tokens({ROLE: self.token})


def http_app(server: Server[Any], settings: HttpSettings) -> AsgiApp:
    """The application that serves ``/mcp``; its lifespan runs the sessions of the older protocol."""
    # the guard has looked at host and origin before
    inside = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.body_limit,
        max_sessions=_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(_AtOnce(_Reasons(inside), settings.at_once), settings)


class _Reasons:
    """ASGI middleware that gives a reason to what the transport turns away before any handler sees it."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        held: list[Any] = []

        async def hold(message: Any) -> None:
            if message["type"] == "http.response.start" and _is_fault(message):
                held.append(message)
            elif held:
                held.append(message)
                if not message.get("more_body", False):
                    await _send_reasoned(held, send)
            else:
                await send(message)

        await self._app(scope, receive, hold)


def _is_fault(start: Any) -> bool:
    kinds = [value for name, value in start.get("headers", []) if name.lower() == b"content-type"]
    return start["status"] >= 400 and any(kind.startswith(b"application/json") for kind in kinds)


async def _send_reasoned(held: list[Any], send: Send) -> None:
    """Send an answer, as it is where it is no error of the protocol, or has its reason."""
    start, body = held[0], b"".join(message.get("body", b"") for message in held[1:])
    body = _reasoned(body)
    headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
    await send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": body})


def _reasoned(body: bytes) -> bytes:
    answer = json.loads(body) if body else None
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict) or "reason" in (error.get("data") or {}):
        return body
    reason = NOT_UNDERSTOOD if error["code"] == PARSE_ERROR else BAD_REQUEST
    if "\n" in error["message"]:  # the validator's own words
        reason = NOT_UNDERSTOOD
        error["message"] = reason.summary
    error["data"] = {**(error.get("data") or {}), "reason": reason.code, "fix": reason.fix}
    return json.dumps(answer).encode()


class _AtOnce:
    """ASGI middleware that lets so many POST requests in at once; streams that only listen are free."""

    def __init__(self, app: AsgiApp, most: int) -> None:
        self._app, self._left = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        if self._left == 0:
            await _busy(send)
            return
        self._left -= 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._left += 1


async def _busy(send: Send) -> None:
    body = json.dumps(client_fault(BUSY)).encode()
    headers: Mapping[str, str] = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "retry-after": "1",
    }
    coded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 429, "headers": coded})
    await send({"type": "http.response.body", "body": body})
