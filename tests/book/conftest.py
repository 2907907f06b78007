"""A workspace's parts and a book, with a clock that tests may set."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.book import Book, Decision, Fill, Mark, Order, Promoted, Registered, Split
from assay.ledger import Ledger
from assay.notes import NoteStore

HUMAN = Operator.human("li")
AGENT = Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "small-1")
OTHER = Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c073990", "small-1")
START = datetime(2020, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass
class SetClock:
    """A clock that shows what it was set to."""

    time: datetime = field(default=START + 1000 * DAY)

    def now(self) -> datetime:
        return self.time


@dataclass
class Ids:
    """Bytes that count up."""

    count: int = 0

    def __call__(self, size: int) -> bytes:
        self.count += 1
        return self.count.to_bytes(size, "big")


class Desk:
    """Records events by the day on which they happen, and are known."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def stamp(self, day: float, known: float | None) -> dict[str, Any]:
        happened = START + day * DAY
        return self.book.stamp(happened, START + (day if known is None else known) * DAY)

    def start(self, slug: str = "xs", day: float = 0) -> None:
        self.book.record_many(
            [
                Registered(**self.stamp(day, None), strategy_slug=slug, text="Cross-section", cites=()),
                Promoted(**self.stamp(day, None), strategy_slug=slug, text="fit for it", cites=()),
            ],
            HUMAN,
        )

    def decide(self, *cites: str, day: float = 0, known: float | None = None, slug: str = "xs") -> str:
        event = Decision(
            **self.stamp(day, known),
            strategy_slug=slug,
            text="because",
            cites=tuple(f"note:{c}" for c in cites),
        )
        self.book.record(event, HUMAN)
        return event.event_id

    def order(
        self, decision: str, side: Any, quantity: str, *, day: float = 0, known: float | None = None,
        instrument: str = "A", slug: str = "xs",
    ) -> str:  # fmt: skip
        event = Order(
            **self.stamp(day, known), strategy_slug=slug, decision=decision, instrument=instrument,
            side=side, quantity=Decimal(quantity),
        )  # fmt: skip
        self.book.record(event, HUMAN)
        return event.event_id

    def fill(
        self, order: str, quantity: str, price: str, fee: str = "0", *, day: float = 0,
        known: float | None = None, slug: str = "xs",
    ) -> None:  # fmt: skip
        event = Fill(
            **self.stamp(day, known), strategy_slug=slug, order=order, quantity=Decimal(quantity),
            price=Decimal(price), fee=Decimal(fee),
        )  # fmt: skip
        self.book.record(event, HUMAN)

    def trade(
        self, decision: str, side: Any, quantity: str, price: str, fee: str = "0", *, day: float = 0,
        known: float | None = None, instrument: str = "A", slug: str = "xs",
    ) -> None:  # fmt: skip
        """An order that is filled at once."""
        when: dict[str, Any] = {"day": day, "known": known, "slug": slug}
        self.fill(
            self.order(decision, side, quantity, instrument=instrument, **when), quantity, price, fee, **when
        )

    def mark(self, price: str, *, day: float = 0, instrument: str = "A") -> None:
        self.book.record(
            Mark(**self.stamp(day, None), strategy_slug=None, instrument=instrument, price=Decimal(price)),
            HUMAN,
        )

    def split(self, after: int, before: int, *, day: float = 0, instrument: str = "A") -> None:
        event = Split(
            **self.stamp(day, None), strategy_slug=None, instrument=instrument, after=after, before=before
        )
        self.book.record(event, HUMAN)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def notes(tmp_path: Path) -> NoteStore:
    store = NoteStore(tmp_path / "notes")
    for slug in ("alpha", "beta", "gamma"):
        store.new(slug, slug.title(), f"Text of {slug}.")
        store.publish(slug)
    store.new("draft", "Draft", "Not yet.")
    return store


@pytest.fixture
def workspace(tmp_path: Path) -> Ledger:
    """A ledger with two trials of one formula, and one of another."""
    ledger = Ledger.create(tmp_path / "ledger")
    for number, fingerprint in enumerate(("f1", "f1", "f2")):
        body = {
            "fingerprint": fingerprint, "config_hash": f"c{number}", "expression": f"rank({fingerprint})",
            "data": "sim", "universe": None, "period": "search", "bars": 100, "sharpe": (5 + number) / 100,
            "series": None, "desk": "tools", "control": False,
        }  # fmt: skip
        ledger.append("trial", body)
    return ledger


@pytest.fixture
def book(tmp_path: Path, notes: NoteStore, workspace: Ledger, clock: SetClock) -> Book:
    return Book.create(tmp_path / "book", notes=notes, workspace=workspace, clock=clock, ids=Ids())


@pytest.fixture
def desk(book: Book) -> Desk:
    made = Desk(book)
    made.start()
    return made
