"""What a book was as of a time, and which note earned what: both by replaying what was known by then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final, NamedTuple

from assay.book._events import Decision, Event, Fill, Mark, Order, Promoted, Registered, Retired, Split
from assay.book._history import Recorded, StrategyLife
from assay.book._money import EXACT, ZERO, add, shares_of
from assay.book._positions import Position, cash_of, split_price

UNCITED: Final = "uncited"
"""Stands for the notes of a decision that cites none."""


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A strategy and how far it has come: ``registered``, ``promoted`` or ``retired``."""

    slug: str
    text: str
    status: str


@dataclass(frozen=True, slots=True)
class PositionRow:
    """An open position; ``mark``, ``value``, ``unrealised`` are None where nothing says what it is worth."""

    strategy_slug: str
    instrument: str
    quantity: Decimal
    cost: Decimal
    mark: Decimal | None
    value: Decimal | None
    unrealised: Decimal | None


@dataclass(frozen=True, slots=True)
class BookState:
    """A book as of a time.

    ``cash`` is what all fills brought in less what they took, fees included; it begins with nothing.
    ``realised`` includes fees. ``unrealised`` is None where an open position has no mark. It holds that
    ``cash + sum(cost) = realised``, and so that ``cash + sum(value) = realised + unrealised``.
    """

    as_of: datetime
    strategies: tuple[StrategyRow, ...]
    positions: tuple[PositionRow, ...]
    cash: Decimal
    realised: Decimal
    unrealised: Decimal | None


@dataclass(frozen=True, slots=True)
class ThesisRow:
    """What the decisions that cite a note realised, each decision's in equal parts to the notes it cites.

    ``thesis`` is ``note:<slug>``, or ``uncited``. A fill counts with every note of its decision.
    """

    thesis: str
    realised: Decimal
    fills: int


@dataclass(frozen=True, slots=True)
class Attribution:
    """Realised result by note, the largest first by size; the rows sum to ``total`` exactly."""

    since: datetime | None
    until: datetime
    rows: tuple[ThesisRow, ...]
    total: Decimal


class Realised(NamedTuple):
    """What a fill realised, and the decision that it goes back to."""

    fill: Fill
    decision: Decision
    amount: Decimal


class Replay:
    """Events taken up one after the other, in the order in which they happened."""

    def __init__(self) -> None:
        self.positions: dict[tuple[str, str], Position] = {}
        self.marks: dict[str, Decimal] = {}
        self.cash = ZERO
        self._orders: dict[str, Order] = {}
        self._decisions: dict[str, Decision] = {}
        self._lives: dict[str, StrategyLife] = {}

    def run(self, events: Iterable[Event]) -> Iterator[Realised]:
        """Take up events; gives each fill with what it realised."""
        for event in events:
            if isinstance(event, Fill):
                yield self._fill(event)
            elif isinstance(event, Order):
                self._orders[event.event_id] = event
            elif isinstance(event, Decision):
                self._decisions[event.event_id] = event
            elif isinstance(event, Mark):
                self.marks[event.instrument] = event.price
            elif isinstance(event, Split):
                self._split(event)
            elif isinstance(event, (Registered, Promoted, Retired)):
                self._live(event)

    def _fill(self, fill: Fill) -> Realised:
        order = self._orders[fill.order]
        position = self.positions.setdefault((str(fill.strategy_slug), order.instrument), Position())
        self.cash = add(self.cash, cash_of(order.side, fill))
        return Realised(fill, self._decisions[order.decision], position.fill(order.side, fill))

    def _split(self, split: Split) -> None:
        for (_, instrument), position in self.positions.items():
            if instrument == split.instrument:
                position.split(split)
        if split.instrument in self.marks:
            self.marks[split.instrument] = split_price(self.marks[split.instrument], split)

    def _live(self, event: Registered | Promoted | Retired) -> None:
        slug = str(event.strategy_slug)
        if isinstance(event, Registered):
            self._lives[slug] = StrategyLife(event)
        elif slug in self._lives:
            if isinstance(event, Promoted):
                self._lives[slug].promoted = event
            else:
                self._lives[slug].retired = event

    def strategies(self) -> tuple[StrategyRow, ...]:
        """The strategies by slug."""
        return tuple(
            StrategyRow(slug, life.registered.text, life.status) for slug, life in sorted(self._lives.items())
        )

    def open_positions(self) -> tuple[PositionRow, ...]:
        """The positions that are not closed, by strategy and instrument."""
        rows = sorted(self.positions.items())
        return tuple(self._row(*key, position) for key, position in rows if position.quantity)

    def _row(self, slug: str, instrument: str, position: Position) -> PositionRow:
        mark = self.marks.get(instrument)
        value = None if mark is None else EXACT.multiply(position.quantity, mark)
        gain = None if value is None else add(value, position.cost.copy_negate())
        return PositionRow(slug, instrument, position.quantity, position.cost, mark, value, gain)


def known_by(recorded: Iterable[Recorded], as_of: datetime) -> list[Event]:
    """The events that were known by a time, in the order in which they happened, then of their records."""
    known = [item for item in recorded if item.event.knowledge_ts <= as_of]
    return [item.event for item in sorted(known, key=lambda item: (item.event.exchange_ts, item.line))]


def state_of(recorded: Iterable[Recorded], as_of: datetime) -> BookState:
    """The book as it was known at a time."""
    replay = Replay()
    realised = add(*(item.amount for item in replay.run(known_by(recorded, as_of))))
    positions = replay.open_positions()
    gains = [row.unrealised for row in positions]
    unrealised = None if None in gains else add(*(gain for gain in gains if gain is not None))
    return BookState(as_of, replay.strategies(), positions, replay.cash, realised, unrealised)


def attribution_of(recorded: Iterable[Recorded], since: datetime | None, until: datetime) -> Attribution:
    """What each note realised: of fills that happened from ``since`` on and were known by ``until``."""
    amounts: dict[str, Decimal] = defaultdict(lambda: ZERO)
    fills: dict[str, int] = defaultdict(int)
    total = ZERO
    for item in Replay().run(known_by(recorded, until)):
        if since is not None and item.fill.exchange_ts < since:
            continue
        total = add(total, item.amount)
        theses = theses_of(item.decision)
        for thesis, share in zip(theses, shares_of(item.amount, len(theses)), strict=True):
            amounts[thesis] = add(amounts[thesis], share)
            fills[thesis] += 1
    rows = [ThesisRow(thesis, amount, fills[thesis]) for thesis, amount in amounts.items()]
    rows.sort(key=lambda row: row.thesis)
    rows.sort(key=lambda row: row.realised.copy_abs(), reverse=True)
    if add(*(row.realised for row in rows)) != total:
        raise ArithmeticError("the theses do not sum to the book")
    return Attribution(since, until, tuple(rows), total)


def theses_of(decision: Decision) -> list[str]:
    """The notes that a decision cites, each once; ``uncited`` where there is none."""
    return list(dict.fromkeys(cite for cite in decision.cites if cite.startswith("note:"))) or [UNCITED]
