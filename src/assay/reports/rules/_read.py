"""A stretch of text to one formula, or the reason why it is not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assay.reports.rules._build import SELF
from assay.reports.rules._chart import Charts, Token
from assay.reports.rules._grammar import grammar
from assay.reports.rules._scan import UNKNOWN
from assay.reports.rules._tree import Apply, Tree, replaced, same_filled, text_of, walk
from assay.reports.rules._units import consistent

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


def longest(tokens: Sequence[Token], charts: Charts | None = None, *, bare: bool = False) -> Phrase | None:
    """The formula that begins at the first word of content and goes furthest; ``bare`` also takes a field."""
    tokens = tokens[:LONGEST]
    known = _known_prefix(tokens)
    if not known:
        return None
    chart, begin = (charts or Charts(grammar())).of(tokens[:known])
    for first in range(known):
        for last in range(known, first, -1):
            # what still wants its window is taken only where nothing complete is said
            readings = chart.readings(begin + first, begin + last, "S") or chart.readings(
                begin + first, begin + last, "U"
            )
            values = [
                (r.cost, filled)
                for r in readings
                if SELF not in walk(r.value)
                and not _idle(r.value)
                and (filled := same_filled(r.value)) is not None
            ]
            if not values:
                continue
            best = _only(values)
            if best is None:
                return None
            if isinstance(best, Apply) or bare:
                return Phrase(best, first, last)
        if not _joins(tokens[first]):
            return None
    return None


def rows(tokens: Sequence[Token]) -> Iterator[range]:
    """Stretches of known tokens that may say a formula."""
    begin = 0
    for index in range(len(tokens) + 1):
        if index < len(tokens) and tokens[index].senses[0][0] != UNKNOWN:
            continue
        if 1 < index - begin <= LONGEST and content(tokens[begin:index]):
            yield range(begin, index)
        begin = index + 1


def prepare(tokens: Sequence[Token], charts: Charts) -> None:
    """Parse each row of known tokens once, so that what begins inside one is only looked up."""
    for row in rows(tokens):
        charts.of([tokens[index] for index in row])


def step(tokens: Sequence[Token], before: Tree, charts: Charts | None = None) -> Phrase | None:
    """What the tokens do with the formula said ``before``: "average it over 20 days"."""
    tokens = tokens[:LONGEST]
    known = _known_prefix(tokens)
    if not known:
        return None
    chart, begin = (charts or Charts(grammar())).of(tokens[:known])
    for first in range(known):
        for last in range(known, first, -1):
            values = []
            for reading in (
                *chart.readings(begin + first, begin + last, "STEP"),
                *chart.readings(begin + first, begin + last, "S"),
            ):
                filled = same_filled(reading.value, before)
                if SELF in walk(reading.value) and reading.value != SELF and filled is not None:
                    values.append((reading.cost, replaced(filled, SELF, before)))
            if values:
                best = _only(values)
                return None if best is None else Phrase(best, first, last)
        if not _joins(tokens[first]):
            return None
    return None


def _idle(tree: Tree) -> bool:
    """Whether it divides a quantity by itself, or takes it from itself."""
    return any(
        isinstance(node, Apply) and node.op in ("/", "-") and node.args[0] == node.args[1]
        for node in walk(tree)
    )


def _only(values: Sequence[tuple[float, Tree]]) -> Tree | None:
    """The cheapest value of sound units; None where another one is about as cheap."""
    rest = sorted(values, key=lambda item: item[0])
    while rest:
        least, best = rest[0]
        rivals = {text_of(value) for cost, value in rest if cost <= least + _CLOSE}
        if len(rivals) > 1:
            return None
        if consistent(best):
            return best
        rest = [item for item in rest if item[0] > least + _CLOSE]
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


def operates(tokens: Sequence[Token]) -> bool:
    """Whether anything is done with a series, over a window or with another one."""
    kinds = {sense[0] for token in tokens for sense in token.senses}
    series = kinds & {"F", "U", "NAMED"}
    return bool((series and kinds & _DOING) or ("U" in kinds and "T" in kinds))


_DOING: Final = frozenset(
    {
        "AGG",
        "VOL",
        "PAIR",
        "FN",
        "FNADJ",
        "AGGV",
        "DIV",
        "DIVW",
        "RATIO",
        "DIFF",
        "DEVIATION",
        "AGGED",
        "ADJ",
        "DIVV",
    }
)
_CONTENT: Final = frozenset(
    {"F", "U", "AGG", "VOL", "FN", "FNADJ", "PAIR", "NEG", "T", "N", "NAMEDMA", "NEUTRAL", "DIV", "DIVW",
     "MUL", "SUB",
     "ADD", "RATIO", "DIFF", "PRODUCT", "DEVIATION", "POS", "SKIP", "AGO", "LAGGED", "EQUAL"}
)  # fmt: skip
