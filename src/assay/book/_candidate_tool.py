from __future__ import annotations

from pydantic import Field

from assay.base import DAMAGED_STATE, ID_PATTERN
from assay.book._book import CandidateEntry
from assay.book._desk import BookDesk
from assay.book._events import MAX_KEY, MAX_NAME, MAX_TEXT, time_text
from assay.book._reasons import (
    BAD_CITATIONS,
    BAD_CONFIG_HASH,
    BAD_FINGERPRINT,
    BAD_METRIC,
    BAD_SCORE,
    BAD_STRATEGY,
    BAD_TITLE,
    NO_STATE_ROOT,
    STRATEGY_TAKEN,
    UNKNOWN_TRIAL,
)
from assay.errors import LedgerDamaged, Reason, Refusal
from assay.notes import NO_NOTE_STORE
from assay.provenance import BAD_CITATION, UNCITED, UNRESOLVED_CITATION
from assay.tools import Annotations, Arguments, Context, Result, Tool
from assay.tools.builtin import NO_LEDGER

MAX_CITATIONS = 32


class CandidateArguments(Arguments):
    strategy: str = Field(description="A slug for the candidate, your own.", max_length=200)
    title: str = Field(description="The idea in one line.", max_length=MAX_TEXT)
    fingerprint: str = Field(description="Of the trial, as its evaluation gave it.", max_length=MAX_KEY)
    config_hash: str | None = Field(
        None, description="Of the trial; without it, its newest configuration.", max_length=MAX_KEY
    )
    metric: str = Field(description="What the score is, such as rank_ic.", max_length=MAX_NAME)
    score: float = Field(description="The figure that speaks for it, as its evaluation gave it.")
    citations: list[str] = Field(
        description="What it rests on: note:<slug>, certificate:<sha256>, agent:<model>/<uuid7>.",
        max_length=MAX_CITATIONS,
    )


class CandidateResult(Result):
    event_id: str
    exchange_ts: str
    strategy_slug: str
    operator: str = Field(description="Your identifier, under which you may be cited.")
    fingerprint: str
    config_hash: str
    sharpe: float | None = Field(description="By bar, as the ledger has it.")
    n: int | None = Field(description="Distinct trials on the data set.")
    cited_artifacts: list[str]
    entries: int = Field(description="Entries on the leaderboard.")


def candidate_tool(desk: BookDesk) -> Tool:
    """``provenance.record_candidate``: for agents alone."""

    def run(asked: CandidateArguments, context: Context) -> CandidateResult:
        _check(asked)
        book = desk.book()
        if desk.notes is None or not desk.notes.folder.is_dir():
            raise Refusal(NO_NOTE_STORE)
        entry = CandidateEntry(
            asked.strategy, asked.title, asked.fingerprint, asked.metric, asked.score, asked.config_hash
        )
        now = desk.now(book) if desk.clock else None
        try:
            made = book.record_candidate(context.caller.operator, entry, asked.citations, as_of=now)
        except LedgerDamaged as error:
            raise Refusal(DAMAGED_STATE) from error
        return CandidateResult(
            event_id=made.event.event_id,
            exchange_ts=time_text(made.event.exchange_ts),
            strategy_slug=asked.strategy,
            operator=context.caller.operator.identifier,
            fingerprint=made.event.fingerprint,
            config_hash=made.event.config_hash,
            sharpe=made.event.sharpe,
            n=made.event.n,
            cited_artifacts=list(made.event.cites),
            entries=len(book.leaderboard()["entries"]),
        )

    return Tool(
        "provenance.record_candidate",
        "Enters a trial of yours on the leaderboard, with one row of provenance. Nothing follows from it.",
        CandidateArguments,
        CandidateResult,
        (
            BAD_STRATEGY,
            STRATEGY_TAKEN,
            BAD_TITLE,
            BAD_FINGERPRINT,
            BAD_CONFIG_HASH,
            UNKNOWN_TRIAL,
            BAD_METRIC,
            BAD_SCORE,
            BAD_CITATIONS,
            BAD_CITATION,
            UNRESOLVED_CITATION,
            UNCITED,
            NO_STATE_ROOT,
            NO_NOTE_STORE,
            NO_LEDGER,
            DAMAGED_STATE,
        ),
        run,
        annotations=Annotations(read_only=False, idempotent=False),
        callers=frozenset(("agent",)),
    )


def _check(asked: CandidateArguments) -> None:
    """What the schema does not say of texts."""
    if not ID_PATTERN.fullmatch(asked.strategy):
        raise Refusal(BAD_STRATEGY)
    texts: tuple[tuple[str | None, Reason], ...] = (
        (asked.title, BAD_TITLE),
        (asked.fingerprint, BAD_FINGERPRINT),
        (asked.config_hash, BAD_CONFIG_HASH),
        (asked.metric, BAD_METRIC),
    )
    for text, reason in texts:
        if text is not None and not (text.strip() and text.isprintable()):
            raise Refusal(reason)
