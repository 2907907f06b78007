from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli._output import Json, console, print_json


def library_app() -> typer.Typer:
    """``assay library``: the reference factors."""
    app = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Published factors: Alpha101, Alpha158, Alpha191, Alpha360, classics.",
    )
    app.command("list")(list_factors)
    app.command("show")(show_factor)
    return app


def list_factors(
    set_name: Annotated[
        str | None, typer.Argument(help="A set; without it, all sets and their sizes.", metavar="SET")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the sets, or the factors of one set."""
    from assay.library import reference_factors, sets

    if set_name is None:
        sizes = [{"set": name, "factors": len(reference_factors(name))} for name in sets()]
        if as_json:
            print_json(sizes)
            return
        for item in sizes:
            typer.echo(f"{item['set']:<10} {item['factors']:>4} factors")
        return
    factors = [
        {"id": item.id, "name": item.name, "formula": item.text} for item in reference_factors(set_name)
    ]
    if as_json:
        print_json(factors)
        return
    _print_table(factors)


def show_factor(
    factor_id: Annotated[str, typer.Argument(help="Such as alpha101-012.", metavar="ID")],
    as_json: Json = False,
) -> None:
    """Show one factor: formula, source, fields, and what the factor is in the core dialect."""
    from assay.cli._check import show_pairs
    from assay.expr import to_text
    from assay.library import factor

    item = factor(factor_id)
    values: dict[str, Any] = {
        "id": item.id,
        "set": item.set,
        "name": item.name,
        "formula": item.text,
        "dialect": item.dialect,
        "core": to_text(item.node, "core"),
        "fields": list(item.fields),
        "lookback": item.expression.lookback,
        "fingerprint": item.expression.fingerprint,
        "source": item.citation,
        "notes": item.notes,
    }
    if as_json:
        print_json(values)
    else:
        show_pairs(values)


def _print_table(rows: list[dict[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("id", no_wrap=True)
    table.add_column("name", overflow="fold")
    table.add_column("formula", overflow="fold")
    for row in rows:
        table.add_row(*(Text(value) for value in row.values()))
    console().print(table)
