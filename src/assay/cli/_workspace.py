from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.config import Workspace
    from assay.ledger import Ledger


def need_workspace() -> Workspace:
    """The workspace that the current folder lies in.

    Raises
    ------
    AssayError
        It lies in none.
    ConfigProblems
        Its ``assay.toml`` is not valid.
    """
    from assay.config import find_workspace

    workspace = find_workspace()
    if workspace is None:
        raise AssayError(
            "the current folder lies in no workspace",
            where=str(Path.cwd()),
            fix="change to a workspace, or make one with 'assay init'",
        )
    return workspace


def has_ledger(workspace: Workspace) -> bool:
    """Whether anything was recorded in the workspace yet, whole or damaged."""
    return workspace.ledger_dir.exists()


def need_ledger(workspace: Workspace, *, create: bool = False) -> Ledger:
    """The workspace's ledger; with ``create`` it is made where nothing was recorded yet.

    Raises
    ------
    AssayError
        There is none.
    """
    from assay.ledger import refuse_lost, workspace_ledger

    if not create and not has_ledger(workspace):
        refuse_lost(workspace)
        raise AssayError(
            "nothing is recorded in this workspace yet",
            where=str(workspace.ledger_dir),
            fix="judge a factor in it first",
        )
    return workspace_ledger(workspace)
