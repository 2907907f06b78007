"""The page of a session on BRAIN or its simulator: funnel, course, PnL, directions, checks, the held year."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup

from assay.brain import JobResult, Stats
from assay.brain.agent import Direction, Funnel, SessionReport
from assay.views._brain_charts import MOST_CURVES, plot_course, plot_pnl
from assay.views._format import MISSING, counted, number, percent
from assay.views._page import render
from assay.views._report import breakable
from assay.views._report_words import visible
from assay.views._svg import to_svg

_ROWS: Final = 200
_SURE: Final = 0.95
_STAGES: Final = {
    "proposed": "proposed",
    "simulated": "simulated",
    "above_minimum": "above the limits",
    "all_checks": "all checks passed",
    "submitted": "submitted",
}
_STOPS: Final = {
    "converged": ("passed", "The session ended by its criteria."),
    "forced": ("rejected", "The stop was forced: the criteria are not met."),
    "plateau": ("caution", "The search reached a plateau: it proposed the same structures again."),
    "stalled": ("caution", "The search stalled: nothing better was found for too long."),
    "budget": ("caution", "The budget of simulations is used up."),
    "rounds": ("caution", "The limit of rounds was reached."),
    "interrupted": ("caution", "The session was interrupted and can be resumed."),
    "paused": ("caution", "The session is paused and can be resumed."),
}
_FIGURES: Final = ("sharpe", "fitness", "turnover", "returns", "drawdown", "margin")


def brain_report(report: SessionReport) -> str:
    """One self-contained HTML page about a session. It loads nothing from anywhere.

    All figures are in sample but those of the section on the held year. Text that a model, a user or the
    platform wrote is escaped, and characters that cannot be seen are written out.
    """
    from assay._version import __version__

    tone, sentence = _STOPS[report.stop]
    doubts = _doubts(report)
    jobs = {item.job: item for item in report.results}
    ranked = sorted(report.results, key=_strength, reverse=True)
    curves = {job: report.pnl[job] for job in [item.job for item in ranked] if job in report.pnl}
    return render(
        "brain.html",
        version=__version__,
        title=f"BRAIN session {report.run}",
        report=report,
        idea=visible(report.idea),
        tone="caution" if doubts else tone,
        sentence=sentence,
        doubts=doubts,
        message=visible(report.message),
        unmet=[visible(name) for name in report.unmet],
        tiles=_tiles(report),
        funnel=_funnel(report.funnel),
        lost=_lost(report.funnel),
        course=_svg(
            plot_course(report.results, report.limits.get("sharpe", 0.0)),
            "course",
            "Sharpe ratio of each simulation in the order of submission",
        ),
        pnl=_svg(plot_pnl(curves), "pnl", "Running sums of daily PnL") if curves else "",
        most_curves=min(MOST_CURVES, len(curves)),
        directions=[_direction(item, report) for item in report.directions],
        checks=_checks(report),
        held=_held(report, jobs),
        rows=[_row(item) for item in ranked[:_ROWS]],
        left_out=max(0, len(ranked) - _ROWS),
        played=counted(len(report.rounds), "round"),
        rounds=[
            (
                str(row.number),
                row.phase,
                str(row.submitted),
                str(row.completed),
                str(row.failed),
                number(row.best_sharpe, 2),
                visible(row.note),
            )
            for row in report.rounds
        ],
        knowledge=[
            (visible(item.topic), visible(item.insight), ", ".join(map(visible, item.tags)))
            for item in report.knowledge
        ],
        facts=_facts(report),
    )


def _svg(figure: Any, name: str, description: str) -> Markup:
    return Markup(to_svg(figure, name=name, description=description))  # noqa: S704  drawn and escaped there


def _strength(item: JobResult) -> tuple[bool, float]:
    passing = item.status == "completed" and not item.failing and not item.pending
    return passing, -99.0 if item.sharpe is None else item.sharpe


def _tiles(report: SessionReport) -> list[tuple[str, str, str]]:
    best, limits = report.best, report.limits
    band = f"{percent(limits.get('min_turnover'), 0)} to {percent(limits.get('max_turnover'), 0)}"
    return [
        ("best Sharpe", number(best.sharpe if best else None, 2), f"limit {number(limits.get('sharpe'), 2)}"),
        (
            "its fitness",
            number(best.fitness if best else None, 2),
            f"limit {number(limits.get('fitness'), 2)}",
        ),
        ("its turnover", percent(best.turnover if best else None), f"{band} a day"),
        ("level", report.level, f"{report.funnel.all_checks} with all checks passed"),
        ("simulations", f"{report.simulations:,}", f"of {report.budget:,} in the budget"),
        _luck_tile(report),
        ("rounds", str(len(report.rounds)), counted(len(report.directions), "direction")),
    ]


def _doubts(report: SessionReport) -> list[str]:
    """What speaks against the best alpha although it meets the criteria."""
    best, luck = report.best, report.luck
    if best is None or report.stop != "converged":
        return []
    found = []
    if luck is not None and luck.dsr is not None and luck.dsr < _SURE:
        reached = f"of N = {luck.n} trials on this data the best reaches a Sharpe ratio of "
        found.append(
            f"The best alpha may be luck: {reached}{number(luck.by_luck, 2)} by luck alone. "
            f"Its deflated Sharpe ratio is {percent(luck.dsr, 0)}, below {percent(_SURE, 0)}."
        )
    outside = report.held[best.job].held.sharpe if best.job in report.held else None
    if outside is not None and outside < report.limits.get("sharpe", 0.0):
        found.append(f"In the held year its Sharpe ratio is {number(outside, 2)}, below the limit.")
    return found


def _luck_tile(report: SessionReport) -> tuple[str, str, str]:
    luck = report.luck
    if luck is None or luck.dsr is None:
        return ("trials", f"{report.trials:,}", "that this session added to N")
    return ("deflated Sharpe", percent(luck.dsr, 0), f"luck alone: {number(luck.by_luck, 2)} of N = {luck.n}")


def _funnel(funnel: Funnel) -> list[dict[str, Any]]:
    rows, before = [], funnel.proposed
    for key, label in _STAGES.items():
        count = getattr(funnel, key)
        share = 100 * count / funnel.proposed if funnel.proposed else 0.0
        kept = percent(count / before, 0) if before else MISSING
        rows.append({"label": label, "count": f"{count:,}", "share": share, "kept": kept})
        before = count
    return rows


def _lost(funnel: Funnel) -> str:
    return (
        f"Not simulated: {funnel.invalid:,} invalid and {funnel.duplicate:,} repeats, found before a slot "
        f"was spent. {funnel.failed:,} simulations failed."
    )


def _direction(item: Direction, report: SessionReport) -> dict[str, Any]:
    own = [result for result in report.results if result.proposal.direction == item.id]
    state = ("rejected", "abandoned") if item.abandoned else ("", counted(item.rounds, "round"))
    return {
        "id": item.id,
        "hypothesis": visible(item.hypothesis),
        "approach": visible(item.approach),
        "target": visible(item.target_check),
        "tone": state[0],
        "state": state[1],
        "best": number(item.best_sharpe, 2),
        "improvements": counted(item.improvement_count, "improvement"),
        "since": item.created_at_round,
        "tree": _tree(own),
        "open": item.best_sharpe is not None and report.best is not None and report.best in own,
    }


def _tree(results: Sequence[JobResult]) -> list[dict[str, Any]]:
    """The jobs of a direction, each below the one that it improves, indented by generation."""
    known = {item.job for item in results}
    below: dict[str | None, list[JobResult]] = {}
    for item in results:
        parent = item.proposal.replaces if item.proposal.replaces in known else None
        below.setdefault(parent, []).append(item)
    rows: list[dict[str, Any]] = []
    waiting = [(item, 0) for item in reversed(below.get(None, []))]
    while waiting:
        item, depth = waiting.pop()
        rows.append({"depth": min(depth, 8), **_row(item)})
        waiting += [(child, depth + 1) for child in reversed(below.get(item.job, []))]
    return rows


def _row(item: JobResult) -> dict[str, Any]:
    tone, word = _outcome(item)
    place = item.failure.place if item.failure else None
    where = f" (line {place.line}, character {place.start + 1})" if place else ""
    failed = visible(item.failure.message) + where if item.failure else _names(item.failing)
    settings = item.proposal.request.settings
    chosen = f"{settings.universe}, delay {settings.delay}, decay {settings.decay}, "
    return {
        "job": item.job,
        "alpha": visible(item.alpha or ""),
        "direction": visible(item.proposal.direction),
        "formula": breakable(visible(item.proposal.request.regular)),
        "origin": visible(item.proposal.origin),
        "settings": visible(f"{chosen}{settings.neutralization.lower()}, truncation {settings.truncation:g}"),
        "tone": tone,
        "outcome": word,
        "detail": failed,
        "figures": _figures(item.stats),
        "sharpe": number(item.sharpe, 2),
        "fitness": number(item.fitness, 2),
        "turnover": percent(item.turnover),
    }


def _names(checks: Sequence[str]) -> Markup:
    """Names of checks, escaped, that a page may break after an underscore."""
    return Markup(", ").join(Markup("_<wbr>").join(visible(name).split("_")) for name in checks)


def _outcome(item: JobResult) -> tuple[str, str]:
    if item.status == "failed":
        return "rejected", "failed"
    if item.failing:
        return "", "checks failed"
    return ("caution", "checks pending") if item.pending else ("passed", "all checks passed")


def _figures(stats: Stats | None) -> list[str]:
    if stats is None:
        return [MISSING] * len(_FIGURES)
    margin = None if stats.margin is None else 1e4 * stats.margin
    return [
        number(stats.sharpe, 2),
        number(stats.fitness, 2),
        percent(stats.turnover),
        percent(stats.returns),
        percent(stats.drawdown),
        number(margin, 1),
    ]


def _checks(report: SessionReport) -> list[dict[str, Any]]:
    rows = sorted(report.check_failures.items(), key=lambda row: (-row[1], row[0]))
    most = max((count for _, count in rows), default=1)
    completed = sum(item.status == "completed" for item in report.results)
    return [
        {
            "name": _names([name]),
            "count": count,
            "share": 100 * count / most if most else 0.0,
            "of": percent(count / completed, 0) if completed else MISSING,
        }
        for name, count in rows
    ]


def _held(report: SessionReport, jobs: dict[str, JobResult]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for job, found in report.held.items():
        formula = jobs[job].proposal.request.regular if job in jobs else ""
        inside, outside = found.in_sample, found.held
        rows.append(
            (
                job,
                breakable(visible(formula)),
                number(inside.sharpe, 2),
                number(outside.sharpe, 2),
                percent(inside.returns),
                percent(outside.returns),
                percent(inside.turnover),
                percent(outside.turnover),
            )
        )
    return rows


def _facts(report: SessionReport) -> list[tuple[str, str]]:
    kind = "simulated market" if report.simulated else "real market"
    tokens = f", {report.tokens:,} tokens of models" if report.tokens else ""
    limits = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in report.limits.items())
    return [
        ("run", report.run),
        ("platform", f"{visible(report.platform)} ({kind})"),
        ("policy", f"{visible(report.policy)}{tokens}"),
        ("idea", visible(report.idea)),
        ("limits", limits),
        ("stop", report.stop),
    ]
