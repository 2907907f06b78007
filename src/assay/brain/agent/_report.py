"""What a session comes to, from its record alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.brain._codec import as_json, from_json
from assay.brain._limits import limits
from assay.brain._result import DailyPnl, JobResult
from assay.brain._trials import BOOK, DESK
from assay.brain.agent._calls import recorded_calls
from assay.brain.agent._criteria import level_of, unmet
from assay.brain.agent._luck import luck_of
from assay.brain.agent._reasons import NOT_A_SESSION, NOTHING_BEGUN
from assay.brain.agent._state import State
from assay.brain.agent._types import HeldFigures, SessionReport
from assay.config import BrainAgentSettings
from assay.errors import Refusal
from assay.ledger import Ledger, Run, decode_series

CURVES: Final = 10
"""Alphas, at most, whose PnL the report has: those with the greatest Sharpe ratios."""


def session_report(run: Run) -> SessionReport:
    """The report of a session, finished or not; what has not ended is ``paused``.

    Raises
    ------
    Refusal
        ``not_a_session``, ``unknown_run``.
    """
    start = begun_of(run)
    bodies = [entry.body for entry in run.entries(kind="round")]
    last = bodies[-1]
    settings = BrainAgentSettings(**start["settings"])
    state = State.of(bodies, settings)
    over = last["outcome"] == "ended"
    best = state.best
    missing = ("simulation",) if best is None else unmet(best, settings)
    figures = last["held"] if over else {}
    delay = state.task.settings.delay
    return SessionReport(
        run=run.id,
        idea=state.task.idea or state.task.expression,
        platform=start["platform"],
        simulated=start["simulated"],
        policy=start["policy"],
        stop=last["stop"] if over else "paused",
        level=level_of(best, settings),
        unmet=missing,
        limits=_limits(settings, delay),
        rounds=tuple(state.lines),
        directions=tuple(state.directions.values()),
        results=tuple(state.results),
        funnel=state.funnel_with_good(),
        check_failures=_failures(state.results),
        best=best,
        pnl=_curves(run.ledger, bodies, state.results),
        held={job: from_json(HeldFigures, item) for job, item in figures.items()},
        trials=sum(1 for _ in run.entries(kind="trial")),
        luck=luck_of(run, best, _series(bodies).get(best.job) if best else None),
        simulations=state.simulations,
        budget=settings.simulations,
        tokens=recorded_calls(run).tokens,
        knowledge=tuple(state.added),
        message=last.get("message", "") if over else "",
    )


def report_json(report: SessionReport) -> dict[str, Any]:
    """The report as JSON-ready data, as ``report.json`` has it."""
    found: dict[str, Any] = as_json(SessionReport, report)
    return found


def session_settings(run: Run) -> BrainAgentSettings:
    """The constants that a session began with.

    Raises
    ------
    Refusal
        ``not_a_session``, ``unknown_run``.
    """
    return BrainAgentSettings(**begun_of(run)["settings"])


def begun_of(run: Run) -> dict[str, Any]:
    """The record with which a session began.

    Raises
    ------
    Refusal
        ``not_a_session``, ``nothing_begun``, ``unknown_run``.
    """
    state, first = run.state(), next(run.entries(kind="round"), None)
    if first is None and state.desk == DESK:
        raise Refusal(NOTHING_BEGUN, f"the run {run.id!r} was killed before it had begun", where="run")
    if first is None or first.body.get("outcome") != "begun":
        raise Refusal(NOT_A_SESSION, f"the run {run.id!r} is no session of 'assay brain agent'", where="run")
    return dict(first.body)


def _limits(settings: BrainAgentSettings, delay: int) -> dict[str, float]:
    """What the session asked of an alpha, beside the platform's least for a user."""
    least = limits("user", delay)
    return {
        "sharpe": settings.min_sharpe,
        "fitness": settings.min_fitness,
        "min_turnover": settings.min_turnover,
        "max_turnover": settings.max_turnover,
        "platform_sharpe": least.sharpe,
        "platform_fitness": least.fitness,
    }


def _failures(results: Sequence[JobResult]) -> dict[str, int]:
    counts = Counter(name for result in results for name in dict.fromkeys(result.failing))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _series(bodies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Names of the objects with daily returns, by job."""
    return {body["result"]["job"]: body["series"] for body in bodies if body["outcome"] == "result"}


def _curves(
    ledger: Ledger, bodies: Sequence[Mapping[str, Any]], results: Sequence[JobResult]
) -> dict[str, DailyPnl]:
    names = _series(bodies)
    known = [result for result in results if result.sharpe is not None and names.get(result.job)]
    known.sort(key=lambda result: -(result.sharpe or 0.0))
    return {result.job: _curve(ledger, names[result.job], result) for result in known[:CURVES]}


def _curve(ledger: Ledger, name: str, result: JobResult) -> DailyPnl:
    series = decode_series(ledger.get(name))
    book = (None if result.stats is None else result.stats.book_size) or BOOK
    return DailyPnl(
        tuple(str(day) for day in series.days), tuple(float(value) for value in series.values * book)
    )
