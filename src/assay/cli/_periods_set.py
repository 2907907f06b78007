"""``assay periods set``: a plan for a data set that has none, written into ``assay.toml``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import Json, print_json, say

if TYPE_CHECKING:
    from assay.config import DateRange, PeriodPlan, Workspace


def set_plan(
    data: Annotated[str, typer.Argument(help="Data set of this workspace.", metavar="NAME")],
    search: Annotated[
        str | None, typer.Option(help="First and last day that are open.", metavar="FROM:TO")
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Hidden: for rewards; 'none' for no such period.", metavar="FROM:TO")
    ] = None,
    evaluation: Annotated[
        str | None,
        typer.Option("--eval", help="Sealed: for the last look; 'none' for none.", metavar="FROM:TO"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Keep dates of a data set apart, once and before the first look at them.

    Without options: 60% of the bars are open, 20% each go to score and eval, the embargo between; a data set
    that holds what a planned one holds gets the plan of that one. A plan that is there already stays: one
    that is moved after a look hides nothing.
    """
    from assay.base import atomic_write
    from assay.cli._dataset import open_dataset
    from assay.cli._workspace import need_workspace
    from assay.config import parse_config, plan_toml, propose_plan
    from assay.judge import planned_kin

    workspace = need_workspace()
    settings = workspace.settings(data)
    _require_unplanned(workspace, data)
    panel = open_dataset(data, workspace)
    kin = planned_kin(panel, workspace)
    plan = propose_plan(panel.dates, settings.horizons) if kin is None else kin.plan
    given = {"search": search, "score": score, "eval": evaluation}
    changes: dict[str, Any] = {name: _range(name, text) for name, text in given.items() if text is not None}
    plan = replace(plan, **changes)
    text = _with_plan(workspace.config_path.read_text(encoding="utf-8"), data, plan_toml(data, plan))
    checked = parse_config(text, root=workspace.root).settings(data).periods
    if checked is not None:
        checked.check_calendar(panel.dates)
    atomic_write(workspace.config_path, text)
    if as_json:
        print_json({"data": data, **{name: [str(p.start), str(p.end)] for name, p in plan.periods()}})
        return
    for line in _lines(data, plan):
        say(line)


def _require_unplanned(workspace: Workspace, data: str) -> None:
    from assay.errors import AssayError

    if workspace.settings(data).periods is not None:
        raise AssayError(
            f"{data} has a period plan",
            where=str(workspace.config_path),
            fix="see 'assay periods show'; a plan is set once: one that is moved after a look hides nothing",
        )


def _range(name: str, text: str) -> DateRange | None:
    from assay.config import DateRange, as_date
    from assay.errors import AssayError

    if text == "none" and name != "search":
        return None
    first, colon, last = text.partition(":")
    if not colon:
        raise AssayError(
            f"{text!r} is no range of dates", where=f"--{name}", fix="write it as 2018-01-02:2020-12-31"
        )
    return DateRange(as_date(first), as_date(last))


def _with_plan(text: str, data: str, table: str) -> str:
    """The settings with the plan at their end, where TOML lets a new table stand."""
    return text.rstrip("\n") + "\n" + table


def _lines(data: str, plan: PeriodPlan) -> list[str]:
    shown = [f"{data}: dates kept apart"]
    shown += [f"  period {name}: {period}" for name, period in plan.periods()]
    return [*shown, f"  embargo between periods: {plan.embargo_bars} bars"]
