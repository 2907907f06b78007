from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from decimal import Decimal

    from assay.base import Operator
    from assay.book import Book, BookDesk

Root = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="The book's folder; default: ASSAY_BOOK_STATE_ROOT, or book/ of the workspace.",
        metavar="DIR",
    ),
]
By = Annotated[str, typer.Option("--by", help="Who does it: your name, for the record.", metavar="NAME")]
Cites = Annotated[
    list[str] | None,
    typer.Option(
        "--cite",
        help="What it rests on: note:SLUG, certificate:SHA256 or agent:ID; may be given several times.",
        metavar="CITATION",
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", help="When it happened, ISO-8601 (UTC, or with a zone); default: now.", metavar="TIME"
    ),
]
Known = Annotated[
    str | None,
    typer.Option("--known", help="When it became known; default: now.", metavar="TIME"),
]


def book_desk(root: Path | None) -> BookDesk:
    """The book that is meant, with what it may cite."""
    from assay.book import BookDesk, find_state_root
    from assay.config import find_workspace
    from assay.ledger import Ledger
    from assay.notes import NoteStore

    workspace = find_workspace()
    notes = None if workspace is None else NoteStore(workspace.notes_dir)
    ledger = None
    if workspace is not None and workspace.ledger_dir.exists():
        ledger = Ledger.open(workspace.ledger_dir)
    return BookDesk(find_state_root(root, os.environ, workspace), notes, ledger)


def open_book(root: Path | None) -> Book:
    """The book that is meant.

    Raises
    ------
    Refusal
        ``no_state_root``, ``damaged_state``.
    """
    desk = book_desk(root)
    try:
        return desk.book()
    except Refusal as refusal:
        if refusal.reason.code == "no_state_root":
            where = "book" if desk.root is None else str(desk.root)
            raise Refusal(refusal.reason, where=where, fix="make one: assay book init") from refusal
        raise


def human(name: str) -> Operator:
    """The person who acts."""
    from assay.base import Operator

    return Operator.human(name)


def stamp(book: Book, at: str | None, known: str | None = None) -> dict[str, Any]:
    """Id and times of an event; what is known is known now, unless it is said."""
    return book.stamp(_time(at, "--at"), _time(known, "--known"))


def _time(text: str | None, option: str) -> datetime | None:
    from assay.tools import read_instant

    if text is None:
        return None
    try:
        return read_instant(text)
    except ValueError as error:
        raise AssayError(
            f"{text[:80]!r} is {error}", where=option, fix="write it as 2020-01-31T15:00:00Z"
        ) from error


def amount(text: str, option: str) -> Decimal:
    """A decimal number of an option."""
    from assay.book import read_decimal

    try:
        return read_decimal(text.strip())
    except ValueError as error:
        raise AssayError(f"{text[:80]!r} is {error}", where=option, fix="write it as 12.5") from error
