from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from assay.base import Operator
from assay.book._events import (
    Candidate,
    Decision,
    Event,
    Fill,
    Mark,
    Order,
    Promoted,
    Registered,
    Retired,
    Split,
)
from assay.book._money import ZERO, add
from assay.book._reasons import BAD_EVENT, STRATEGY_TAKEN
from assay.errors import Refusal


class Recorded(NamedTuple):
    """An event as the ledger holds it: at which line, and by whom."""

    event: Event
    line: int
    operator: Operator


@dataclass
class StrategyLife:
    """How far a strategy has come."""

    registered: Registered
    promoted: Promoted | None = None
    retired: Retired | None = None

    @property
    def status(self) -> str:
        """``registered``, ``promoted`` or ``retired``."""
        if self.retired is not None:
            return "retired"
        return "registered" if self.promoted is None else "promoted"


@dataclass
class History:
    """All events of a book in the order in which they were recorded, and what may follow them."""

    recorded: list[Recorded] = field(default_factory=list)
    strategies: dict[str, StrategyLife] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)
    filled: dict[str, Decimal] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    proposers: dict[str, Operator] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)

    def copied(self) -> History:
        """A copy, to which events may be added for a trial."""
        made = copy(self)
        for name in ("recorded", "strategies", "decisions", "orders", "filled", "refs", "proposers", "ids"):
            setattr(made, name, copy(getattr(self, name)))
        made.strategies = {slug: copy(life) for slug, life in self.strategies.items()}
        return made

    def add(self, item: Recorded) -> None:
        """Take up an event.

        Raises
        ------
        Refusal
            ``bad_event``, ``strategy_taken``: it cannot follow those before it; nothing was changed.
        """
        event = item.event
        self.check(event, item.operator)
        self.recorded.append(item)
        self.ids.add(event.event_id)
        if isinstance(event, Registered):
            self.strategies[_slug(event)] = StrategyLife(event)
        elif isinstance(event, Promoted):
            self.strategies[_slug(event)].promoted = event
        elif isinstance(event, Retired):
            self.strategies[_slug(event)].retired = event
        elif isinstance(event, Decision):
            self.decisions[event.event_id] = event
        elif isinstance(event, Order):
            self.orders[event.event_id] = event
            self._name(event.ref, event)
        elif isinstance(event, Fill):
            self.filled[event.order] = add(self.filled.get(event.order, ZERO), event.quantity)
            self._name(event.ref, event)
        elif isinstance(event, Candidate):
            self.proposers.setdefault(_slug(event), item.operator)

    def _name(self, ref: str | None, event: Event) -> None:
        if ref is not None:
            self.refs[ref] = event.event_id

    def check(self, event: Event, operator: Operator) -> None:
        """Hold an event to those before it; raises as :meth:`add`."""
        if isinstance(event, Candidate) != (operator.kind == "agent"):
            raise _bad(f"{event.name}: it is not for an operator of the kind {operator.kind} to record")
        if event.event_id in self.ids:
            raise _bad(f"there is an event {event.event_id} already")
        ref = getattr(event, "ref", None)
        if ref is not None and ref in self.refs:
            raise _bad(f"{ref!r} is in the book already")
        if isinstance(event, Candidate):
            self._check_candidate(event, operator)
        elif not isinstance(event, (Mark, Split)):
            _CHECKS[type(event)](self, event)

    def _check_candidate(self, event: Candidate, operator: Operator) -> None:
        slug = _slug(event)
        if slug in self.strategies or self.proposers.get(slug, operator) != operator:
            raise Refusal(STRATEGY_TAKEN, where="strategy")

    def _life(self, event: Event) -> StrategyLife:
        life = self.strategies.get(_slug(event))
        if life is None:
            raise _bad(
                f"no strategy {event.strategy_slug!r} is registered",
                f"assay book register {event.strategy_slug}",
            )
        return life

    def _check_registered(self, event: Event) -> None:
        if _slug(event) in self.strategies:
            raise _bad(f"the strategy {event.strategy_slug!r} is registered already")

    def _check_promoted(self, event: Event) -> None:
        life = self._life(event)
        if life.status != "registered":
            raise _bad(f"the strategy {event.strategy_slug!r} is {life.status} already")
        _check_after(event, life.registered)

    def _check_retired(self, event: Event) -> None:
        life = self._life(event)
        if life.status == "retired":
            raise _bad(f"the strategy {event.strategy_slug!r} is retired already")

    def _check_decision(self, event: Event) -> None:
        if self._life(event).status == "retired":
            raise _bad(f"the strategy {event.strategy_slug!r} is retired: it decides no more")

    def _check_order(self, event: Event) -> None:
        assert isinstance(event, Order)
        if self._life(event).promoted is None:
            slug = event.strategy_slug
            raise _bad(
                f"the strategy {slug!r} was not promoted, so it trades nothing", f"assay book promote {slug}"
            )
        decision = self.decisions.get(event.decision)
        if decision is None or decision.strategy_slug != event.strategy_slug:
            raise _bad(f"{event.strategy_slug!r} has no decision {event.decision}")
        _check_after(event, decision)

    def _check_fill(self, event: Event) -> None:
        assert isinstance(event, Fill)
        order = self.orders.get(event.order)
        if order is None or order.strategy_slug != event.strategy_slug:
            raise _bad(f"{event.strategy_slug!r} has no order {event.order}")
        total = add(self.filled.get(event.order, ZERO), event.quantity)
        if total > order.quantity:
            raise _bad(f"{total} would be filled of an order of {order.quantity}")
        _check_after(event, order)


_CHECKS: dict[type[Event], Callable[[History, Event], None]] = {
    Registered: History._check_registered,
    Promoted: History._check_promoted,
    Retired: History._check_retired,
    Decision: History._check_decision,
    Order: History._check_order,
    Fill: History._check_fill,
}


def _check_after(event: Event, cause: Event) -> None:
    """What follows from an event happened, and became known, not before it."""
    if event.exchange_ts < cause.exchange_ts or event.knowledge_ts < cause.knowledge_ts:
        raise _bad(f"it comes before the {cause.name} that it follows from")


def _slug(event: Event) -> str:
    assert event.strategy_slug is not None
    return event.strategy_slug


def _bad(message: str, fix: str | None = None) -> Refusal:
    return Refusal(BAD_EVENT, message, where="event", fix=fix)
