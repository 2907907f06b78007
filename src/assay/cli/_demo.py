from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._output import Json


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report; it is made if it does not exist.")] = Path(
        "assay-demo"
    ),
    seed: Annotated[int, typer.Option(help="Seed of the simulated market.", min=0)] = 7,
    as_json: Json = False,
) -> None:
    """Tour Assay on simulated markets: judge known factors and planted ones, search, read notes, evolve.

    Needs no key, no model and no network. Twin markets without any signal show what chance alone would find.
    """
    from assay.cli._demo_run import run_demo

    run_demo(out, seed, as_json=as_json)
