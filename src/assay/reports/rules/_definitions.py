"""Sentences that define a factor: its name, its formula or why there is none, and the place of both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.reports._composition import fractions, joinings
from assay.reports._reasons import (
    UNREAD,
    UNSUPPORTED_FIELD,
    UNSUPPORTED_OP,
)
from assay.reports._sections import HOLDS
from assay.reports.rules import _names as names
from assay.reports.rules._cells import celled
from assay.reports.rules._chart import Token
from assay.reports.rules._cues import Region, Strength, parts_of, regions_of, speaks_of_another
from assay.reports.rules._direction import directions_of
from assay.reports.rules._facts import ASIDE
from assay.reports.rules._former import former_and_latter
from assay.reports.rules._limits import DEFINITIONS, BeyondLimitError
from assay.reports.rules._lists import listed
from assay.reports.rules._names import FACTORISH
from assay.reports.rules._parts import composed
from assay.reports.rules._read import Phrase, content, longest, prepare
from assay.reports.rules._rest import left_over
from assay.reports.rules._scan import Scanner
from assay.reports.rules._scope import Obstacle, data_obstacle, obstacles_in
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._steps import built
from assay.reports.rules._tree import Apply, Field, Tree, has_hole, unknown_names, windows_of

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
_EARLY: Final = 12
"""A following sentence names what came before where its naming verb stands this early."""

_LATEX = re.compile(r"\\(?:sum|prod|text|mathrm|sqrt|sigma|operatorname|bar|hat|begin)\b")
"""A formula that is typeset, which this extractor does not read."""

_CONDITIONAL = re.compile(
    r"(?:若|如果|倘若)(?!干)[^。；;]{1,40}[,，]\s*则[^。；;]{0,6}(?:因子|信号|指标|取|为|记)|否则(?:取|为|记)"
    r"|\bif\b[^.;]{1,60}\b(?:then|otherwise)\b|\botherwise (?:it is|zero|the)\b|\bzero (?:whenever"
    r"|otherwise|if)\b",
    re.IGNORECASE,
)
"""A formula that depends on a condition, which this extractor does not read."""

_TITLE = re.compile(
    r"(?:[(（]?[\d一二三四五六七八九十]+[)）.、]\s*"
    r"|[*#]+\s*)*(?:[A-Z][A-Za-z'’:-]*(?: [A-Za-z0-9'’:-]+){0,6}|[\u4e00-\u9fff“”：:]{2,14})[*]*"
)
_QUANTITY = re.compile(
    r"[收价量额幅益涨跌均]|波动|动量|流动性|gain|move|chang|illiquid|gap|return|volume|clos|price|volatil|turnover"
    r"|amount|value|high"
    r"|low|open|momentum"
    r"|[A-Za-z_]{2,}\(|range|deviation|stdev|average|mean", re.IGNORECASE
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Definition:
    """A factor as one sentence defines it.

    Parameters
    ----------
    name, name_start : as the text calls it, '' where it does not; its place in the document.
    tree : its formula, None where an obstacle stands in the way or it is not read.
    obstacle : what stands in the way.
    start, end : the words of the formula, or of the sentence where there is none.
    sentence : where it stands.
    final : whether the text says that this one holds.
    steps : places of what is done next with the formula, which is then the whole.
    taken : where the sentences of those steps begin.
    core : what was read of a formula with ops that the report dialect lacks or cannot evaluate.
    of_parts : whether it puts together what other sentences define.
    """

    name: str
    name_start: int
    tree: Tree | None
    obstacle: Obstacle | None
    start: int
    end: int
    sentence: Sentence
    final: bool
    strength: Strength
    core: Tree | None = None
    steps: tuple[tuple[int, int], ...] = ()
    taken: tuple[int, ...] = ()
    of_parts: bool = False


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands near a sentence: the heading right above it, the one of its section, what follows.

    ``following`` are the next sentences of the paragraph, ``later`` those of the document; ``scoped`` says
    whether the document states settings or a direction.
    """

    heading: Sentence | None
    section: Sentence | None
    following: tuple[Sentence, ...]
    later: tuple[Sentence, ...]
    scoped: bool


