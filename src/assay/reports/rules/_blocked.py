"""Definitions that are plainly there and cannot be had: what stands in their way."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.reports._reasons import UNREAD, UNSUPPORTED_FIELD, UNSUPPORTED_OP
from assay.reports.rules import _names as names
from assay.reports.rules._chart import Token
from assay.reports.rules._cues import Region, Strength, speaks_of_another
from assay.reports.rules._definition import Around, Definition, blank_of, formula_part
from assay.reports.rules._names import FACTORISH, Name
from assay.reports.rules._read import content
from assay.reports.rules._scope import Obstacle, data_obstacle, obstacles_in
from assay.reports.rules._sentences import Sentence

_EXPLICIT = re.compile(
    r"定义|计算(?:公式|方法|方式)|构造方(?:法|式)|公式|表达式|defin|calculated as|computed as"
    r"|measured (?:as|by)|constructed as"
    r"|formula|equals|(?:因子|factor|signal)\s*[:：=]", re.IGNORECASE
)  # fmt: skip

_REQUIRES = re.compile(
    r"需要|依赖|基于|使用|数据|require|need|rel(?:y|ies)|uses?|built (?:from|on)|data|input|feed",
    re.IGNORECASE,
)

_FORMULA = re.compile(r"[A-Za-z_]{2,}\s*\(|[×*/÷]|[\u4e00-\u9fff]\s*[-+]")

_SAYS = re.compile(r"(?:因子|指标|信号)(?:为|是|即|等于)$|\b(?:factor|signal) (?:is|equals)$", re.IGNORECASE)

_IS_SAID = re.compile(
    r"(?:因子|指标|信号)(?:为|是|即|等于|用|采用|使用|取|由|基于)\s*$"
    r"|\b(?:factor|signal|score|measure)(?: [\w-]+){0,3} (?:is|equals)\s*$",
    re.IGNORECASE,
)


def unread(sentence: Sentence) -> Definition:
    """A definition that is plainly there and is not read, in all of the sentence."""
    whole = Region(sentence.start, sentence.end, names.NONE, Strength.DEFINED)
    return replace(blank_of(sentence, whole), obstacle=Obstacle(UNREAD, sentence.text[:80]))


def not_read(
    sentence: Sentence, region: Region, words: str, tokens: list[Token], blank: Definition
) -> Definition | None:
    """A definition that is plainly there and cannot be read, with what it asks for where that is known."""
    cue = sentence.text[: region.start - sentence.start]
    if region.strength is not Strength.DEFINED:
        if region.strength is Strength.BARE or not (_IS_SAID.search(cue) or _SAYS.search(cue)):
            return None
        asked = next(obstacles_in(formula_part(words)), None)
        if asked is not None and _IS_SAID.search(cue):
            return replace(blank, obstacle=asked)
        windowed = any(sense[0] == "T" for token in tokens[:15] for sense in token.senses)
        if not (_SAYS.search(cue) and windowed and content(tokens[:4])):
            return None
        return replace(blank, obstacle=asked or Obstacle(UNREAD, words.strip()[:80]))
    obstacle = next(obstacles_in(formula_part(words)), None)
    factorish = FACTORISH.search(sentence.text) is not None
    if obstacle is not None and (_EXPLICIT.search(cue) or factorish):
        return replace(blank, obstacle=obstacle)
    if cue.rstrip().endswith("=") and content(tokens[:6]) and blank.name and _FORMULA.search(words):
        return replace(blank, obstacle=Obstacle(UNREAD, words.strip()[:80]))
    if content(tokens[:6]) and _EXPLICIT.search(cue[-30:]) and (factorish or blank.name):
        return replace(blank, obstacle=Obstacle(UNREAD, words.strip()[:80]))
    return None


def cut_short(sentence: Sentence, region: Region, blank: Definition, left: str) -> Definition | None:
    """A definition of which only the beginning is read; ``left`` are the words that are not."""
    cue = sentence.text[: region.start - sentence.start]
    about = FACTORISH.search(blank.name) is not None or _SAYS.search(cue.strip()) is not None
    if blank.strength is Strength.BARE or not (blank.strength is Strength.DEFINED or about):
        return None
    obstacle = next(obstacles_in(left), None) or Obstacle(UNREAD, left.strip()[:80])
    return replace(blank, obstacle=obstacle, start=sentence.start, end=sentence.end)


def obstructed(sentence: Sentence, around: Around) -> Definition | None:
    """A factor that is named, or has a heading, and asks for what cannot be had."""
    earlier = names.naming(sentence.text)
    titled = around.heading is not None and FACTORISH.search(around.heading.text) is not None
    if not earlier.text and not titled:
        return None
    if earlier.text:
        name, place = earlier.text, sentence.start + earlier.start
    else:
        assert around.heading is not None
        given = names.heading(around.heading.text)
        name, place = given.text, around.heading.start + given.start
    found = next(obstacles_in(sentence.text), None) if earlier.text else data_obstacle(sentence.text)
    obstacle = found or required(around)
    if obstacle is None or speaks_of_another(name):
        return None
    strength = Strength.DEFINED if earlier.text else Strength.USED
    whole = Region(sentence.start, sentence.end, Name(name, place), strength)
    return replace(blank_of(sentence, whole), obstacle=obstacle)


def unsupported(unknown: tuple[str, ...]) -> Obstacle:
    """What stands in the way where the report dialect lacks these ops and fields."""
    fields_only = all(item.startswith("$") for item in unknown)
    return Obstacle(UNSUPPORTED_FIELD if fields_only else UNSUPPORTED_OP, ", ".join(unknown))


def required(around: Around) -> Obstacle | None:
    """Data that cannot be had and that a sentence right behind asks for."""
    for other in around.following:
        if _EXPLICIT.search(other.text) or names.NAMING.search(other.text):
            return None
        if _REQUIRES.search(other.text) and (found := data_obstacle(other.text)) is not None:
            return found
    return None
