"""What ``assay brain pipeline run`` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.cli._brain_run import BrainPlace, best_lines, new_id, opened_place, recorded, write_task
from assay.cli._brain_templates_run import gather, usable
from assay.cli._output import print_json, say
from assay.cli._progress import note
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.brain import Proposal, Runner
    from assay.brain.templates import Pipeline, PipelineReport, Planned

KIND: Final = "pipeline"
REPORT: Final = "pipeline.json"
_SHOWN: Final = 12


def play_pipeline(
    names: Sequence[str],
    local: bool,
    data: str | None,
    data_set: str | None,
    budget: int | None,
    resume: str | None,
    run_id: str | None,
    folder: Path | None,
    *,
    dry: bool,
    as_json: bool,
) -> None:
    """Run a pipeline or go on with one, write its report, and tell of it."""
    if resume is None and not names:
        raise AssayError(
            "no templates are named", where="TEMPLATES", fix="list them: assay brain template list"
        )
    if resume is not None and (names or budget is not None or run_id is not None or data_set is not None):
        raise AssayError(
            "a run that goes on has its templates and its budget already",
            where="--resume",
            fix="leave TEMPLATES, --budget, --dataset-id and --run out",
        )
    found = gather(names)
    with opened_place(local, data, folder, resume=resume, kind=KIND) as place:
        task = place.task or {
            "templates": [item.model_dump(mode="json") for item in found],
            "settings": _settings(place, budget),
            "data_set": data_set,
        }
        made = _Pipeline(place, task, resume)
        if dry:
            _show_plan(made.planned(), as_json=as_json)
            return
        name = resume or new_id(place, run_id, KIND)
        report = made.play(name)
    _tell(report, made.data, place.folder(name), name, as_json=as_json)


def _settings(place: BrainPlace, budget: int | None) -> dict[str, Any]:
    settings = place.workspace.brain.pipeline
    return asdict(settings if budget is None else replace(settings, simulations=budget))


class _Pipeline:
    def __init__(self, place: BrainPlace, task: dict[str, Any], resume: str | None) -> None:
        from assay.brain.agent import usual_settings
        from assay.brain.templates import Inventory, templates_of
        from assay.config import BrainPipelineSettings

        self._place, self._task, self._resume = place, task, resume
        templates = templates_of({"templates": task["templates"]}, where="templates")
        self._inventory = Inventory.of(place.platform, task["data_set"], templates)
        self._settings = BrainPipelineSettings(**task["settings"])
        choices = place.platform.choices()
        self._base = usual_settings(choices)
        self._templates = usable(templates, self._inventory, choices, self._base)
        self.data: dict[str, Any] = {}

    def planned(self) -> Planned:
        """What it would do."""
        return self._pipeline(_NoRunner()).planned()

    def _pipeline(self, runner: Runner) -> Pipeline:
        from assay.brain.templates import Pipeline

        return Pipeline(self._templates, self._inventory, runner, self._settings, self._base, _watch)

    def play(self, name: str) -> PipelineReport:
        """Play it to its end."""
        from assay.base import SystemClock, atomic_write_json
        from assay.brain import RecordedRounds
        from assay.brain.search import RESULTS_NAME, Batch, ResultStore
        from assay.brain.templates import report_data

        place, folder = self._place, self._place.folder(name)
        inputs = {"templates": self._task["templates"], "settings": self._task["settings"]}
        store = ResultStore(place.workspace.brain_dir / RESULTS_NAME)
        if self._resume is None:
            write_task(folder, KIND, self._task)
        with store, recorded(place, name, inputs, "pipeline run") as run:
            batch = Batch(place.platform, store, folder, settings=place.workspace.brain, run=run, agent=KIND)
            report = self._pipeline(RecordedRounds(batch, run)).run()
            self.data = report_data(report, SystemClock())
            atomic_write_json(folder / REPORT, self.data)
        return report


class _NoRunner:
    def run(self, proposals: Sequence[Proposal]) -> tuple[()]:
        """Nothing is run where things are only counted."""
        return ()


def _watch(phase: str, proposals: Sequence[Proposal]) -> None:
    note(f"{phase}: {len(proposals)} simulations")


def _show_plan(planned: Planned, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(planned))
        return
    say(f"templates  {planned.templates}, {planned.combinations} fillings in {planned.cores} cores")
    say(f"probes     {planned.probes} of {planned.probed} cores, of a budget of {planned.budget} simulations")


def _tell(report: PipelineReport, data: dict[str, Any], folder: Path, name: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": name, **data, "file": str(folder / REPORT)})
        return
    summary = data["summary"]
    say(f"run        {name}: {summary['simulations']} of {summary['budget']} simulations")
    say(f"cores      expand {summary['expand']}, watch {summary['watch']}, abandon {summary['abandon']}")
    order = {"EXPAND": 0, "WATCH": 1, "ABANDON": 2}
    ranked = sorted(report.decisions, key=lambda item: (order[item.verdict], -(item.sharpe or -9.0)))
    for item in ranked[:_SHOWN]:
        turned = ", turned round" if item.flipped else ""
        best = "" if item.best is None else f", best {item.best:.2f} of {item.completed + item.expanded}"
        say(f"  {item.verdict:<8} {item.core}: {item.reason}{turned}{best}")
    if len(ranked) > _SHOWN:
        say(f"  and {len(ranked) - _SHOWN} more")
    best = data["best"]
    if best is not None:
        for text in best_lines(best):
            say(text)
    say(f"file       {folder / REPORT}")
