from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli._output import FormulaFile, Formulas, Json, print_json


def convert(
    expressions: Formulas = None,
    file: FormulaFile = None,
    source: Annotated[str, typer.Option("--from", help="Dialect of the formulas.", metavar="NAME")] = "core",
    target: Annotated[str, typer.Option("--to", help="Dialect to write.", metavar="NAME")] = "core",
    loose: Annotated[
        bool, typer.Option("--loose", help="Take the target's conventions where they differ, and name each.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Write formulas in another dialect.

    What the other dialect cannot say exactly is refused; with --loose its own conventions (degrees of
    freedom, missing values in a window, scale of ranks) are taken, and each difference is named.
    """
    from assay.cli._formulas import collect_formulas, known_dialect, refused_lines
    from assay.cli._progress import note
    from assay.errors import Refusal
    from assay.expr import convert as convert_formula

    from_, to = known_dialect(source, "--from"), known_dialect(target, "--to")
    formulas = collect_formulas(expressions or (), file)
    found: list[dict[str, Any]] = []
    refused: list[tuple[str, Refusal]] = []
    for formula in formulas:
        item: dict[str, Any] = {"text": formula.text, "from": from_, "to": to}
        try:
            made = convert_formula(formula.text, from_, to, exact=not loose)
        except Refusal as error:
            if len(formulas) == 1:
                raise
            refused.append((formula.where, error))
            found.append({**item, "where": formula.where, "converted": None, "error": error.as_dict()})
            continue
        found.append({**item, "converted": made.text, "differences": list(made.differences)})
    if as_json:
        print_json(found[0] if len(formulas) == 1 else {"count": len(found), "formulas": found})
        return 2 if refused else 0
    for item in found:
        if item["converted"] is not None:
            typer.echo(item["converted"])
            for difference in item["differences"]:
                note(f"  differs: {difference}")
    refused_lines(refused)
    return 2 if refused else 0
