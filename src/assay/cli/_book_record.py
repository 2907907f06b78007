"""``assay book record``: decisions, orders, fills, marks and splits, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._book_open import At, By, Cites, Known, Root, amount, human, open_book, stamp
from assay.cli._output import Json, print_json, say
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.book import Book, HumanEvent

Quantity = Annotated[str, typer.Option(help="How many, above 0.", metavar="NUMBER")]
Price = Annotated[str, typer.Option(help="For one.", metavar="NUMBER")]
Instrument = Annotated[str, typer.Argument(help="Name of an instrument.", metavar="INSTRUMENT")]
Ref = Annotated[str | None, typer.Option(help="Its name elsewhere, such as with the broker.", metavar="NAME")]


def record_app() -> typer.Typer:
    """``assay book record``."""
    app = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="Record what was decided, ordered and filled."
    )
    app.command("decision")(decision)
    app.command("order")(order)
    app.command("fill")(fill)
    app.command("mark")(mark)
    app.command("split")(split)
    return app


def decision(
    slug: Annotated[str, typer.Argument(help="Slug of a strategy.", metavar="SLUG")],
    text: Annotated[str, typer.Option(help="What is decided, in a line.", metavar="TEXT")],
    cite: Cites = None,
    at: At = None,
    known: Known = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Record why something is traded: the notes that are cited get what it earns."""
    from assay.book import Decision

    book = open_book(root)
    event = Decision(**stamp(book, at, known), strategy_slug=slug, text=text, cites=tuple(cite or ()))
    _record(book, event, by, as_json=as_json)


def order(
    decided: Annotated[str, typer.Argument(help="Event id of the decision.", metavar="DECISION")],
    side: Annotated[str, typer.Argument(help="buy or sell.", metavar="SIDE")],
    instrument: Instrument,
    quantity: Quantity,
    limit: Annotated[str | None, typer.Option(help="Limit price.", metavar="NUMBER")] = None,
    ref: Ref = None,
    at: At = None,
    known: Known = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Record an order that follows from a decision of a promoted strategy."""
    from assay.book import Order

    book = open_book(root)
    event = Order(
        **stamp(book, at, known),
        strategy_slug=_strategy(book, decided, "decision"),
        decision=decided,
        instrument=instrument,
        side=side,  # type: ignore[arg-type] # one of two words: the event's to check
        quantity=amount(quantity, "--quantity"),
        limit=None if limit is None else amount(limit, "--limit"),
        ref=ref,
    )
    _record(book, event, by, as_json=as_json)


def fill(
    ordered: Annotated[str, typer.Argument(help="Event id of the order, or its --ref.", metavar="ORDER")],
    quantity: Quantity,
    price: Price,
    fee: Annotated[
        str, typer.Option(help="What it cost besides; negative for a rebate.", metavar="NUMBER")
    ] = "0",
    ref: Ref = None,
    at: At = None,
    known: Known = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Record that an order was filled, in part or as a whole."""
    from assay.book import Fill

    book = open_book(root)
    named = book.refs().get(ordered, ordered)
    event = Fill(
        **stamp(book, at, known),
        strategy_slug=_strategy(book, named, "order"),
        order=named,
        quantity=amount(quantity, "--quantity"),
        price=amount(price, "--price"),
        fee=amount(fee, "--fee"),
        ref=ref,
    )
    _record(book, event, by, as_json=as_json)


def mark(
    instrument: Instrument,
    price: Price,
    at: At = None,
    known: Known = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Record what an instrument is worth."""
    from assay.book import Mark

    book = open_book(root)
    event = Mark(
        **stamp(book, at, known), strategy_slug=None, instrument=instrument, price=amount(price, "--price")
    )
    _record(book, event, by, as_json=as_json)


def split(
    instrument: Instrument,
    ratio: Annotated[str, typer.Argument(help="After for before: 3:2 makes 150 of 100.", metavar="RATIO")],
    at: At = None,
    known: Known = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Record a split of shares: quantities are restated, costs stay."""
    from assay.book import Split

    after, mark, before = ratio.partition(":")
    if not (mark and after.isascii() and after.isdigit() and before.isascii() and before.isdigit()):
        raise AssayError(f"{ratio[:40]!r} is no ratio", where="RATIO", fix="write it as 3:2")
    book = open_book(root)
    event = Split(
        **stamp(book, at, known),
        strategy_slug=None,
        instrument=instrument,
        after=int(after[:9]),
        before=int(before[:9]),
    )
    _record(book, event, by, as_json=as_json)


def _strategy(book: Book, event_id: str, what: str) -> str:
    slug = book.strategy_of(event_id)
    if slug is None:
        raise AssayError(
            f"the book has no {what} {event_id[:80]!r}", where=what, fix="see: assay book show --json"
        )
    return slug


def _record(book: Book, event: HumanEvent, by: str, *, as_json: bool) -> None:
    book.record(event, human(by))
    if as_json:
        print_json(event.as_body())
        return
    say(f"{event.name} {event.event_id}")
