"""Where a session of ``assay brain`` lies; on a machine without a workspace one is made."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.cli._progress import note

if TYPE_CHECKING:
    from assay.config import Workspace

NEW_PLACE: Final = "assay-brain"
DATA: Final = "sim"
SEED, INSTRUMENTS, DAYS = 7, 300, 1500
"""Of the market that is made: its in-sample dates are about two and a half years."""


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace, and the data set of the local simulator; None = the default one."""

    workspace: Workspace
    data: str | None


def session_place(
    folder: Path | None, data: str | None, *, local: bool, new: bool, run: str | None = None
) -> Place:
    """The workspace of the options or of the current folder, else ``./assay-brain``.

    That one is made, with a simulated market, where a ``new`` session is to be ``local`` and no data set is
    named. The recorded ``run``, where there is one, names the data set that it was on.

    Raises
    ------
    AssayError
        There is no workspace.
    """
    from assay.cli._brain_platform import workspace_of
    from assay.cli._workspace import need_workspace
    from assay.config import load_workspace

    found = workspace_of(folder)
    if found is None and (Path(NEW_PLACE) / "assay.toml").is_file():
        found = load_workspace(Path(NEW_PLACE))
        note(f"working in ./{NEW_PLACE}")
    if found is None and local and new and data is None:
        return Place(_made(Path(NEW_PLACE)), DATA)
    if found is None:
        found = need_workspace()
    if not local or data is not None:
        return Place(found, data)
    return Place(found, (run and _data_of(run, found)) or only_data(found))


def only_data(workspace: Workspace) -> str | None:
    """The one data set of a workspace that names no default; None where the default holds."""
    from assay.cli._dataset import known_datasets

    known = known_datasets(workspace)
    return known[0] if workspace.default_data is None and len(known) == 1 else None


def _data_of(run: str, workspace: Workspace) -> str | None:
    """The data set that a recorded run is on; None where it is not recorded, or its data is not here."""
    from assay.cli._dataset import known_datasets
    from assay.cli._workspace import has_ledger, need_ledger
    from assay.errors import Refusal

    if not has_ledger(workspace):
        return None
    try:
        inputs = need_ledger(workspace).run(run).inputs()
    except Refusal:
        return None  # whoever goes on with it says what there is
    known = known_datasets(workspace)
    return next((name for name in known if f"data:{name}" in inputs), None)


def option_of(workspace: Workspace) -> str:
    """The option that names a workspace in a command to come, after a space; empty where it is found."""
    from assay.cli._brain_platform import workspace_of

    if workspace.root == Path(NEW_PLACE).resolve():
        return f" --workspace {NEW_PLACE}"
    here = workspace_of(None)
    found = here is not None and here.root == workspace.root
    return "" if found else f" --workspace {shlex.quote(str(workspace.root))}"


def _made(root: Path) -> Workspace:
    from assay.config import DEFAULT_HORIZONS, init_workspace, load_workspace, propose_plan
    from assay.market import simulate, write_dataset

    note(f"making a workspace with a simulated market in ./{root}")
    panel = simulate(SEED, INSTRUMENTS, DAYS, name=DATA)
    write_dataset(panel.data, root / "data" / DATA)
    init_workspace(root, plans={DATA: propose_plan(panel.dates, DEFAULT_HORIZONS)}, data=DATA)
    return load_workspace(root)
