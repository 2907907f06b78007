from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from assay.cli._output import DialectName, FormulaFile, Formulas, Json, console, print_json

if TYPE_CHECKING:
    from assay.expr._syntax import Program


def parse(
    expressions: Formulas = None,
    file: FormulaFile = None,
    dialect: DialectName = "core",
    as_json: Json = False,
) -> int:
    """Parse formulas (syntax alone) and show the tree as written."""
    from assay.cli._formulas import collect_formulas, known_dialect, refused_lines
    from assay.errors import ExpressionError
    from assay.expr import parse_syntax, write

    chosen = known_dialect(dialect)
    formulas = collect_formulas(expressions or (), file)
    found: list[dict[str, Any]] = []
    refused: list[tuple[str, ExpressionError]] = []
    for formula in formulas:
        try:
            program = parse_syntax(formula.text, chosen)
        except ExpressionError as error:
            if len(formulas) == 1:
                raise
            refused.append((formula.where, error))
            found.append({"text": formula.text, "where": formula.where, "level": None, **error.as_dict()})
            continue
        found.append(
            {
                "text": formula.text,
                "level": "parsed",
                "dialect": chosen,
                "printed": write(program, chosen),
                "fragment": program.fragment,
                "tree": program_tree(program),
            }
        )
    if as_json:
        print_json(
            found[0]
            if len(formulas) == 1
            else {"count": len(found), "parsed": len(found) - len(refused), "formulas": found}
        )
    elif len(formulas) == 1:
        out = console()
        out.print(rendered_tree(found[0]["tree"]))
        out.print(f"printed: {found[0]['printed']}", soft_wrap=True)
        if found[0]["fragment"]:
            out.print("a fragment: it only assigns, so it has no value")
    else:
        refused_lines(refused)
        typer.echo(f"{len(found)} formulas: {len(found) - len(refused)} parsed, {len(refused)} refused")
    return 2 if refused else 0


def program_tree(program: Program) -> list[dict[str, Any]]:
    """The statements of a program as nested plain data."""
    return [
        {"assigns": statement.target, "value": _tree(statement.value)}
        if statement.target is not None
        else {"value": _tree(statement.value)}
        for statement in program.statements
    ]


def _tree(node: Any) -> dict[str, Any]:
    kind = type(node).__name__
    if kind == "Number":
        return {"number": node.value}
    if kind == "Text":
        return {"text": node.value}
    if kind == "Name":
        return {"name": node.name}
    if kind == "Apply":
        children = [_tree(arg) for arg in node.args]
        named = {name: _tree(value) for name, value in node.named}
        return {"call": node.name, "args": children, **({"named": named} if named else {})}
    if kind == "Binary":
        return {"call": node.op, "args": [_tree(node.left), _tree(node.right)]}
    if kind == "Unary":
        return {"call": node.op, "args": [_tree(node.operand)]}
    return {"call": "?:", "args": [_tree(node.condition), _tree(node.yes), _tree(node.no)]}


def rendered_tree(statements: list[dict[str, Any]]) -> Any:
    """The tree for a terminal."""
    from rich.console import Group
    from rich.text import Text
    from rich.tree import Tree

    def grow(node: dict[str, Any], label: str = "") -> Tree:
        if "call" not in node:
            (kind, value), *_ = node.items()
            shown = f"{value:g}" if kind == "number" else str(value)
            return Tree(Text(f"{label}{shown}"))
        tree = Tree(Text(f"{label}{node['call']}", style="bold"))
        for child in node["args"]:
            tree.children.append(grow(child))
        for name, child in node.get("named", {}).items():
            tree.children.append(grow(child, f"{name} = "))
        return tree

    return Group(
        *(grow(item["value"], f"{item['assigns']} := " if "assigns" in item else "") for item in statements)
    )
