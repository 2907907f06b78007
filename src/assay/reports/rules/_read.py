"""A stretch of text to one formula, or the reason why it is not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assay.reports.rules._chart import Token
from assay.reports.rules._grammar import SELF, grammar
from assay.reports.rules._scan import UNKNOWN
from assay.reports.rules._tree import Apply, Tree, text_of, walk

LONGEST: Final = 90
"""Tokens of one definition that are read at most."""

_CLOSE: Final = 0.25
"""Readings this near in cost are both taken seriously; where they differ, nothing is read."""

_JOINING: Final = frozenset({"PAST", "OF", "OVER", "FILLER", ",", "AND", "THEN", "TAKE", "WITHIN", "ITS"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A formula and the tokens that say it, ``[first, last)``."""

    tree: Tree
    first: int
    last: int


def whole(tokens: Sequence[Token]) -> Tree | None:
    """The formula that all of the tokens together say; None where they say none, or two."""
    found = longest(tokens)
    return found.tree if found is not None and (found.first, found.last) == (0, len(tokens)) else None


def longest(tokens: Sequence[Token], *, bare: bool = False) -> Phrase | None:
    """The formula that begins at the first word of content and goes furthest; ``bare`` also takes a field."""
    tokens = tokens[:LONGEST]
    known = _known_prefix(tokens)
    if not known:
        return None
    chart = grammar().parse(tokens[:known])
    for first in range(known):
        for last in range(known, first, -1):
            # what still wants its window is taken only where nothing complete is said
            readings = chart.readings(first, last, "S") or chart.readings(first, last, "U")
            readings = tuple(r for r in readings if SELF not in walk(r.value))
            if not readings:
                continue
            best = min(readings, key=lambda r: r.cost)
            rivals = {text_of(r.value) for r in readings if r.cost <= best.cost + _CLOSE}
            if len(rivals) > 1:
                return None
            if isinstance(best.value, Apply) or bare:
                return Phrase(best.value, first, last)
        if not _joins(tokens[first]):
            return None
    return None


def _known_prefix(tokens: Sequence[Token]) -> int:
    """How many tokens come before the first unknown one."""
    for index, token in enumerate(tokens):
        if token.senses[0][0] == UNKNOWN:
            return index
    return len(tokens)


def _joins(token: Token) -> bool:
    """Whether the token may stand before a formula without changing it."""
    return any(sense[0] in _JOINING for sense in token.senses)


def content(tokens: Sequence[Token]) -> bool:
    """Whether any token speaks of a series, an op or a window."""
    return any(sense[0] in _CONTENT for token in tokens for sense in token.senses)


_CONTENT: Final = frozenset(
    {"F", "U", "AGG", "VOL", "FN", "FNADJ", "PAIR", "NEG", "T", "N", "NAMEDMA", "NEUTRAL", "DIV", "DIVW",
     "MUL", "SUB",
     "ADD", "RATIO", "DIFF", "PRODUCT", "DEVIATION", "POS", "SKIP", "AGO", "LAGGED", "EQUAL"}
)  # fmt: skip