def quantified(sentence: Sentence) -> bool:
    """Whether it speaks of a factor or of anything that one may be made of."""
    return _QUANTITY.search(sentence.text) is not None or FACTORISH.search(sentence.text) is not None


def definitions_of(
    scanner: Scanner, sentences: Sequence[Sentence], *, scoped: bool = False
) -> tuple[Definition, ...]:
    """Every definition, in order; several of one sentence where each has its own verb of defining.

    Parameters
    ----------
    scoped : whether the document states settings or a direction, and so speaks of a factor.
    """
    found: list[Definition] = []
    section = None
    table: int | None = None
    used: set[int] = set()
    for index, sentence in enumerate(sentences):
        if len(found) > DEFINITIONS:
            what = f"the text defines more than the {DEFINITIONS} quantities that are read"
            raise BeyondLimitError(what, sentence.start)
        section = sentence if sentence.heading else section
        table = (index if table is None else table) if sentence.table_row else None
        sentence = _after_aside(sentence)
        if ASIDE.search(sentence.text) and not HOLDS.search(sentence.text):
            continue
        if table is not None:
            cell = celled(sentences, table, index)
            made = cell and _definition(scanner, cell.sentence, _Around(None, None, (), (), True))
            if cell and made:
                name = made.name or cell.name.text
                place = made.name_start if made.name else cell.name.start
                found.append(replace(made, name=name, name_start=place, strength=Strength.DEFINED))
            continue
        if sentence.start in used:
            continue
        if _CONDITIONAL.search(sentence.text):
            found.append(_unread(sentence))
            continue
        around = _around(sentences, index, section, scoped)
        for part in parts_of(sentence):
            whole = _of_parts(scanner, sentences, index, part)
            definition = whole if whole is not None and whole.tree is not None else None
            if definition is None and not (whole is not None and _counts(part)):
                definition = _definition(scanner, part, around)
            if definition is None or definition.tree is None:
                definition = whole or definition
            if definition is not None:
                used.update(definition.taken)
                found.append(_of_section(definition, around))
    return tuple(found)


_NOW = re.compile(
    r"[:：，,]\s*(?=(?:本文|本次|本期|现在|如今)?(?:的)?(?:因子|信号|指标)[^,，:：]{0,8}(?:为|是|=|定义))"
)


def _after_aside(sentence: Sentence) -> Sentence:
    """Without what is told of an earlier report before "the factor is"."""
    aside, now = ASIDE.search(sentence.text), list(_NOW.finditer(sentence.text))
    if aside is None or not now or now[-1].start() < aside.end():
        return sentence
    place = now[-1].end()
    return replace(sentence, start=sentence.start + place, text=sentence.text[place:])


def _around(sentences: Sequence[Sentence], index: int, section: Sentence | None, scoped: bool) -> _Around:
    sentence = sentences[index]
    above = sentences[index - 1] if index else None
    titled = above if above is not None and (above.heading or _run_in(above, sentence)) else None
    later = tuple(sentences[index + 1 : index + 5])
    following = tuple(other for other in later[:3] if other.paragraph == sentence.paragraph)
    return _Around(titled, section, following, later, scoped)


def _run_in(above: Sentence, sentence: Sentence) -> bool:
    """Whether a short first sentence of the paragraph is its title: "Nearness to the high. For every ..."."""
    return above.paragraph == sentence.paragraph and _TITLE.fullmatch(above.text) is not None


