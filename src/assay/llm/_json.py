"""A tolerant reader of the JSON that models write.

Why not ``json_repair`` (0.64), the well-known library: it is made to return something for every text, and
part of what it returns is invented. Also in its strict mode it closes the brackets of a text that was cut
off, turns ``-Infinity`` into the text "Infinity" and bare words into text, and leaves repairs out of its
log (trailing commas, double keys, ``01``). Here a reply either holds one complete value, with each repair
counted by its kind, or is refused.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NoReturn

from assay.errors import AssayError

MAX_DEPTH = 100
"""Brackets within brackets, at most: no schema needs more, and code that recurses over a value breaks."""

Repair = Literal[
    "byte_order_mark",  # U+FEFF before the text
    "text_around",  # words before or after the value
    "code_fence",  # ``` around the value
    "other_values",  # further complete values in the text, left aside
    "comment",  # //, /* */ or #
    "trailing_comma",  # before ] or }
    "single_quotes",  # 'text'
    "bare_key",  # {key: 1}
    "python_literal",  # None, True, False
    "not_a_number",  # NaN, Infinity: missing, hence null
    "number_form",  # +1, .5, 1.
    "control_character",  # a bare line end or tab within a text
    "bad_escape",  # \d or \': kept as written, respectively as the quote
    "lone_surrogate",  # half a character: U+FFFD
    "odd_space",  # a space that JSON does not know, such as U+00A0
]

Fault = Literal["no_value", "truncated", "syntax", "duplicate_key", "nested_too_deep", "number_out_of_range"]


class UnreadableJson(AssayError):
    """A text does not hold one complete JSON value. ``fault`` says why; the message is fit for the model."""

    kind = "unreadable_json"

    def __init__(self, fault: Fault, message: str, *, where: str | None = None) -> None:
        super().__init__(message, where=where, fix="reply with one complete JSON object and nothing else")
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text held: the value, and how often each kind of repair was needed to read it."""

    value: Any
    repairs: Mapping[str, int]


class _Found(NamedTuple):
    value: Any
    start: int
    end: int
    repairs: Counter[str]
    fence: str  # what opens the code fence before it, if there is one


def read_json(text: str, *, kind: Literal["object", "array"] = "object") -> Reading:
    """The JSON object (or array) that ``text`` holds.

    Text around the value, code fences, comments, trailing commas, single quotes, Python's literals and the
    other kinds of :data:`Repair` are read and counted. Of several values the last one in a code fence wins,
    else the last one: models think first and answer last. An empty one wins only where there is no other.
    What stands in a ``<think>`` block is not looked at. A value within a value of the other kind is never
    taken out of it.

    Raises
    ------
    UnreadableJson
        There is no such value, it is cut off, or it is not JSON even so; nothing is guessed.
    """
    body = text.removeprefix("\ufeff")
    found = [one for one in _values(body) if isinstance(one.value, dict if kind == "object" else list)]
    if not found:
        shown = f": {body.strip()[:80]!r}" if body.strip() else ""
        raise UnreadableJson("no_value", f"there is no JSON {kind} in the reply{shown}")
    chosen = max(found, key=lambda one: (bool(one.value), bool(one.fence), one.start))
    repairs = chosen.repairs
    repairs["byte_order_mark"] += len(text) - len(body)
    repairs["other_values"] += len(found) - 1
    repairs["code_fence"] += bool(chosen.fence)
    before = body[: chosen.start - len(chosen.fence)]
    after = body[chosen.end :].strip().removeprefix(chosen.fence[:3])
    repairs["text_around"] += bool(before.strip() or after.strip())
    return Reading(chosen.value, {name: repairs[name] for name in sorted(repairs) if repairs[name]})


def _values(body: str) -> list[_Found]:
    """The complete values of a text, without those of its thoughts."""
    thoughts = body.rfind(_THOUGHT_END)
    if thoughts < 0 and body.lstrip().startswith("<think>"):
        return []  # it never came to an answer
    found: list[_Found] = []
    place = 0
    while opened := _OPENING.search(body, place):
        place = opened.end()
        if opened[0] == _THOUGHT_END:
            found.clear()
            continue
        try:
            found.append(_Parser(body, opened.start()).read())
            place = found[-1].end
        except UnreadableJson:
            if thoughts < opened.start():
                raise
            place = thoughts  # what is thought aloud need not be whole
    return found


