from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING

from assay.base import Clock, RandomBytes
from assay.book._book import Book
from assay.book._reasons import NO_STATE_ROOT
from assay.errors import Refusal

if TYPE_CHECKING:
    from assay.ledger import Ledger
    from assay.notes import NoteStore


@dataclass(frozen=True)
class BookDesk:
    """The book behind the tools; it is looked for at each call, since it may be made later.

    Parameters
    ----------
    root : the state root; None where none is set.
    notes, workspace : see :class:`Book`.
    clock : the last day that callers may learn of; None for all up to now.
    time, ids : where times and ids come from.
    """

    root: Path | None = None
    notes: NoteStore | None = None
    workspace: Ledger | None = None
    clock: date | None = None
    time: Clock | None = None
    ids: RandomBytes = os.urandom
    _opened: list[Book] = field(default_factory=list, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def book(self) -> Book:
        """The book.

        Raises
        ------
        Refusal
            ``no_state_root``, ``damaged_state``.
        """
        if self.root is None:
            raise Refusal(NO_STATE_ROOT)
        with self._lock:
            if not self._opened or not (self.root / "ledger").is_dir():
                self._opened[:] = [
                    Book.open(
                        self.root, notes=self.notes, workspace=self.workspace, clock=self.time, ids=self.ids
                    )
                ]
            return self._opened[0]

    def now(self, book: Book) -> datetime:
        """The end of what callers may learn of."""
        if self.clock is None:
            return book.now()
        return datetime.combine(self.clock, time(23, 59, 59), UTC)