def _of_parts(
    scanner: Scanner, sentences: Sequence[Sentence], index: int, sentence: Sentence
) -> Definition | None:
    """A factor made of quantities that the text counts; not read where other sentences define them."""
    later = " ".join(other.text for other in sentences[index : index + 3])
    counts = _counts(sentence) and any(fractions(later))
    joined = list(joinings(sentence.text))
    if sentence.heading or not (counts or joined):
        return None
    name = next((region.name for region in regions_of(sentence) if region.name.text), names.NONE)
    whole = Definition(
        name.text, name.start, None, Obstacle(UNREAD, sentence.text[:80]), sentence.start, sentence.end,
        sentence, HOLDS.search(sentence.text) is not None, Strength.DEFINED, of_parts=True,
    )  # fmt: skip
    made = composed(scanner, sentences, index) or former_and_latter(scanner, sentences, index)
    if made is None:
        return whole if counts or not all(item.loose for item in joined) else None
    return replace(whole, tree=made.tree, obstacle=None, steps=made.places, taken=made.sentences)


def _counts(sentence: Sentence) -> bool:
    """Whether it begins to tell a numerator from its denominator."""
    return re.search(r"分子\s*[为是取即:：]|\bnumerator\b", sentence.text, re.IGNORECASE) is not None


def _of_section(definition: Definition, around: _Around) -> Definition:
    """With the name of its section, where "the factor" is all that the sentence says."""
    section = around.section
    if definition.name or section is None or not FACTORISH.search(section.text):
        return definition
    name = names.heading(section.text)
    return replace(definition, name=name.text, name_start=section.start + name.start)


def _definition(scanner: Scanner, sentence: Sentence, around: _Around) -> Definition | None:
    """The best reading of a sentence: the plainest cue, then the longest formula; else what blocks it."""
    if _LATEX.search(sentence.text):
        return _unread(sentence)
    summed = _summed(scanner, sentence)
    if summed is not None:
        return summed
    best: Definition | None = None
    blocked: Definition | None = None
    if _QUANTITY.search(sentence.text):
        prepare(scanner.tokens(sentence.start, sentence.end), scanner.charts)
    for region in regions_of(sentence):
        if best is not None and best.strength > region.strength:
            break
        if (
            (len(region.name.text) <= _LETTER or not FACTORISH.search(region.name.text))
            and region.name.text in scanner.bindings
            and _says_more(sentence, region)
        ):
            continue  # a letter of the formula that the sentence goes on to
        made = _read_region(scanner, sentence, region, around)
        if made is None:
            continue
        if made.tree is None:
            blocked = _weightier(blocked, made)
        elif best is None or _rank(made) > _rank(best):
            best = made
    if best is not None and (blocked is None or best.strength >= blocked.strength):
        return best
    return blocked or _obstructed(scanner, sentence, around)


def _summed(scanner: Scanner, sentence: Sentence) -> Definition | None:
    """A sum whose terms the sentence lists, as a definition."""
    made = listed(scanner, sentence)
    if made is None:
        return None
    name = names.before(sentence.text[: made.cue - sentence.start])
    region = Region(made.start, made.end, replace(name, start=sentence.start + name.start), Strength.DEFINED)
    return replace(blank_of(sentence, region), tree=made.tree, start=made.cue, end=made.end)


_LETTER: Final = 2


def _says_more(sentence: Sentence, region: Region) -> bool:
    return FACTORISH.search(sentence.text, region.start - sentence.start) is not None


def _rank(made: Definition) -> tuple[Strength, int, bool]:
    return made.strength, made.end - made.start, bool(made.name)


def _weightier(first: Definition | None, second: Definition) -> Definition:
    """The one that says what is missing goes before the one that is merely not read."""
    if first is None or (first.obstacle is not None and first.obstacle.reason is UNREAD):
        return second
    return first


