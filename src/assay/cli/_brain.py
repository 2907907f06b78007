"""``assay brain``: the platform, its local simulator, and what searches on either."""

from __future__ import annotations

import typer

from assay.cli._brain_serve import serve
from assay.cli._brain_validate import validate


def brain_app() -> typer.Typer:
    """``assay brain``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Search on WorldQuant BRAIN, or on a local simulator of it.",
    )
    for command in (
        serve,
        validate,
    ):
        app.command()(command)
    return app
