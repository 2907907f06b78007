from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli._progress import note
from assay.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from assay.market import Panel


def suggest_plan(panel: Panel, folder: Path) -> None:
    """In a workspace that keeps no dates of this data set apart, say so, with a plan to copy.

    It is not written for the user: which dates are hidden is decided once, by a person.
    """
    from assay.config import find_workspace, plan_toml, propose_plan

    workspace = find_workspace(folder)
    if workspace is None or folder.resolve().parent != workspace.data_dir.resolve():
        return
    settings = workspace.settings(panel.name)
    if settings.periods is not None:
        return
    try:
        plan = propose_plan(panel.dates, settings.horizons)
    except DataError as too_short:
        note(f"no dates of {panel.name} are kept apart for judging: {too_short.message}")
        return
    note(
        f"no dates of {panel.name} are kept apart for judging yet. To do so, before the first look, add "
        f"to {workspace.config_path}, for example:"
    )
    for line in plan_toml(panel.name, plan).strip().splitlines():
        note(f"    {line}")
