"""Results made by hand."""

from __future__ import annotations

from typing import Any

from assay.brain import Check, Failure, JobResult, Proposal, SimulationRequest, SimulationSettings, Stats
from assay.brain.search import StoredResult, fingerprint

GOOD = {"sharpe": 1.6, "fitness": 1.2, "turnover": 0.2}


def result(
    text: str = "rank(close)",
    *,
    job: str = "j0001",
    checks: tuple[Check, ...] = (),
    failure: str = "",
    direction: str = "d1",
    origin: str = "hypothesis",
    settings: dict[str, Any] | None = None,
    **figures: Any,
) -> JobResult:
    request = SimulationRequest(regular=text, settings=SimulationSettings.model_validate(settings or {}))
    proposal = Proposal(request, direction=direction, origin=origin)
    mark = fingerprint(text)
    if failure:
        return JobResult(job, proposal, "failed", failure=Failure(failure), fingerprint=mark)
    stats = Stats.model_validate({**GOOD, **figures})
    return JobResult(job, proposal, "completed", f"A{job}", stats, checks, fingerprint=mark)


def stored(text: str = "rank(close)", *, platform: str = "P", run: str = "r1", **given: Any) -> StoredResult:
    return StoredResult(result(text, **given), platform, run, "agent", "2026-01-01T00:00:00+00:00")
