"""The factors of a report: definitions that speak of the same one, joined, with what else is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.reports._document import Document
from assay.reports._reasons import UNREAD
from assay.reports._sections import asides, varies
from assay.reports.rules._bindings import bound
from assay.reports.rules._cells import settings
from assay.reports.rules._chart import Charts, Token
from assay.reports.rules._cues import Strength, crowded
from assay.reports.rules._definition import Definition, quantified
from assay.reports.rules._definitions import definitions_of
from assay.reports.rules._direction import Statement, directions_of
from assay.reports.rules._facts import Fact, facts_of
from assay.reports.rules._limits import SENTENCE, TEXT, BeyondLimitError
from assay.reports.rules._parameters import Parameter, parameters_of
from assay.reports.rules._read import Phrase, rows
from assay.reports.rules._scan import Scanner
from assay.reports.rules._sentences import Sentence, Sentences, answers
from assay.reports.rules._tree import Apply, Number, Tree, has_hole, shape_of, text_of, windowed, windows_of
from assay.reports.rules._unread import unread_of, without_parts

_FACTORISH = re.compile(r"因子|指标|信号|factor|signal|alpha", re.IGNORECASE)
_SUFFIX = re.compile(
    r"(?:选股)?(?:因子|指标|信号)|\b(?:factor|signal|indicator|score|alpha)\b|[\s\"'“”「」《》()（）_-]",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"[\u4e00-\u9fffA-Za-z0-9]{1,12}?(?:因子|指标)|(?:[A-Za-z0-9-]+ ){1,3}(?:factor|signal)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:.*(?:本文|构建|构造|提出|介绍|采用|使用|考察|研究|跟踪|定义|属于|一个|一种|这个|该|上述"
    r"|我们)(?:了)?"
    r"|(?:(?:the|a|an|our|this|we|of|as|is|in|propose|introduce|study|new|following|examine"
    r"|describe|use) )+)",
    re.IGNORECASE,
)
OWN = re.compile(r"因子|信号|factor|signal|alpha", re.IGNORECASE)
"""A quantity that is called so is a factor, and not only a part of one."""

_LOOK_BACK = 3
_PARTS_WITHIN = 8
"""Lines between the part of a factor and the sentence that puts the parts together, at most."""

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
    """A document as this extractor understands it; each part is made when it is asked for.

    Raises
    ------
    BeyondLimitError
        By any part: the document holds more than is read.
    """

    document: Document

    @cached_property
    def scanner(self) -> Scanner:
        return bound(Scanner.of(self.document), self.trusted)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        if len(self.document.text) > TEXT:
            raise BeyondLimitError(f"the text is longer than the {TEXT:,} characters that are read", 0)
        found = Sentences(self.document).all
        for sentence in found:
            _check(sentence)
        return found

    @cached_property
    def trusted(self) -> tuple[Sentence, ...]:
        """Of those about the factor, the ones that do not follow a command in their paragraph."""
        return tuple(sentence for sentence in self.of_factor if not sentence.suspect)

    @cached_property
    def of_factor(self) -> tuple[Sentence, ...]:
        """Without those that state a variant."""
        tries = asides(self.document.text)
        return tuple(s for s in self.sentences if not varies(tries, s.start, s.text))

    @cached_property
    def _facts(self) -> tuple[tuple[Sentence, tuple[Fact, ...]], ...]:
        """What each trusted sentence states."""
        return tuple((sentence, facts_of((sentence,))) for sentence in self.trusted)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        plain = (fact for _, stated in self._facts for fact in stated)
        trusted = (*plain, *facts_of(answers(self.document)), *settings(self.trusted))
        known = {fact.field for fact in trusted}
        late = facts_of(sentence for sentence in self.of_factor if sentence.suspect)
        return (*trusted, *(fact for fact in late if fact.field not in known))

    @cached_property
    def directions(self) -> tuple[Statement, ...]:
        found = [item for factor in self.factors for item in factor.definitions if item.tree is not None]
        formulas = [place for item in found for place in ((item.start, item.end), *item.steps)]
        spoken = (*self.trusted, *answers(self.document))
        return directions_of(spoken, formulas) or directions_of(self.of_factor, formulas)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.scanner, self.trusted)

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        kept = _kept(self._defined(self.trusted)) or _kept(self._defined(self.of_factor))
        if not kept and self.scoped:
            kept = list(unread_of(self.scanner, self.trusted))
        return _joined(kept, self.sentences)

    def _defined(self, sentences: tuple[Sentence, ...]) -> tuple[Definition, ...]:
        found = definitions_of(self.scanner, sentences, scoped=self.scoped)
        return without_parts(self.scanner, found, sentences)

    @cached_property
    def scoped(self) -> bool:
        """Whether settings or a direction are stated, as they are of a factor alone."""
        strong = (
            fact.strong
            for sentence, stated in self._facts
            if not sentence.heading and sentence.text[0] != "#"
            for fact in stated
        )
        return any(strong) or any(not statement.names for statement in directions_of(self.trusted))

    def pages(self, definition: Definition) -> tuple[int, ...]:
        place = self.document.locate(definition.start, definition.end)
        return tuple(range(place.page_start, place.page_end + 1))

    def block(self, factor: Factor) -> tuple[int, int]:
        """The part of the text that is about this factor: from its heading to the next one's."""
        begins = sorted(self._begin(other) for other in self.factors)
        start = self._begin(factor)
        later = [begin for begin in begins if begin > start]
        return start, later[0] if later else len(self.document.text)

    def _begin(self, factor: Factor) -> int:
        """Its heading, unless another factor stands between that and it."""
        heading = _heading_before(factor.definitions[0].sentence, self.sentences)
        if heading is None or any(heading.start < other.start < factor.start for other in self.factors):
            return factor.start
        return heading.start


