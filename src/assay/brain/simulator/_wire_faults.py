"""What goes wrong between a client and the platform, on purpose and repeatably."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Final

from assay.base import generator
from assay.brain.simulator._wire import Wire
from assay.brain.simulator._wire_types import (
    NOT_LOGGED_IN,
    Reply,
    Request,
    detail,
    json_reply,
    path_parts,
    retry_after,
)
from assay.errors import AssayError

SHARES: Final = ("error", "drop", "stale", "throttle")
STORM: Final = 4
"""Requests in a row that a storm of 429 refuses."""
_BAD_GATEWAY: Final = b"<html><head><title>502 Bad Gateway</title></head><body></body></html>"
_STATUSES: Final = (500, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class FaultSettings:
    """How often a request meets a fault.

    Parameters
    ----------
    error : share answered by a 5xx; nothing is done.
    drop : share whose connection breaks, half of them after the work was done.
    stale : share answered as if the session had expired: 200 with an empty page to a GET, else 401.
    throttle : share that begins a storm of 429, which refuses the next ones, too.
    slow : seconds that every reply takes longer.
    pending : looks at a record set, or at correlations, that are answered by "not ready" before it is there:
        200, no body, Retry-After, as the platform does where it computes them.
    seed : of the draws, one for each request.
    """

    error: float = 0.0
    drop: float = 0.0
    stale: float = 0.0
    throttle: float = 0.0
    slow: float = 0.0
    pending: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in SHARES}
        for name, share in shares.items():
            if not 0.0 <= share <= 1.0:
                raise AssayError(f"{name} is {share:g}", where=name, fix="give a share between 0 and 1")
        if sum(shares.values()) > 1.0:
            raise AssayError("the shares of faults exceed 1", where="faults", fix="give smaller shares")
        if not 0.0 <= self.slow < float("inf"):
            raise AssayError(f"slow is {self.slow:g}", where="slow", fix="give seconds")
        if self.pending < 0:
            raise AssayError(f"pending is {self.pending}", where="pending", fix="give a number of looks")


@dataclass(frozen=True, slots=True)
class Delivery:
    """What comes back after ``delay`` seconds; ``reply`` is None where the connection breaks."""

    reply: Reply | None
    delay: float = 0.0


class FaultyWire:
    """A wire with faults; without any it hands every reply on."""

    def __init__(self, wire: Wire, settings: FaultSettings | None = None) -> None:
        self.wire, self._settings = wire, settings or FaultSettings()
        self._draws = generator(self._settings.seed, "faults")
        self._storm, self._lock = 0, threading.Lock()
        self._looks: Counter[str] = Counter()

    def handle(self, request: Request) -> Delivery:
        """The reply, or what came in its place."""
        with self._lock:
            fault, detail_draw = self._draw()
        reply = self._reply(request, fault, detail_draw)
        return Delivery(reply, self._settings.slow)

    def _draw(self) -> tuple[str | None, float]:
        share, more = (float(draw) for draw in self._draws.random(2))
        if self._storm:
            self._storm -= 1
            return "throttle", more
        for name in SHARES:
            chance = getattr(self._settings, name)
            if share < chance:
                self._storm = STORM - 1 if name == "throttle" else 0
                return name, more
            share -= chance
        return None, more

    def _reply(self, request: Request, fault: str | None, draw: float) -> Reply | None:
        if fault == "error":
            return _server_error(_STATUSES[int(draw * len(_STATUSES))])
        if fault == "throttle":
            return json_reply({"message": "API rate limit exceeded"}, 429).with_headers(retry_after(1.0))
        if fault == "stale" and not request.path.startswith("/authentication"):
            return _stale(request)
        if fault == "drop":
            if draw < 0.5:
                self.wire.handle(request)
            return None
        return self._when_ready(request, self.wire.handle(request))

    def _when_ready(self, request: Request, reply: Reply) -> Reply:
        """``reply``, or "not ready" in its place."""
        if not (self._settings.pending and reply.status == 200 and _is_computed(request)):
            return reply
        with self._lock:
            self._looks[request.path] += 1
            if self._looks[request.path] > self._settings.pending:
                return reply
        return Reply(200, headers=(retry_after(self.wire.account.settings.retry_after),))


def _server_error(status: int) -> Reply:
    if status == 502:
        return Reply(502, _BAD_GATEWAY, (("Content-Type", "text/html"),))
    return detail(status, "Server error.")


def _is_computed(request: Request) -> bool:
    """Whether the platform computes what is asked for once somebody looks at it."""
    first, _, what, *_ = (*path_parts(request.path), "", "", "")
    return request.method == "GET" and first == "alphas" and what in ("recordsets", "correlations")


def _stale(request: Request) -> Reply:
    if request.method == "GET":
        return Reply(200, b"", (("Content-Type", "text/html"),))
    return detail(401, NOT_LOGGED_IN)
