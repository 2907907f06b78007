from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from assay.config import Workspace
from assay.errors import AssayError
from assay.ledger._ledger import Ledger

_SHOWN = 3


def workspace_ledger(workspace: Workspace) -> Ledger:
    """The ledger of a workspace, which is made where nothing has been done in it yet.

    Raises
    ------
    AssayError
        There is no ledger, though runs have left their folders: in a new one, N and looks would begin anew.
        Or what is left of one is damaged.
    """
    folder = workspace.ledger_dir
    # what is left of a damaged one is never taken for none
    if not os.path.lexists(folder):
        refuse_lost(workspace)
        try:
            return Ledger.create(folder)
        except AssayError:
            if not folder.exists():  # else another process made it meanwhile
                raise
    return Ledger.open(folder)


def refuse_lost(workspace: Workspace) -> None:
    """Raise where a workspace without a ledger has run folders: its ledger was taken away.

    Raises
    ------
    AssayError
        It has.
    """
    runs = _run_folders(workspace.runs_dir)
    # looked at last: another process may have made it meanwhile, and begun a run
    if not runs or workspace.ledger_dir.exists():
        return
    listed = ", ".join(runs[:_SHOWN]) + (f" and {len(runs) - _SHOWN} more" if len(runs) > _SHOWN else "")
    raise AssayError(
        f"the workspace has runs ({listed}) and no ledger; in a new one, N and looks would begin anew",
        where=str(workspace.ledger_dir),
        fix="bring the folder ledger/ back from a copy; to begin anew, move runs/ away first",
    )


def _run_folders(folder: Path) -> list[str]:
    """Those that a run has left something in; hidden files are those of writers that were stopped."""
    if not folder.is_dir():
        return []
    return sorted(entry.name for entry in _shown(folder) if entry.is_dir() and next(_shown(entry), None))


def _shown(folder: Path) -> Iterator[Path]:
    return (entry for entry in folder.iterdir() if not entry.name.startswith("."))