def _check(sentence: Sentence) -> None:
    """Refuse what is longer, or says more, than is read of one sentence."""
    if len(sentence.text) > SENTENCE:
        what = f"a sentence is longer than the {SENTENCE:,} characters that are read"
        raise BeyondLimitError(what, sentence.start)
    if quantified(sentence) and crowded(sentence):
        raise BeyondLimitError("a sentence has more places for a formula than are read", sentence.start)


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


def alike(tokens: Sequence[Token], wanted: str, charts: Charts) -> Iterator[Phrase]:
    """Complete formulas anywhere among the tokens that have the shape ``wanted``, the longest first."""
    for row in rows(tokens):
        chart, begin = charts.of([tokens[index] for index in row])
        for size in range(len(row), 1, -1):
            for first in range(len(row) - size + 1):
                for reading in chart.readings(begin + first, begin + first + size, "S"):
                    if not has_hole(reading.value) and shape(reading.value) == wanted:
                        yield Phrase(reading.value, row[first], row[first] + size)
                        break


def _kept(definitions: Sequence[Definition]) -> list[Definition]:
    """Without ingredients, and without what plainer definitions make idle."""
    read = [item for item in definitions if item.tree is not None and not _ingredient(item, definitions)]
    unread = [item for item in definitions if item.obstacle is not None and item.obstacle.reason is UNREAD]
    top = max((item.strength for item in read), default=None)
    if top is not None and top < Strength.DEFINED and any(i.strength is Strength.DEFINED for i in unread):
        return list(unread)  # what is plainly defined cannot be read, and the rest may be its parts
    if top is Strength.BARE and any(i.strength > top for i in unread):
        return list(unread)
    plain = [item for item in read if item.strength == top]
    names = {key_of(item.name) for item in plain if item.name}
    kept = []
    for item in definitions:
        if item.tree is None:
            if _stands(item, plain, names):
                kept.append(item)
        elif item in read and (item.strength == top or _adds(item, plain)):
            kept.append(item)
    return kept


def _ingredient(item: Definition, definitions: Sequence[Definition]) -> bool:
    """Whether it only names a part of another definition, or a daily quantity beside a windowed factor."""
    tree = item.tree
    assert tree is not None
    if not OWN.search(item.name) and any(_made_of(other, item) for other in definitions):
        return True
    for other in definitions:
        if other is item or other.tree is None or shape(other.tree) == shape(tree):
            continue
        bound_name = re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", item.name) is not None
        if bound_name and re.search(rf"(?<![A-Za-z]){item.name}(?![A-Za-z])", other.sentence.text):
            return True
        if not windowed(tree) and not _FACTORISH.search(item.name) and windowed(other.tree):
            return True
    return False


