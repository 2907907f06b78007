"""``assay features``: what models can learn from, and its values as they were known at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import DataName, Json, console, print_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.tools.builtin import Workbench


def features_app() -> typer.Typer:
    """``assay features``."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Features: what models can learn from, and its values as they were known at a time.",
    )
    app.command("list")(list_features)
    app.command("materialize")(materialize)
    return app


def list_features(data: DataName = None, as_json: Json = False) -> None:
    """List the features of a data set: fields, labels, classics, those of features.toml and of packages."""
    from assay.cli._search_data import ask_tool

    bench = _bench(data)
    rows: list[dict[str, Any]] = []
    offset: int | None = 0
    while offset is not None:
        page = ask_tool(bench, "features.list", limit=200, offset=offset).model_dump()
        rows += page["rows"]
        offset = page["next_offset"]
    if as_json:
        print_json(rows)
        return
    _print_features(rows)


def materialize(
    name: Annotated[str, typer.Argument(help="Name of a feature.", metavar="NAME")],
    as_of: Annotated[
        str | None,
        typer.Option(
            help="Day or ISO-8601 date-time (UTC, or with a zone); default: the end of the search period.",
            metavar="TIME",
        ),
    ] = None,
    data: DataName = None,
    rows: Annotated[int, typer.Option(help="How many of the last rows are shown.", min=1, max=100)] = 5,
    instruments: Annotated[int, typer.Option(help="How many are shown.", min=1, max=200)] = 8,
    offset: Annotated[int, typer.Option(help="Instruments to leave out.", min=0, max=1_000_000)] = 0,
    as_json: Json = False,
) -> None:
    """Give a feature as it was known at a time: a summary, and its last rows.

    Rows that were known only later are left out: with a lag of 1 the last one is that of the day before.
    """
    from assay.cli._search_data import ask_tool

    bench = _bench(data)
    assert bench.features is not None
    told = ask_tool(
        bench,
        "features.materialize",
        slug=name,
        as_of=as_of or bench.features.clock.isoformat(),
        rows=rows,
        limit=instruments,
        offset=offset,
    ).model_dump()
    if as_json:
        print_json(told)
        return
    _print_values(told)


def _bench(data: str | None) -> Workbench:
    from assay.cli._search_data import open_search_data
    from assay.tools.builtin import Workbench

    return Workbench(features=open_search_data(data).features)


def _print_features(rows: Sequence[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("name", "lag", "label", "licence", "hash", "what it is"):
        table.add_column(title, justify="right" if title == "lag" else "left", no_wrap=title != "what it is")
    for row in rows:
        cells = [row["name"], str(row["lag"]), "yes" if row["is_label"] else "", row["license_tier"]]
        table.add_row(*(Text(cell) for cell in (*cells, row["hash"][:12], row["doc"])))
    console().print(table)


def _print_values(told: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    say(f"{told['slug']}  {told['hash'][:12]}  as of {told['as_of']}")
    span = f", {told['first_date']} to {told['last_date']}" if told["dates"] else ""
    say(f"{told['dates']} rows x {told['instruments']} instruments{span}")
    say("  ".join(f"{name} {_number(value)}" for name, value in told["summary"].items()))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("date", "known", *told["columns"]):
        table.add_column(title, justify="left" if title in ("date", "known") else "right")
    for row in told["rows"]:
        cells = [row["date"], row["known"], *(_number(value) for value in row["values"])]
        table.add_row(*(Text(cell) for cell in cells))
    console().print(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
