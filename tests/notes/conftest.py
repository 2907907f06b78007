from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.notes import NoteStore


class StillClock:
    """A clock that stands."""

    def now(self) -> datetime:
        return datetime(2022, 2, 22, 23, 30, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> NoteStore:
    """A store with a published note, ``first``, and a draft, ``second``."""
    made = NoteStore(tmp_path / "notes", clock=StillClock())
    made.new("first", "The first", "Some text.\n\nMore of it.")
    made.publish("first")
    made.new("second", "The second", "Better text.")
    return made
