"""What can happen in a book. Each event is one record of the ledger; nothing in it is ever changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar, Literal, TypeAlias
from uuid import UUID

from assay.base import ID_PATTERN
from assay.book._money import decimal_text, read_decimal
from assay.book._reasons import BAD_EVENT
from assay.errors import Refusal
from assay.tools import read_instant

Side = Literal["buy", "sell"]
MAX_TEXT = 500
MAX_NAME = 64
MAX_KEY = 128
_DECIMALS = ("quantity", "price", "fee", "limit")
_OPTIONAL = ("strategy_slug", "limit", "ref")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event says.

    Parameters
    ----------
    event_id : a UUID, in lower case with hyphens; those of Assay are of version 7.
    exchange_ts : when it happened.
    knowledge_ts : when the book came to know of it; not before it happened.
    strategy_slug : of which strategy; None for what concerns an instrument.
    """

    name: ClassVar[str]
    event_id: str
    exchange_ts: datetime
    knowledge_ts: datetime
    strategy_slug: str | None

    def __post_init__(self) -> None:
        problems = list(problems_of(self))
        if problems:
            raise Refusal(BAD_EVENT, f"{self.name}: {'; '.join(problems)}", where=self.name)

    def as_body(self) -> dict[str, Any]:
        """JSON-ready, money as text; :func:`event_of` reads it back."""
        return {"event": self.name, **{item.name: _plain(getattr(self, item.name)) for item in fields(self)}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered(Event):
    """A strategy enters the book, on the ground of what is cited."""

    name: ClassVar[str] = "registered"
    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted(Event):
    """A person lets a strategy trade."""

    name: ClassVar[str] = "promoted"
    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired(Event):
    """A strategy decides no more; what is open may still be closed by orders of earlier decisions."""

    name: ClassVar[str] = "retired"
    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Event):
    """Why something is traded: the notes that it cites get what it earns."""

    name: ClassVar[str] = "decision"
    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Event):
    """What a decision orders. ``ref`` is the name that it has elsewhere, such as with the broker."""

    name: ClassVar[str] = "order"
    decision: str
    instrument: str
    side: Side
    quantity: Decimal
    limit: Decimal | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill(Event):
    """A part of an order, or all of it, at a price; a negative fee is a rebate."""

    name: ClassVar[str] = "fill"
    order: str
    quantity: Decimal
    price: Decimal
    fee: Decimal = Decimal(0)
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(Event):
    """What an instrument is worth."""

    name: ClassVar[str] = "mark"
    instrument: str
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Event):
    """``before`` shares of an instrument became ``after``."""

    name: ClassVar[str] = "split"
    instrument: str
    after: int
    before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Event):
    """An agent's entry on the leaderboard: a trial of the workspace's ledger, and what the agent says of it.

    ``metric`` and ``score`` are the agent's words; ``sharpe`` (by bar) and ``n`` are the ledger's.
    """

    name: ClassVar[str] = "candidate"
    text: str
    fingerprint: str
    config_hash: str
    expression: str
    data: str | None
    metric: str
    score: float
    sharpe: float | None
    n: int | None
    cites: tuple[str, ...] = ()


Act: TypeAlias = Registered | Promoted | Retired | Decision
"""What is done for a reason: it cites, and has a row of provenance."""
HumanEvent: TypeAlias = Registered | Promoted | Retired | Decision | Order | Fill | Mark | Split

_KINDS: Mapping[str, type[Event]] = {
    kind.name: kind for kind in (Registered, Promoted, Retired, Decision, Order, Fill, Mark, Split, Candidate)
}


def event_of(body: Mapping[str, Any]) -> Event:
    """The event that a record of the ledger holds.

    Raises
    ------
    Refusal
        ``bad_event``: no event can be like this.
    """
    kind = _KINDS.get(str(body.get("event")))
    if kind is None:
        raise Refusal(BAD_EVENT, "no event has this name", where="event")
    wanted = {item.name for item in fields(kind)}
    if missing := sorted(wanted - body.keys()):
        raise Refusal(BAD_EVENT, f"{kind.name}: it lacks {', '.join(missing)}", where=kind.name)
    try:
        return kind(**{key: _read(key, body[key]) for key in wanted})
    except (TypeError, ValueError, AttributeError) as error:
        raise Refusal(BAD_EVENT, f"{kind.name}: a value is of another kind than it must be") from error


