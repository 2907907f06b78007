from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from assay.cli._output import DataName, DialectName, FormulaFile, Formulas, Json, console, print_json

if TYPE_CHECKING:
    from assay.errors import ExpressionError
    from assay.expr import Check, Exponent

LEVELS = ("parsed", "typed", "runnable")


def check(
    expressions: Formulas = None,
    file: FormulaFile = None,
    data: DataName = None,
    dialect: DialectName = "core",
    adjustment: Annotated[
        str,
        typer.Option(help="For values that change with a stock's adjustment factor: refuse, warn or off."),
    ] = "warn",
    as_json: Json = False,
) -> int:
    """Check formulas at three levels: parsed, typed, runnable. With --data, on the fields that it has.

    Warnings and refusals of a list are named with their lines on standard error.
    """
    from assay.cli._formulas import collect_formulas, counted, known_dialect, listed_notes, refused_lines
    from assay.errors import AssayError
    from assay.expr import check as check_formula

    chosen = known_dialect(dialect)
    if adjustment not in ("refuse", "warn", "off"):
        raise AssayError(f"{adjustment!r} is no policy", where="--adjustment", fix="use refuse, warn or off")
    formulas = collect_formulas(expressions or (), file)
    fields = fields_of_dataset(data)
    with counted(formulas, "checking") as each:
        found = [
            (
                formula.where,
                check_formula(formula.text, chosen, fields=fields, adjustment=cast("Any", adjustment)),
            )
            for formula in each
        ]
    if len(found) == 1:
        only = found[0][1]
        if only.error is not None:
            raise only.error
        _show_one(only, as_json=as_json)
        return 0
    refused: list[tuple[str, ExpressionError]] = [(w, one.error) for w, one in found if one.error is not None]
    counts = {level: sum(_reached(one, level) for _, one in found) for level in LEVELS}
    if as_json:
        listed = [{"where": where, **check_values(one)} for where, one in found]
        warned = [
            {"where": item["where"], "warnings": item["warnings"]} for item in listed if item.get("warnings")
        ]
        print_json({"count": len(found), **counts, "warned": warned, "formulas": listed})
    else:
        refused_lines(refused)
        warned_lines = [f"{where}: warning: {text}" for where, one in found for text in _warnings(one)]
        listed_notes(warned_lines)
        _show_counts([one for _, one in found], counts, warnings=len(warned_lines))
    return 2 if refused else 0


def fields_of_dataset(data: str | None) -> Any:
    """Descriptions of the fields of a data set, or None for the standard ones."""
    if data is None:
        return None
    from assay.cli._dataset import open_dataset
    from assay.config import find_workspace

    return open_dataset(data, find_workspace()).fields


def check_values(found: Check) -> dict[str, Any]:
    """What a check found, JSON-ready."""
    values: dict[str, Any] = {"text": found.text, "dialect": found.dialect, "level": found.level}
    expression = found.expression
    if expression is not None:
        values |= {
            "unchecked_fields": list(unchecked_fields(found)),
            "kind": expression.kind,
            "lookback": expression.lookback,
            "fields": list(expression.fields),
            "exponent": expression.exponent.text,
            "invariant": None if expression.exponent.unknown else expression.exponent.invariant,
            "size": expression.size,
            "depth": expression.depth,
            "warnings": [notice.message for notice in expression.warnings],
        }
    if found.error is not None:
        values["error"] = found.error.as_dict()
    return values


def unchecked_fields(found: Check) -> tuple[str, ...]:
    """Fields that were taken as present because no data was given to look them up in."""
    from assay.expr import STANDARD_FIELDS

    expression = found.expression
    if found.level != "runnable" or expression is None or expression.known is not None:
        return ()
    return tuple(name for name in expression.fields if name not in STANDARD_FIELDS)


def exponent_text(found: Exponent) -> str:
    """The exponent in words: a formula without one scales in no single way with the factor."""
    return f"none: {found.why}" if found.kind == "broken" else found.text


def _warnings(found: Check) -> list[str]:
    return [] if found.expression is None else [notice.message for notice in found.expression.warnings]


def _show_counts(found: list[Check], counts: Mapping[str, int], *, warnings: int) -> None:
    shown = ", ".join(f"{count} {level}" for level, count in counts.items())
    unchecked = sum(bool(unchecked_fields(one)) for one in found)
    if unchecked:
        shown += f" ({unchecked} with fields not checked: give --data)"
    if warnings:
        shown += f"; {warnings} {'warning' if warnings == 1 else 'warnings'}"
    typer.echo(f"{len(found)} formulas: {shown}")


def _show_one(found: Check, *, as_json: bool) -> None:
    values = check_values(found)
    if as_json:
        print_json(values)
        return
    if found.expression is not None:
        said = found.expression.exponent.why in values["warnings"]
        text = exponent_text(found.expression.exponent)
        values["exponent"] = "none, see warnings" if said and text.startswith("none") else text
    if values.pop("unchecked_fields", []):
        missing = ", ".join(unchecked_fields(found))
        values["level"] = f"runnable (fields not checked: give --data): {missing}"
    show_pairs(values)


def show_pairs(values: Mapping[str, Any]) -> None:
    """Names and values in two columns; lists are written out."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bright_black", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in values.items():
        if isinstance(value, list | tuple):
            value = "; ".join(map(str, value)) if key == "warnings" else ", ".join(map(str, value))
        if value not in ("", None):
            table.add_row(key.replace("_", " "), Text(str(value)))
    console().print(table)


def _reached(found: Check, level: str) -> bool:
    return found.level is not None and LEVELS.index(found.level) >= LEVELS.index(level)
