"""Refusals of the expression language in the platform's words.

The messages of the platform are those of captured replies; for what none was captured, a message of the same
form stands in. ``docs/reference/fastexpr.md`` says which is which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from assay.brain._wire import Place
from assay.brain.fastexpr._problem import Problem, ProblemKind
from assay.errors import ExpressionError

END: Final = "Unexpected end of input"
RESOURCE: Final = "Your simulation probably took too much resource"

_PLATFORM_NAMES: Final[Mapping[str, str]] = {
    "sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power", "neg": "reverse",
    "gt": "greater", "ge": "greater_equal", "lt": "less", "le": "less_equal", "eq": "equal",
    "ne": "not_equal", "where": "if_else",
}  # fmt: skip
"""Operators written as symbols, by the names that the platform lists them under."""

_ATTRIBUTES: Final[Mapping[str, str]] = {
    "window": "lookback", "use_std": "useStd", "skipboth": "skipBoth", "nangroup": "NaNGroup",
}  # fmt: skip

_WANTED: Final[Mapping[str, str]] = {"vector": "an event data", "group": "a group"}
_NUMBER: Final = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|\.")


def unknown_operator(name: str) -> str:
    return f'Attempted to use inaccessible or unknown operator "{name}"'


def unknown_variable(name: str) -> str:
    return f'Attempted to use unknown variable "{name}"'


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
    kind, word = _WORDS[error.reason.code]
    message = word(error)
    start, end = error.span.start, error.span.end
    if error.reason.code == "bad_number":
        start += _good_digits(error)
        end = start + 1
    hint = error.message
    if error.suggestions:
        hint += f"; did you mean {' or '.join(error.suggestions)}?"
    return Problem(message, place_of(error.text, start, end), kind, hint)


def _good_digits(error: ExpressionError) -> int:
    match = _NUMBER.match(error.text, error.span.start, error.span.end)
    length = 0 if match is None else match.end() - match.start()
    return min(length, error.span.end - error.span.start - 1)


def _character(error: ExpressionError) -> str:
    found = error.facts.get("found", error.text[error.span.start : error.span.start + 1])
    return f"Unexpected character '{found[0]}'" if found else END


def _number(error: ExpressionError) -> str:
    return f"Unexpected character '{error.text[error.span.start + _good_digits(error)]}'"


def _arity(error: ExpressionError) -> str:
    facts = error.facts
    missing = facts.get("missing") or ()
    inputs = facts.get("inputs", 0)
    if missing and facts["given"] >= inputs:
        return f"Required attribute '{_attribute(missing[0])}' must have a value"
    return _inputs(facts)


def _inputs(facts: Mapping[str, Any]) -> str:
    least = "at least" if facts.get("variadic") else "exactly"
    return f"Invalid number of inputs : {facts['given']}, should be {least} {facts['inputs']} input(s)"


def _attribute(name: str) -> str:
    return _ATTRIBUTES.get(name, name)


def _literal(error: ExpressionError) -> str:
    name = _attribute(error.facts["parameter"])
    return f"Attribute '{name}' must be a value, not an expression"


def _value(error: ExpressionError) -> str:
    return f"Invalid value of an attribute: {error.message}"


def _type(error: ExpressionError) -> str:
    facts = error.facts
    op = facts.get("op", "")
    if facts["given"] == "vector":
        return f"Operator {_PLATFORM_NAMES.get(op, op)} does not support event inputs"
    wanted = _WANTED.get(facts.get("wanted", ""), "an expression")
    return f"Got invalid input at index {facts.get('index', 0)}, must be {wanted}"


def _variable(error: ExpressionError) -> str:
    return unknown_variable(error.text[error.span.start : error.span.end])


def _end(error: ExpressionError) -> str:
    return END


def _resource(error: ExpressionError) -> str:
    return RESOURCE


def _operator(error: ExpressionError) -> str:
    return unknown_operator(error.facts["op"])


_WORDS: Final[Mapping[str, tuple[ProblemKind, Callable[[ExpressionError], str]]]] = {
    "empty_formula": ("syntax", _end),
    "fragment": ("syntax", _end),
    "unterminated": ("syntax", _end),
    "syntax": ("syntax", _character),
    "bad_character": ("syntax", _character),
    "bad_number": ("syntax", _number),
    "unknown_op": ("operator", _operator),
    "unsupported_op": ("operator", _operator),
    "wrong_arity": ("inputs", _arity),
    "unknown_argument": ("attribute", _value),
    "literal_expected": ("attribute", _literal),
    "bad_parameter": ("attribute", _value),
    "window_out_of_bounds": ("attribute", _value),
    "look_ahead": ("attribute", _value),
    "wrong_kind": ("type", _type),
    "unknown_field": ("variable", _variable),
    "formula_too_long": ("resource", _resource),
    "formula_too_deep": ("resource", _resource),
    "formula_too_large": ("resource", _resource),
    "lookback_too_long": ("resource", _resource),
}  # fmt: skip
"""By reason of the expression language: what kind of problem, and how the platform words it."""
