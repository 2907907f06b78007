"""One simulation as a search sees it: what was asked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from assay.brain._settings import SimulationRequest
from assay.brain._wire import Check, Place, Stats

JobStatus = Literal["completed", "failed"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A simulation that somebody wants.

    ``direction`` is the id of the direction that it belongs to; ``replaces`` the job that it improves;
    ``origin`` says how it came about (``hypothesis``, a mutation rule, ``flip``, ``settings``, ``model``).
    """

    request: SimulationRequest
    direction: str = ""
    rationale: str = ""
    replaces: str | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a factor failed: the platform's own words, and the place in the expression."""

    message: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of a proposal. Jobs are numbered in the order of submission: ``j0001``.

    ``stats`` and ``alpha`` are there when it completed; ``failure`` when it failed. An absent figure is None,
    never 0.
    """

    job: str
    proposal: Proposal
    status: JobStatus
    alpha: str | None = None
    stats: Stats | None = None
    checks: tuple[Check, ...] = ()
    failure: Failure | None = None
    fingerprint: str = ""
    round: int = 0

    @property
    def sharpe(self) -> float | None:
        return None if self.stats is None else self.stats.sharpe

    @property
    def fitness(self) -> float | None:
        return None if self.stats is None else self.stats.fitness

    @property
    def turnover(self) -> float | None:
        return None if self.stats is None else self.stats.turnover

    @property
    def failing(self) -> tuple[str, ...]:
        """Names of the checks that failed."""
        return tuple(check.name for check in self.checks if check.result in ("FAIL", "ERROR"))

    @property
    def pending(self) -> tuple[str, ...]:
        """Names of the checks that nobody has an answer to yet."""
        return tuple(check.name for check in self.checks if check.result == "PENDING")


@dataclass(frozen=True, slots=True)
class DailyPnl:
    """Daily PnL in dollars by ISO date."""

    dates: tuple[str, ...]
    values: tuple[float, ...] = field(repr=False)