def _made_of(whole: Definition, item: Definition) -> bool:
    """Whether ``whole`` puts together what was defined shortly before it, ``item`` among that."""
    return (
        whole.of_parts
        and 0 <= whole.sentence.paragraph - item.sentence.paragraph <= _PARTS_WITHIN
        and (item.start < whole.start)
    )


def _adds(item: Definition, plain: Sequence[Definition]) -> bool:
    """Whether a less plain definition says the same again, or defines a factor of its own name."""
    assert item.tree is not None
    alike = [other for other in plain if other.tree is not None and shape(other.tree) == shape(item.tree)]
    if alike:
        same = any(
            windows_of(other.tree) == windows_of(item.tree) for other in alike if other.tree is not None
        )
        return same or item.final or item.strength is Strength.USED
    return item.strength is Strength.USED and bool(item.name) and _FACTORISH.search(item.name) is not None


def _stands(item: Definition, plain: Sequence[Definition], names: set[str]) -> bool:
    """Whether a factor that cannot be computed is a candidate of its own."""
    assert item.obstacle is not None
    if not plain:
        return True
    if not item.name or key_of(item.name) in names:
        return False
    return item.obstacle.reason is not UNREAD or _FACTORISH.search(item.name) is not None


def _joined(definitions: list[Definition], sentences: tuple[Sentence, ...]) -> tuple[Factor, ...]:
    factors: list[Factor] = []
    for definition in definitions:
        heading = _heading_before(definition.sentence, sentences)
        name = definition.name or (
            _without_mark(heading.text) if heading is not None and _FACTORISH.search(heading.text) else ""
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


def _without_mark(heading: str) -> str:
    """The words of a heading, without the mark that Markdown puts before them."""
    return heading.lstrip("#").strip()


def _same(factor: Factor, name: str, definition: Definition) -> bool:
    """Whether a definition speaks of a factor that was seen before."""
    mine, theirs = key_of(name), key_of(factor.name)
    if definition.tree is not None and any(
        text_of(definition.tree) == text_of(d.tree) for d in factor.read if d.tree
    ):
        return True
    if mine and theirs:
        return mine == theirs or (min(len(mine), len(theirs)) >= 2 and (mine in theirs or theirs in mine))
    if definition.tree is None or not factor.read:
        return False
    return shape(definition.tree) == shape(factor.read[0].tree or definition.tree)


def key_of(name: str) -> str:
    """A name for comparing: without *factor*, blanks and quotes."""
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
    taken = {key_of(other.name) for other in factors if other is not factor}
    for sentence in (own, *reversed(before), *title):
        for match in _NOUN.finditer(sentence.text):
            name = _LEAD.sub("", match.group()).strip()
            if key_of(name) and key_of(name) not in taken:
                return name
    if title and title[0].heading and len(title[0].text) <= _TITLE_LIMIT:
        return _without_mark(title[0].text)
    first = factor.first
    words = own.text[max(0, first.start - own.start) : first.end - own.start] or own.text
    return shortened(_SAID.sub("", words) or words)


_SAID = re.compile(
    r"^.*?(?:\b(?:factor|signal|score|measure) (?:is|equals)\s+(?:the |an? )?|(?:因子|指标"
    r"|信号)(?:定义)?(?:[为是取即]|[:：=])\s*)",
    re.IGNORECASE | re.DOTALL,
)
"""What stands before the words of a formula, in a sentence of which they are not told apart."""

_PAUSE = re.compile(
    r"\s*[,，;；:：(（。]|\s+(?:over|during|in|within|across|for|from|on|with|that|which|where)\s",
    re.IGNORECASE,
)

_DANGLING = re.compile(r"(?:\s+(?:to|from|of|over|and|the|in|on|by|with|for|as))+$", re.IGNORECASE)


def shortened(words: str) -> str:
    """Words as a name: up to the last pause at which they are short enough, and to a whole word at least."""
    words = _DANGLING.sub("", words.strip())
    if len(words) <= _TITLE_LIMIT:
        return words
    pauses = [match.start() for match in _PAUSE.finditer(words) if 2 < match.start() <= _TITLE_LIMIT]
    blank = words.rfind(" ", 1, _TITLE_LIMIT + 1)
    return words[: pauses[-1] if pauses else blank if blank > 0 else _TITLE_LIMIT]
