from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from pydantic import Field

from assay.base import DAMAGED_STATE, ID_PATTERN, OperatorKind, did_you_mean
from assay.book._candidate_tool import candidate_tool
from assay.book._desk import BookDesk
from assay.book._events import time_text
from assay.book._journal import ProvenanceRow
from assay.book._money import decimal_text
from assay.book._reasons import (
    BAD_SINCE,
    BAD_STRATEGY,
    BAD_UNTIL,
    BAD_WINDOW,
    NO_STATE_ROOT,
    SINCE_IN_FUTURE,
    UNTIL_IN_FUTURE,
)
from assay.errors import Reason, Refusal
from assay.tools import Arguments, Context, Result, Tool, read_instant
from assay.tools.builtin import BAD_LIMIT

_DAY = 10


class RecentArguments(Arguments):
    limit: int = Field(20, description="Rows at most.", ge=1, le=100)
    strategy: str | None = Field(
        None, description="Slug of a strategy: its rows alone. All rows without it.", max_length=200
    )


class RecentRow(Result):
    event_id: str
    exchange_ts: str = Field(description="When it happened, ISO-8601 in UTC.")
    strategy_slug: str
    operator_kind: OperatorKind
    cited_artifacts: list[str] = Field(description="note:<slug>, agent:<id>, certificate:<sha256>.")


class RecentResult(Result):
    rows: list[RecentRow] = Field(description="The last recorded first.")


class AttributionArguments(Arguments):
    since: str | None = Field(
        None,
        description="ISO-8601 date-time, in UTC where it names no zone: fills that happened from then on.",
        max_length=64,
        json_schema_extra={"format": "date-time"},
    )
    until: str | None = Field(
        None,
        description="ISO-8601 date-time: fills that were known by then. By default all that may be known.",
        max_length=64,
        json_schema_extra={"format": "date-time"},
    )


class ThesisItem(Result):
    thesis: str = Field(description="note:<slug>, or uncited.")
    realised: str = Field(description="Realised result after fees, an exact decimal number.")
    fills: int = Field(description="Fills of decisions that cite the note.")


class AttributionResult(Result):
    rows: list[ThesisItem] = Field(description="The largest first, by size.")
    total: str = Field(description="Realised result of the book in the window: the sum of the rows.")
    since: str | None
    until: str


def book_tools(desk: BookDesk, *, allow_record: bool = False) -> tuple[Tool, ...]:
    """``book.recent_provenance`` and ``book.attribution_by_thesis``; if allowed, the tool that records."""

    def recent(arguments: RecentArguments, context: Context) -> RecentResult:
        book = desk.book()
        until, slug = desk.now(book), arguments.strategy
        if slug is not None and not ID_PATTERN.fullmatch(slug):
            raise Refusal(BAD_STRATEGY)
        rows = book.recent(arguments.limit, slug, as_of=until)
        if slug is not None and not rows:
            raise _unknown(slug, (row.strategy_slug for row in book.recent(1000, as_of=until)))
        return RecentResult(rows=[_row(row) for row in rows])

    def attribution(arguments: AttributionArguments, context: Context) -> AttributionResult:
        book = desk.book()
        now = desk.now(book)
        since = _instant(arguments.since, BAD_SINCE, begins=True)
        until = _instant(arguments.until, BAD_UNTIL)
        for told, reason in ((since, SINCE_IN_FUTURE), (until, UNTIL_IN_FUTURE)):
            # the last second of a day counts as its end
            if told is not None and told >= now + timedelta(seconds=1):
                raise Refusal(reason)
        until = now if until is None else min(until, now)
        if since is not None and since > until:
            raise Refusal(BAD_WINDOW)
        found = book.attribution(since, until)
        return AttributionResult(
            rows=[
                ThesisItem(thesis=row.thesis, realised=decimal_text(row.realised), fills=row.fills)
                for row in found.rows
            ],
            total=decimal_text(found.total),
            since=None if since is None else time_text(since),
            until=time_text(until),
        )

    return (
        Tool(
            "book.recent_provenance",
            "Lists who decided what in the book, newest first, and which notes and agents it rests on.",
            RecentArguments,
            RecentResult,
            (BAD_LIMIT, BAD_STRATEGY, NO_STATE_ROOT, DAMAGED_STATE),
            recent,
        ),
        Tool(
            "book.attribution_by_thesis",
            "Sums the realised result of the book by cited research note, over a window of time.",
            AttributionArguments,
            AttributionResult,
            (
                BAD_SINCE,
                BAD_UNTIL,
                SINCE_IN_FUTURE,
                UNTIL_IN_FUTURE,
                BAD_WINDOW,
                NO_STATE_ROOT,
                DAMAGED_STATE,
            ),
            attribution,
        ),
        *((candidate_tool(desk),) if allow_record else ()),
    )


def _instant(text: str | None, reason: Reason, *, begins: bool = False) -> datetime | None:
    """The instant of an argument; a day alone is its end, or where something begins, its beginning."""
    if text is None:
        return None
    try:
        return read_instant(f"{text}T00:00:00" if begins and len(text) == _DAY else text)
    except ValueError as error:
        raise Refusal(reason) from error


def _unknown(slug: str, known: Iterator[str]) -> Refusal:
    near = did_you_mean(slug, dict.fromkeys(known))
    return Refusal(BAD_STRATEGY, fix=f"did you mean {', '.join(near)}?" if near else None)


def _row(row: ProvenanceRow) -> RecentRow:
    return RecentRow(
        event_id=row.event_id,
        exchange_ts=time_text(row.exchange_ts),
        strategy_slug=row.strategy_slug,
        operator_kind=row.operator.kind,
        cited_artifacts=list(row.cited_artifacts),
    )
