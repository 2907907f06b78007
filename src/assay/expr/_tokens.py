from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from assay.errors import ExpressionError, Reason, Span
from assay.expr import _reasons as reasons

NUMBER, NAME, TEXT, SYMBOL, END = 1, 2, 3, 4, 5

_PATTERN: Final = re.compile(
    r"""
      (?:\s+|\#[^\n]*|/\*(?s:.*?)\*/)*+
      (?:
          ((?>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![A-Za-z0-9_.$]))
        | (\$?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
        | ("[^"\n]*"|'[^'\n]*')
        | (\*\*|&&|\|\||[<>=!]=|[-+*/^<>?:(),;=!&|~])
        | (\Z)
        | (.)
      )
    """,
    re.VERBOSE,
)
_BAD: Final = 6
_LOOKALIKES: Final = {
    "（": "(", "）": ")", "，": ",", "；": ";", "：": ":", "×": "*", "÷": "/", "−": "-", "–": "-", "—": "-",
    "“": '"', "”": '"', "‘": "'", "’": "'", "＞": ">", "＜": "<", "≥": ">=", "≤": "<=", "≠": "!=", "！": "!",
}  # fmt: skip


class Tokens(NamedTuple):
    """Parallel lists, ended by an END token."""

    kinds: list[int]
    texts: list[str]
    starts: list[int]


def span_at(text: str, start: int, end: int) -> Span:
    """The place in a text, line and column from 1."""
    line = text.count("\n", 0, start) + 1
    return Span(start, max(end, start), line, start - (text.rfind("\n", 0, start) + 1) + 1)


def error_at(
    reason: Reason,
    message: str,
    text: str,
    start: int,
    end: int,
    *,
    level: str = "parsed",
    expected: tuple[str, ...] = (),
    suggestions: tuple[str, ...] = (),
    facts: Mapping[str, Any] | None = None,
    fix: str | None = None,
) -> ExpressionError:
    """The error for one place of a formula."""
    return ExpressionError(
        reason,
        message,
        span=span_at(text, start, end),
        text=text,
        level=level,
        expected=expected,
        suggestions=suggestions,
        facts=facts,
        fix=fix,
    )


def tokenize(text: str) -> Tokens:
    """Split a formula; blanks and comments are dropped.

    Raises
    ------
    ExpressionError
        A character, number, text or comment is malformed.
    """
    matches = list(_PATTERN.finditer(text))
    kinds = [match.lastindex or _BAD for match in matches]
    if _BAD in kinds:
        raise _bad_character(text, matches[kinds.index(_BAD)].start(_BAD))
    texts = [match[kind] for match, kind in zip(matches, kinds, strict=True)]
    starts = [match.start(kind) for match, kind in zip(matches, kinds, strict=True)]
    if "/*" in text:
        _refuse_open_comment(text, texts, starts)
    return Tokens(kinds, texts, starts)


def _refuse_open_comment(text: str, texts: list[str], starts: list[int]) -> None:
    """A ``/*`` that was read as two symbols has no end."""
    for i, symbol in enumerate(texts):
        if symbol == "/" and text.startswith("/*", starts[i]):
            raise error_at(
                reasons.UNTERMINATED,
                "the comment that starts here has no end",
                text,
                starts[i],
                starts[i] + 2,
            )


def _bad_character(text: str, at: int) -> ExpressionError:
    character = text[at]
    if character in "\"'":
        return error_at(
            reasons.UNTERMINATED, "the text that starts here has no closing quote", text, at, at + 1
        )
    if character.isascii() and (character.isdigit() or character == "."):
        end = at + 1
        while end < len(text) and (text[end].isalnum() or text[end] in "._"):
            end += 1
        return error_at(reasons.BAD_NUMBER, f"{text[at:end][:40]!r} is not a number", text, at, end)
    same = (_LOOKALIKES[character],) if character in _LOOKALIKES else ()
    return error_at(
        reasons.BAD_CHARACTER,
        f"the character {character!r} has no meaning here",
        text,
        at,
        at + 1,
        suggestions=same,
    )
