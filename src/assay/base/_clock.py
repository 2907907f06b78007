from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from, so that tests and replays can hold it still."""

    def now(self) -> datetime:
        """The current time, timezone-aware, UTC."""
        ...


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)
