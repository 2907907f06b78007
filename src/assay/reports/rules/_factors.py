"""The factors of a report: definitions that speak of the same one, joined, with what else is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from assay.reports._document import Document
from assay.reports.rules._definitions import Definition, definitions_of
from assay.reports.rules._direction import Statement, directions_of
from assay.reports.rules._facts import Fact, facts_of
from assay.reports.rules._parameters import Parameter, parameters_of
from assay.reports.rules._scan import Scanner
from assay.reports.rules._sentences import Sentence, Sentences
from assay.reports.rules._tree import Apply, Number, Tree, Window, shape_of, windows_of

_FACTORISH = re.compile(r"因子|指标|信号|factor|signal|alpha", re.IGNORECASE)
_SUFFIX = re.compile(
    r"(?:选股)?(?:因子|指标|信号)|\b(?:factor|signal|indicator|score|alpha)\b|[\s\"'“”「」《》()（）_-]",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"[\u4e00-\u9fffA-Za-z0-9]{1,12}?(?:因子|指标)|(?:[A-Za-z0-9-]+ ){1,3}(?:factor|signal|score)\b", re.IGNORECASE
)
_LEAD = re.compile(
    r"^(?:.*(?:本文|构建|构造|提出|介绍|采用|使用|考察|研究|跟踪|定义|一个|一种|这个|该|上述|我们)(?:了)?"
    r"|(?:(?:the|a|an|our|this|we|of|as|is|in|propose|introduce|study|new|following|examine|describe|use) )+)",
    re.IGNORECASE,
)
_LOOK_BACK = 3
_TITLE_LIMIT = 60


@dataclass(slots=True)
class Factor:
    """One factor, with every definition of it in order."""

    name: str
    definitions: list[Definition] = field(default_factory=list)

    @property
    def read(self) -> list[Definition]:
        """The definitions whose formula was read."""
        return [item for item in self.definitions if item.tree is not None]

    @property
    def first(self) -> Definition:
        """The one that is shown: the first that was read."""
        return (self.read or self.definitions)[0]

    @property
    def start(self) -> int:
        """Where its part of the text begins."""
        return self.definitions[0].sentence.start


@dataclass(frozen=True)
class Analysis:
    """A document as this extractor understands it; each part is made when it is asked for."""

    document: Document

    @cached_property
    def scanner(self) -> Scanner:
        return Scanner.of(self.document)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return Sentences(self.document).all

    @cached_property
    def trusted(self) -> tuple[Sentence, ...]:
        """Without those that follow a command in their paragraph."""
        return tuple(sentence for sentence in self.sentences if not sentence.suspect)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        trusted = facts_of(self.trusted)
        known = {fact.field for fact in trusted}
        late = facts_of(sentence for sentence in self.sentences if sentence.suspect)
        return (*trusted, *(fact for fact in late if fact.field not in known))

    @cached_property
    def directions(self) -> tuple[Statement, ...]:
        return directions_of(self.trusted) or directions_of(self.sentences)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.scanner, self.trusted)

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        found = definitions_of(self.scanner, self.trusted) or definitions_of(self.scanner, self.sentences)
        return _joined(_kept(found), self.sentences)

    def pages(self, definition: Definition) -> tuple[int, ...]:
        place = self.document.locate(definition.start, definition.end)
        return tuple(range(place.page_start, place.page_end + 1))

    def block(self, factor: Factor) -> tuple[int, int]:
        """The part of the text that is about this factor: from its heading to the next one's."""
        begins = sorted(_begin(other, self.sentences) for other in self.factors)
        start = _begin(factor, self.sentences)
        later = [begin for begin in begins if begin > start]
        return start, later[0] if later else len(self.document.text)


def _begin(factor: Factor, sentences: tuple[Sentence, ...]) -> int:
    heading = _heading_before(factor.definitions[0].sentence, sentences)
    return heading.start if heading is not None else factor.start


