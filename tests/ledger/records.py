"""Small ledgers for the tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assay.ledger import Draft, Ledger


def body(number: int, **more: Any) -> dict[str, Any]:
    return {"number": number, "outcome": "done", **more}


def draft(number: int, run: str = "r-1") -> Draft:
    return Draft("round", body(number), run)


class StillClock:
    """A clock that a test sets; it may go back."""

    def __init__(self, now: datetime = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def small(folder: Path) -> Ledger:
    """A header, two single records, an append of three, and one more: 7 lines."""
    ledger = Ledger.create(folder, clock=StillClock())
    ledger.append("round", body(1), run="r-1")
    ledger.append("round", body(2), run="r-2")
    ledger.append_many([draft(3), draft(4, "r-2"), draft(5)])
    ledger.append("round", body(6, text="\u4e2d\u6587 \ud800"), run="r-1")
    return ledger


def numbers(ledger: Ledger, **which: Any) -> list[int]:
    """The rounds that a ledger holds."""
    return [entry.body["number"] for entry in ledger.entries(kind="round", **which)]
