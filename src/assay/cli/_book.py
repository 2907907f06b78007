"""``assay book``: strategies that trade, what they did, and which notes earned it. For people alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._book_open import At, By, Cites, Root, book_desk, human, open_book, stamp
from assay.cli._book_record import record_app
from assay.cli._output import Json, console, print_json, say
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.book import Book, HumanEvent

Slug = Annotated[str, typer.Argument(help="Slug of a strategy.", metavar="SLUG")]
Why = Annotated[str, typer.Option("--reason", help="Why, for the record: one line.", metavar="TEXT")]


def book_app() -> typer.Typer:
    """``assay book``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="The book: strategies that a person let trade, what they did, and which notes earned it.",
    )
    app.command("init")(init)
    app.command("register")(register)
    app.command("promote")(promote)
    app.command("retire")(retire)
    app.add_typer(record_app(), name="record")
    app.command("import")(import_events)
    app.command("show")(show)
    app.command("attribution")(attribution)
    return app


def init(root: Root = None, as_json: Json = False) -> None:
    """Make an empty book."""
    from assay.book import Book, find_state_root
    from assay.config import find_workspace

    folder = find_state_root(root, os.environ, find_workspace())
    if folder is None:
        raise AssayError(
            "there is no workspace, and no folder is named", where="--root", fix="name one with --root DIR"
        )
    Book.create(folder)
    if as_json:
        print_json({"root": str(folder)})
        return
    say(f"book {folder}; next: assay book register SLUG --reason TEXT --cite note:SLUG")