def _read_region(scanner: Scanner, sentence: Sentence, region: Region, around: _Around) -> Definition | None:
    text = scanner.document.text
    words = text[region.start : region.end]
    blank = blank_of(sentence, region)
    if not _QUANTITY.search(words) and not any(name in words for name in scanner.bindings):
        plain = region.strength is Strength.DEFINED
        return _not_read(
            sentence, region, words, scanner.tokens(region.start, region.end) if plain else [], blank
        )
    tokens = scanner.tokens(region.start, region.end)
    # the first of several steps may name a series alone
    phrase = longest(tokens, scanner.charts, bare=_FIRST_STEP.match(sentence.text) is not None)
    if phrase is None or not isinstance(phrase.tree, (Apply, Field)):
        return _not_read(sentence, region, words, tokens, blank)
    if region.strength is not Strength.DEFINED and _turned(tokens[phrase.first : phrase.first + 2]):
        return None
    first, last = tokens[phrase.first].start, tokens[phrase.last - 1].end
    if AHEAD.search(text[region.start : first]):
        return None
    blank = replace(_named(blank, sentence, around, last), start=first, end=last)
    data = data_obstacle(formula_part(text[region.start : region.end])) or _required(around)
    if data is not None and blank.strength > Strength.BARE:
        return replace(blank, obstacle=data, start=sentence.start, end=sentence.end)
    unknown = unknown_names(phrase.tree)
    if unknown:
        whole = left_over(sentence, tokens, phrase, region.end, text) is None
        return replace(blank, obstacle=_unsupported(unknown), core=phrase.tree if whole else None)
    left = left_over(sentence, tokens, phrase, region.end, text)
    if left is not None:
        cue = sentence.text[: region.start - sentence.start]
        about = FACTORISH.search(blank.name) is not None or _SAYS.search(cue.strip()) is not None
        if blank.strength is Strength.BARE or not (blank.strength is Strength.DEFINED or about):
            return None
        obstacle = next(obstacles_in(left), None) or Obstacle(UNREAD, left.strip()[:80])
        return replace(blank, obstacle=obstacle, start=sentence.start, end=sentence.end)
    made = built(scanner, sentence, phrase.tree, around.later)
    if made.unread:
        if blank.strength is Strength.BARE and not around.scoped:
            return None
        return replace(blank, obstacle=Obstacle(UNREAD, made.unread), start=sentence.start, end=sentence.end)
    if made.sentences:
        unknown = unknown_names(made.tree)
        if unknown:
            return replace(blank, obstacle=_unsupported(unknown))
        blank = replace(
            blank, steps=made.places, taken=made.sentences, strength=max(blank.strength, Strength.USED)
        )
        phrase = replace(phrase, tree=made.tree)
    if not isinstance(phrase.tree, Apply) or not _plausible(blank, phrase, sentence, around):
        return None
    return replace(blank, tree=phrase.tree)


_FIRST_STEP = re.compile(
    r"[-*•·\s]*(?:[(（]?(?:1|一|a)[)）.、]|step (?:1|one)\b|first\b|第一步|首先|①)", re.IGNORECASE
)


def _turned(tokens: Sequence[Token]) -> bool:
    """Whether a reading would begin with *minus* and no number, which belongs to what stands before."""
    kinds = [{sense[0] for sense in token.senses} for token in tokens]
    return "SUB" in kinds[0] and not (len(kinds) > 1 and "N" in kinds[1])


def _plausible(blank: Definition, phrase: Phrase, sentence: Sentence, around: _Around) -> bool:
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


RESULT = re.compile(
    r"\d\s*(?:%|per ?cent|bps|basis points|万|亿|元|m\b|bn\b)|昨日|本周(?!思路|介绍|跟踪)|今日(?!的)|(?:上涨"
    r"|下跌|放大|萎缩)(?=\s*[\d了约超近至])"
    r"|\b(?:was|were|rose|fell|gained|lost|led|lagged|yesterday|this week(?! we)|last week(?!['’]s)"
    r"|earned|returned)\b",
    re.IGNORECASE,
)  # fmt: skip
"""Words of what happened, not of what is computed."""

AHEAD: Final = re.compile(
    r"随后|此后|之后|后续|未来|下一?[个周月期]|\bnext\b|subsequent|following|future", re.IGNORECASE
)
"""Words before a window that lies ahead."""

_SORTED = re.compile(r"排序|排名|选股|买入|分组|rank|sort|buy|portfolio|quintile|decile", re.IGNORECASE)


