"""From what a caller sent to the arguments of a tool: nothing hostile or sloppy gets past here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.base import canonical_json, did_you_mean
from assay.errors import AssayError
from assay.tools._reasons import BAD_ARGUMENTS

if TYPE_CHECKING:
    from pydantic import BaseModel

    from assay.tools._tool import Tool

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 32
MAX_DIGITS = 400
MAX_SHOWN = 20

_MARKS = re.compile(r'[\\"\[\]{}]')
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SAFE_WHOLE = 2.0**53


class Unparsable(AssayError):
    """What was sent is not one JSON object of plain values within the limits."""

    kind = "unparsable"


class SchemaInvalid(AssayError):
    """The arguments do not follow the schema. ``reason`` is the code to show for the first fault."""

    kind = "schema_invalid"

    def __init__(self, reason: str, message: str, problems: Sequence[Mapping[str, str]]) -> None:
        super().__init__(message, where="arguments", fix=BAD_ARGUMENTS.fix)
        self.reason = reason
        self.problems = tuple(problems)


def read_object(raw: str | Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object that ``raw`` is, or is the text of; a blank text counts as ``{}``.

    Raises
    ------
    Unparsable
        Not JSON, not an object, a key twice, NaN or infinity, a lone surrogate, nested deeper than 32, more
        than 1,000,000 characters, or a number of more than 400 digits.
    """
    value = _parse(raw) if isinstance(raw, str) else raw
    if not isinstance(value, Mapping):
        raise _unparsable("the arguments are JSON, but not an object")
    checked: dict[str, Any] = _Plain().copy(value, 0)
    return checked


def _parse(text: str) -> Any:
    if len(text) > MAX_CHARACTERS:
        raise _unparsable(f"the arguments have more than {MAX_CHARACTERS} characters")
    if not text.strip():
        return {}
    _check_depth(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_int=_whole,
            parse_float=_number,
        )
    except json.JSONDecodeError as error:
        raise _unparsable(
            f"the arguments are not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from error


def _check_depth(text: str) -> None:
    """Before parsing, since the parser itself recurses."""
    depth, position, inside = 0, 0, False
    while (mark := _MARKS.search(text, position)) is not None:
        position, character = mark.end(), mark.group()
        if inside:
            if character == "\\":
                position += 1  # what follows is escaped
            elif character == '"':
                inside = False
        elif character == '"':
            inside = True
        elif character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise _too_deep()
        elif character in "]}":
            depth -= 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _unparsable("a key occurs twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise _unparsable(f"{name} is not a JSON number")


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _unparsable(f"a number has more than {MAX_DIGITS} digits")
    return int(text)


def _number(text: str) -> float:
    if len(text) > MAX_DIGITS:
        raise _unparsable(f"a number has more than {MAX_DIGITS} digits")
    return float(text)


class _Plain:
    """Copies a value while it is JSON: arguments that come as a mapping may hold anything."""

    def __init__(self) -> None:
        self._left = MAX_CHARACTERS

    def copy(self, value: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _too_deep()
        self._spend(1)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            if abs(value) >= 10**MAX_DIGITS:
                raise _unparsable(f"a number has more than {MAX_DIGITS} digits")
            return value
        if isinstance(value, float):
            return _finite(value)
        if isinstance(value, Mapping):
            return {self._key(key): self.copy(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.copy(item, depth + 1) for item in value]
        raise _unparsable(f"a {type(value).__name__} is not a JSON value")

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise _unparsable("a key is not text")
        return self._text(key)

    def _text(self, text: str) -> str:
        self._spend(len(text))
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise _unparsable("a text holds half of a surrogate pair")
        return text

    def _spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise _unparsable(f"the arguments have more than {MAX_CHARACTERS} characters")


def _finite(value: float) -> int | float:
    if not math.isfinite(value):
        raise _unparsable("a number is too large, or not a number")
    # in JSON schema 5.0 is an integer; beyond 2^53 a float does not say which one
    return int(value) if value.is_integer() and abs(value) <= _SAFE_WHOLE else value


def _unparsable(message: str) -> Unparsable:
    return Unparsable(message, where="arguments", fix="send one JSON object of plain values")


def _too_deep() -> Unparsable:
    return _unparsable(f"the arguments are nested deeper than {MAX_DEPTH}")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of the arguments: the reason to give, and a sentence that quotes no value."""

    argument: str
    reason: str
    message: str

    def as_dict(self) -> dict[str, str]:
        return {"argument": self.argument, "reason": self.reason, "message": self.message}


def validate(tool: Tool, arguments: Mapping[str, Any]) -> BaseModel:
    """The model of a tool's arguments.

    A fault of argument ``X`` gives ``missing_X`` or ``bad_X`` where the tool declares it, all else
    ``bad_arguments``. Of several faults the first in the order of the schema gives the reason, and
    all are listed.

    Raises
    ------
    SchemaInvalid
        The arguments do not follow the schema.
    """
    from pydantic import ValidationError

    try:
        # as JSON, so that dates and tuples may come as JSON writes them although nothing is coerced
        return tool.arguments.model_validate_json(canonical_json(arguments))
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        faults = [_fault(tool, item["type"], item["loc"], item["msg"]) for item in found[:MAX_SHOWN]]
    raise SchemaInvalid(faults[0].reason, faults[0].message, [fault.as_dict() for fault in faults])


def _fault(tool: Tool, kind: str, place: tuple[int | str, ...], message: str) -> Fault:
    if kind == "extra_forbidden":
        return _extra(tool, place)
    shown = ".".join(str(part) for part in place) or "arguments"
    said = "is missing" if kind == "missing" else message[:1].lower() + message[1:]
    return Fault(shown, _code(tool, kind, place), f"{shown}: {said}")


def _extra(tool: Tool, place: tuple[int | str, ...]) -> Fault:
    """An argument that does not exist. Its name is the caller's text: shown only if it looks like a name."""
    name = str(place[-1])
    if not _IDENTIFIER.fullmatch(name):
        return Fault("", BAD_ARGUMENTS.code, "there is an argument that the schema does not have")
    near = did_you_mean(name, tool.arguments.model_fields) if len(place) == 1 else ()
    hint = f"; did you mean {near[0]}?" if near else ""
    return Fault(name, BAD_ARGUMENTS.code, f"there is no argument {name!r}{hint}")


def _code(tool: Tool, kind: str, place: tuple[int | str, ...]) -> str:
    for name in _names(tool, place):
        wanted = [f"bad_{name}"]
        if kind == "missing" and len(place) == 1:
            wanted.insert(0, f"missing_{name}")
        for code in wanted:
            if code in tool.codes:
                return code
    return BAD_ARGUMENTS.code


def _names(tool: Tool, place: tuple[int | str, ...]) -> Iterable[str]:
    path = ".".join("*" if isinstance(part, int) else part for part in place)
    if path in tool.faults:
        yield tool.faults[path]
    if place and isinstance(place[0], str):
        yield place[0]
