"""Refusals of the expression language in the platform's words.

What the platform says is known from captured replies; for what none was captured, a message of the same form
stands in. ``docs/reference/fastexpr.md`` tells which is which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.brain._wire import Place
from assay.brain.fastexpr._names import attribute_name, platform_name
from assay.brain.fastexpr._problem import Problem, ProblemKind
from assay.errors import ExpressionError

END: Final = "Unexpected end of input"
RESOURCE: Final = "Your simulation probably took too much resource"
_NUMBER: Final = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|\.")


def unknown_operator(name: str) -> str:
    return f'Attempted to use inaccessible or unknown operator "{name}"'


def unknown_variable(name: str) -> str:
    return f'Attempted to use unknown variable "{name}"'


def unexpected(character: str) -> str:
    return f"Unexpected character '{character}'"


def place_of(text: str, start: int, end: int) -> Place:
    """A stretch of the text by its line and the characters in it; what goes on over the line's end is cut."""
    start = min(start, len(text))
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    return Place(
        line=text.count("\n", 0, start) + 1, start=start - first, end=max(min(end, last), start) - first
    )


def problem_of(error: ExpressionError) -> Problem:
    """An error of the expression language as the platform would put it."""
    wording = WORDINGS[error.reason.code]
    message, start, end = wording.say(error)
    hints = [] if error.message in message else [error.message]
    if error.suggestions:
        hints.append(f"did you mean {' or '.join(error.suggestions)}?")
    return Problem(message, place_of(error.text, start, end), wording.kind, "; ".join(hints))


_Said = tuple[str, int, int]
"""A message, and from where to where in the text."""


def _at(error: ExpressionError, message: str) -> _Said:
    return message, error.span.start, error.span.end


def _end(error: ExpressionError) -> _Said:
    return _at(error, END)


def _character(error: ExpressionError) -> _Said:
    start = error.span.start
    found = error.facts.get("found", error.text[start : start + 1])
    if not found:
        return END, start, start
    start += 1 if found == "**" else 0  # a single one is an operator
    return unexpected(found[0]), start, start + 1


def _number(error: ExpressionError) -> _Said:
    """The first character that does not belong to the number."""
    start, end = error.span.start, error.span.end
    match = _NUMBER.match(error.text, start, end)
    start = min(start if match is None else match.end(), end - 1)
    return unexpected(error.text[start]), start, start + 1


def _operator(error: ExpressionError) -> _Said:
    return _at(error, unknown_operator(error.facts["op"]))


def _variable(error: ExpressionError) -> _Said:
    return _at(error, unknown_variable(error.text[error.span.start : error.span.end]))


def _arity(error: ExpressionError) -> _Said:
    facts = error.facts
    if not facts:  # one argument is given twice
        return _value(error)
    lacking = facts["missing"]
    if lacking and facts["given"] >= facts["inputs"]:
        return _at(error, f"Required attribute '{attribute_name(facts['op'], lacking[0])}' must have a value")
    if lacking or facts["most"] == facts["inputs"]:
        return _at(error, _count(facts))
    bound = "exactly" if facts["least"] == facts["most"] else "at most"
    message = f"Invalid number of inputs : {facts['given']}, should be {bound} {facts['most']} input(s)"
    return _at(error, message)


def _literal(error: ExpressionError) -> _Said:
    """An expression where an attribute stands is one input too many."""
    facts = error.facts
    if facts["given"] > facts["inputs"]:
        return _at(error, _count(facts))
    return _at(error, f"Invalid value of attribute '{attribute_name(facts['op'], facts['parameter'])}'")


def _count(facts: Mapping[str, Any]) -> str:
    bound = "at least" if facts["variadic"] else "exactly"
    return f"Invalid number of inputs : {facts['given']}, should be {bound} {facts['inputs']} input(s)"


def _value(error: ExpressionError) -> _Said:
    return _at(error, f"Invalid value of an attribute: {error.message}")


def _type(error: ExpressionError) -> _Said:
    facts = error.facts
    if facts["given"] == "vector":
        return _at(error, f"Operator {platform_name(facts['op'])} does not support event inputs")
    wanted = {"vector": "an event data", "group": "a group"}.get(facts.get("wanted", ""), "an expression")
    return _at(error, f"Got invalid input at index {facts.get('index', 0)}, must be {wanted}")


def _resource(error: ExpressionError) -> _Said:
    return _at(error, RESOURCE)


@dataclass(frozen=True, slots=True)
class Wording:
    """How the refusals of one reason are put."""

    kind: ProblemKind
    say: Callable[[ExpressionError], _Said]


WORDINGS: Final[Mapping[str, Wording]] = {
    "empty_formula": Wording("syntax", _end),
    "fragment": Wording("syntax", _end),
    "unterminated": Wording("syntax", _end),
    "syntax": Wording("syntax", _character),
    "bad_character": Wording("syntax", _character),
    "bad_number": Wording("syntax", _number),
    "unknown_op": Wording("operator", _operator),
    "unsupported_op": Wording("operator", _operator),
    "unknown_field": Wording("variable", _variable),
    "wrong_arity": Wording("inputs", _arity),
    "literal_expected": Wording("inputs", _literal),
    "unknown_argument": Wording("attribute", _value),
    "bad_parameter": Wording("attribute", _value),
    "window_out_of_bounds": Wording("attribute", _value),
    "look_ahead": Wording("attribute", _value),
    "wrong_kind": Wording("type", _type),
    "formula_too_long": Wording("resource", _resource),
    "formula_too_deep": Wording("resource", _resource),
    "formula_too_large": Wording("resource", _resource),
    "lookback_too_long": Wording("resource", _resource),
}
"""By reason of the expression language."""
