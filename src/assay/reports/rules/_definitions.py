"""The definitions of a text: each with its name, its formula or why there is none, and the place of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from assay.reports._composition import fractions, joinings
from assay.reports._reasons import UNREAD
from assay.reports._sections import HOLDS
from assay.reports.rules import _names as names
from assay.reports.rules._blocked import obstructed, unread
from assay.reports.rules._cells import celled
from assay.reports.rules._cues import Region, Strength, parts_of, regions_of
from assay.reports.rules._definition import QUANTITY, Around, Definition, blank_of
from assay.reports.rules._facts import ASIDE
from assay.reports.rules._former import former_and_latter
from assay.reports.rules._limits import DEFINITIONS, BeyondLimitError
from assay.reports.rules._lists import listed
from assay.reports.rules._names import FACTORISH
from assay.reports.rules._parts import composed
from assay.reports.rules._read import prepare
from assay.reports.rules._regions import read_region
from assay.reports.rules._scan import Scanner
from assay.reports.rules._scope import Obstacle
from assay.reports.rules._sentences import Sentence

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
"""A sentence that is the title of its paragraph."""

_NOW = re.compile(
    r"[:：，,]\s*(?=(?:本文|本次|本期|现在|如今)?(?:的)?(?:因子|信号|指标)[^,，:：]{0,8}(?:为|是|=|定义))"
)
"""Where a sentence turns from an earlier report to this one."""

_LETTER: Final = 2
"""Characters up to which a name may be a letter of the formula, whatever it says."""


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
            found += _of_row(scanner, sentences, table, index)
        elif sentence.start in used:
            continue
        elif _CONDITIONAL.search(sentence.text):
            found.append(unread(sentence))
        else:
            around = _around(sentences, index, section, scoped)
            made = [_of_part(scanner, sentences, index, part, around) for part in parts_of(sentence)]
            found += (_of_section(item, around) for item in made if item is not None)
            used.update(start for item in made if item is not None for start in item.taken)
    return tuple(found)


def _of_row(scanner: Scanner, sentences: Sequence[Sentence], table: int, index: int) -> Iterator[Definition]:
    """What row ``index`` of the table that begins at ``table`` defines, with the name of the table."""
    cell = celled(sentences, table, index)
    made = cell and _of_sentence(scanner, cell.sentence, Around(None, None, (), (), True))
    if cell and made:
        name = made.name or cell.name.text
        place = made.name_start if made.name else cell.name.start
        yield replace(made, name=name, name_start=place, strength=Strength.DEFINED)


def _of_part(
    scanner: Scanner, sentences: Sequence[Sentence], index: int, part: Sentence, around: Around
) -> Definition | None:
    """What a part of the sentence at ``index`` defines: by itself, or with quantities that others define."""
    whole = _of_quantities(scanner, sentences, index, part)
    if whole is not None and (whole.tree is not None or _counts(part)):
        return whole
    made = _of_sentence(scanner, part, around)
    if whole is None or (made is not None and made.tree is not None):
        return made
    return whole


def _after_aside(sentence: Sentence) -> Sentence:
    """Without what is told of an earlier report before "the factor is"."""
    aside, now = ASIDE.search(sentence.text), list(_NOW.finditer(sentence.text))
    if aside is None or not now or now[-1].start() < aside.end():
        return sentence
    place = now[-1].end()
    return replace(sentence, start=sentence.start + place, text=sentence.text[place:])


def _around(sentences: Sequence[Sentence], index: int, section: Sentence | None, scoped: bool) -> Around:
    sentence = sentences[index]
    above = sentences[index - 1] if index else None
    titled = above if above is not None and (above.heading or _run_in(above, sentence)) else None
    later = tuple(sentences[index + 1 : index + 5])
    following = tuple(other for other in later[:3] if other.paragraph == sentence.paragraph)
    return Around(titled, section, following, later, scoped)


def _run_in(above: Sentence, sentence: Sentence) -> bool:
    """Whether a short first sentence of the paragraph is its title: "Nearness to the high. For every ..."."""
    return above.paragraph == sentence.paragraph and _TITLE.fullmatch(above.text) is not None


def _of_quantities(
    scanner: Scanner, sentences: Sequence[Sentence], index: int, sentence: Sentence
) -> Definition | None:
    """A factor made of quantities that the text counts; not read where other sentences define them."""
    later = " ".join(other.text for other in sentences[index : index + 3])
    counts = _counts(sentence) and any(fractions(later))
    joined = list(joinings(sentence.text))
    if sentence.heading or not (counts or joined):
        return None
    name = next((region.name for region in regions_of(sentence) if region.name.text), names.NONE)
    blank = blank_of(sentence, Region(sentence.start, sentence.end, name, Strength.DEFINED))
    whole = replace(blank, obstacle=Obstacle(UNREAD, sentence.text[:80]), of_parts=True)
    made = composed(scanner, sentences, index) or former_and_latter(scanner, sentences, index)
    if made is None:
        return whole if counts or not all(item.loose for item in joined) else None
    return replace(whole, tree=made.tree, obstacle=None, steps=made.places, taken=made.sentences)


def _counts(sentence: Sentence) -> bool:
    """Whether it begins to tell a numerator from its denominator."""
    return re.search(r"分子\s*[为是取即:：]|\bnumerator\b", sentence.text, re.IGNORECASE) is not None


def _of_section(definition: Definition, around: Around) -> Definition:
    """With the name of its section, where "the factor" is all that the sentence says."""
    section = around.section
    if definition.name or section is None or not FACTORISH.search(section.text):
        return definition
    name = names.heading(section.text)
    return replace(definition, name=name.text, name_start=section.start + name.start)


def _of_sentence(scanner: Scanner, sentence: Sentence, around: Around) -> Definition | None:
    """The best reading of a sentence: the plainest cue, then the longest formula; else what blocks it."""
    if _LATEX.search(sentence.text):
        return unread(sentence)
    summed = _summed(scanner, sentence)
    if summed is not None:
        return summed
    best: Definition | None = None
    blocked: Definition | None = None
    if QUANTITY.search(sentence.text):
        prepare(scanner.tokens(sentence.start, sentence.end), scanner.charts)
    for region in regions_of(sentence):
        if best is not None and best.strength > region.strength:
            break
        if _letter(scanner, sentence, region):
            continue
        made = read_region(scanner, sentence, region, around)
        if made is None:
            continue
        if made.tree is None:
            blocked = _weightier(blocked, made)
        elif best is None or _rank(made) > _rank(best):
            best = made
    if best is not None and (blocked is None or best.strength >= blocked.strength):
        return best
    return blocked or obstructed(sentence, around)


def _summed(scanner: Scanner, sentence: Sentence) -> Definition | None:
    """A sum whose terms the sentence lists, as a definition."""
    made = listed(scanner, sentence)
    if made is None:
        return None
    name = names.before(sentence.text[: made.cue - sentence.start])
    region = Region(made.start, made.end, replace(name, start=sentence.start + name.start), Strength.DEFINED)
    return replace(blank_of(sentence, region), tree=made.tree, start=made.cue, end=made.end)


def _letter(scanner: Scanner, sentence: Sentence, region: Region) -> bool:
    """Whether the region only binds a letter of the formula that the sentence goes on to."""
    name = region.name.text
    return (
        name in scanner.bindings
        and (len(name) <= _LETTER or not FACTORISH.search(name))
        and FACTORISH.search(sentence.text, region.start - sentence.start) is not None
    )


def _rank(made: Definition) -> tuple[Strength, int, bool]:
    return made.strength, made.end - made.start, bool(made.name)


def _weightier(first: Definition | None, second: Definition) -> Definition:
    """The one that says what is missing goes before the one that is merely not read."""
    if first is None or (first.obstacle is not None and first.obstacle.reason is UNREAD):
        return second
    return first
