"""``assay periods``: the period plans of a workspace, and a sealed copy for an agent that has a shell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import Json, print_json, say

if TYPE_CHECKING:
    from assay.cli._data_plan import ShownPlan
    from assay.config import DataSettings, Workspace
    from assay.ledger import LooksUsed


@dataclass(frozen=True, slots=True)
class _Planned:
    """A data set of the workspace, its plan held to its calendar, and the looks at its hidden periods."""

    name: str
    stored: bool
    settings: DataSettings
    plan: ShownPlan | None
    used: dict[str, LooksUsed]

    def looks(self) -> dict[str, dict[str, int]]:
        """Used and allowed looks of each hidden period that the plan has."""
        if self.settings.periods is None:
            return {}
        budgets = {"score": self.settings.looks.score, "eval": self.settings.looks.eval}
        return {
            name: {"used": self.used[name].used if name in self.used else 0, "budget": budgets[name]}
            for name, _ in self.settings.periods.periods()
            if name in budgets
        }

    def as_dict(self) -> dict[str, Any]:
        plan = None if self.plan is None else self.plan.values()
        return {"data": self.name, "stored": self.stored, "periods": plan, "looks": self.looks()}

    def lines(self) -> list[str]:
        lines = [self.name + ("" if self.stored else " (no data set of this name is stored)")]
        if self.plan is None:
            return [*lines, "  no plan: all dates are open"]
        lines += self.plan.lines()
        lines += [
            f"  looks at {name}: {count['used']} of {count['budget']} used"
            for name, count in self.looks().items()
        ]
        return lines


def periods_app() -> typer.Typer:
    """``assay periods``."""
    from assay.cli._periods_set import set_plan

    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Which dates are hidden, how often they were looked at, and a sealed copy without them.",
    )
    app.command("show")(show)
    app.command("set")(set_plan)
    app.command("seal")(seal)
    return app


def show(
    data: Annotated[
        str | None, typer.Argument(help="Data set of this workspace; default: all.", metavar="NAME")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show each data set's periods, the budgets of looks, and how many are used. For a person."""
    from assay.cli._workspace import need_workspace

    planned = _planned(need_workspace())
    if data is not None:
        planned = [_named(planned, data)]
    if as_json:
        print_json([item.as_dict() for item in planned])
        return
    if not planned:
        say("no data sets; make one with 'assay data simulate' or 'assay data import'")
    for item in planned:
        for line in item.lines():
            say(line)


def _named(planned: list[_Planned], name: str) -> _Planned:
    from assay.errors import AssayError

    for item in planned:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in planned) or "none"
    raise AssayError(f"there is no data set {name!r}", where="NAME", fix=f"there are: {known}")


def _planned(workspace: Workspace) -> list[_Planned]:
    from assay.cli._data_plan import ShownPlan, plan_of_dataset
    from assay.cli._dataset import known_datasets
    from assay.cli._workspace import has_ledger, need_ledger
    from assay.errors import DataError
    from assay.market import read_manifest

    ledger = need_ledger(workspace) if has_ledger(workspace) else None
    found = []
    stored = known_datasets(workspace)
    for name in sorted({*stored, *workspace.data}):
        settings = workspace.settings(name)
        plan = None if settings.periods is None else ShownPlan(settings.periods, None)
        folder = workspace.data_dir / name
        here = (folder / "manifest.json").is_file()
        if here and plan is not None:
            try:
                plan = plan_of_dataset(folder, read_manifest(folder)) or plan
            except DataError as error:
                plan = ShownPlan(plan.plan, error.message)
        used = {} if ledger is None else dict(ledger.looks(name))
        found.append(_Planned(name, here, settings, plan, used))
    return found


def seal(
    data: Annotated[str, typer.Option("--data", help="Data set of this workspace.", metavar="NAME")],
    to: Annotated[
        Path, typer.Option("--to", help="The new workspace: a folder that does not exist.", metavar="DIR")
    ],
    by: Annotated[str, typer.Option("--by", help="Who seals: your name, for the record.")] = "user",
    as_json: Json = False,
) -> None:
    """Make a workspace that holds a data set only to the end of its search period.

    For an agent with a shell, which could read the hidden dates of this one: give it the new folder alone.
    """
    from assay.base import Operator
    from assay.cli._seal import seal_workspace
    from assay.cli._workspace import need_workspace

    sealed = seal_workspace(need_workspace(), data, to, Operator.human(by))
    if as_json:
        print_json(sealed.as_dict())
        return
    say(f"sealed workspace {sealed.folder}")
    say(f"  data set {sealed.data}: {sealed.dates} dates to {sealed.end}, {sealed.instruments} instruments")
    say(f"  recorded in line {sealed.line} of the ledger")
    say("  give an agent this folder and no other: it must not be able to read the workspace it came from")
