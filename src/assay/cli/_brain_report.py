"""The report of a session: its files, and what it says on a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._brain_place import session_place
from assay.cli._output import print_json, printable, say

if TYPE_CHECKING:
    from assay.brain.agent import Luck, SessionReport


def write_report(report: SessionReport, folder: Path, html: Path | None = None) -> Path:
    """``report.json`` and the page; gives the page's place."""
    from assay.base import atomic_write, atomic_write_json
    from assay.brain.agent import report_json
    from assay.views import brain_report

    page = html or folder / "report.html"
    atomic_write_json(folder / "report.json", report_json(report))
    atomic_write(page, brain_report(report))
    return page


def remake_report(run_id: str, html: Path | None, folder: Path | None, *, as_json: bool) -> None:
    """Make the report of a session from the ledger."""
    from assay.brain.agent import report_json, session_report
    from assay.cli._files import check_writable
    from assay.cli._workspace import need_ledger

    if html is not None:
        check_writable(html, "--html")
    workspace = session_place(folder, None, local=False, new=False).workspace
    report = session_report(need_ledger(workspace).run(run_id))
    page = write_report(report, workspace.runs_dir / run_id, html)
    if as_json:
        print_json({**report_json(report), "html": str(page)})
        return
    for line in summary_lines(report):
        say(line)
    say(f"page       {page}")


def summary_lines(report: SessionReport) -> list[str]:
    """What came of a session, for a terminal."""
    funnel, best = report.funnel, report.best
    unmet = f"; unmet: {', '.join(report.unmet)}" if report.unmet else ""
    lines = [
        f"session    {report.run}: {report.policy} on {report.platform}"
        + (", a simulated market" if report.simulated else ""),
        f"idea       {report.idea}",
        f"ended      {report.stop}{f': {report.message}' if report.message else ''}",
        f"level      {report.level}{unmet}",
        f"rounds     {len(report.rounds)}, directions {len(report.directions)}",
        f"funnel     proposed {funnel.proposed}, invalid {funnel.invalid}, repeats {funnel.duplicate}, "
        f"simulated {funnel.simulated}, failed {funnel.failed}, Sharpe above the minimum "
        f"{funnel.above_minimum}, all checks {funnel.all_checks}",
        f"budget     {report.simulations} of {report.budget} simulations; {report.trials} trials recorded",
    ]
    if report.tokens:
        lines.append(f"model      {report.tokens:,} tokens")
    if best is None:
        lines.append("best       none: no simulation completed")
    else:
        lines.append(f"best       {best.proposal.request.regular}")
        lines.append(f"           {best.job}, {_figures(best.sharpe, best.fitness, best.turnover)} in sample")
        held = report.held.get(best.job)
        if held is not None:
            figures = held.held
            said = _figures(figures.sharpe, figures.fitness, figures.turnover)
            lines.append(f"           {said} in the year that was kept from the agent")
        if report.luck is not None:
            lines.append(f"           {luck_line(report.luck)}")
    return [printable(line) for line in lines]


def luck_line(luck: Luck) -> str:
    """The best alpha beside luck, in words."""
    if luck.by_luck is None or luck.dsr is None:
        return f"how much of it is luck cannot be said: {luck.note or 'its returns are not known'}"
    return (
        f"the best of N = {luck.n} trials on this data reaches Sharpe {luck.by_luck:.2f} by luck; "
        f"deflated Sharpe ratio {luck.dsr:.0%}"
    )


def _figures(sharpe: float | None, fitness: float | None, turnover: float | None) -> str:
    named = (("Sharpe", sharpe, ".2f"), ("fitness", fitness, ".2f"), ("turnover", turnover, ".1%"))
    return ", ".join(
        f"{name} {'unknown' if value is None else format(value, form)}" for name, value, form in named
    )
