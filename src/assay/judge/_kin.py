"""Data sets that hold what a planned one holds: under another name they have no plan, and hide nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.config import PeriodPlan, Workspace, as_date, find_data_place
from assay.errors import DataError, Refusal

if TYPE_CHECKING:
    from assay.market import Manifest, Panel

LEAST_SHARED = 0.5
"""Share of the instruments of the smaller of two data sets that make them the same market."""


@dataclass(frozen=True, slots=True)
class Kin:
    """A planned data set whose hidden dates another one holds, too.

    Parameters
    ----------
    name : of the planned one; its plan is ``plan``.
    same : what the two have in common, as words for a person.
    """

    name: str
    plan: PeriodPlan
    same: str

    def note(self, name: str) -> str:
        """That ``name`` has no plan though it needs one, as a line for a person."""
        return (
            f"{name!r} has no period plan, and it has {self.same} {self.name!r}, whose plan hides dates of it"
        )

    def fix(self, name: str) -> str:
        """What to do about it."""
        return f"use {self.name!r} itself, or give {name!r} the same periods: 'assay periods set {name}'"

    def refusal(self, name: str) -> Refusal:
        """That hidden dates stay shut."""
        from assay.judge._period import HIDDEN_PERIOD

        return Refusal(
            HIDDEN_PERIOD, self.note(name), where="period", fix=self.fix(name), details={"plan_of": self.name}
        )


def kin_of(panel: Panel) -> Kin | None:
    """See :func:`planned_kin`; None for a panel with a plan, in memory, or outside a workspace.

    Raises
    ------
    ConfigProblems
        The workspace's ``assay.toml`` is not valid.
    """
    if panel.folder is None:
        return None
    place = find_data_place(panel.folder, panel.name)
    if place is None or place.settings.periods is not None:
        return None
    return planned_kin(panel, place.workspace)


def planned_kin(panel: Panel, workspace: Workspace) -> Kin | None:
    """The stored data set of a workspace whose hidden dates ``panel`` holds, too.

    Two rules, both certain. The files of the two are the same (the fingerprints of their manifests are equal,
    whatever name a manifest says). Or ``panel`` has rows on dates that the plan hides, and at least half of
    the instruments of the smaller one are in both; two simulated markets of different settings share names
    and nothing else, and are left out.
    """
    if panel.folder is None or not len(panel.dates) or not workspace.data_dir.is_dir():
        return None
    own = panel.folder.resolve()
    for folder in sorted(workspace.data_dir.iterdir()):
        if folder.name.startswith(".") or folder.resolve() == own:
            continue
        found = _kin(panel, folder, workspace)
        if found is not None:
            return found
    return None


def _kin(panel: Panel, folder: Path, workspace: Workspace) -> Kin | None:
    from assay.market import open_panel, read_manifest

    try:
        manifest = read_manifest(folder)
        plan = workspace.settings(manifest.name, folder.name).periods
        if plan is None or not plan.hidden(as_date(panel.dates[0]), as_date(panel.dates[-1])):
            return None
        if manifest.fingerprint == panel.manifest.fingerprint:
            return Kin(manifest.name, plan, "the same files as")
        if _other_simulation(panel.manifest, manifest):
            return None
        instruments = set(open_panel(folder).instruments)
    except DataError:  # a folder that is no data set, or a damaged one, of which 'assay doctor' tells
        return None
    shared = len(instruments.intersection(panel.instruments))
    if shared < max(1.0, LEAST_SHARED * min(len(instruments), len(panel.instruments))):
        return None
    return Kin(manifest.name, plan, "the instruments and dates of")


def _other_simulation(left: Manifest, right: Manifest) -> bool:
    return left.simulated and right.simulated and left.source.detail != right.source.detail
