"""Jobs on their way through the slots, and the file that knows of them while they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import TypeAdapter, ValidationError

from assay.base import atomic_write
from assay.brain._result import Proposal
from assay.errors import DataError

Stage = Literal["posting", "running"]


@dataclass(frozen=True, slots=True)
class Job:
    """A proposal with the id that its result will have; ``owner`` shares the slots with other owners."""

    id: str
    proposal: Proposal
    round: int = 0
    owner: str = ""


def job_id(number: int) -> str:
    """``j0001``."""
    return f"j{number:04d}"


def number_of(job: str) -> int:
    """The number that :func:`job_id` made an id of."""
    return int(job[1:])


@dataclass(frozen=True, slots=True)
class Flight:
    """A job that was begun.

    ``posting``: the request goes out, and whether it arrived is not known. ``running``: the platform has it
    at ``location``. ``alpha`` is its alpha once the simulation is done. ``faults`` counts passing faults in a
    row; in the ``background`` it is beyond the silent retries.
    """

    job: Job
    stage: Stage
    location: str = ""
    alpha: str = ""
    faults: int = 0
    background: bool = False
    waited: float = 0.0
    due: float = 0.0
    progress: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it takes a slot of the platform: one in the background that runs there still does."""
        return (self.stage == "posting" and not self.background) or (bool(self.location) and not self.alpha)

    def later(self, seconds: float) -> Flight:
        """The same after that much time."""
        return replace(self, due=max(0.0, self.due - seconds), waited=self.waited + seconds)


class Journal(Protocol):
    """Keeps what is in flight, so that a run that was killed pays for no simulation twice."""

    def save(self, flights: Sequence[Flight]) -> None: ...

    def load(self) -> tuple[Flight, ...]: ...


class NoJournal:
    """Keeps nothing: for runs that nobody will resume."""

    def save(self, flights: Sequence[Flight]) -> None:
        return None

    def load(self) -> tuple[Flight, ...]:
        return ()


class FlightFile:
    """A journal in one small file, replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def save(self, flights: Sequence[Flight]) -> None:
        """Only what a resumed run has to know is written, and only when that changes."""
        kept = [replace(f, waited=0.0, due=0.0, progress=None, faults=0, background=False) for f in flights]
        text = json.dumps(_adapter().dump_python(tuple(kept), mode="json", by_alias=True))
        if not self.path.exists() or self.path.read_text(encoding="utf-8") != text:
            atomic_write(self.path, text)

    def load(self) -> tuple[Flight, ...]:
        """What was in flight.

        Raises
        ------
        DataError
            The file is damaged; it is left as it is.
        """
        if not self.path.exists():
            return ()
        try:
            flights: tuple[Flight, ...] = _adapter().validate_json(self.path.read_bytes())
        except ValidationError as error:
            raise DataError(
                f"{self.path.name} is damaged: {error.error_count()} problems",
                where=str(self.path),
                fix="move it away and resume: simulations that run on the platform may then be paid again",
            ) from error
        return flights


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(tuple[Flight, ...])
