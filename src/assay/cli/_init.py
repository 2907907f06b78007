from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._output import Json, print_json


def init(
    path: Annotated[Path, typer.Argument(help="The folder; it is made if it does not exist.")] = Path(),
    as_json: Json = False,
) -> None:
    """Make a folder a workspace: assay.toml, ledger/, data/, runs/, notes/, book/."""
    from assay.config import Workspace, init_workspace
    from assay.ledger import refuse_lost, workspace_ledger

    refuse_lost(Workspace(path))  # before anything is made
    workspace = init_workspace(path)
    workspace_ledger(workspace)
    if as_json:
        print_json({"root": str(workspace.root), "config": str(workspace.config_path)})
        return
    typer.echo(f"workspace {workspace.root}")
    typer.echo(f"  settings and periods: {workspace.config_path}")
    typer.echo(f"  what is tried and seen: {workspace.ledger_dir}")
    typer.echo("  next: assay data simulate (or assay data import), then assay judge")
