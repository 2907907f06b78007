"""``assay brain fields`` and ``operators``: what the platform offers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._brain_platform import InWorkspace, Local, LocalData, open_platform
from assay.cli._output import Json, console, print_json, printable, say

if TYPE_CHECKING:
    from assay.brain import DataFieldInfo, DataSetInfo, SimulationSettings
    from assay.brain.client import BlockingClient

_WIDEST = 60

Search = Annotated[str, typer.Option("--search", help="Only what these words are found in.", metavar="WORDS")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask the platform, not the cache.")]
Region = Annotated[str | None, typer.Option(help="Region, as the platform names it.")]
Universe = Annotated[str | None, typer.Option(help="Universe, as the platform names it.")]
Delay = Annotated[int | None, typer.Option(help="Delay, 0 or 1.", min=0, max=1)]


def fields(
    data_set: Annotated[
        str | None, typer.Argument(help="Id of a data set; without one, data sets are listed.")
    ] = None,
    search: Search = "",
    region: Region = None,
    universe: Universe = None,
    delay: Delay = None,
    refresh: Refresh = False,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """List the platform's data sets, or the fields of one; with --search alone, fields of all.

    In a workspace a list is kept after it was read once.
    """
    with open_platform(local, data, workspace) as platform:
        settings = _settings(platform, region, universe, delay)
        if data_set is None and not search:
            sets = platform.data_sets(refresh=refresh, settings=settings)
            _show_sets(sets, as_json=as_json)
        else:
            found = platform.data_fields(data_set, search, refresh=refresh, settings=settings)
            _show_fields(found, as_json=as_json)


def operators(
    search: Search = "",
    refresh: Refresh = False,
    local: Local = False,
    data: LocalData = None,
    workspace: InWorkspace = None,
    as_json: Json = False,
) -> None:
    """List the operators that the account may use."""
    with open_platform(local, data, workspace) as platform:
        wanted = search.lower()
        found = [
            one
            for one in platform.operators(refresh=refresh)
            if wanted in f"{one.name} {one.category} {one.definition} {one.description}".lower()
        ]
    if as_json:
        print_json([one.wire() for one in found])
        return
    rows = [(one.name, one.category, one.level or "", one.definition) for one in found]
    show_table(("operator", "category", "level", "definition"), rows)
    say(f"{len(found)} operators")


def _settings(
    platform: BlockingClient, region: str | None, universe: str | None, delay: int | None
) -> SimulationSettings:
    given = {"region": region, "universe": universe, "delay": delay}
    return platform.default_settings().model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )


def _show_sets(found: Sequence[DataSetInfo], *, as_json: bool) -> None:
    if as_json:
        print_json([one.wire() for one in found])
        return
    rows = [
        (one.id, one.name, "" if one.category is None else one.category.name, _text(one.field_count))
        for one in found
    ]
    show_table(("data set", "name", "category", "fields"), rows)
    say(f"{len(found)} data sets; the fields of one: assay brain fields DATASET")


def _show_fields(found: Sequence[DataFieldInfo], *, as_json: bool) -> None:
    if as_json:
        print_json([one.wire() for one in found])
        return
    rows = [
        (
            one.id,
            one.type,
            "" if one.dataset is None else one.dataset.id,
            "" if one.coverage is None else f"{one.coverage:.0%}",
            one.description[:_WIDEST],
        )
        for one in found
    ]
    show_table(("field", "type", "data set", "coverage", "description"), rows)
    say(f"{len(found)} fields")


def show_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows under titles, each cell on its own."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(title)
    shown = [tuple(printable(cell) for cell in row) for row in rows]
    for row in shown:
        table.add_row(*row)
    if shown:
        console().print(table)


def _text(value: object) -> str:
    return "" if value is None else str(value)
