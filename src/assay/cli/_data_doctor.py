"""``assay data doctor``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._data_options import (
    Calendar,
    Column,
    DateFormat,
    Encoding,
    End,
    EndInclusive,
    Events,
    Groups,
    KnownUntil,
    MarketName,
    Membership,
    Overlaps,
    Skip,
    Start,
    UnknownStart,
)
from assay.cli._data_output import tell_findings
from assay.cli._data_places import Dir, find_folder
from assay.cli._output import Json
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.market import Finding, TableOptions

_SERIOUS = 1


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
    from assay.cli._data_request import make_sides, pairs, parse_date, parse_market, table_options
    from assay.market import TableOptions

    options = table_options(
        columns=pairs(column, "--column"),
        skip=skip or (),
        exponents={},
        market=parse_market(market),
        sides=make_sides(
            membership,
            groups,
            events,
            known_until,
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
        found = _examine_stored(path, quarantine=quarantine)
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


def _examine_stored(folder: Path, *, quarantine: bool) -> tuple[Finding, ...]:
    from assay.market import doctor as examine
    from assay.market import quarantine as set_missing
    from assay.market import rewrite_dataset

    found = examine(folder)
    if not quarantine:
        return found
    rewrite_dataset(folder, set_missing)
    return examine(folder)
