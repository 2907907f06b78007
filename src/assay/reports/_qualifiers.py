"""What qualifies a factor beside the phrase that defines it: lags, exclusions, conditions, weights.

"The average volume over the past 20 days, excluding the highest 2 days" is no average of 20 days. The phrase
can be quoted faithfully and still be another factor than the sentence defines, so whoever takes a phrase for
the whole has to look at the rest of its sentence. Some words say plainly what they do (:func:`qualifier`);
others only speak of days (:func:`of_days`), or hang on the phrase (:func:`attached`) and are no known
remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from assay.reports import _qualifier_words as words

Kind = Literal["lag", "weight", "choice"]
"""``lag``: the formula is that of earlier days; ``weight``: its days count unequally; ``choice``: only some
of them count, or their values are changed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between commas, or in brackets."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Qualifier:
    """Words at ``[start, end)`` that qualify what their sentence defines."""

    kind: Kind
    said: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A window between two days in the past, and the places that say how far back it begins and ends."""

    said: str
    far: tuple[int, int]
    near: tuple[int, int]


_MARK: Final = re.compile(r"[,，:：;；。()（）\[\]—\n|]|\.(?=\s|$)|\s[-–]\s")


def clauses(text: str, start: int = 0) -> Iterator[Clause]:
    """The parts of a text between its marks."""
    last = 0
    for match in (*_MARK.finditer(text), None):
        end = match.start() if match is not None else len(text)
        if text[last:end].strip():
            yield Clause(text[last:end], start + last)
        last = match.end() if match is not None else end


def qualifier(clause: Clause) -> Qualifier | None:
    """What the clause says in plain words; None where it says nothing of the kind."""
    for kind, match in _said(clause.text):
        if match is not None:
            return Qualifier(kind, clause.text.strip(), clause.start + match.start(), clause.end)
    return None


def _said(text: str) -> Iterator[tuple[Kind, re.Match[str] | None]]:
    yield "lag", words.LATEST.search(text)
    dated = words.SPAN.search(text) is not None and words.EXECUTION.search(text) is None
    yield "lag", words.LAG.search(text) if dated else None
    yield "weight", None if words.OF_PORTFOLIOS.search(text) else words.WEIGHT.search(text)
    yield "choice", words.CONDITION.search(text)
    yield "choice", None if words.CROSS_SECTION.search(text) else words.CLIPPED.search(text)
    plain = words.ORDINARY_TIME.sub(" ", text)
    yield "choice", words.LEFT_OUT.search(text) if words.SOME.search(plain) and not _of_stocks(text) else None


def _of_stocks(text: str) -> bool:
    return words.OF_STOCKS.search(text) is not None and words.OF_DAYS.search(text) is None


def _leaves_out_stocks(text: str) -> bool:
    return words.LEFT_OUT.search(text) is not None and _of_stocks(text)


def attached(clause: Clause) -> bool:
    """Whether English words hang on what stands before them and are no known remark."""
    text = clause.text
    if _leaves_out_stocks(text):
        return False
    return words.ATTACHED.match(text) is not None and words.REMARK.search(text) is None


def of_days(clause: Clause) -> bool:
    """Whether it speaks of days beside those on which every factor is computed."""
    text = words.ORDINARY_TIME.sub(" ", clause.text)
    if _leaves_out_stocks(text):
        return False
    return words.EXECUTION.search(text) is None and words.DAYS.search(text) is not None


def days_left_out(sentence: str) -> str:
    """The words with which a sentence of its own leaves days out; '' where it leaves none out."""
    found = words.LEFT_OUT_DAYS.search(sentence)
    return "" if found is None or _of_stocks(sentence) else found.group()


def stretches(text: str, start: int = 0) -> Iterator[Stretch]:
    """Every window that the text bounds on both sides: *from 252 days ago to 21 days ago*."""
    for match in words.FROM_TO.finditer(text):
        names = ("far", "near") if match.group("far") else ("far_zh", "near_zh")
        far, near = ((start + match.start(name), start + match.end(name)) for name in names)
        yield Stretch(match.group(), far, near)
