"""What ``assay campaign status`` and ``report`` say of a run, and what is said at its end."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.cli._files import check_writable
from assay.cli._output import console, print_json, printable, say
from assay.cli._workspace import has_ledger, need_ledger, need_workspace

if TYPE_CHECKING:
    from assay.campaign import CampaignReport, CampaignResult, Funnel, TrialRecord
    from assay.config import Workspace
    from assay.ledger import Ledger

_LISTED: Final = 8
_RESUMABLE: Final = ("open", "stopped", "failed")
_WORDS: Final = {
    "open": "going on, or killed",
    "finished": "finished",
    "stopped": "stopped; it can be resumed",
    "failed": "failed; it can be resumed",
    "abandoned": "closed by hand",
}


def show_result(workspace: Workspace, result: CampaignResult, *, as_json: bool) -> None:
    """What a campaign came to, at its end."""
    for warning in result.warnings:
        from assay.cli._progress import note

        note(f"warning: {warning}")
    show_status(result.run, as_json=as_json)


def show_status(run_id: str, *, as_json: bool) -> None:
    """Where a run stands."""
    workspace = need_workspace()
    found = read_report(workspace, need_ledger(workspace), run_id)
    if as_json:
        print_json(status_data(found))
        return
    for line in status_lines(found):
        say(line)


def list_campaigns(*, as_json: bool) -> None:
    """The campaigns of the workspace."""
    from assay.campaign._records import DESK

    workspace = need_workspace()
    ledger = need_ledger(workspace) if has_ledger(workspace) else None
    found: list[CampaignReport] = []
    if ledger is not None:
        with ledger.index() as index:
            names = [run.id for run in index.runs().values() if run.desk == DESK]
        found = [read_report(workspace, ledger, name) for name in names]
    if as_json:
        print_json([status_data(item) for item in found])
        return
    if not found:
        say("no campaign has run here; begin with: assay campaign init")
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("run", "state", "data"):
        table.add_column(name)
    for name in ("rounds", "trials", "zoo"):
        table.add_column(name, justify="right")
    for item in found:
        numbers = (_rounds(item), item.funnel.evaluated, item.funnel.admitted)
        table.add_row(*(printable(cell) for cell in (item.run, item.state, item.data, *map(str, numbers))))
    console().print(table)


def write_report(run_id: str, html: Path | None, *, as_json: bool) -> None:
    """The page of a run."""
    from assay.base import atomic_write
    from assay.views import campaign_report as page_of

    workspace = need_workspace()
    check_writable(html, "--html")
    found = read_report(workspace, need_ledger(workspace), run_id)
    place = html or workspace.runs_dir / run_id / "report.html"
    atomic_write(place, page_of(found))
    if as_json:
        print_json({**status_data(found), "html": str(place)})
        return
    say(f"wrote {place}")


def read_report(workspace: Workspace, ledger: Ledger, run_id: str) -> CampaignReport:
    """The report of a run, with whether its data is simulated where the data set is still there."""
    from dataclasses import replace

    from assay.campaign import campaign_report
    from assay.market import open_panel

    found = campaign_report(ledger, workspace.runs_dir, run_id)
    name = found.config.get("data") or workspace.default_data
    folder = None if name is None else workspace.data_dir / str(name)
    if folder is None or not (folder / "manifest.json").is_file():
        return found
    return replace(found, simulated=open_panel(folder).manifest.simulated)


def status_data(found: CampaignReport) -> dict[str, Any]:
    """A run in figures, for a program."""
    return {
        "run": found.run,
        "state": found.state,
        "stop": None if found.stop is None else asdict(found.stop),
        "data": found.data,
        "simulated": found.simulated,
        "rounds": _rounds(found),
        "dropped_rounds": sum(bool(row.dropped) for row in found.rounds),
        "funnel": asdict(found.funnel),
        "n": found.n,
        "best": _trial_data(found.best),
        "zoo": [_trial_data(factor.trial) for factor in found.zoo],
        "refusals": [asdict(row) for row in found.refusals],
        "costs": [asdict(cost) for cost in found.costs],
        "tokens": found.tokens,
        "money": found.money,
        "seconds": found.seconds,
        "ledger_sha256": found.digest,
    }


def status_lines(found: CampaignReport) -> list[str]:
    """A run in figures, for a reader."""
    simulated = {True: ", simulated", False: "", None: ""}[found.simulated]
    state = _WORDS.get(found.state, found.state)
    lines = [
        "",
        f"run        {found.run} on {found.data}{simulated}: {state}",
    ]
    if found.stop is not None:
        lines.append(f"stop       {found.stop.by}: {found.stop.message}")
    dropped = sum(bool(row.dropped) for row in found.rounds)
    lines.append(f"rounds     {_rounds(found)}" + (f", and {dropped} dropped" if dropped else ""))
    lines.append(f"funnel     {_funnel(found.funnel)}")
    lines.append(f"N          {'unknown' if found.n is None else found.n} trials on this data set")
    lines += _refusals(found)
    if found.costs:
        calls = sum(cost.calls for cost in found.costs)
        unpriced = sum(cost.unpriced for cost in found.costs)
        left_out = f", {unpriced} calls without a price" if unpriced else ""
        lines.append(f"models     {calls} calls, {found.tokens:,} tokens, money {found.money:.4f}{left_out}")
    if found.best is not None:
        lines.append(f"best       {_trial_line(found.best)}")
        lines.append("           picked from all that were tried, so its figures are flattering")
    lines.append(f"zoo        {len(found.zoo)} admitted")
    lines += [f"           {_trial_line(factor.trial)}" for factor in found.zoo[:_LISTED]]
    if len(found.zoo) > _LISTED:
        lines.append(f"           and {len(found.zoo) - _LISTED} more")
    lines.append(f"files      runs/{found.run}/")
    run = shlex.quote(found.run)
    following = "resume" if found.state in _RESUMABLE else "report"
    lines.append(f"next       assay campaign {following} {run}")
    return lines


def _rounds(found: CampaignReport) -> int:
    return sum(not row.dropped for row in found.rounds)


def _funnel(funnel: Funnel) -> str:
    return (
        f"{funnel.slots} slots, {funnel.candidates} formulas, {funnel.gated} past the gate, "
        f"{funnel.evaluated} scored, {funnel.admitted} admitted"
    )


def _refusals(found: CampaignReport) -> list[str]:
    ended = [row for row in found.refusals if row.slots]
    worst = sorted(ended, key=lambda row: -row.slots)[:4]
    return [f"refused    {', '.join(f'{row.reason} {row.slots}' for row in worst)}"] if worst else []


def _trial_data(trial: TrialRecord | None) -> dict[str, Any] | None:
    if trial is None:
        return None
    expression = None if trial.candidate is None else trial.candidate.expression
    return {
        "trial": trial.id,
        "expression": expression,
        "fingerprint": trial.fingerprint,
        "mechanism": trial.mechanism,
        "outcome": trial.outcome,
        "figures": dict(trial.figures),
    }


def _trial_line(trial: TrialRecord) -> str:
    figures = trial.figures
    text = "" if trial.candidate is None else trial.candidate.expression
    t, rank_ic = _number(figures.get("t"), 2), _number(figures.get("rank_ic"), 4)
    return f"{trial.id}  t {t}  RankIC {rank_ic}  {text}"


def _number(value: float | None, digits: int) -> str:
    return "undefined" if value is None else f"{value:+.{digits}f}"
