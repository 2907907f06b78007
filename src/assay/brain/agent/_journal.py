"""What is in flight in a round, and what has landed before its turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.brain._flight import Flight, FlightFile


class RoundJournal:
    """A journal that keeps a job which is done until the ledger has its result.

    Results are recorded in the order of submission: one that came before its turn would else be forgotten
    by a kill, and paid for again.
    """

    def __init__(self, path: Path) -> None:
        self._file = FlightFile(path)
        self._flights: dict[str, Flight] = {}
        self._held: dict[str, Flight] = {}

    def load(self) -> tuple[Flight, ...]:
        """What was in flight, or held."""
        found = self._file.load()
        self._flights = {flight.job.id: flight for flight in found}
        return found

    def save(self, flights: Sequence[Flight]) -> None:
        """Note what is in flight, beside what is held."""
        self._flights = {flight.job.id: flight for flight in flights}
        self._write()

    def hold(self, job: str) -> None:
        """Keep a job though it is no longer in flight."""
        self._held[job] = self._flights[job]

    def release(self, job: str) -> None:
        """Forget a job: its result is recorded."""
        if self._held.pop(job, None) is not None:
            self._write()

    def _write(self) -> None:
        self._file.save(tuple({**self._held, **self._flights}.values()))