_THOUGHT_END = "</think>"
# a bracket with which JSON begins, not one of prose such as {x} or [see below]
_NUMBER_THEN = r"[-+]?[\d.][\w.+-]*\s*[,\]]"
_OPENING = re.compile(
    rf"""{_THOUGHT_END}|\{{\s*(?:["'}}]|//|/\*|\#|[A-Za-z_$][\w$]*\s*:|\Z)|\[\s*(?:["'\]\[{{]|//|/\*|{_NUMBER_THEN}|\Z)""",
)
_FENCE_BEFORE = re.compile(r"(?:```|~~~)[ \t]*[\w+-]*\s*\Z")
_CUT_OFF = re.compile(r"\s*(?:[-+.\w$]*\Z|/\Z|/\*(?!.*\*/))", re.DOTALL)
_SPACES = frozenset(" \t\r\n")
_DIGITS = 300  # what a float holds; int() of thousands of digits is slow, and then an error

_WHOLE = "(?:0|[1-9][0-9]*)"
_POWER = r"(?:[eE][-+]?[0-9]+)?(?![\w.+-])"
_TOKEN = re.compile(
    rf"""
    [ \t\r\n]*+
    (?: "(?P<plain>[^"\\\x00-\x1f\ud800-\udfff]*)"
      | "(?P<double>(?:[^"\\]++|\\.)*+)"
      | '(?P<single>(?:[^'\\]++|\\.)*+)'
      | (?P<mark>[{{}}\[\]:,])
      | (?P<number>-?{_WHOLE}(?:\.[0-9]+)?{_POWER})
      | (?P<odd_number>[-+]?(?:{_WHOLE}\.|{_WHOLE}?\.[0-9]+|{_WHOLE}){_POWER})
      | (?P<word>[-+](?:Infinity|inf|nan|NaN)\b|[A-Za-z_$][\w$]*)
      | (?P<comment>(?://|\#)[^\n]*|/\*.*?\*/)
      | (?P<odd_space>\s+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: Mapping[str, tuple[Any, Repair | None]] = {
    "null": (None, None),
    "true": (True, None),
    "false": (False, None),
    "None": (None, "python_literal"),
    "True": (True, "python_literal"),
    "False": (False, "python_literal"),
    **dict.fromkeys(("NaN", "nan", "Infinity", "inf"), (None, "not_a_number")),
}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LONE = re.compile(r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")

_Expected = Literal["value", "value or ]", "key or }", ":", ", or ]", ", or }"]


class _Parser:
    """Reads one value from ``start`` on, without recursion: the depth of a text cannot exhaust the stack."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start
        self._repairs: Counter[str] = Counter()
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str] = []
        self._expected: _Expected = "value"
        self._after_comma = False
        self._closed: Any = None

    def read(self) -> _Found:
        """The value, where it ends, and its repairs.

        Raises
        ------
        UnreadableJson
            No complete value begins at ``start``.
        """
        place, next_token = self._start, _TOKEN.match
        while True:
            token = next_token(self._text, place)
            if token is None:
                self._unknown(place)
            place = token.end()
            if self._take(token) and not self._open:
                fence = _FENCE_BEFORE.search(self._text[max(0, self._start - 40) : self._start])
                opening = "" if fence is None else fence[0]
                return _Found(self._closed, self._start, place, self._repairs, opening)

    def _take(self, token: re.Match[str]) -> bool:
        """Takes one token; whether it closed a bracket."""
        kind = token.lastgroup or ""
        if kind == "mark":
            return self._mark(token)
        if kind in ("comment", "odd_space"):
            self._repairs[kind] += 1
        elif self._expected == "key or }":
            self._key(token, kind)
        elif self._expected in ("value", "value or ]"):
            self._put(self._value(token, kind))
        else:
            self._unexpected(token)
        return False

    def _mark(self, token: re.Match[str]) -> bool:
        mark, expected = token["mark"], self._expected
        if mark in "{[" and expected in ("value", "value or ]"):
            self._open_bracket(token)
        elif (mark == "}" and expected in ("key or }", ", or }")) or (
            mark == "]" and expected in ("value or ]", ", or ]")
        ):
            self._repairs["trailing_comma"] += self._after_comma
            self._closed = self._open.pop()
            self._after_value()
            return True
        elif mark == ":" and expected == ":":
            self._expected = "value"
        elif mark == "," and expected in (", or ]", ", or }"):
            self._expected = "value or ]" if expected == ", or ]" else "key or }"
            self._after_comma = True
        else:
            self._unexpected(token)
        return False

    def _open_bracket(self, token: re.Match[str]) -> None:
        if len(self._open) == MAX_DEPTH:
            self._fail("nested_too_deep", f"brackets lie more than {MAX_DEPTH} deep", token)
        new: dict[str, Any] | list[Any] = {} if token["mark"] == "{" else []
        if self._open:
            self._put(new)
        self._open.append(new)
        self._expected = "key or }" if isinstance(new, dict) else "value or ]"
        self._after_comma = False

    def _put(self, value: Any) -> None:
        container = self._open[-1]
        if isinstance(container, dict):
            container[self._keys.pop()] = value
        else:
            container.append(value)
        self._after_value()

    def _after_value(self) -> None:
        self._after_comma = False
        if self._open:
            self._expected = ", or }" if isinstance(self._open[-1], dict) else ", or ]"

    def _key(self, token: re.Match[str], kind: str) -> None:
        if kind == "word":
            key = token[kind]
            self._repairs["bare_key"] += 1
        elif kind in ("plain", "double", "single"):
            key = self._value(token, kind)
        else:
            self._unexpected(token)
        if key in self._open[-1]:
            self._fail("duplicate_key", f"the key {key[:60]!r} is given twice", token)
        self._keys.append(key)
        self._expected = ":"

    def _value(self, token: re.Match[str], kind: str) -> Any:
        if kind == "plain":
            return token[kind]
        if kind in ("double", "single"):
            self._repairs["single_quotes"] += kind == "single"
            return self._decoded(token[kind])
        if kind in ("number", "odd_number"):
            self._repairs["number_form"] += kind == "odd_number"
            return self._number(token, kind)
        word = token[kind].lstrip("+-")
        if word not in _WORDS:
            self._unexpected(token)
        value, repair = _WORDS[word]
        if repair:
            self._repairs[repair] += 1
        return value

    def _number(self, token: re.Match[str], kind: str) -> int | float:
        text = token[kind]
        number: int | float = math.inf
        if not text.lstrip("+-").isdigit():
            number = float(text)
        elif len(text) <= _DIGITS:
            number = int(text)
        if isinstance(number, float) and not math.isfinite(number):
            self._fail("number_out_of_range", f"the number {text[:20]}... is too large", token)
        return number

    def _decoded(self, raw: str) -> str:
        self._repairs["control_character"] += len(_CONTROL.findall(raw))
        text = _ESCAPE.sub(self._unescaped, raw) if "\\" in raw else raw
        if _SURROGATE.search(text):
            text, count = _LONE.subn("\ufffd", text)
            self._repairs["lone_surrogate"] += count
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")  # joins the halves of a pair
        return text

    def _unescaped(self, escape: re.Match[str]) -> str:
        code, char = escape.groups()
        if code is not None:
            return chr(int(code, 16))
        if char in _ESCAPES:
            return _ESCAPES[char]
        self._repairs["bad_escape"] += 1
        return "'" if char == "'" else f"\\{char}"

    def _unexpected(self, token: re.Match[str]) -> NoReturn:
        self._unknown(token.start())

    def _unknown(self, place: int) -> NoReturn:
        """What begins at ``place`` is not what must stand there: the end, or something else."""
        rest = self._text[place : place + 200].lstrip()
        if _CUT_OFF.match(self._text, place):
            self._fail("truncated", f"the reply ends before the JSON does: expected {self._expected}", place)
        if rest[:1] in ("'", '"') and _TOKEN.match(self._text, place) is None:
            self._fail("truncated", "the reply ends within a text", place)
        self._fail("syntax", f"expected {self._expected}, found {rest[:20]!r}", place)

    def _fail(self, fault: Fault, message: str, at: int | re.Match[str]) -> NoReturn:
        place = at if isinstance(at, int) else at.start()
        while self._text[place : place + 1] in _SPACES:
            place += 1
        line = self._text.count("\n", 0, place) + 1
        where = f"line {line}, column {place - self._text.rfind(chr(10), 0, place)}"
        raise UnreadableJson(fault, f"{message} ({where})", where=where)
