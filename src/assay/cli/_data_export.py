"""``assay data export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._data_places import Dir, find_folder
from assay.cli._output import Json, print_json, say

FORMATS = ("qlib",)


def export(
    name: Annotated[str, typer.Argument(help="A data set or its folder.")],
    to: Annotated[Path, typer.Option("--to", help="A folder that does not exist yet.", metavar="DIR")],
    form: Annotated[str, typer.Option("--format", help="qlib: its daily binary format.")] = "qlib",
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Write a whole data set, hidden dates and all, in the format of another program."""
    from assay.cli._choice import one_of
    from assay.market import export_qlib, open_panel

    one_of(form, FORMATS, "--format")
    done = export_qlib(open_panel(find_folder(name, directory), check_hashes=True), to)
    if as_json:
        print_json(
            {
                "folder": str(done.folder),
                "format": form,
                "dates": done.dates,
                "instruments": done.instruments,
                "fields": list(done.fields),
                "universes": list(done.universes),
                "left_out": list(done.left_out),
            }
        )
        return
    say(f"written to {done.folder}: {done.instruments:,} instruments, {done.dates:,} dates")
    say(f"fields: {', '.join(done.fields)}")
    if done.universes:
        say(f"universes: {', '.join(done.universes)}")
    if done.left_out:
        say(f"left out, as the format has no place for it: {', '.join(done.left_out)}")
