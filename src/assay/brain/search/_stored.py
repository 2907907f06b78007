"""A result as the store keeps it: one row, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter

from assay.brain._fingerprint import fingerprint
from assay.brain._limits import limits
from assay.brain._result import Failure, JobResult, Proposal
from assay.brain._settings import SimulationRequest, SimulationSettings
from assay.brain._wire import Check, Stats
from assay.config import BrainLevel

FIGURES: Final = (
    "sharpe", "fitness", "turnover", "returns", "drawdown", "margin", "pnl", "long_count", "short_count",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A result with where it comes from. ``agent`` says who searched; ``created`` is ISO 8601, UTC.

    ``digest`` tells data of one name apart: equal settings give other figures on other data.
    """

    result: JobResult
    platform: str
    run: str = ""
    agent: str = ""
    created: str = ""
    digest: str = ""

    @property
    def request(self) -> SimulationRequest:
        return self.result.proposal.request

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Platform, its data, fingerprint of the expression, hash of the settings: what no two rows share."""
        return self.platform, self.digest, self.result.fingerprint, self.request.settings_hash

    def passes(self, level: BrainLevel = "user") -> bool:
        """Whether the figures reach the limits of its delay and no check failed; pending ones may be open."""
        result = self.result
        bounds = limits(level, self.request.settings.delay)
        sharpe, fitness, turnover = result.sharpe, result.fitness, result.turnover
        if result.status != "completed" or sharpe is None or fitness is None or turnover is None:
            return False
        return (
            sharpe >= bounds.sharpe
            and fitness >= bounds.fitness
            and bounds.min_turnover <= turnover <= bounds.max_turnover
            and not result.failing
        )

    def flat(self) -> dict[str, Any]:
        """One flat record for tables and files; figures that are not there are None."""
        result, settings = self.result, self.request.settings
        return {
            "expression": self.request.regular,
            "status": result.status,
            "alpha": result.alpha,
            **{name: None if result.stats is None else getattr(result.stats, name) for name in FIGURES},
            "failing": " ".join(result.failing),
            "pending": " ".join(result.pending),
            "failure": "" if result.failure is None else result.failure.message,
            **{f"settings.{name}": value for name, value in settings.wire().items()},
            "direction": result.proposal.direction,
            "origin": result.proposal.origin,
            "round": result.round,
            "job": result.job,
            "run": self.run,
            "agent": self.agent,
            "platform": self.platform,
            "fingerprint": result.fingerprint,
            "created": self.created,
        }


def columns_of(stored: StoredResult) -> dict[str, Any]:
    """The columns of a row."""
    result = stored.result
    if not result.fingerprint:
        result = replace(result, fingerprint=fingerprint(stored.request.regular))
    proposal = result.proposal
    return {
        "platform": stored.platform,
        "digest": stored.digest,
        "fingerprint": result.fingerprint,
        "settings_hash": stored.request.settings_hash,
        "expression": stored.request.regular,
        "settings": stored.request.settings.model_dump_json(by_alias=True, exclude_none=True),
        "status": result.status,
        "alpha": result.alpha,
        "sharpe": result.sharpe,
        "fitness": result.fitness,
        "turnover": result.turnover,
        "stats": None if result.stats is None else result.stats.model_dump_json(by_alias=True),
        "checks": _checks().dump_json(result.checks, by_alias=True).decode(),
        "failure": None if result.failure is None else _failure().dump_json(result.failure).decode(),
        "direction": proposal.direction,
        "rationale": proposal.rationale,
        "replaces": proposal.replaces,
        "origin": proposal.origin,
        "job": result.job,
        "round": result.round,
        "run": stored.run,
        "agent": stored.agent,
        "created": stored.created,
    }


def from_columns(row: Mapping[str, Any]) -> StoredResult:
    """The result of a row."""
    settings = SimulationSettings.model_validate_json(row["settings"])
    proposal = Proposal(
        SimulationRequest(regular=row["expression"], settings=settings),
        direction=row["direction"],
        rationale=row["rationale"],
        replaces=row["replaces"],
        origin=row["origin"],
    )
    result = JobResult(
        job=row["job"],
        proposal=proposal,
        status=row["status"],
        alpha=row["alpha"],
        stats=None if row["stats"] is None else Stats.model_validate_json(row["stats"]),
        checks=_checks().validate_json(row["checks"]),
        failure=None if row["failure"] is None else _failure().validate_json(row["failure"]),
        fingerprint=row["fingerprint"],
        round=row["round"],
    )
    return StoredResult(result, row["platform"], row["run"], row["agent"], row["created"], row["digest"])


@cache
def _checks() -> TypeAdapter[tuple[Check, ...]]:
    return TypeAdapter(tuple[Check, ...])


@cache
def _failure() -> TypeAdapter[Failure]:
    return TypeAdapter(Failure)
