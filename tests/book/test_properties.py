"""Random streams of events: the identities of the book hold exactly, and a slow, obvious book agrees."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.book import Decision, Event, Fill, Mark, Order, Promoted, Registered, Split
from assay.book._history import History, Recorded
from assay.book._state import attribution_of, state_of, theses_of

from .conftest import HUMAN, START

HOUR = timedelta(hours=1)
END = START + 10_000 * HOUR
QUANTITIES = st.decimals(min_value="0.000000001", max_value="1000000", places=9)
PRICES = st.decimals(min_value=0, max_value="100000", places=4)
FEES = st.decimals(min_value=-2, max_value=50, places=2)
NOTES = st.lists(st.sampled_from(["note:a", "note:b", "note:c", "certificate:x"]), max_size=3)
SLUGS = ("one", "two")


@dataclass
class Stream:
    """Makes a stream that a book takes, with times that may be late and out of order."""

    draw: Any
    history: History = field(default_factory=History)
    count: int = 0

    def add(self, kind: type[Event], cause: Event | None = None, **parts: Any) -> Event:
        self.count += 1
        first = START if cause is None else cause.exchange_ts
        happened = first + self.draw(st.integers(0, 200)) * HOUR
        known = max(happened, START if cause is None else cause.knowledge_ts)
        known += self.draw(st.sampled_from([0, 0, 0, 1, 300])) * HOUR
        event = kind(event_id=str(UUID(int=self.count)), exchange_ts=happened, knowledge_ts=known, **parts)
        self.history.add(Recorded(event, self.count, HUMAN))
        return event

    def trade(self, decision: Event) -> None:
        quantity = self.draw(QUANTITIES)
        slug = decision.strategy_slug
        order = self.add(
            Order, decision, strategy_slug=slug, decision=decision.event_id, quantity=quantity,
            instrument=self.draw(st.sampled_from("AB")), side=self.draw(st.sampled_from(["buy", "sell"])),
        )  # fmt: skip
        left = quantity
        for _ in range(self.draw(st.integers(0, 3))):
            part = min(left, self.draw(QUANTITIES))
            if part > 0:
                left -= part
                self.add(
                    Fill, order, strategy_slug=slug, order=order.event_id, quantity=part,
                    price=self.draw(PRICES), fee=self.draw(FEES),
                )  # fmt: skip

    def corporate(self) -> None:
        name = self.draw(st.sampled_from("AB"))
        if self.draw(st.booleans()):
            self.add(Mark, strategy_slug=None, instrument=name, price=self.draw(PRICES))
        else:
            after, before = self.draw(st.sampled_from([(2, 1), (3, 2), (1, 10), (7, 3)]))
            self.add(Split, strategy_slug=None, instrument=name, after=after, before=before)


@st.composite
def streams(draw: Any) -> list[Recorded]:
    made = Stream(draw)
    decisions: list[Event] = []
    for slug in SLUGS:
        registered = made.add(Registered, strategy_slug=slug, text="x")
        made.add(Promoted, registered, strategy_slug=slug, text="x")
    for _ in range(draw(st.integers(1, 8))):
        act = draw(st.sampled_from(["decide", "trade", "trade", "trade", "corporate"]))
        if act == "corporate":
            made.corporate()
        elif act == "decide" or not decisions:
            slug = draw(st.sampled_from(SLUGS))
            decisions.append(made.add(Decision, strategy_slug=slug, text="x", cites=tuple(draw(NOTES))))
        else:
            made.trade(draw(st.sampled_from(decisions)))
    return made.history.recorded


times = st.integers(0, 1200).map(lambda hours: START + hours * HOUR)


@settings(max_examples=150, deadline=None)
@given(streams(), times, times)
def test_the_theses_sum_to_the_book(recorded: list[Recorded], since: datetime, until: datetime) -> None:
    whole = attribution_of(recorded, None, until)
    assert sum((Fraction(row.realised) for row in whole.rows), Fraction()) == Fraction(whole.total)
    assert whole.total == state_of(recorded, until).realised
    later = attribution_of(recorded, since, until)
    # what happened before the window is the rest
    before = [item for item in recorded if item.event.exchange_ts < since]
    assert Fraction(later.total) == Fraction(whole.total) - Fraction(
        attribution_of(before, None, until).total
    )
    sizes = [abs(Fraction(row.realised)) for row in whole.rows]
    assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=150, deadline=None)
@given(streams(), times)
def test_cash_and_cost_are_what_was_realised(recorded: list[Recorded], as_of: datetime) -> None:
    state = state_of(recorded, as_of)
    cost = sum((Fraction(row.cost) for row in state.positions), Fraction())
    assert Fraction(state.cash) + cost == Fraction(state.realised)
    if state.unrealised is not None:
        value = sum((Fraction(row.value or 0) for row in state.positions), Fraction())
        assert Fraction(state.cash) + value == Fraction(state.realised) + Fraction(state.unrealised)


@settings(max_examples=100, deadline=None)
@given(streams(), times)
def test_what_becomes_known_later_changes_nothing_that_was_known(
    recorded: list[Recorded], as_of: datetime
) -> None:
    known = [item for item in recorded if item.event.knowledge_ts <= as_of]
    assert state_of(recorded, as_of) == state_of(known, as_of)
    assert attribution_of(recorded, None, as_of) == attribution_of(known, None, as_of)


@settings(max_examples=150, deadline=None)
@given(streams())
def test_a_slow_and_obvious_book_agrees(recorded: list[Recorded]) -> None:
    """Rational arithmetic, nothing rounded: the same but for the rounding of averages and of splits."""
    theses: dict[str, Fraction] = {}
    held: dict[tuple[str, str], tuple[Fraction, Fraction]] = {}  # quantity, average cost
    by_id = {item.event.event_id: item.event for item in recorded}
    events = sorted(recorded, key=lambda item: (item.event.exchange_ts, item.line))
    splits = 0
    for event in (item.event for item in events):
        if isinstance(event, Split):
            for key, (quantity, average) in held.items():
                if key[1] == event.instrument:
                    ratio = Fraction(event.after, event.before)
                    held[key] = (quantity * ratio, average / ratio)
                    splits += 1
        if not isinstance(event, Fill):
            continue
        order = by_id[event.order]
        assert isinstance(order, Order)
        decision = by_id[order.decision]
        assert isinstance(decision, Decision)
        price, amount = Fraction(event.price), Fraction(event.quantity)
        signed = amount if order.side == "buy" else -amount
        key = (str(event.strategy_slug), order.instrument)
        quantity, average = held.get(key, (Fraction(), Fraction()))
        gain = -Fraction(event.fee)
        if quantity * signed >= 0:
            total = quantity + signed
            held[key] = (total, (quantity * average + signed * price) / total)
        else:
            closed = min(abs(quantity), amount)
            gain += closed * (price - average) * (1 if quantity > 0 else -1)
            total = quantity + signed
            held[key] = (total, average if total * quantity > 0 else price)
        names = theses_of(decision)
        for name in names:
            theses[name] = theses.get(name, Fraction()) + gain / len(names)
    found = {row.thesis: Fraction(row.realised) for row in attribution_of(recorded, None, END).rows}
    assert found.keys() == theses.keys()
    # a lot of 1e-9, rounded at each split, times the largest price
    near = Fraction(1, 10**15) if not splits else Fraction(Decimal("1e-9")) * 10**6 * 50 * splits
    for name, amount in theses.items():
        assert abs(found[name] - amount) <= near
