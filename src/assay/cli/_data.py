"""``assay data``: make, import, fetch, examine, list, show, update and export data sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._data_export import export
from assay.cli._data_fetch import Download, fetch
from assay.cli._data_options import (
    DEFAULT_RATE,
    AllowMissing,
    Calendar,
    Column,
    DateFormat,
    Encoding,
    End,
    EndInclusive,
    Events,
    Exponent,
    Groups,
    KeepAll,
    KnownUntil,
    MarketName,
    Membership,
    Overlaps,
    Rate,
    Restart,
    ServerName,
    Skip,
    Start,
    UnknownStart,
)
from assay.cli._data_output import describe, line, summary, tell_findings, tell_imported, tell_written
from assay.cli._data_places import Dir, find_folder, name_from, new_folder_of, root_of
from assay.cli._data_plan import plan_of_dataset, suggest_plan
from assay.cli._output import Json, print_json, printable, say
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from datetime import date

    from assay.market import Finding, Imported, Manifest, Panel, Sides, TableOptions

data_app = typer.Typer(
    name="data",
    help="Market data: make, import, fetch, examine, list, show, update and export data sets.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)

_SERIOUS = 1


@data_app.command()
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


@data_app.command("import")
def import_(
    source: Annotated[
        str,
        typer.Argument(help="A CSV or Parquet file in long form, or a qlib data folder."),
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the new data set; default: from the file.")
    ] = None,
    column: Column = None,
    skip: Skip = None,
    exponent: Exponent = None,
    market: MarketName = None,
    membership: Membership = None,
    known_until: KnownUntil = None,
    end_inclusive: EndInclusive = False,
    unknown_start: UnknownStart = "refuse",
    overlaps: Overlaps = "refuse",
    groups: Groups = None,
    events: Events = None,
    calendar: Calendar = None,
    date_format: DateFormat = None,
    encoding: Encoding = "utf-8",
    start: Start = None,
    end: End = None,
    quarantine: KeepAll = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and examine, write nothing.")] = False,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Import market data: all problems are told at once, and nothing is written if there are any."""
    from assay.cli._data_request import (
        known_dates,
        make_sides,
        pairs,
        parse_date,
        parse_market,
        table_options,
    )
    from assay.market import SOURCES, write_dataset

    if source in SOURCES and not Path(source).exists():
        raise AssayError(
            f"{source} is not a file but a source",
            where="import",
            fix=f"download it with 'assay data fetch {source}'",
        )
    chosen_market = parse_market(market)
    sides = make_sides(
        membership,
        groups,
        events,
        known_dates(known_until),
        end_inclusive=end_inclusive,
        unknown_start=unknown_start,
        overlaps=overlaps,
        encoding=encoding,
    )
    name = name or name_from(source)
    folder = new_folder_of(directory, name, exists_ok=dry_run)
    bounds = (parse_date(start, "--start"), parse_date(end, "--end"))
    if Path(source).is_dir():
        taken = _from_qlib(Path(source), name, chosen_market, bounds, overlaps, sides, quarantine=quarantine)
    else:
        from assay.market import import_table

        options = table_options(
            columns=pairs(column, "--column"),
            skip=skip or (),
            exponents=pairs(exponent, "--exponent"),
            market=chosen_market,
            sides=sides,
            calendar=calendar,
            date_format=date_format,
            encoding=encoding,
            bounds=bounds,
            quarantine=quarantine,
        )
        taken = import_table(Path(source), options, name=name)
        _exponents_taken(options.exponents, taken)
    panel = None if dry_run else write_dataset(taken.data, folder)
    tell_imported(taken, panel, folder, as_json=as_json)
    if panel is not None:
        suggest_plan(panel, folder)


def _exponents_taken(told: Mapping[str, float], taken: Imported) -> None:
    for field, exponent in told.items():
        info = taken.data.infos.get(field)
        if info is None:
            raise AssayError(
                f"no field {field!r} was imported",
                where="--exponent",
                fix=f"there are: {', '.join(taken.data.infos)}",
            )
        if info.exponent != exponent:
            raise AssayError(
                f"the exponent of {field} is {info.exponent:g}, whatever the option says",
                where="--exponent",
                fix="give the exponents of fields that Assay does not know",
            )


