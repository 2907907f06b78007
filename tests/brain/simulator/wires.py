"""A small market, a clock that is set by hand, and a client that sees replies as they are."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from assay.brain.simulator import Account, Login, Market, Request, Wire
from assay.config import BrainSimulatorSettings, Secret
from assay.market import Panel, simulate

HOST = "127.0.0.1:8003"
LOGIN = Login("me@example.com", Secret("correct horse"))
START = datetime(2026, 3, 2, 15, 0, tzinfo=UTC)
SETTINGS = {
    "instrumentType": "EQUITY", "region": "USA", "universe": "TOP3000", "delay": 1, "decay": 4,
    "neutralization": "MARKET", "truncation": 0.08, "pasteurization": "ON", "unitHandling": "VERIFY",
    "nanHandling": "OFF", "language": "FASTEXPR", "visualization": False,
}  # fmt: skip
CODE = "rank(-ts_delta(close, 5))"


class HandClock:
    """A clock that stands still until it is set."""

    def __init__(self, moment: datetime = START) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def pass_by(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@cache
def panel() -> Panel:
    return simulate(7, instruments=60, days=700)


@cache
def market(**changes: Any) -> Market:
    return Market.of(panel(), None, BrainSimulatorSettings(held_days=100, **changes))


@dataclass(frozen=True)
class Seen:
    """A reply; names of headers in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def is_empty(self) -> bool:
        return self.body == b"" and "content-type" not in self.headers

    @property
    def is_final(self) -> bool:
        return "retry-after" not in self.headers


class Talk:
    """Sends requests to a wire, with a session unless ``cookie`` says another."""

    def __init__(self, account: Account) -> None:
        self.account, self.wire = account, Wire(account)
        self.cookie: str | None = None

    def send(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str
    ) -> Seen:
        place, _, query = path.partition("?")
        sent = {"host": HOST, **headers}
        if self.cookie is not None:
            sent["cookie"] = f"t={self.cookie}"
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        reply = self.wire.handle(Request(method, place, query, sent, content))
        return Seen(reply.status, {name.lower(): value for name, value in reply.headers}, reply.body)

    def get(self, path: str) -> Seen:
        return self.send("GET", path)

    def post(self, path: str, body: Any = None) -> Seen:
        return self.send("POST", path, body)

    def sign_in(self, login: Login = LOGIN, body: Any = None) -> Seen:
        pair = f"{login.username}:{login.password.reveal()}".encode()
        reply = self.send(
            "POST", "/authentication", body, authorization=f"Basic {base64.b64encode(pair).decode()}"
        )
        if reply.status == 201:
            self.keep_cookie(reply)
        return reply

    def keep_cookie(self, reply: Seen) -> None:
        self.cookie = reply.headers["set-cookie"].partition(";")[0].removeprefix("t=")

    def start(self, code: str = CODE, **settings: Any) -> str:
        """Start a simulation; gives its path."""
        reply = self.post("/simulations", simulation(code, **settings))
        assert reply.status == 201, reply.body
        return reply.headers["location"].partition(HOST)[2]

    def run(self, code: str = CODE, **settings: Any) -> dict[str, Any]:
        """What came of a simulation."""
        return self.finish(self.start(code, **settings)).json

    def finish(self, path: str) -> Seen:
        """The final reply, time passing as it asks for."""
        for _ in range(20):
            reply = self.get(path)
            if reply.is_final:
                return reply
            self.account.clock.pass_by(float(reply.headers["retry-after"]))
        raise AssertionError(f"{path} never ended")


def simulation(code: str = CODE, **settings: Any) -> dict[str, Any]:
    return {"type": "REGULAR", "settings": {**SETTINGS, **settings}, "regular": code}


def talk(
    *, persona: bool = False, requests: int | None = None, signed_in: bool = True, **settings: Any
) -> Talk:
    """A fresh account in memory on the small market."""
    account = Account(
        market(**settings), login=LOGIN, clock=HandClock(), persona=persona, session_requests=requests
    )
    made = Talk(account)
    if signed_in:
        made.sign_in()
    return made
