"""What ``PATCH /alphas/{id}`` takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from assay.brain.simulator._wire_types import Invalid, is_text

COLORS: Final = ("RED", "YELLOW", "GREEN", "BLUE", "PURPLE")
LONGEST_NAME: Final = 100
LONGEST_TEXT: Final = 5_000
MOST_TAGS: Final = 50

Read = Callable[[Any], str | None]


def read_properties(body: Any) -> dict[str, Any]:
    """The changes; keys that nobody may change are passed over.

    Raises
    ------
    Invalid
        400, keyed by field.
    """
    if not isinstance(body, dict):
        raise Invalid({"errors": [_expected(body)]})
    problems: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    for key, read in _FIELDS.items():
        if key in body:
            problem = read(body[key])
            if problem is None:
                changes[key] = body[key]
            else:
                problems[key] = [problem]
    if "regular" in body:
        regular = body["regular"]
        if not isinstance(regular, dict):
            problems["regular"] = {"errors": [_expected(regular)]}
        elif "description" in regular:
            problem = _text(LONGEST_TEXT)(regular["description"])
            if problem is not None:
                problems["regular"] = {"description": [problem]}
            changes["regular"] = {"description": regular["description"]}
    if problems:
        raise Invalid(problems)
    return changes


def _text(longest: int) -> Read:
    def read(value: Any) -> str | None:
        if value is None:
            return None
        if not is_text(value):
            return "Not a valid string."
        too_long = f"Ensure this field has no more than {longest} characters."
        return too_long if len(value) > longest else None

    return read


def _color(value: Any) -> str | None:
    known = value is None or (isinstance(value, str) and value in COLORS)
    return None if known else f'"{str(value)[:100]}" is not a valid choice.'


def _tags(value: Any) -> str | None:
    if not isinstance(value, list):
        return f'Expected a list of items but got type "{type(value).__name__}".'
    if len(value) > MOST_TAGS:
        return f"Ensure this field has no more than {MOST_TAGS} elements."
    wrong = [tag for tag in value if not is_text(tag) or len(tag) > LONGEST_NAME]
    return "Not a valid string." if wrong else None


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "Must be a valid boolean."


def _expected(value: Any) -> str:
    return f"Invalid data. Expected a dictionary, but got {type(value).__name__}."


_FIELDS: Final[dict[str, Read]] = {
    "name": _text(LONGEST_NAME),
    "color": _color,
    "tags": _tags,
    "category": _text(LONGEST_NAME),
    "favorite": _flag,
    "hidden": _flag,
}
