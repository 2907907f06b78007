"""A reply of the platform, and how it is read."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from assay.brain._wire import Check
from assay.config import Secret, redact
from assay.errors import ProviderBadReply

M = TypeVar("M", bound=BaseModel)

LONGEST_WAIT: Final = 600.0
"""Seconds that one Retry-After may hold a client; after them it asks again."""
_LONGEST_TEXT: Final = 300
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, its body read whole."""

    method: str
    path: str
    status: int
    headers: httpx.Headers = field(repr=False)
    body: bytes = field(repr=False)
    secrets: tuple[Secret, ...] = ()
    """What a message must not hold though the platform should echo it."""

    @property
    def where(self) -> str:
        """What was asked, for messages."""
        return f"{self.method} {self.path.partition('?')[0]}"

    @property
    def is_empty(self) -> bool:
        return not self.body.strip()

    @property
    def is_page(self) -> bool:
        return "html" in self.headers.get("content-type", "") or self.body.lstrip()[:1] == b"<"

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait: Retry-After in seconds, or as a date by the clock that the reply itself shows."""
        text = self.headers.get("retry-after")
        if text is None:
            return None
        wait = _seconds(text)
        if wait is None:
            date, now = _date(text), _date(self.headers.get("date", ""))
            if date is None:
                return None
            wait = max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
        return min(wait, LONGEST_WAIT)

    @property
    def is_running(self) -> bool:
        """Whether what was asked for is not ready: no body yet, or a time to ask again."""
        return self.status in (200, 201, 202) and (self.is_empty or bool(self.retry_after))

    @property
    def is_stale(self) -> bool:
        """Whether the reply is what an expired session gets without a 401."""
        if self.method != "GET":
            return False
        empty_page = self.status == 200 and self.is_empty and self.is_page and self.retry_after is None
        return self.status == 204 or empty_page

    def json(self) -> Any:
        """The body as data.

        Raises
        ------
        ProviderBadReply
            It is a page, or no JSON.
        """
        if self.is_page:
            raise self.bad("a page came where JSON was expected")
        try:
            found = json.loads(self.body, parse_constant=_no_number, parse_float=_finite)
            return _mended(found) if _HALF.search(self.body) else found
        except (ValueError, RecursionError):
            what = "an empty body" if self.is_empty else "garbage"
        raise self.bad(f"{what} came where JSON was expected")

    def object(self) -> dict[str, Any]:
        """The body as a JSON object; :meth:`json`."""
        found = self.json()
        if not isinstance(found, dict):
            raise self.bad(f"a JSON object was expected, and {_kind(found)} came")
        return found

    def items(self, *envelopes: str) -> list[Any]:
        """The body as a list: bare, or under one of ``envelopes``."""
        found = self.json()
        if isinstance(found, dict):
            found = next((found[name] for name in envelopes if name in found), found)
        if not isinstance(found, list):
            raise self.bad(f"a list was expected, and {_kind(found)} came")
        return found

    def model(self, kind: type[M], data: Any, expected: str) -> M:
        """``data`` of the body as ``kind``.

        Raises
        ------
        ProviderBadReply
            It has another shape; the first place that differs is named.
        """
        try:
            return kind.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the reply"
        raise self.bad(f"{expected} was expected, and {place} does not fit ({first['msg'].lower()})")

    def checks(self) -> tuple[Check, ...] | None:
        """The checks that a body holds as ``{"is": {"checks": [...]}}``; None where it has another shape."""
        if self.is_empty or self.is_page:
            return None
        body = self.json()
        inner = body.get("is") if isinstance(body, dict) else None
        listed = inner.get("checks") if isinstance(inner, dict) else None
        if not isinstance(listed, list):
            return None
        return tuple(self.model(Check, item, "a check") for item in listed)

    @property
    def code(self) -> str | None:
        """The machine's word for a fault, where ``detail`` or ``code`` is one and no sentence."""
        said = self._said()
        for name in ("detail", "code"):
            if isinstance(said.get(name), str) and _CODE.fullmatch(said[name]):
                return str(said[name])
        return None

    @property
    def text(self) -> str:
        """What an error says, for a person to read."""
        said = self._said()
        return next((self.clean(said[k]) for k in ("detail", "message") if isinstance(said.get(k), str)), "")

    def _said(self) -> dict[str, Any]:
        try:
            return self.object()
        except ProviderBadReply:
            return {}

    def clean(self, text: str) -> str:
        """The platform's words on one line, short, without control characters and secrets."""
        line = " ".join(redact(redact(_CONTROL.sub(" ", text[:10_000])), self.secrets).split())
        return line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 1] + "…"

    def bad(self, what: str) -> ProviderBadReply:
        """The error of a reply that cannot be used."""
        return ProviderBadReply(
            f"{self.where}: {what} (HTTP {self.status})",
            where=self.path.partition("?")[0],
            fix="try again later; if it stays, base_url of [brain.client] may be wrong",
            status=self.status,
        )


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _mended(data: Any) -> Any:
    """``data`` with a question mark for each half of a character, which nobody could print or keep."""
    text = json.dumps(data, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
    return json.loads(text.decode("utf-16-le", "replace"))


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def _kind(value: Any) -> str:
    return {list: "a list", dict: "an object", str: "a text", type(None): "nothing"}.get(
        type(value), "a number"
    )
