"""An expression before any call: is it one that the platform would simulate?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.base import did_you_mean
from assay.brain._wire import DataFieldInfo, OperatorInfo
from assay.brain.fastexpr._known import known_fields
from assay.brain.fastexpr._operators import operators as operators_of
from assay.brain.fastexpr._problem import Problem
from assay.brain.fastexpr._wording import END, place_of, problem_of, unexpected, unknown_operator
from assay.expr import LEGACY, UNSUPPORTED, Apply, Expression, Field, Name, Program, check, parse, parts_of


def check_program(
    text: str,
    fields: Mapping[str, DataFieldInfo] | None = None,
    operators: Iterable[OperatorInfo] | None = None,
) -> Problem | None:
    """The first problem of an expression, or None when it can be simulated.

    The grammar comes first, then the names of operators, then fields, inputs and attributes, then windows
    and size.

    Parameters
    ----------
    fields : all fields that may be used, by id; None = names of fields are not checked.
    operators : those open to the account; None = those open to every user.

    Notes
    -----
    An operator that the platform lists and that the op table lacks is taken on trust, and with it what
    stands beside it.
    """
    found = check(text, "fastexpr", fields=known_fields(fields))
    if found.program is not None:
        problem = _outside_grammar(found.program, text) or _inaccessible(found.program, text, operators)
        if problem is not None:
            return problem
    if found.error is None and found.expression is not None and found.program is not None:
        return _without_value(found.expression, found.program)
    if found.error is None or found.error.reason.code in ("unknown_op", "unsupported_op"):
        return None
    return problem_of(found.error)


def expression(text: str, fields: Mapping[str, DataFieldInfo] | None = None) -> Expression:
    """The typed tree of an expression, ready for evaluation.

    Raises
    ------
    ExpressionError
        It cannot be evaluated; :func:`check_program` has the platform's wording of it.
    """
    return parse(text, "fastexpr", fields=known_fields(fields))


def _without_value(found: Expression, program: Program) -> Problem | None:
    """A field of groups or of several values a day has no one number to hold."""
    if not isinstance(found.node, Field) or found.kind not in ("group", "vector"):
        return None
    way = "use it in a group operator" if found.kind == "group" else "reduce it with vec_avg or vec_sum"
    value = program.statements[-1].value
    message = "Got invalid input at index 0, must be an expression"
    return Problem(
        message, place_of(found.text, value.start, value.end), "type", f"this is a {found.kind}: {way}"
    )


def _outside_grammar(program: Program, text: str) -> Problem | None:
    """What Assay reads and the platform's grammar has not: names with a dot, statements without effect."""
    for part in parts_of(program):
        if isinstance(part, Name) and "." in part.name:
            dot = part.start + part.name.index(".")
            first, rest = part.name.split(".", 1)
            hint = f"write {rest}" if first.lower() == "indclass" else "names have no dot"
            return Problem(unexpected("."), place_of(text, dot, dot + 1), "syntax", hint)
    *before, last = program.statements
    for statement in before:
        if statement.target is None:
            end = text.index(";", statement.end)
            hint = "the value of this statement is not used; only the last one has none to assign to"
            return Problem(unexpected(";"), place_of(text, end, end + 1), "syntax", hint)
    if last.target is not None:
        hint = f"end the program with the expression to simulate, for instance {last.target}"
        return Problem(END, place_of(text, len(text), len(text)), "syntax", hint)
    return None


def _inaccessible(program: Program, text: str, operators: Iterable[OperatorInfo] | None) -> Problem | None:
    listed = operators_of() if operators is None else operators
    allowed = {info.name.lower() for info in listed if "REGULAR" in info.scope}
    for call in parts_of(program):
        if isinstance(call, Apply) and call.name.lower() not in allowed:
            place = place_of(text, call.start, call.start + len(call.name))
            return Problem(unknown_operator(call.name), place, "operator", _meant(call.name, allowed))
    return None


def _meant(name: str, allowed: set[str]) -> str:
    why = UNSUPPORTED["fastexpr"].get(name.lower())
    if why is not None:
        return f"{name} {why}"
    if any(info.name == name.lower() for info in operators_of("consultant")):
        return f"{name} is open to consultants only"
    current = LEGACY.get(name.lower(), "")
    near = (current,) if current in allowed else did_you_mean(name.lower(), allowed)
    return f"did you mean {' or '.join(near)}?" if near else ""
