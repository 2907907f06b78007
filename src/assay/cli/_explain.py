from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._output import DataName, DialectName, Json, console, print_json

if TYPE_CHECKING:
    from assay.expr import Call, Expression, Op

_SHOWN = ("text", "dialect", "core", "canonical", "fingerprint", "signature", "kind", "lookback", "exponent")

_IDENTITIES = {
    "fingerprint": "of equal formulas",
    "signature": "ignoring constant factors",
}
"""What the two identities tell."""


def explain(
    expression: Annotated[str, typer.Argument(help="One formula, in quotes.", metavar="EXPRESSION")],
    data: DataName = None,
    universe: Annotated[str | None, typer.Option(help="Members by date, for the coverage of --data.")] = None,
    dialect: DialectName = "core",
    as_json: Json = False,
) -> None:
    """Explain a formula part by part: what each op means, kinds, lookback, adjustment exponents.

    With --data also the share of values at each part, and where values are lost.
    """
    from assay.cli._check import fields_of_dataset
    from assay.cli._formulas import collect_formulas, known_dialect
    from assay.expr import explain as explain_formula
    from assay.expr import parse

    formula = collect_formulas([expression], None)[0]
    parsed = parse(formula.text, known_dialect(dialect), fields=fields_of_dataset(data), adjustment="warn")
    parts = part_rows(parsed)
    if data is not None:
        _add_coverage(parsed, parts, data, universe)
    explained = explain_formula(parsed)
    if as_json:
        print_json({**explained, "parts": parts})
        return
    shown = {key: explained[key] for key in _SHOWN}
    for key, words in _IDENTITIES.items():
        shown[key] = f"{explained[key]} ({words})"
    if parsed.exponent.kind == "broken":
        shown["exponent"] = "none"
    shown["adjustment"] = _adjustment(parsed)
    # the reason under adjustment is the one that the warning repeats
    shown["warnings"] = [n.message for n in parsed.warnings if n.message != parsed.exponent.why]
    _show(shown, parts)


def part_rows(parsed: Expression) -> list[dict[str, Any]]:
    """Every distinct part of the tree, inputs first, with what is known of it without data."""
    from assay.expr import Call, Constant, distinct, exponents, kind_of, lookback, op_table, to_text

    table = op_table()
    found = exponents(parsed.node, parsed.known)
    rows = []
    for part in distinct(parsed.node):
        if isinstance(part, Constant):
            continue
        meaning = (
            _op_meaning(table[part.op], part) if isinstance(part, Call) else _field_meaning(part.name, parsed)
        )
        rows.append(
            {
                "part": to_text(part, "core"),
                "kind": kind_of(part, parsed.known),
                "lookback": lookback(part),
                "exponent": found[part].text,
                "meaning": meaning,
            }
        )
    return rows


def _op_meaning(op: Op, part: Call) -> str:
    """The definition, and which of its cases applies here."""
    values = []
    for name, value in part.params:
        whole = name == "min_periods" and value == 0 and "window" in dict(part.params)
        shown = "0 (the whole window)" if whole else f"{value}"
        values.append(f"{name} = {shown.lower() if isinstance(value, bool) else shown}")
    return f"{op.definition}; here {', '.join(values)}" if values else op.definition


def _field_meaning(name: str, parsed: Expression) -> str:
    from assay.expr import STANDARD_FIELDS

    info = (parsed.known or {}).get(name) or STANDARD_FIELDS.get(name)
    if info is None or not info.description:
        return "a field"
    return f"{info.description} ({info.unit})" if info.unit else info.description


def _adjustment(parsed: Expression) -> str:
    found = parsed.exponent
    if found.invariant:
        return "does not change with a stock's adjustment factor"
    if found.unknown:
        return "cannot be told: a field has no known exponent"
    return f"changes with a stock's adjustment factor: {found.why}"


def _add_coverage(parsed: Expression, parts: list[dict[str, Any]], data: str, universe: str | None) -> None:
    from assay.cli._dataset import open_dataset
    from assay.config import find_workspace
    from assay.engine import trace_coverage
    from assay.expr import to_text

    panel = open_dataset(data, find_workspace())
    members = None if universe is None else panel.universe(universe)
    traced = trace_coverage(parsed.node, panel, universe=members)
    shares = {to_text(row.node, "core"): row.share for row in traced}
    for part in parts:
        part["coverage"] = shares.get(part["part"])


def _show(values: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from assay.cli._check import show_pairs

    show_pairs(values)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("part", overflow="fold")
    for heading in ("kind", "bars", "exponent"):
        table.add_column(heading, no_wrap=True)
    covered = any("coverage" in part for part in parts)
    if covered:
        table.add_column("has a value", justify="right")
    table.add_column("meaning", overflow="fold")
    for part in parts:
        exponent = "none" if part["exponent"] == "broken" else part["exponent"]
        cells = [part["part"], part["kind"], str(part["lookback"]), exponent]
        if covered:
            share = part.get("coverage")
            cells.append("" if share is None else f"{100 * share:.1f}%")
        table.add_row(*(Text(cell) for cell in [*cells, part["meaning"]]))
    out = console()
    out.print()
    out.print(table)
