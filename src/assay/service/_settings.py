from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from assay.errors import AssayError
from assay.web import LOOPBACK, Tokens

MIB = 1024 * 1024

Role: TypeAlias = Literal["search", "score"]
"""What the holder of a token may ask for: ``score`` includes ``search``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What is served, to whom, and within which limits.

    Parameters
    ----------
    data : folder of a stored data set that lies in a workspace with a period plan.
    tokens : bearer tokens by role.
    specs : documents of gated specs that are registered at the start, as text.
    hosts : host names that a request may name.
    allow_remote : may be bound to another address than the loopback.
    body_limit, body_seconds : bytes of a request's body, and seconds within which it must come.
    rate : requests a minute, for each role.
    waiting : requests that may be at work or wait for the worker, which does one at a time.
    time_limit : seconds of work after which the worker is stopped.
    memory_limit : bytes of data that the worker may hold (Linux; macOS does not enforce it).
    bucket : answers about the score period come after a multiple of so many seconds; 0 for at once.
    """

    data: Path
    tokens: Tokens
    specs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = LOOPBACK
    allow_remote: bool = False
    body_limit: int = 65_536
    body_seconds: float = 10.0
    rate: int = 120
    waiting: int = 4
    time_limit: float = 60.0
    memory_limit: int = 4096 * MIB
    bucket: float = 0.5

    def __post_init__(self) -> None:
        if not self.tokens.by_role:
            raise AssayError(
                "no token is set", where="tokens", fix="make one: assay backtest token --to FILE"
            )
        for name in ("body_limit", "body_seconds", "rate", "waiting", "time_limit", "memory_limit"):
            if getattr(self, name) <= 0:
                raise AssayError(f"{name} is {getattr(self, name)}", where=name, fix="give more than 0")