def _unread(sentence: Sentence) -> Definition:
    """A definition that is plainly there and is not read, in all of the sentence."""
    whole = Region(sentence.start, sentence.end, names.NONE, Strength.DEFINED)
    return replace(blank_of(sentence, whole), obstacle=Obstacle(UNREAD, sentence.text[:80]))


def blank_of(sentence: Sentence, region: Region) -> Definition:
    final = HOLDS.search(sentence.text) is not None
    return Definition(
        region.name.text, region.name.start, None, None, sentence.start, sentence.end, sentence, final,
        region.strength,
    )  # fmt: skip


def _named(blank: Definition, sentence: Sentence, around: _Around, last: int) -> Definition:
    """With the name that follows the formula, or that the heading above gives."""
    covering = names.covering(sentence.text, last - sentence.start)
    if covering.text:  # the name itself says the quantity: "called the 5-day return"
        place = sentence.start + covering.start
        return replace(blank, name=covering.text, name_start=place, strength=Strength.DEFINED)
    given = names.naming(sentence.text, max(0, last - sentence.start))
    if given.text:
        place = sentence.start + given.start
        return replace(blank, name=given.text, name_start=place, strength=Strength.DEFINED)
    earlier = names.NAMING.search(sentence.text)
    if earlier and earlier.group("made") and not blank.name:
        place = sentence.start + earlier.start("made")
        return replace(blank, name=earlier.group("made"), name_start=place, strength=Strength.DEFINED)
    for other in around.following[:2]:
        given = names.naming(other.text)
        early = names.NAMING.search(other.text)
        if given.text and not blank.name and early and early.start() < _EARLY:
            place = other.start + given.start
            return replace(blank, name=given.text, name_start=place, strength=Strength.DEFINED)
    if around.heading is not None and blank.strength is not Strength.DEFINED and not blank.name:
        name = names.heading(around.heading.text)
        place = around.heading.start + name.start
        return replace(blank, name=name.text, name_start=place, strength=Strength.USED)
    return blank


def _not_read(
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


def _obstructed(scanner: Scanner, sentence: Sentence, around: _Around) -> Definition | None:
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
    obstacle = found or _required(around)
    if obstacle is None or speaks_of_another(name):
        return None
    strength = Strength.DEFINED if earlier.text else Strength.USED
    return Definition(
        name, place, None, obstacle, sentence.start, sentence.end, sentence,
        HOLDS.search(sentence.text) is not None, strength,
    )  # fmt: skip


_SAYS = re.compile(r"(?:因子|指标|信号)(?:为|是|即|等于)$|\b(?:factor|signal) (?:is|equals)$", re.IGNORECASE)


_IS_SAID = re.compile(
    r"(?:因子|指标|信号)(?:为|是|即|等于|用|采用|使用|取|由|基于)\s*$"
    r"|\b(?:factor|signal|score|measure)(?: [\w-]+){0,3} (?:is|equals)\s*$",
    re.IGNORECASE,
)


def _unsupported(unknown: tuple[str, ...]) -> Obstacle:
    fields_only = all(item.startswith("$") for item in unknown)
    return Obstacle(UNSUPPORTED_FIELD if fields_only else UNSUPPORTED_OP, ", ".join(unknown))


def windowed(tree: Tree) -> bool:
    return any(not window.implied or window.symbol for window in windows_of(tree))


def formula_part(region: str) -> str:
    """The region without clauses that speak of settings."""
    return re.split(
        r"[,，;；](?=[^,，;；]*(?:股票池|调仓|中性|universe|rebalanc|neutral|benchmark|基准))", region
    )[0]


def _required(around: _Around) -> Obstacle | None:
    for other in around.following:
        if _EXPLICIT.search(other.text) or names.NAMING.search(other.text):
            return None
        if _REQUIRES.search(other.text) and (found := data_obstacle(other.text)) is not None:
            return found
    return None
