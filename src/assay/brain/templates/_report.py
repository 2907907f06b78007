"""The report of a pipeline as JSON-ready data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from assay.base import Clock
from assay.brain._result import JobResult
from assay.brain.templates._pipeline import PipelineReport


def report_data(report: PipelineReport, clock: Clock) -> dict[str, Any]:
    """``generated_at``, ``thresholds``, ``summary``, ``decisions`` and ``best``; figures that are not known
    are None."""
    thresholds = asdict(report.thresholds)
    return {
        "generated_at": clock.now().isoformat(timespec="seconds"),
        "thresholds": thresholds,
        "summary": {
            **asdict(report.planned),
            "simulations": len(report.results),
            "completed": sum(result.status == "completed" for result in report.results),
            "failed": sum(result.status == "failed" for result in report.results),
            **{verdict.lower(): report.count(verdict) for verdict in ("EXPAND", "WATCH", "ABANDON")},
        },
        "decisions": [asdict(decision) for decision in report.decisions],
        "best": None if report.best is None else _result(report.best),
    }


def _result(result: JobResult) -> dict[str, Any]:
    request = result.proposal.request
    return {
        "expression": request.regular,
        "settings": request.settings.wire(),
        "core": result.proposal.direction,
        "alpha": result.alpha,
        "sharpe": result.sharpe,
        "fitness": result.fitness,
        "turnover": result.turnover,
        "failing": list(result.failing),
    }
