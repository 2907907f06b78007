from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.cli._progress import note
from assay.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from assay.config import PeriodPlan
    from assay.market import Manifest, Panel


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """The period plan of a stored data set, and why it does not fit the data, if it does not."""

    plan: PeriodPlan
    problem: str | None

    def values(self) -> dict[str, Any]:
        """The plan, JSON-ready."""
        periods = {name: [str(period.start), str(period.end)] for name, period in self.plan.periods()}
        return {**periods, "embargo_bars": self.plan.embargo_bars, "problem": self.problem}

    def lines(self) -> list[str]:
        """The plan as lines for a terminal."""
        shown = [f"  period {name}: {period}" for name, period in self.plan.periods()]
        shown.append(f"  embargo between periods: {self.plan.embargo_bars} bars")
        return shown if self.problem is None else [*shown, f"  problem of the periods: {self.problem}"]


def plan_of_dataset(folder: Path, manifest: Manifest) -> ShownPlan | None:
    """The plan that a workspace sets for a stored data set, held to the calendar of its data.

    Raises
    ------
    ConfigProblems
        The workspace's ``assay.toml`` is not valid.
    """
    from assay.config import find_data_settings
    from assay.market import open_panel

    settings = find_data_settings(folder, manifest.name)
    if settings is None or settings.periods is None:
        return None
    try:
        settings.periods.check_calendar(open_panel(folder).dates)
    except DataError as error:  # what the manifest says is shown all the same
        fix = f"; {error.fix}" if error.fix else ""
        return ShownPlan(settings.periods, f"{error.message}{fix}")
    return ShownPlan(settings.periods, None)


def suggest_plan(panel: Panel, folder: Path) -> None:
    """In a workspace that keeps no dates of this data set apart, say so, with a plan to copy.

    It is not written for the user: which dates are hidden is decided once, by a person.
    """
    from assay.config import find_workspace, plan_toml, propose_plan
    from assay.judge import planned_kin

    workspace = find_workspace(folder)
    if workspace is None or folder.resolve().parent != workspace.data_dir.resolve():
        return
    settings = workspace.settings(panel.name)
    if settings.periods is not None:
        return
    kin = planned_kin(panel, workspace)
    try:
        plan = propose_plan(panel.dates, settings.horizons) if kin is None else kin.plan
    except DataError as too_short:
        note(f"no dates of {panel.name} are kept apart for judging: {too_short.message}")
        return
    if kin is not None:
        note(f"{kin.note(panel.name)}; the judge opens none of these dates")
    note(
        f"no dates of {panel.name} are kept apart for judging yet. To do so, before the first look, run "
        f"'assay periods set {panel.name}', which adds to {workspace.config_path}:"
    )
    for line in plan_toml(panel.name, plan).strip().splitlines():
        note(f"    {line}")