def time_text(time: datetime) -> str:
    """ISO-8601 in UTC."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, datetime):
        return time_text(value)
    return list(value) if isinstance(value, tuple) else value


def _read(key: str, value: Any) -> Any:
    if key in ("exchange_ts", "knowledge_ts"):
        return read_instant(value)
    if key in _DECIMALS and value is not None:
        return read_decimal(value)
    if key == "cites":
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise TypeError("cites is no list of texts")
        return tuple(value)
    return value


def problems_of(event: Event) -> Iterator[str]:
    """All that is wrong with an event by itself."""
    yield from _time_problems(event)
    concerns_instrument = isinstance(event, (Mark, Split))
    if concerns_instrument != (event.strategy_slug is None):
        yield "it concerns an instrument" if concerns_instrument else "it has no strategy"
    for key in _RULES:
        if hasattr(event, key) and (wrong := problem_of(key, getattr(event, key))):
            yield f"{key} {wrong}"


def problem_of(key: str, value: Any) -> str | None:
    """What is wrong with a value of an event, if anything."""
    holds, wanted = _RULES[key]
    return None if (value is None and key in _OPTIONAL) or holds(value) else f"is no {wanted}"


def _time_problems(event: Event) -> Iterator[str]:
    for key in ("exchange_ts", "knowledge_ts"):
        value = getattr(event, key)
        if not isinstance(value, datetime) or value.tzinfo is None:
            yield f"{key} is no time with a zone"
            return
    if event.knowledge_ts < event.exchange_ts:
        yield "it was known before it happened (knowledge_ts before exchange_ts)"


def _is_uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def _is_slug(value: object) -> bool:
    return isinstance(value, str) and bool(ID_PATTERN.fullmatch(value))


def _is_line(longest: int) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, str) and 0 < len(value) <= longest and value.isprintable() and bool(value.strip())
    )


def _is_amount(least: Decimal | None, *, open_end: bool = False) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        if not isinstance(value, Decimal) or not value.is_finite():
            return False
        try:
            read_decimal(decimal_text(value))
        except ValueError:
            return False
        return least is None or (value > least if open_end else value >= least)

    return holds


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1_000_000


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "event_id": (_is_uuid, "UUID in lower case"),
    "strategy_slug": (_is_slug, "slug (a-z, 0-9, '_', '-')"),
    "text": (_is_line(MAX_TEXT), f"line of 1 to {MAX_TEXT} characters"),
    "fingerprint": (_is_line(MAX_KEY), f"line of 1 to {MAX_KEY} characters"),
    "config_hash": (_is_line(MAX_KEY), f"line of 1 to {MAX_KEY} characters"),
    "metric": (_is_line(MAX_NAME), f"name of 1 to {MAX_NAME} characters"),
    "score": (_is_number, "finite number"),
    "decision": (_is_uuid, "event id of a decision"),
    "order": (_is_uuid, "event id of an order"),
    "instrument": (_is_line(MAX_NAME), f"name of 1 to {MAX_NAME} characters"),
    "ref": (_is_line(MAX_NAME), f"name of 1 to {MAX_NAME} characters"),
    "side": (("buy", "sell").__contains__, "buy or sell"),
    "quantity": (_is_amount(Decimal(0), open_end=True), "number above 0 (15 digits, 9 decimals)"),
    "price": (_is_amount(Decimal(0)), "number of at least 0 (15 digits, 9 decimals)"),
    "limit": (_is_amount(Decimal(0)), "number of at least 0 (15 digits, 9 decimals)"),
    "fee": (_is_amount(None), "number (15 digits, 9 decimals)"),
    "after": (_is_whole, "whole number from 1 to 1,000,000"),
    "before": (_is_whole, "whole number from 1 to 1,000,000"),
}