def register(
    slug: Slug,
    reason: Why,
    cite: Cites = None,
    at: At = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Enter a strategy in the book. It trades nothing before it is promoted."""
    from assay.book import Registered

    book = open_book(root)
    event = Registered(**stamp(book, at), strategy_slug=slug, text=reason, cites=tuple(cite or ()))
    _act(book, event, by, f"registered {slug}", as_json=as_json)


def promote(
    slug: Slug,
    reason: Why,
    cite: Cites = None,
    at: At = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Let a registered strategy trade: its decisions may have orders from now on."""
    from assay.book import Promoted

    book = open_book(root)
    event = Promoted(**stamp(book, at), strategy_slug=slug, text=reason, cites=tuple(cite or ()))
    _act(book, event, by, f"promoted {slug}", as_json=as_json)


def retire(
    slug: Slug,
    reason: Why,
    cite: Cites = None,
    at: At = None,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Let a strategy decide no more; orders of earlier decisions may still close what is open."""
    from assay.book import Retired

    book = open_book(root)
    event = Retired(**stamp(book, at), strategy_slug=slug, text=reason, cites=tuple(cite or ()))
    _act(book, event, by, f"retired {slug}", as_json=as_json)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def import_events(
    file: Annotated[Path, typer.Argument(help="CSV file of orders and fills.", metavar="FILE")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check it, and record nothing.")] = False,
    by: By = "user",
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Record the orders and fills of a CSV file: all of them, or none and every problem at once.

    Columns: kind (order or fill), ref, decision (of an order), order (of a fill: its ref or event id),
    instrument, side, quantity, price, fee, exchange_ts, knowledge_ts (default: now).
    """
    from assay.book import read_events

    book = open_book(root)
    events = read_events(book, file, human(by))
    if not dry_run:
        book.record_many(events, human(by))
    counts = {name: sum(event.name == name for event in events) for name in ("order", "fill")}
    if as_json:
        print_json({"recorded": not dry_run, **counts})
        return
    done = "would record" if dry_run else "recorded"
    orders, fills = (_counted(number, name) for name, number in counts.items())
    say(f"{done} {orders} and {fills}")


def show(
    as_of: Annotated[
        str | None, typer.Option(help="As it was known at this time; default: now.", metavar="TIME")
    ] = None,
    recent: Annotated[int, typer.Option(help="How many of the last acts.", min=1, max=1000)] = 10,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Show strategies, positions and result, the candidates, and who did what last."""
    from assay.book import time_text

    book = open_book(root)
    time = stamp(book, as_of, as_of)["knowledge_ts"]
    state = book.state(time)
    rows, names = book.recent(recent, as_of=time), book.event_names()
    told: dict[str, Any] = {
        "root": str(book.root),
        "as_of": time_text(state.as_of),
        **{name: _text(getattr(state, name)) for name in ("cash", "realised", "unrealised")},
        "strategies": [_plain(row) for row in state.strategies],
        "positions": [_plain(row) for row in state.positions],
        "candidates": book.leaderboard()["entries"],
        "recent": [
            {
                "event": names.get(row.event_id),
                "event_id": row.event_id,
                "exchange_ts": time_text(row.exchange_ts),
                "strategy_slug": row.strategy_slug,
                "operator": row.operator.identifier,
                "cited_artifacts": list(row.cited_artifacts),
            }
            for row in rows
        ],
    }
    if as_json:
        print_json(told)
        return
    _print_book(told)


def attribution(
    since: Annotated[
        str | None, typer.Option(help="Fills that happened from then on: ISO-8601, or a day.", metavar="TIME")
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Fills that were known by then; default: now.", metavar="TIME")
    ] = None,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Sum the realised result by cited note, the largest first by size."""
    from assay.book import book_tools
    from assay.tools import Caller, Context

    open_book(root)
    tool = next(tool for tool in book_tools(book_desk(root)) if tool.id == "book.attribution_by_thesis")
    asked = tool.arguments(since=since, until=until)
    told = tool.function(asked, Context(Caller(human("user")))).model_dump()
    if as_json:
        print_json(told)
        return
    window = f"{told['since'] or 'the beginning'} to {told['until']}"
    say(f"realised {told['total']} from {window}")
    _print_table(("thesis", "realised", "fills"), [list(row.values()) for row in told["rows"]])


def _act(book: Book, event: HumanEvent, by: str, done: str, *, as_json: bool) -> None:
    book.record(event, human(by))
    if as_json:
        print_json(event.as_body())
        return
    say(f"{done} ({event.event_id})")


def _print_book(told: dict[str, Any]) -> None:
    say(f"book {told['root']} as of {told['as_of']}")
    unrealised = told["unrealised"] or "not known: a position has no mark"
    say(f"realised {told['realised']}  unrealised {unrealised}  cash {told['cash']}")
    if told["strategies"]:
        _print_table(("strategy", "why", "status"), [list(row.values()) for row in told["strategies"]])
    if told["positions"]:
        titles = ("strategy", "instrument", "quantity", "cost", "mark", "value", "unrealised")
        _print_table(titles, [list(row.values()) for row in told["positions"]])
    if told["candidates"]:
        cells = [
            [row["strategy_slug"], row["claimed"]["metric"], f"{row['claimed']['score']:.4g}", row["title"]]
            for row in told["candidates"]
        ]
        _print_table(("candidate", "metric", "score", "idea"), cells)
    for row in told["recent"]:
        cited = ", ".join(row["cited_artifacts"]) or "nothing"
        say(f"{row['exchange_ts']}  {row['event']}  {row['strategy_slug']}  {row['operator']}  cites {cited}")


def _print_table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    left = ("thesis", "strategy", "why", "status", "instrument", "candidate", "metric", "idea")
    for title in titles:
        table.add_column(title, justify="left" if title in left else "right")
    for row in rows:
        table.add_row(*(Text("-" if cell is None else str(cell)) for cell in row))
    console().print(table)


def _plain(row: Any) -> dict[str, Any]:
    from dataclasses import fields

    return {item.name: _text(getattr(row, item.name)) for item in fields(row)}


def _text(value: Any) -> Any:
    from decimal import Decimal

    from assay.book import decimal_text

    return decimal_text(value) if isinstance(value, Decimal) else value
