"""Definitions that are plainly there and are not read, so that no half of one is taken for the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.reports._reasons import FUNDAMENTAL_DATA, MINUTE_DATA, UNREAD
from assay.reports.rules import _names as names
from assay.reports.rules._chart import Token
from assay.reports.rules._cues import Region, Strength, regions_of
from assay.reports.rules._definition import RESULT, Definition, blank_of, formula_part
from assay.reports.rules._facts import ASIDE
from assay.reports.rules._names import FACTORISH
from assay.reports.rules._read import operates
from assay.reports.rules._scan import Scanner
from assay.reports.rules._scope import Obstacle, obstacles_in
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import windowed


def without_parts(
    scanner: Scanner, found: Sequence[Definition], sentences: Sequence[Sentence]
) -> tuple[Definition, ...]:
    """The definitions, unread where one only names a quantity that the text goes on with."""
    return tuple(_unless_part(scanner, item, found, sentences) for item in found)


def _unless_part(
    scanner: Scanner, item: Definition, found: Sequence[Definition], sentences: Sequence[Sentence]
) -> Definition:
    """Unread where a later sentence goes on with what it names and is itself not read: it is but a part."""
    if item.tree is None or len(item.name) < 2 or FACTORISH.search(item.name) or windowed(item.tree):
        return item
    told = {
        place for other in found if other.tree is not None for place in (other.sentence.start, *other.taken)
    }
    for sentence in sentences:
        if sentence.start <= item.start or sentence.start in told or item.name not in sentence.text:
            continue
        tokens = scanner.tokens(sentence.start, sentence.end)
        kinds = {sense[0] for token in tokens for sense in token.senses}
        if "T" in kinds and kinds & {"AGG", "AGGED", "AGGV", "ADJ"} and not RESULT.search(sentence.text):
            return replace(item, tree=None, obstacle=Obstacle(UNREAD, sentence.text.strip()[:80]))
    return item


def unread_of(scanner: Scanner, sentences: Sequence[Sentence]) -> tuple[Definition, ...]:
    """Sentences of a report with settings that say how something is computed, where none of them is read."""
    told = [
        sentence
        for sentence in sentences
        if not (sentence.heading or sentence.table_row)
        and not ASIDE.search(sentence.text)
        and not RESULT.search(sentence.text)
    ]
    found = (_computed(scanner, sentence) for sentence in told)
    first = next((item for item in found if item is not None), None)
    if first is None:
        first = next((item for sentence in told if (item := _asking(scanner, sentence)) is not None), None)
    if first is None:
        first = next((item for sentence in told if (item := _speaking(scanner, sentence)) is not None), None)
    return () if first is None else (first,)


def _computed(scanner: Scanner, sentence: Sentence) -> Definition | None:
    """What follows a verb of computing, not read."""
    for region in regions_of(sentence):
        words = scanner.document.text[region.start : region.end]
        tokens = scanner.tokens(region.start, region.end)
        asked = next(obstacles_in(formula_part(words)), None)
        data = asked is not None and asked.reason in (MINUTE_DATA, FUNDAMENTAL_DATA)
        plain = data and region.strength is Strength.DEFINED
        computed = operates(tokens) or plain or (asked is not None and _over_time(tokens))
        if computed and region.strength is not Strength.BARE:
            blank = replace(blank_of(sentence, region), strength=Strength.USED)
            return replace(blank, obstacle=asked or Obstacle(UNREAD, words.strip()[:80]))
    return None


def _asking(scanner: Scanner, sentence: Sentence) -> Definition | None:
    """A sentence that asks for data or an op that cannot be had, or that binds letters, over some time."""
    tokens = scanner.tokens(sentence.start, sentence.end)
    asked = next(obstacles_in(formula_part(sentence.text)), None)
    if asked is None and _BINDS.search(sentence.text):
        asked = Obstacle(UNREAD, sentence.text[:80])
    data = asked is not None and asked.reason in (MINUTE_DATA, FUNDAMENTAL_DATA)
    about = data and _SIGNAL.search(sentence.text) is not None
    if asked is None or not (about or _over_time(tokens)):
        return None
    whole = Region(sentence.start, sentence.end, names.NONE, Strength.USED)
    return replace(blank_of(sentence, whole), obstacle=asked)


def _speaking(scanner: Scanner, sentence: Sentence) -> Definition | None:
    """A sentence about a signal and the days that it looks back."""
    tokens = scanner.tokens(sentence.start, sentence.end)
    if not _SIGNAL.search(sentence.text) or not any(
        sense[0] == "T" for token in tokens for sense in token.senses
    ):
        return None
    whole = Region(sentence.start, sentence.end, names.NONE, Strength.USED)
    return replace(blank_of(sentence, whole), obstacle=Obstacle(UNREAD, sentence.text[:80]))


_SIGNAL = re.compile(r"因子|指标|信号|\bfactor\b|\bsignal\b|\bmeasure\b|\bscore\b", re.IGNORECASE)
_BINDS = re.compile(
    r"^(?:finally|lastly|step|最后|最终|第[二三]步)\b|最后|\b[Ll]et\b|\bdenotes?\b|记为|记作|定义|\bdefin",
    re.IGNORECASE,
)


def _over_time(tokens: Sequence[Token]) -> bool:
    return any(sense[0] in ("T", "RATIO", "DIVW") for token in tokens for sense in token.senses)
