"""``assay data``: make, import, fetch, examine, list, show, update and export data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._data_doctor import doctor
from assay.cli._data_export import export
from assay.cli._data_fetch import fetch
from assay.cli._data_import import import_
from assay.cli._data_output import describe, line, summary, tell_written
from assay.cli._data_places import Dir, find_folder, new_folder_of, root_of
from assay.cli._data_plan import plan_of_dataset, suggest_plan
from assay.cli._data_update import update
from assay.cli._output import Json, print_json, printable, say
from assay.errors import DataError

if TYPE_CHECKING:
    from assay.market import Manifest


def data_app() -> typer.Typer:
    """``assay data``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Market data: make, import, fetch, examine, list, show, update and export data sets.",
    )
    app.command()(simulate)
    app.command("import")(import_)
    app.command()(doctor)
    app.command("list")(list_)
    for command in (show, update, fetch, export):
        app.command()(command)
    return app


def simulate(
    name: Annotated[str, typer.Argument(help="Name of the new data set.")] = "sim",
    seed: Annotated[int, typer.Option(help="Equal seeds give equal data.")] = 7,
    instruments: Annotated[int, typer.Option(help="How many instruments.")] = 300,
    days: Annotated[int, typer.Option(help="How many trading days.")] = 1700,
    signal: Annotated[
        bool,
        typer.Option(
            "--signal/--no-signal", help="Plant signals that predict returns, or make the twin without."
        ),
    ] = True,
    minutes: Annotated[int, typer.Option(help="Last days that also get 5-minute bars.", metavar="DAYS")] = 0,
    start: Annotated[str, typer.Option(help="First trading day.", metavar="DATE")] = "2018-01-02",
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Make a simulated market with known planted signals."""
    from assay.market import simulate as make
    from assay.market import write_dataset

    folder = new_folder_of(directory, name)
    panel = make(seed, instruments, days, signal, minutes=minutes, start=start, name=name)
    stored = write_dataset(panel.data, folder)
    tell_written(stored, folder, as_json=as_json)
    suggest_plan(stored, folder)


def list_(directory: Dir = None, as_json: Json = False) -> None:
    """List the stored data sets."""
    from assay.market import read_manifest

    root = root_of(directory)
    manifests: list[Manifest] = []
    damaged: list[DataError] = []
    folders, unreadable = _dataset_folders(root)
    for folder in folders:
        try:
            manifests.append(read_manifest(folder))
        except DataError as error:
            # one damaged data set does not hide the others
            damaged.append(error)
    if as_json:
        listed = [summary(manifest) for manifest in manifests]
        print_json(
            {
                "dir": str(root),
                "data": listed,
                "damaged": [fault.as_dict() for fault in damaged],
                "unreadable": unreadable,
            }
        )
        return
    for place in unreadable:
        typer.echo(printable(f"not readable, so not looked at: {place}"), err=True)
    for fault in damaged:
        typer.echo(printable(f"damaged: {fault.where}: {fault.message}"), err=True)
    if not (manifests or damaged or unreadable):
        typer.echo(f"no data sets in {root}; make one with 'assay data simulate' or 'assay data import'")
        return
    for manifest in manifests:
        say(line(manifest))


def _dataset_folders(root: Path) -> tuple[list[Path], list[str]]:
    """Folders with a manifest, and those that the user may not look into, in the order of their names."""
    folders: list[Path] = []
    unreadable: list[str] = []
    try:
        inside = sorted(path for path in root.iterdir() if not path.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except OSError:
        return [], [str(root)]
    for path in inside:
        try:
            names = {entry.name for entry in path.iterdir()}
        except NotADirectoryError:
            continue
        except OSError:
            unreadable.append(str(path))
            continue
        if "manifest.json" in names:
            folders.append(path)
    return folders, unreadable


def show(
    name: Annotated[str, typer.Argument(help="A data set or its folder.")],
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Show what a data set holds, its manifest, and which periods of it a workspace keeps apart."""
    from assay.market import read_manifest

    folder = find_folder(name, directory)
    manifest = read_manifest(folder)
    plan = plan_of_dataset(folder, manifest)
    if as_json:
        periods = None if plan is None else plan.values()
        print_json(
            {**manifest.model_dump(mode="json"), "fingerprint": manifest.fingerprint, "periods": periods}
        )
        return
    for text in [*describe(manifest, folder), *([] if plan is None else plan.lines())]:
        say(text)
