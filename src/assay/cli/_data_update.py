"""``assay data update``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._data_fetch import Download
from assay.cli._data_options import (
    DEFAULT_RATE,
    AllowMissing,
    Encoding,
    EndInclusive,
    Events,
    Groups,
    KnownUntil,
    Membership,
    Overlaps,
    Rate,
    Restart,
    ServerName,
    UnknownStart,
)
from assay.cli._data_output import tell_written
from assay.cli._data_places import Dir, find_folder
from assay.cli._output import Json
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.market import Panel, Sides


def update(
    name: Annotated[str, typer.Argument(help="A data set or its folder.")],
    new: Annotated[
        Path | None,
        typer.Option("--from", help="A file with the newer rows (and some stored ones).", metavar="FILE"),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Last date to download; default: today.", metavar="DATE")
    ] = None,
    membership: Membership = None,
    known_until: KnownUntil = None,
    end_inclusive: EndInclusive = False,
    unknown_start: UnknownStart = "refuse",
    overlaps: Overlaps = "refuse",
    groups: Groups = None,
    events: Events = None,
    encoding: Encoding = "utf-8",
    rate: Rate = DEFAULT_RATE,
    allow_missing: AllowMissing = False,
    restart: Restart = False,
    server: ServerName = None,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Append newer bars: downloaded from the data set's own source, or from a file in the same form."""
    from assay.cli._data_request import make_sides
    from assay.market import SOURCES, open_panel

    folder = find_folder(name, directory)
    sides = make_sides(
        membership,
        groups,
        events,
        known_until,
        end_inclusive=end_inclusive,
        unknown_start=unknown_start,
        overlaps=overlaps,
        encoding=encoding,
    )
    old = open_panel(folder)
    if new is not None:
        panel = _append_file(folder, old, new, sides, encoding)
    elif old.manifest.source.kind in SOURCES:
        download = Download(server, rate, allow_missing=allow_missing, restart=restart, quiet=as_json)
        panel = download.update(folder, old.manifest.source.kind, until, sides)
    else:
        raise AssayError(
            f"data set {old.name!r} ({old.manifest.source.kind}) has no source that can be asked again",
            where=name,
            fix="give the newer rows with --from FILE",
        )
    lost = sorted(set(old.manifest.events) - set(panel.manifest.events))
    tell_written(panel, folder, as_json=as_json, lost=lost)


def _append_file(folder: Path, old: Panel, new: Path, sides: Sides, encoding: str) -> Panel:
    from assay.market import TableOptions, extend, import_table

    columns = old.manifest.source.detail.get("columns", {})
    exponents = {
        field: entry.exponent for field, entry in old.manifest.fields.items() if entry.exponent is not None
    }
    options = TableOptions(
        columns=columns if old.manifest.source.kind == "table" else {},
        exponents=exponents,
        market=old.manifest.market,
        encoding=encoding,
        quarantine=False,
    )
    return extend(folder, import_table(new, options, name=old.name).data, sides)
