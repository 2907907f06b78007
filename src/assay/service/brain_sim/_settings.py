from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.web import LOOPBACK, Tokens


def _unheard(_: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainSimSettings:
    """What the server lets pass.

    Parameters
    ----------
    hosts : host names that a request may name.
    allow_remote : may be bound to another address than the loopback.
    body_limit, body_seconds : bytes of a request's body, and seconds within which it must come.
    on_request : hears one line for each request.
    """

    hosts: tuple[str, ...] = LOOPBACK
    allow_remote: bool = False
    body_limit: int = 2**20
    body_seconds: float = 10.0
    on_request: Callable[[str], None] = _unheard
    # sessions are the wire's own, by password and cookie: no bearer token opens anything here
    tokens: Tokens = field(default_factory=lambda: Tokens({}), init=False)
    rate: int = field(default=1, init=False)
