"""``assay brain validate``: expressions held to the platform's language before any call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from assay.cli._output import DataName, FormulaFile, Formulas, Json, print_json, printable, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.brain import DataFieldInfo, OperatorInfo
    from assay.brain.fastexpr import Problem

Levels = Annotated[
    str,
    typer.Option(
        "--level",
        help="Whose operators may be used: user or consultant. A list of them in the folder of --fields "
        "decides instead.",
        metavar="LEVEL",
    ),
]


class _Read(NamedTuple):
    where: str
    text: str
    problem: Problem | None
    warnings: tuple[str, ...]


def validate(
    expressions: Formulas = None,
    file: FormulaFile = None,
    program: Annotated[
        Path | None,
        typer.Option("--program", help="Take one program from this file, all its lines.", metavar="FILE"),
    ] = None,
    data: DataName = None,
    local: Annotated[
        bool, typer.Option("--local", help="Names are the fields of the workspace's data set.")
    ] = False,
    fields: Annotated[
        Path | None,
        typer.Option(
            "--fields",
            help="Names are the fields that the platform listed: a saved reply, or a folder of the cache.",
            metavar="PATH",
        ),
    ] = None,
    level: Levels = "user",
    units: Annotated[bool, typer.Option("--units", help="Also warn where units do not go together.")] = False,
    as_json: Json = False,
) -> int:
    """Say whether the platform would simulate FASTEXPR expressions, and what is wrong where. Calls nothing.

    Without --local, --data or --fields, names of fields are not looked up. Exit code 2 when one is not valid.
    """
    from assay.brain.fastexpr import check_program, unit_warnings
    from assay.errors import AssayError

    if level not in ("user", "consultant"):
        raise AssayError(f"{level!r} is no level", where="--level", fix="use user or consultant")
    if fields is not None and (local or data is not None):
        raise AssayError(
            "two sources of fields", where="--fields", fix="give --fields, or --data, or --local"
        )
    known, operators = _known(data, local, fields, level)
    read = []
    for where, text in _texts(expressions or (), file, program):
        problem = check_program(text, known, operators)
        checks = unit_warnings(text, known) if units and problem is None else ()
        read.append(_Read(where, text, problem, tuple(str(c.wire()["message"]) for c in checks)))
    if as_json:
        print_json(_values(read, fields_checked=known is not None))
    else:
        _show(read, fields_checked=known is not None)
    return 2 if any(one.problem is not None for one in read) else 0


def _known(
    data: str | None, local: bool, fields: Path | None, level: str
) -> tuple[dict[str, DataFieldInfo] | None, tuple[OperatorInfo, ...]]:
    """The fields that may be named, None when they are not looked up, and the operators."""
    from assay.brain.fastexpr import as_listed, operators, read_listed
    from assay.cli._brain_place import session_place
    from assay.cli._dataset import open_dataset
    from assay.config import find_workspace

    allowed = operators("consultant" if level == "consultant" else "user")
    if fields is not None:
        listed = read_listed(fields)
        return listed.fields, listed.operators or allowed
    if data is not None:
        return as_listed(open_dataset(data, find_workspace()).fields), allowed
    if local:
        place = session_place(None, None, local=True, new=False)
        return as_listed(open_dataset(place.data, place.workspace).fields), allowed
    return None, allowed


def _texts(expressions: Sequence[str], file: Path | None, program: Path | None) -> list[tuple[str, str]]:
    from assay.cli._files import read_text
    from assay.cli._formulas import collect_formulas

    found = []
    if expressions or file is not None or program is None:
        found = [(formula.where, formula.text) for formula in collect_formulas(expressions, file)]
    if program is not None:
        found.append((str(program), read_text(program, "--program")))
    return found


def _values(read: Sequence[_Read], *, fields_checked: bool) -> dict[str, Any]:
    return {
        "count": len(read),
        "valid": sum(one.problem is None for one in read),
        "fields_checked": fields_checked,
        "programs": [
            {
                "where": one.where,
                "text": one.text,
                "valid": one.problem is None,
                "problem": None if one.problem is None else _problem(one.problem),
                "warnings": list(one.warnings),
            }
            for one in read
        ],
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "kind": problem.kind,
        "message": problem.message,
        "location": problem.place.wire(),
        "hint": problem.hint,
    }


def _show(read: Sequence[_Read], *, fields_checked: bool) -> None:
    for one in read:
        if one.problem is not None:
            _show_problem(one, one.problem)
        for warning in one.warnings:
            say(f"{one.where}: warning: {warning}")
    valid = sum(one.problem is None for one in read)
    unchecked = "" if fields_checked else " (names of fields not checked: give --local, --data or --fields)"
    say(f"{valid} of {len(read)} valid{unchecked}")


def _show_problem(one: _Read, problem: Problem) -> None:
    place = problem.place
    lines = [f"{one.where}: {problem.message}"]
    lines += [f"  {line}" for line in problem.pointer(one.text).split("\n")]
    lines.append(f"  where: line {place.line}, characters {place.start} to {place.end}")
    if problem.hint:
        lines.append(f"  hint: {problem.hint}")
    typer.echo("\n".join(printable(line) for line in lines), err=True)
