"""Words of definitions: what a row of their tables says, and the rows made ready to match.

The tables are ``QUANTITIES``, ``OPERATIONS`` and ``PARTICLES``, each in the module of its name, which says
what its categories mean. A word may have several senses; the grammar decides. Words that change nothing are
``FILLER``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from assay.reports.rules._chart import Sense


@dataclass(frozen=True, slots=True)
class Row:
    """What one thing is called.

    Parameters
    ----------
    pattern : its alternatives, of the normalised text, case ignored.
    senses : what they may mean.
    """

    pattern: str
    senses: tuple[Sense, ...]


def row(pattern: str, *senses: tuple[str, Any] | Sense) -> Row:
    """Short for a row; a sense without a cost has none."""
    return Row(pattern, tuple((s[0], s[1], s[2] if len(s) == 3 else 0.0) for s in senses))


Matcher: TypeAlias = tuple[re.Pattern[str], tuple[Sense, ...]]
"""A row, compiled."""

Group: TypeAlias = tuple[re.Pattern[str], tuple[Matcher, ...]]
"""A pattern that matches where any of the rows does, and the rows."""

_GROUP: Final = 10
"""Rows of a group."""


def grouped(table: Sequence[Row], *, han: bool) -> tuple[Group, ...]:
    """The rows for words that begin with a Han character, or with another one.

    Most words of a report are in no row: a group costs one attempt then, and not one for each of its rows.
    """
    rows = _compiled(table, han)
    groups = (rows[first : first + _GROUP] for first in range(0, len(rows), _GROUP))
    return tuple(
        (re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in group), re.IGNORECASE), group)
        for group in groups
    )


def _compiled(table: Sequence[Row], han: bool) -> tuple[Matcher, ...]:
    """Of the alternatives of a row the longest written goes first.

    English words end at word ends, Chinese ones anywhere.
    """
    found = []
    for entry in table:
        fitting = [part for part in _alternatives(entry.pattern) if _may_begin(part, han)]
        if fitting:
            joined = "|".join(sorted(fitting, key=len, reverse=True))
            found.append((re.compile(_bounded(joined), re.IGNORECASE), entry.senses))
    return tuple(found)


def _alternatives(pattern: str) -> list[str]:
    """The parts between bars that stand in no bracket."""
    parts, depth, last, escaped, inside = [], 0, 0, False, False
    for index, character in enumerate(pattern):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif inside:
            inside = character != "]"
        elif character == "[":
            inside = True
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            parts.append(pattern[last:index])
            last = index + 1
    return [*parts, pattern[last:]]


def _may_begin(part: str, han: bool) -> bool:
    has_han = any("\u4e00" <= character <= "\u9fff" for character in part)
    has_latin = re.search(r"(?<!\\)[A-Za-z]", part) is not None
    return has_han if han else (not has_han or has_latin)


def _bounded(pattern: str) -> str:
    # a Latin word must not begin or end inside another; Han characters and symbols have no such ends
    return rf"(?:{pattern})(?:(?<![A-Za-z])|(?![A-Za-z]))"
