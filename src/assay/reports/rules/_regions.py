"""What one region of a sentence defines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from assay.reports._reasons import UNREAD
from assay.reports.rules import _names as names
from assay.reports.rules._blocked import cut_short, not_read, required, unsupported
from assay.reports.rules._chart import Token
from assay.reports.rules._cues import Region, Strength
from assay.reports.rules._definition import (
    AHEAD,
    QUANTITY,
    RESULT,
    Around,
    Definition,
    blank_of,
    formula_part,
)
from assay.reports.rules._direction import directions_of
from assay.reports.rules._names import FACTORISH, Name
from assay.reports.rules._read import Phrase, longest
from assay.reports.rules._rest import left_over
from assay.reports.rules._scan import Scanner
from assay.reports.rules._scope import Obstacle, data_obstacle
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._steps import built
from assay.reports.rules._tree import Apply, Field, has_hole, unknown_names, windowed

_FIRST_STEP = re.compile(
    r"[-*•·\s]*(?:[(（]?(?:1|一|a)[)）.、]|step (?:1|one)\b|first\b|第一步|首先|①)", re.IGNORECASE
)

_SORTED = re.compile(r"排序|排名|选股|买入|分组|rank|sort|buy|portfolio|quintile|decile", re.IGNORECASE)

_EARLY: Final = 12
"""A following sentence names what came before where its naming verb stands this early."""


def read_region(scanner: Scanner, sentence: Sentence, region: Region, around: Around) -> Definition | None:
    """The formula that the region begins with; what blocks it; None where it defines nothing."""
    text = scanner.document.text
    words = text[region.start : region.end]
    blank = blank_of(sentence, region)
    if not QUANTITY.search(words) and not any(name in words for name in scanner.bindings):
        plain = region.strength is Strength.DEFINED
        return not_read(
            sentence, region, words, scanner.tokens(region.start, region.end) if plain else [], blank
        )
    tokens = scanner.tokens(region.start, region.end)
    # the first of several steps may name a series alone
    phrase = longest(tokens, scanner.charts, bare=_FIRST_STEP.match(sentence.text) is not None)
    if phrase is None or not isinstance(phrase.tree, (Apply, Field)):
        return not_read(sentence, region, words, tokens, blank)
    if region.strength is not Strength.DEFINED and _turned(tokens[phrase.first : phrase.first + 2]):
        return None
    first, last = tokens[phrase.first].start, tokens[phrase.last - 1].end
    if AHEAD.search(text[region.start : first]):
        return None
    blank = replace(_named(blank, sentence, around, last), start=first, end=last)
    data = data_obstacle(formula_part(text[region.start : region.end])) or required(around)
    if data is not None and blank.strength > Strength.BARE:
        return replace(blank, obstacle=data, start=sentence.start, end=sentence.end)
    left = left_over(sentence, tokens, phrase, region.end, text)
    unknown = unknown_names(phrase.tree)
    if unknown:
        return replace(blank, obstacle=unsupported(unknown), core=phrase.tree if left is None else None)
    if left is not None:
        return cut_short(sentence, region, blank, left)
    made = built(scanner, sentence, phrase.tree, around.later)
    if made.unread:
        if blank.strength is Strength.BARE and not around.scoped:
            return None
        return replace(blank, obstacle=Obstacle(UNREAD, made.unread), start=sentence.start, end=sentence.end)
    if made.sentences:
        unknown = unknown_names(made.tree)
        if unknown:
            return replace(blank, obstacle=unsupported(unknown))
        blank = replace(
            blank, steps=made.places, taken=made.sentences, strength=max(blank.strength, Strength.USED)
        )
        phrase = replace(phrase, tree=made.tree)
    if not isinstance(phrase.tree, Apply) or not _plausible(blank, phrase, sentence, around):
        return None
    return replace(blank, tree=phrase.tree)


def _turned(tokens: Sequence[Token]) -> bool:
    """Whether a reading would begin with *minus* and no number, which belongs to what stands before."""
    kinds = [{sense[0] for sense in token.senses} for token in tokens]
    return "SUB" in kinds[0] and not (len(kinds) > 1 and "N" in kinds[1])


def _plausible(blank: Definition, phrase: Phrase, sentence: Sentence, around: Around) -> bool:
    """Whether a reading without a verb of defining is meant as a factor at all."""
    if blank.strength is Strength.DEFINED:
        return phrase.last - phrase.first > 1 or windowed(phrase.tree)
    if blank.steps:
        return windowed(phrase.tree)
    if phrase.last - phrase.first == 1:
        return False
    about = bool(blank.name) or FACTORISH.search(sentence.text) is not None
    beside = sentence.text[: blank.start - sentence.start] + sentence.text[blank.end - sentence.start :]
    if RESULT.search(beside) and not FACTORISH.search(sentence.text):
        return False
    if has_hole(phrase.tree) or not windowed(phrase.tree):
        told = about and not RESULT.search(sentence.text)
        return blank.strength is Strength.USED and told and phrase.last - phrase.first > 2
    about = about or (around.scoped and not RESULT.search(beside) and not directions_of((sentence,)))
    return about or _SORTED.search(sentence.text) is not None


def _named(blank: Definition, sentence: Sentence, around: Around, last: int) -> Definition:
    """With the name that follows the formula, or that the heading above gives."""
    covering = names.covering(sentence.text, last - sentence.start)
    if covering.text:  # the name itself says the quantity: "called the 5-day return"
        return _called(blank, covering, sentence)
    given = names.naming(sentence.text, max(0, last - sentence.start))
    if given.text:
        return _called(blank, given, sentence)
    earlier = names.NAMING.search(sentence.text)
    if earlier and earlier.group("made") and not blank.name:
        return _called(blank, Name(earlier.group("made"), earlier.start("made")), sentence)
    for other in around.following[:2]:
        given = names.naming(other.text)
        early = names.NAMING.search(other.text)
        if given.text and not blank.name and early and early.start() < _EARLY:
            return _called(blank, given, other)
    if around.heading is not None and blank.strength is not Strength.DEFINED and not blank.name:
        return _called(blank, names.heading(around.heading.text), around.heading, Strength.USED)
    return blank


def _called(
    blank: Definition, name: Name, place: Sentence, strength: Strength = Strength.DEFINED
) -> Definition:
    """With a name that stands in ``place``."""
    return replace(blank, name=name.text, name_start=place.start + name.start, strength=strength)
