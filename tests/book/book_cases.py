"""Calls of the tools of the book, by the reason that each is refused with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from assay.base import Operator
from assay.book import Book, BookDesk, CandidateEntry, Registered
from assay.ledger import Ledger
from assay.notes import NoteStore

Row = tuple[str, str, dict[str, Any], Callable[[BookDesk], BookDesk]]

HUMAN = Operator.human("li")
OTHER = Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c073990", "small-1")
CANDIDATE: dict[str, Any] = {
    "strategy": "idea", "title": "Reversal", "fingerprint": "f1", "metric": "rank_ic", "score": 0.03,
    "citations": ["note:alpha"],
}  # fmt: skip
BOOK_CALLS: dict[str, dict[str, Any]] = {
    "book.recent_provenance": {},
    "book.attribution_by_thesis": {},
    "provenance.record_candidate": CANDIDATE,
}
"""Arguments with which these tools work."""


def whole_desk(clock: date | None = None) -> BookDesk:
    """A book with a registered strategy and a candidate, a note, and a ledger with a trial."""
    folder = Path(mkdtemp())
    notes = NoteStore(folder / "notes")
    notes.new("alpha", "Alpha", "Text.")
    notes.publish("alpha")
    workspace = Ledger.create(folder / "ledger")
    workspace.append("trial", TRIAL)
    book = Book.create(folder / "book", notes=notes, workspace=workspace)
    day = clock or date(2018, 1, 2)
    then = datetime.combine(day, time(12), UTC) - timedelta(days=1)
    book.record(Registered(**book.stamp(then, then), strategy_slug="xs", text="Cross-section"), HUMAN)
    entry = CandidateEntry("theirs", "Of another", "f1", "rank_ic", 0.01)
    book.record_candidate(OTHER, entry, ["note:alpha"], as_of=then)
    return BookDesk(folder / "book", notes, workspace, day)


TRIAL = {
    "fingerprint": "f1", "config_hash": "c1", "expression": "rank(close)", "data": "sim", "universe": None,
    "period": "search", "bars": 100, "sharpe": 0.05, "series": None, "desk": "tools", "control": False,
}  # fmt: skip


def as_it_is(desk: BookDesk) -> BookDesk:
    return desk


def rootless(desk: BookDesk) -> BookDesk:
    return replace(desk, root=None)


def elsewhere(desk: BookDesk) -> BookDesk:
    return replace(desk, root=Path(mkdtemp()))


def damaged(desk: BookDesk) -> BookDesk:
    assert desk.root is not None
    log = desk.root / "ledger" / "ledger.jsonl"
    log.write_bytes(log.read_bytes().replace(b"Cross", b"Thwart"))
    return desk


def with_damaged_workspace(desk: BookDesk) -> BookDesk:
    assert desk.workspace is not None
    folder = desk.workspace.folder
    log = folder / "ledger.jsonl"
    log.write_bytes(log.read_bytes().replace(b"rank(close)", b"rank(price)"))
    return replace(desk, workspace=Ledger.open(folder))


def without_notes(desk: BookDesk) -> BookDesk:
    return replace(desk, notes=None)


def without_workspace(desk: BookDesk) -> BookDesk:
    return replace(desk, workspace=None)


def attribution(reason: str, **sent: Any) -> Row:
    return "book.attribution_by_thesis", reason, sent, as_it_is


def candidate(reason: str, change: Callable[[BookDesk], BookDesk] = as_it_is, **sent: Any) -> Row:
    return "provenance.record_candidate", reason, {**CANDIDATE, **sent}, change


def candidate_without(reason: str, name: str) -> Row:
    sent = {key: value for key, value in CANDIDATE.items() if key != name}
    return "provenance.record_candidate", reason, sent, as_it_is


BOOK_ROWS: list[Row] = [
    ("book.recent_provenance", "bad_limit", {"limit": 0}, as_it_is),
    ("book.recent_provenance", "bad_limit", {"limit": 101}, as_it_is),
    ("book.recent_provenance", "bad_limit", {"limit": "5"}, as_it_is),
    ("book.recent_provenance", "bad_strategy", {"strategy": "../book"}, as_it_is),
    ("book.recent_provenance", "bad_strategy", {"strategy": "xz"}, as_it_is),
    ("book.recent_provenance", "bad_strategy", {"strategy": 7}, as_it_is),
    ("book.recent_provenance", "no_state_root", {}, rootless),
    ("book.recent_provenance", "no_state_root", {}, elsewhere),
    ("book.recent_provenance", "damaged_state", {}, damaged),
    attribution("bad_since", since="yesterday"),
    attribution("bad_since", since=""),
    attribution("bad_since", since=20170101),
    attribution("bad_until", until="2017-02-30T00:00:00Z"),
    attribution("bad_until", until="0001-01-01T00:00:00+14:00"),
    attribution("since_in_future", since="2999-01-01T00:00:00Z"),
    attribution("until_in_future", until="2999-01-01"),
    attribution("bad_window", since="2017-02-01T00:00:00Z", until="2017-01-01T00:00:00Z"),
    attribution("bad_window", since="2017-02-01T00:00:00-12:00", until="2017-02-01T11:00:00Z"),
    ("book.attribution_by_thesis", "no_state_root", {}, rootless),
    ("book.attribution_by_thesis", "no_state_root", {}, elsewhere),
    ("book.attribution_by_thesis", "damaged_state", {}, damaged),
    candidate("bad_strategy", strategy="../idea"),
    candidate_without("bad_strategy", "strategy"),
    candidate("strategy_taken", strategy="xs"),
    candidate("strategy_taken", strategy="theirs"),
    candidate("bad_title", title=" "),
    candidate("bad_title", title="two\nlines"),
    candidate_without("bad_title", "title"),
    candidate("bad_fingerprint", fingerprint=""),
    candidate_without("bad_fingerprint", "fingerprint"),
    candidate("bad_config_hash", config_hash="\x00"),
    candidate("unknown_trial", fingerprint="f9"),
    candidate("unknown_trial", config_hash="c9"),
    candidate("bad_metric", metric=""),
    candidate("bad_score", score="high"),
    candidate_without("bad_score", "score"),
    candidate("bad_citations", citations="note:alpha"),
    candidate("bad_citations", citations=["note:alpha"] * 33),
    candidate_without("bad_citations", "citations"),
    candidate("bad_citation", citations=["alpha"]),
    candidate("bad_citation", citations=["note:../alpha"]),
    candidate("unresolved_citation", citations=["note:alpha", "note:hallucinated"]),
    candidate("uncited", citations=[]),
    candidate("no_state_root", rootless),
    candidate("no_state_root", elsewhere),
    candidate("no_note_store", without_notes),
    candidate("no_ledger", without_workspace),
    candidate("damaged_state", damaged),
    candidate("damaged_state", with_damaged_workspace),
]
