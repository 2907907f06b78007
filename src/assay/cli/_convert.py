from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import FormulaFile, Formulas, Json, print_json, say

if TYPE_CHECKING:
    from assay.errors import Refusal


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
    Words that the platform opens to consultants alone are named.
    A list gives a line for each of its lines: a comment with the reason where a formula is refused.
    """
    from assay.cli._formulas import Formula, collect_formulas, counted, known_dialect
    from assay.cli._progress import note
    from assay.errors import Refusal
    from assay.expr import convert as convert_formula

    from_, to = known_dialect(source, "--from"), known_dialect(target, "--to")
    formulas = collect_formulas(expressions or (), file)
    refused: list[Refusal] = []

    def one(formula: Formula) -> dict[str, Any]:
        item: dict[str, Any] = {"text": formula.text, "from": from_, "to": to}
        if len(formulas) > 1:
            item["where"] = formula.where
        try:
            made = convert_formula(formula.text, from_, to, exact=not loose)
        except Refusal as error:
            if len(formulas) == 1:
                raise
            refused.append(error)
            return {**item, "converted": None, "error": error.as_dict()}
        return {
            **item,
            "converted": made.text,
            "differences": list(made.differences),
            "consultant": list(made.consultant),
        }

    with counted(formulas, "converting") as each:
        found = [one(formula) for formula in each]
    if as_json:
        print_json(found[0] if len(formulas) == 1 else {"count": len(found), "formulas": found})
        return 2 if refused else 0
    for formula, item in zip(formulas, found, strict=True):
        for line in formula.before:
            say(line)
        if item["converted"] is None:
            say(f"# {formula.place}: {_on_one_line(item['error']['message'])}")
            continue
        typer.echo(item["converted"])
        place = f"{formula.place} " if len(formulas) > 1 else "  "
        for difference in item["differences"]:
            note(f"{place}differs: {difference}")
        for word in item["consultant"]:
            note(f"{place}note: {word} is open to consultants of the platform only")
    if refused:
        note(_summary(refused, len(formulas)))
    return 2 if refused else 0


def _summary(refused: Sequence[Refusal], total: int) -> str:
    helped = sum("loose" in error.details for error in refused)
    text = f"{len(refused)} of {total} formulas are refused; each has a comment with its reason"
    return f"{text}; {helped} of them can be written with --loose" if helped else text


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