def _from_qlib(
    folder: Path,
    name: str,
    market: Any,
    bounds: tuple[date | None, date | None],
    overlaps: str,
    sides: Sides,
    *,
    quarantine: bool,
) -> Imported:
    from dataclasses import replace

    from assay.cli._choice import one_of
    from assay.market import OVERLAP_RULES, attach, import_qlib

    taken = import_qlib(
        folder,
        name=name,
        market=market,
        overlaps=one_of(overlaps, OVERLAP_RULES, "--overlaps"),
        start=None if bounds[0] is None else str(bounds[0]),
        end=None if bounds[1] is None else str(bounds[1]),
        quarantine_bars=quarantine,
    )
    return replace(taken, data=attach(taken.data, sides)) if sides else taken


@data_app.command()
def doctor(
    target: Annotated[str, typer.Argument(help="A data set, its folder, or a file that could be imported.")],
    column: Column = None,
    skip: Skip = None,
    market: MarketName = None,
    membership: Membership = None,
    known_until: KnownUntil = None,
    end_inclusive: EndInclusive = False,
    unknown_start: UnknownStart = "refuse",
    overlaps: Overlaps = "refuse",
    groups: Groups = None,
    events: Events = None,
    calendar: Calendar = None,
    date_format: DateFormat = None,
    encoding: Encoding = "utf-8",
    start: Start = None,
    end: End = None,
    quarantine: Annotated[
        bool,
        typer.Option(
            "--quarantine", help="Of a data set: set the bars that cannot be true missing, and list them."
        ),
    ] = False,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Find what cannot be true in market data. Exit code 1 when something serious is found.

    A file is read as 'assay data import' would read it: the options that say how are the same.
    """
    from assay.cli._data_request import (
        known_dates,
        make_sides,
        pairs,
        parse_date,
        parse_market,
        table_options,
    )
    from assay.market import TableOptions
    from assay.market import doctor as examine_folder

    options = table_options(
        columns=pairs(column, "--column"),
        skip=skip or (),
        exponents={},
        market=parse_market(market),
        sides=make_sides(
            membership,
            groups,
            events,
            known_dates(known_until),
            end_inclusive=end_inclusive,
            unknown_start=unknown_start,
            overlaps=overlaps,
            encoding=encoding,
        ),
        calendar=calendar,
        date_format=date_format,
        encoding=encoding,
        bounds=(parse_date(start, "--start"), parse_date(end, "--end")),
        quarantine=False,
    )
    path = Path(target)
    if path.is_file():
        if quarantine:
            raise AssayError(
                f"{target} is not a stored data set",
                where="--quarantine",
                fix="'assay data import' quarantines by itself",
            )
        found = _examine_file(path, options)
    else:
        path = find_folder(target, directory)
        if options != TableOptions(quarantine=False):
            raise AssayError(
                f"{target} is a stored data set: how a file is to be read does not concern it",
                where="doctor",
                fix="leave out the options of files, or give a file",
            )
        found = examine_folder(path)
        if quarantine:
            _set_aside(path)
            found = examine_folder(path)
    tell_findings(target, found, as_json=as_json)
    if any(finding.severity == "serious" for finding in found):
        raise typer.Exit(_SERIOUS)


def _examine_file(path: Path, options: TableOptions) -> tuple[Finding, ...]:
    from assay.market import DataProblems, Finding, import_table

    try:
        return import_table(path, options).findings
    except DataProblems as error:
        # to a doctor, what hinders an import is a finding like the others
        return tuple(
            Finding(
                "import",
                "serious",
                1,
                f"{item.where}: {item.message}" + (f" ({item.fix})" if item.fix else ""),
            )
            for item in error.problems
        )


def _set_aside(folder: Path) -> None:
    from assay.market import quarantine, rewrite_dataset

    rewrite_dataset(folder, quarantine)


@data_app.command("list")
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


@data_app.command()
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


@data_app.command()
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
    from assay.cli._data_request import known_dates, make_sides
    from assay.market import SOURCES, open_panel

    folder = find_folder(name, directory)
    sides = make_sides(
        membership,
        groups,
        events,
        known_dates(known_until),
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


data_app.command()(fetch)
data_app.command()(export)