def comparable(tree: Tree) -> Tree:
    """``x / (x of w bars ago) - 1`` as the return that it is, so that prose and formula compare equal."""
    if not isinstance(tree, Apply):
        return tree
    tree = Apply(tree.op, tuple(comparable(arg) for arg in tree.args))
    if tree.op == "-" and isinstance(tree.args[0], Apply) and tree.args[0].op == "/":
        now, before = tree.args[0].args
        less_one = isinstance(tree.args[1], Number) and tree.args[1].text == "1"
        if less_one and isinstance(before, Apply) and before.op == "DELAY" and before.args[0] == now:
            return Apply("TS_PCTCHANGE", before.args)
    return tree


def shape(tree: Tree) -> str:
    """What two statements of one formula share, whatever their windows."""
    return shape_of(comparable(tree))


def _kept(definitions: Iterable[Definition]) -> list[Definition]:
    """Without those that define an ingredient, or that a plain definition elsewhere makes idle."""
    found = list(definitions)
    windowed = [d for d in found if d.tree is not None and _windowed(d.tree)]
    kept = []
    strong_shapes = {shape(d.tree) for d in found if d.strong and d.tree is not None}
    any_strong = any(d.strong for d in found)
    for definition in found:
        tree = definition.tree
        ingredient = tree is not None and not _windowed(tree) and not _FACTORISH.search(definition.name)
        if ingredient and any(d is not definition for d in windowed):
            continue
        if any_strong and not definition.strong and (tree is None or shape(tree) not in strong_shapes):
            continue
        kept.append(definition)
    return kept


def _windowed(tree: Tree) -> bool:
    return any(not window.implied or window.symbol for window in windows_of(tree))


def _joined(definitions: list[Definition], sentences: tuple[Sentence, ...]) -> tuple[Factor, ...]:
    factors: list[Factor] = []
    for definition in definitions:
        heading = _heading_before(definition.sentence, sentences)
        name = definition.name or (
            heading.text if heading is not None and _FACTORISH.search(heading.text) else ""
        )
        known = next((factor for factor in factors if _same(factor, name, definition)), None)
        if known is None:
            known = Factor(name)
            factors.append(known)
        known.name = known.name or name
        known.definitions.append(definition)
    for factor in factors:
        factor.name = factor.name or _fallback(factor, factors, sentences)
    return tuple(factors)


def _same(factor: Factor, name: str, definition: Definition) -> bool:
    """Whether a definition speaks of a factor that was seen before."""
    mine, theirs = _key(name), _key(factor.name)
    if mine and theirs:
        return mine == theirs or (min(len(mine), len(theirs)) >= 2 and (mine in theirs or theirs in mine))
    if definition.tree is None or not factor.read:
        return False
    return shape(definition.tree) == shape(factor.read[0].tree or definition.tree)


def _key(name: str) -> str:
    return _SUFFIX.sub("", name).casefold()


def _heading_before(sentence: Sentence, sentences: tuple[Sentence, ...]) -> Sentence | None:
    """The last heading above a sentence."""
    found = None
    for other in sentences:
        if other.start >= sentence.start:
            break
        if other.heading:
            found = other
    return found


def _fallback(factor: Factor, factors: list[Factor], sentences: tuple[Sentence, ...]) -> str:
    """A name where the definition gives none: the title for an only factor, else the words of the formula."""
    own = factor.first.sentence
    before = [sentence for sentence in sentences if sentence.start < own.start][-_LOOK_BACK:]
    title = sentences[:1] if len(factors) == 1 else ()
    taken = {_key(other.name) for other in factors if other is not factor}
    for sentence in (own, *reversed(before), *title):
        for match in _NOUN.finditer(sentence.text):
            name = _LEAD.sub("", match.group()).strip()
            if _key(name) and _key(name) not in taken:
                return name
    if title and title[0].heading and len(title[0].text) <= _TITLE_LIMIT:
        return title[0].text
    first = factor.first
    words = own.text[max(0, first.start - own.start) : first.end - own.start] or own.text
    return words[:_TITLE_LIMIT].strip()


def resolved_windows(windows: Iterable[Window]) -> bool:
    """Whether every window has a number."""
    return all(window.days for window in windows)
