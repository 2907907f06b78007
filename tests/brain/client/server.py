"""A platform on the loopback that says what a test wants it to say, over real sockets.

Each route answers with the next of its answers; the last one stays. Signing in works unless a route says
otherwise, and every other route wants the cookie of the latest sign-in.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal
from urllib.parse import urlsplit

USER = "someone@example.com"
PASSWORD = "correct horse battery"

End = Literal["close", "cut", "reset"]


@dataclass(frozen=True)
class Answer:
    """``end``: ``cut`` promises a longer body than it sends, ``reset`` breaks the connection unanswered."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    end: End = "close"

    @property
    def raw(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


def wait(seconds: float | str = 1, **more: Any) -> Answer:
    """Nothing yet, ask again."""
    return Answer(headers={"Retry-After": str(seconds)}, **more)


def refused(status: int, detail: str, **headers: str) -> Answer:
    return Answer(
        {"detail": detail}, status, {key.replace("_", "-"): value for key, value in headers.items()}
    )


def session(expiry: float = 14400, cookie: str = "jwt-1", *permissions: str) -> Answer:
    body = {"user": {"id": "AB12345"}, "token": {"expiry": expiry}, "permissions": list(permissions)}
    return Answer(body, 201, {"Set-Cookie": f"t={cookie}; HttpOnly; Path=/; Secure"})


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: Any

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> str:
        return urlsplit(self.target).query


class Platform:
    """A platform on a free port, for the time of a ``with``."""

    def __init__(self) -> None:
        self._routes: dict[tuple[str, str], list[Answer]] = {}
        self._lock = threading.Lock()
        self._cookie: str | None = None
        self.seen: list[Seen] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.on("POST", "/authentication", session())
        self.on("OPTIONS", "/simulations", Answer(choices()))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def on(self, method: str, path: str, *answers: Answer) -> None:
        with self._lock:
            self._routes[method, path] = list(answers)

    def asked(self, method: str, path: str) -> list[Seen]:
        return [one for one in self.seen if (one.method, one.path) == (method, path)]

    def next_answer(self, seen: Seen) -> Answer:
        with self._lock:
            self.seen.append(seen)
            is_sign_in = seen.method == "POST" and seen.path.startswith("/authentication")
            if not is_sign_in and seen.headers.get("cookie") != f"t={self._cookie}":
                return refused(401, "Incorrect authentication credentials.")
            answers = self._routes.get((seen.method, seen.path))
            if answers is None:
                return refused(404, "Not found.")
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            made = answer.headers.get("Set-Cookie", "")
            if made.startswith("t="):
                self._cookie = made.removeprefix("t=").partition(";")[0]
            return answer

    def expire(self) -> None:
        """Forget the session, as the platform does after some hours."""
        with self._lock:
            self._cookie = None

    def __enter__(self) -> Platform:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def is_basic(seen: Seen) -> bool:
    """Whether a request carries the credentials of :data:`USER`."""
    wanted = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    return seen.headers.get("authorization") == f"Basic {wanted}"


def choices() -> dict[str, Any]:
    """A reply to OPTIONS /simulations, nested as on the platform."""

    def listed(*values: Any) -> list[dict[str, Any]]:
        return [{"value": value, "label": str(value)} for value in values]

    def by_region(**values: Any) -> dict[str, Any]:
        return {
            "choices": {
                "instrumentType": {"EQUITY": {"region": {name: listed(*v) for name, v in values.items()}}}
            }
        }

    neutralizations = ("NONE", "MARKET", "SECTOR", "INDUSTRY", "SUBINDUSTRY")
    children = {
        "instrumentType": {"type": "choice", "required": True, "choices": listed("EQUITY")},
        "region": {"choices": {"instrumentType": {"EQUITY": listed("USA", "GLB")}}},
        "universe": by_region(USA=("TOP3000", "TOP500"), GLB=("TOP3000", "MINVOL1M")),
        "delay": by_region(USA=(1, 0), GLB=(1,)),
        "neutralization": by_region(USA=neutralizations, GLB=(*neutralizations, "COUNTRY")),
        "decay": {"type": "integer", "required": True},
    }
    settings = {"type": "nested object", "required": True, "children": children}
    return {"name": "Simulation List", "actions": {"POST": {"settings": settings}}}


SETTINGS: dict[str, Any] = {
    "instrumentType": "EQUITY",
    "region": "USA",
    "universe": "TOP3000",
    "delay": 1,
    "decay": 5,
    "neutralization": "MARKET",
    "truncation": 0.08,
    "pasteurization": "ON",
    "unitHandling": "VERIFY",
    "nanHandling": "OFF",
    "language": "FASTEXPR",
    "visualization": False,
}


def simulation(name: str, code: str, status: str = "COMPLETE", **more: Any) -> dict[str, Any]:
    echo = {"id": name, "type": "REGULAR", "settings": SETTINGS, "regular": code, "status": status}
    return {**echo, **more}


def alpha(alpha_id: str, code: str = "rank(close)", **more: Any) -> dict[str, Any]:
    """An alpha as the platform gives it, with the keys that nobody here reads."""
    checks = [
        {"name": "LOW_SHARPE", "result": "PASS", "limit": 1.25, "value": 1.4},
        {"name": "SELF_CORRELATION", "result": "PENDING"},
    ]
    figures = {"pnl": 1248719, "bookSize": 20000000, "sharpe": 1.4, "fitness": 1.1, "turnover": 0.3}
    return {
        "id": alpha_id,
        "type": "REGULAR",
        "author": "AB12345",
        "settings": {**SETTINGS, "startDate": "2019-01-01", "endDate": "2023-12-31"},
        "regular": {"code": code, "description": None, "operatorCount": 1},
        "dateCreated": "2026-05-15T01:30:27-04:00",
        "stage": "IS",
        "status": "UNSUBMITTED",
        "is": {**figures, "checks": checks},
        "os": None,
        "pyramids": None,
        "origin": "PLATFORM",
        **more,
    }


def page(items: list[Any], count: int | None = None) -> Answer:
    size = len(items) if count is None else count
    return Answer({"count": size, "next": None, "previous": None, "results": items})


def _handler(platform: Platform) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(raw) if raw else None
            answer = platform.next_answer(Seen(self.command, self.path, headers, body))
            if answer.end == "reset":
                # an RST instead of a FIN
                self.close_connection = True
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            self.send_response_only(answer.status)
            sent = {name.lower() for name in answer.headers}
            length = len(answer.raw) + (1000 if answer.end == "cut" else 0)
            if answer.status != 204:
                self.send_header("content-length", str(length))
                self.send_header("content-type", answer.content_type)
            if "date" not in sent:
                self.send_header("date", self.date_time_string())
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.raw)
            self.wfile.flush()
            self.close_connection = answer.end == "cut"

        do_POST = do_PATCH = do_DELETE = do_OPTIONS = do_GET

        def finish(self) -> None:
            try:
                super().finish()
            except (OSError, ValueError):
                return  # the connection was reset on purpose, or the client went away

        def handle(self) -> None:
            try:
                super().handle()
            except (OSError, ValueError):
                return

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler
