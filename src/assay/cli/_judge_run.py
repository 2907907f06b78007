from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli._dataset import open_with_settings
from assay.cli._files import check_writable
from assay.cli._formulas import collect_formulas
from assay.cli._judge_request import JudgeRequest, as_options, judge_settings
from assay.cli._output import console, print_json
from assay.cli._progress import ask, note, slow_notice, usable_cores
from assay.cli._values import read_benchmark_file, read_values_file
from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from assay.config import PeriodPlan
    from assay.judge import JudgeSettings, Kin, Recording, Verdicts
    from assay.market import Panel

REFUSED = 2


def run_judge(request: JudgeRequest) -> int:
    """Do what ``assay judge`` was asked; the exit code is 2 when a formula of a batch was refused."""
    check_writable(request.html, "--html")
    check_writable(request.certificate, "--certificate")
    items = _items(request)
    panel, own = open_with_settings(request.data)
    settings = judge_settings(request, own, threads=usable_cores())
    plan = None if own is None else own.periods
    kin = _kin(panel) if plan is None else None
    if kin is not None:
        note(f"{kin.note(panel.name)}; judged by that plan")
        plan = kin.plan
    with slow_notice():
        verdicts = _judged(items, panel, settings, request, plan, kin)
        pages = _pages(verdicts, request)
    _write(pages)
    _show(verdicts, request)
    return REFUSED if verdicts.refused else 0


def _items(request: JudgeRequest) -> Any:
    if request.values is None:
        formulas = collect_formulas(request.expressions, request.file)
        return formulas[0].text if len(formulas) == 1 else [formula.text for formula in formulas]
    if request.expressions or request.file:
        raise AssayError("both formulas and --values are given", where="--values", fix="give one of the two")
    return {request.values.stem: read_values_file(request.values)}


def _judged(
    items: Any,
    panel: Panel,
    settings: JudgeSettings,
    request: JudgeRequest,
    plan: PeriodPlan | None,
    kin: Kin | None,
) -> Verdicts:
    """Judge; where that would open hidden dates, only after a person agreed."""
    from assay.judge import SettingProblems, judge

    series = None if request.benchmark is None else read_benchmark_file(request.benchmark, panel.dates)
    recording = _recording(panel, settings)

    def run(chosen: JudgeSettings) -> Verdicts:
        return judge(
            items,
            panel,
            chosen,
            dialect=request.dialect,
            plan=plan,
            benchmark=series,
            collect=isinstance(items, list),
            recording=recording,
        )

    try:
        return run(settings)
    except SettingProblems as error:
        raise as_options(error) from error
    except Refusal as refusal:
        if refusal.reason.code != "hidden_period":
            raise
        if kin is not None:
            raise kin.refusal(panel.name) from refusal
        _agree(refusal, request)
    return run(replace(settings, allow_hidden=True))


def _kin(panel: Panel) -> Kin | None:
    """The planned data set that holds what this unplanned one holds, also one that lies outside."""
    from assay.config import find_data_place, find_workspace
    from assay.judge import kin_of, planned_kin

    if panel.folder is None or find_data_place(panel.folder, panel.name) is not None:
        return kin_of(panel)
    here = find_workspace()
    return None if here is None else planned_kin(panel, here)


def _recording(panel: Panel, settings: JudgeSettings) -> Recording | None:
    """That of the current workspace, for data that lie in none; for others the judge finds theirs.

    Work in a workspace is recorded in it, and its plan is what hides the dates of such data.
    """
    from assay.config import find_data_place, find_workspace
    from assay.judge import SettingProblems, recording_in

    here = find_workspace()
    if here is None or panel.folder is None or find_data_place(panel.folder, panel.name) is not None:
        return None
    try:
        return recording_in(here, here.settings(panel.name), settings)
    except SettingProblems as error:
        raise as_options(error) from error


def _agree(refusal: Refusal, request: JudgeRequest) -> None:
    told = "Hidden dates are there to be looked at rarely: each look makes them worth less."
    warning = f"{refusal.message}. {told}"
    if request.yes:
        note(f"{warning} --yes agrees to that.")
        return
    if not sys.stdin.isatty():
        raise Refusal(
            refusal.reason, refusal.message, where=refusal.where, fix="end the range before it, or add --yes",
            details=refusal.details,
        )  # fmt: skip
    if not ask(f"{warning} Open them?"):
        note("nothing was judged")
        raise typer.Exit(1)


def _pages(verdicts: Verdicts, request: JudgeRequest) -> dict[Path, str]:
    """Everything to be written, made before the first file is."""
    pages: dict[Path, str] = {}
    if request.html is not None and len(verdicts):
        from assay.views import batch_report, tear_sheet

        single = len(verdicts) == 1 and not verdicts.refused
        pages[request.html] = (
            tear_sheet(verdicts[0])
            if single
            else batch_report(verdicts, title=f"{len(verdicts)} factors judged")
        )
    if request.certificate is not None and len(verdicts):
        found = [dict(certificate) for certificate in verdicts.certificates()]
        content = found[0] if len(found) == 1 else found
        pages[request.certificate] = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return pages


def _write(pages: dict[Path, str]) -> None:
    from assay.base import atomic_write

    for path, content in pages.items():
        atomic_write(path, content)


def _show(verdicts: Verdicts, request: JudgeRequest) -> None:
    if request.as_json:
        print_json(verdicts.to_dict())
        return
    from assay.ledger import INCOMPLETE_SCOPE
    from assay.views import batch_lines, verdict_lines

    out = console()
    if len(verdicts) == 1 and not verdicts.refused:
        for line in verdict_lines(verdicts[0]):
            out.print(line)
    elif len(verdicts):
        for line in batch_lines(verdicts, width=out.width):
            out.print(line)
    for refused in verdicts.refused:
        note(f"refused: {refused.text}: {refused.error.message} ({refused.error.fix})")
    if any(INCOMPLETE_SCOPE.code in verdict.significance.trials_source for verdict in verdicts):
        note(f"trials cannot be counted: {INCOMPLETE_SCOPE.fix}")
    for path in (request.html, request.certificate):
        if path is not None and len(verdicts):
            out.print(f"wrote {path}", soft_wrap=True)
