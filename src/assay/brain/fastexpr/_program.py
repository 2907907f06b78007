"""An expression before any call: is it one that the platform would simulate?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.base import did_you_mean
from assay.brain._wire import DataFieldInfo, OperatorInfo
from assay.brain.fastexpr._known import known_fields
from assay.brain.fastexpr._operators import operators as operators_of
from assay.brain.fastexpr._problem import Problem
from assay.brain.fastexpr._wording import place_of, problem_of, unknown_operator
from assay.errors import ExpressionError
from assay.expr import Apply, Expression, Program, check, parse, parts_of


def check_program(
    text: str,
    fields: Mapping[str, DataFieldInfo] | None = None,
    operators: Iterable[OperatorInfo] | None = None,
) -> Problem | None:
    """The first problem of an expression, or None when it can be simulated.

    Parameters
    ----------
    fields : all fields that may be used, by id; None = names of fields are not checked.
    operators : those open to the account; None = those open to every user.

    Notes
    -----
    An operator that the platform lists and that is not in the op table is taken on trust.
    """
    allowed = {info.name.lower() for info in (operators_of() if operators is None else operators)}
    found = check(text, "fastexpr", fields=known_fields(fields))
    if found.program is not None:
        problem = _inaccessible(found.program, text, allowed)
        if problem is not None:
            return problem
    error = found.error
    if error is None or (error.facts.get("op", "").lower() in allowed and _no_word(error)):
        return None
    return problem_of(error)


def expression(text: str, fields: Mapping[str, DataFieldInfo] | None = None) -> Expression:
    """The typed tree of an expression, ready for evaluation.

    Raises
    ------
    ExpressionError
        It cannot be evaluated; :func:`check_program` has the platform's wording of it.
    """
    return parse(text, "fastexpr", fields=known_fields(fields))


def _no_word(error: ExpressionError) -> bool:
    return error.reason.code in ("unknown_op", "unsupported_op")


def _inaccessible(program: Program, text: str, allowed: set[str]) -> Problem | None:
    for call in parts_of(program):
        if isinstance(call, Apply) and call.name.lower() not in allowed:
            near = did_you_mean(call.name.lower(), allowed)
            return Problem(
                unknown_operator(call.name),
                place_of(text, call.start, call.start + len(call.name)),
                "operator",
                f"did you mean {' or '.join(near)}?" if near else "",
            )
    return None
