"""Which error a reply is, by its status and the codes in its fields; words of messages decide nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from assay.brain._errors import (
    BAD_EXPRESSION,
    BAD_SETTINGS,
    NOT_PERMITTED,
    UNKNOWN_ALPHA,
    UNKNOWN_DATA,
    SlotsFull,
    Throttled,
)
from assay.brain.client._reply import Reply
from assay.errors import (
    AssayError,
    ProviderAuth,
    ProviderQuotaExhausted,
    ProviderTransient,
    Reason,
    Refusal,
)

_MOST_SAID: Final = 20
"""Problems of one refusal that are told; a hostile reply could name any number, at any depth."""
_DEEPEST: Final = 10
_LATER = "try again later; what was begun goes on where it stopped"


class NotSent(ProviderTransient):
    """No connection came about: what was asked has surely not been done."""


def fault(reply: Reply) -> AssayError:
    """The error of a reply whose status is none of success."""
    status = reply.status
    said = f": {reply.text}" if reply.text else ""
    head = f"{reply.where}: HTTP {status}{said}"
    if status == 429:
        return _too_many(reply, head)
    if status >= 500 or status in (408, 425):
        return ProviderTransient(
            head, where=reply.path, fix=_LATER, status=status, code=reply.code, retry_after=reply.retry_after
        )
    if status == 400:
        return _invalid(reply)
    if status == 401:
        return ProviderAuth(
            head,
            where=reply.path,
            fix="check BRAIN_USERNAME and BRAIN_PASSWORD in the environment or .env",
            status=status,
            code=reply.code,
        )
    if status == 403:
        return Refusal(NOT_PERMITTED, head, where=reply.path)
    absent = _absent(reply.path)
    if status == 404 and absent is not None:
        return Refusal(absent, head, where=reply.path)
    if 300 <= status < 400:
        return reply.bad("a redirect came, which is not followed")
    return reply.bad(f"the platform refused this{said}")


def _too_many(reply: Reply, head: str) -> AssayError:
    about: dict[str, Any] = {
        "where": reply.path,
        "status": 429,
        "code": reply.code,
        "retry_after": reply.retry_after,
    }
    if reply.code == "CONCURRENT_SIMULATION_LIMIT_EXCEEDED":
        return SlotsFull(head, fix="wait until one of the simulations that run has ended", **about)
    starts = reply.method == "POST" and reply.path == "/simulations"
    spent = starts and reply.headers.get("x-ratelimit-remaining", "").strip() == "0"
    if spent or reply.code == "SIMULATION_LIMIT_EXCEEDED":
        return ProviderQuotaExhausted(
            f"the simulations of this day are used up ({head})",
            fix="wait for the next day (the platform counts by Eastern time), then resume",
            **about,
        )
    return Throttled(head, fix=_LATER, **about)


def _invalid(reply: Reply) -> Refusal:
    """A 400, which says by key what it does not take; for several simulations, in a list of their order."""
    body = reply.json() if not reply.is_empty and not reply.is_page else {}
    found: dict[str, str] = {}
    many = isinstance(body, list)
    for place, item in enumerate(body[:_MOST_SAID] if many else [body], 1):
        for key, text in islice(_leaves(item, reply), _MOST_SAID):
            name = f"{place}: {key}" if many else key
            found[name] = f"{found[name]} {text}" if name in found else text
    about_code = found and all(key.split(": ")[-1] == "regular" for key in found)
    reason: Reason = BAD_EXPRESSION if about_code else BAD_SETTINGS
    listed = "; ".join(f"{key}: {text}" for key, text in found.items()) or "HTTP 400"
    return Refusal(reason, f"the platform refused: {listed}", where=reply.where, details=dict(found))


def _leaves(value: Any, reply: Reply, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Texts by key; the envelopes ``settings`` and ``errors`` are left out of the keys."""
    if depth < _DEEPEST and isinstance(value, dict):
        for name, item in value.items():
            plain = name in ("settings", "errors")
            inner = key if plain else ".".join(filter(None, (key, reply.clean(str(name)))))
            yield from _leaves(item, reply, inner, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for item in value:
            yield from _leaves(item, reply, key, depth + 1)
    elif isinstance(value, dict | list):
        yield key or "request", "…"
    else:
        yield key or "request", reply.clean(str(value))


def _absent(path: str) -> Reason | None:
    first = path.partition("?")[0].strip("/").partition("/")[0]
    # a simulation that is gone is told by what it would have led to
    alphas, data = ("alphas", "simulations"), ("data-sets", "data-fields")
    return UNKNOWN_ALPHA if first in alphas else UNKNOWN_DATA if first in data else None
