"""A request and its reply, without a socket, and the bodies that every path shares."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, unquote_plus

JSON: Final = "application/json"
NOT_LOGGED_IN: Final = "Incorrect authentication credentials."
REFUSED: Final = "INVALID_CREDENTIALS"
SHORTEST_WAIT: Final = 0.02
"""Seconds of a Retry-After that says "soon": 0 reads as an end to some clients."""

_TERM = re.compile(r"([A-Za-z][\w.]*)(>=|<=|!=|=|>|<|~)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Term:
    """One condition of a query, such as ``is.sharpe>=1.25``."""

    key: str
    operator: str
    value: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sends; names of headers in lower case, ``path`` and ``query`` as the address has them."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    scheme: str = "http"

    @property
    def base(self) -> str:
        """The address under which the client found the server."""
        return f"{self.scheme}://{self.headers.get('host', 'localhost')}"

    def terms(self) -> tuple[Term, ...]:
        """The conditions of the query.

        They are read from the raw text, since a ``>=`` is no ``key=value`` to a reader of forms.
        """
        found = []
        for part in self.query.split("&"):
            # a plus that is not escaped is a space, as on the platform
            match = _TERM.fullmatch(unquote_plus(part))
            if match is not None:
                found.append(Term(*match.groups()))
        return tuple(found)

    def json(self) -> Any:
        """The body.

        Raises
        ------
        Invalid
            It is not JSON: 400.
        """
        try:
            return json.loads(self.body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise Invalid({"detail": f"JSON parse error - {_first_line(error)}"}) from error


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers; an empty body has no content type."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def with_headers(self, *more: tuple[str, str]) -> Reply:
        """The same with more headers."""
        return Reply(self.status, self.body, (*self.headers, *more))


class Invalid(Exception):
    """A request that the platform would answer with an error: ``status`` and the body of it."""

    def __init__(self, body: Any, status: int = 400) -> None:
        super().__init__(status)
        self.body, self.status = body, status


def json_reply(body: Any, status: int = 200) -> Reply:
    """A reply in JSON."""
    text = json.dumps(body, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return Reply(status, text.encode(), (("Content-Type", JSON),))


def detail(status: int, text: str) -> Reply:
    """A reply that says in one word or sentence what is wrong."""
    return json_reply({"detail": text}, status)


def not_found() -> Invalid:
    """404 as the platform says it."""
    return Invalid({"detail": "Not found."}, 404)


def retry_after(seconds: float) -> tuple[str, str]:
    """The header of a reply that is not final."""
    return "Retry-After", str(round(max(float(seconds), SHORTEST_WAIT), 2))


def path_parts(path: str) -> tuple[str, ...]:
    """The names in a path, unescaped one by one."""
    return tuple(unquote(part) for part in path.strip("/").split("/") if part)


def is_text(value: Any) -> bool:
    """Whether a value of a body is a string that can be written; JSON can name halves of characters."""
    return isinstance(value, str) and not any("\ud800" <= char <= "\udfff" for char in value)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
