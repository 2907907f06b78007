"""``assay data import``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._data_options import (
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
    Skip,
    Start,
    UnknownStart,
)
from assay.cli._data_output import tell_imported
from assay.cli._data_places import Dir, name_from, new_folder_of
from assay.cli._data_plan import suggest_plan
from assay.cli._output import Json
from assay.errors import AssayError

if TYPE_CHECKING:
    from datetime import date

    from assay.market import Imported, Sides


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
    from assay.cli._data_request import make_sides, pairs, parse_date, parse_market, table_options
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
        known_until,
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
