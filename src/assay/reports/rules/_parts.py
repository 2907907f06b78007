"""Factors put together of quantities that the text counts: "the first is ..., the second ..., multiplied"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assay.reports._composition import PAIRED, fractions, joinings
from assay.reports.rules._read import longest
from assay.reports.rules._rest import left_over
from assay.reports.rules._scan import Scanner
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import Apply, Number, Tree, apply, has_hole

_IS: Final = r"\s*(?:是|为|取|即|[:：,，])\s*"
_NOUN: Final = r"(?:个|项|部分|步)?(?:指标|分量|部分|成分|变量|子因子|因子|信号|维度)?"
_BE: Final = r"(?: (?:is|equals|being|measures)|[:,])(?: simply)?\s+"
_THING: Final = r"(?:leg|part|component|ingredient|piece|term|element|input|signal|quantity|number|half)"
_PAIRS: Final = tuple(
    (re.compile(first, re.IGNORECASE), re.compile(second, re.IGNORECASE))
    for first, second in (
        (rf"分子{_IS}", rf"分母(?:则)?{_IS}"),
        (r"一是", r"二是"),
        (rf"其一{_IS}", rf"其二{_IS}"),
        (rf"第一{_NOUN}{_IS}", rf"第二{_NOUN}(?:则)?{_IS}"),
        (rf"\bnumerator{_BE}", rf"\bdenominator{_BE}"),
        (rf"\b(?:the )?first(?: one| {_THING})?{_BE}", rf"\b(?:the )?second(?: one| {_THING})?{_BE}"),
        (rf"\b{_THING} (?:one|1|a){_BE}", rf"\b{_THING} (?:two|2|b){_BE}"),
        (rf"\bone(?: {_THING})?{_BE}", rf"\b(?:the )?other(?: one| {_THING})?{_BE}"),
    )
)
"""How a text counts two quantities; each pattern ends where the quantity begins."""

_AVERAGE: Final = re.compile(r"平均|均值|\baverag|\bmean\b", re.IGNORECASE)
_RANKED: Final = re.compile(r"排名|排序|分位|\branks?\b|\branked\b|percentile", re.IGNORECASE)
_MORE: Final = re.compile(
    r"\d|对数|平方|开方|根|负|倒数|标准化|中性|绝对|加权(?!平均)|滚动|再取|然后|\blog|\broot|negative|minus|invert|reciproc"
    r"|standardi[sz]"
    r"|z-?score|absolute|\bweight|\bsquare|\brolling|\bthen\b(?! (?:multiplied|added|summed|averaged"
    r"|divided))",
    re.IGNORECASE,
)
"""Words of a sentence that does more than put the quantities together."""

_AROUND: Final = 5
"""Sentences before and after the one that joins in which the quantities are counted."""


@dataclass(frozen=True, slots=True)
class Composed:
    """The formula, the places of its quantities, and where their sentences begin."""

    tree: Tree
    places: tuple[tuple[int, int], ...]
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Quantity:
    tree: Tree
    start: int
    end: int
    sentence: Sentence


def composed(scanner: Scanner, sentences: Sequence[Sentence], index: int) -> Composed | None:
    """The formula that the sentence at ``index`` puts together; None where a quantity of it is not read."""
    joining = sentences[index]
    near = [
        other
        for other in sentences[max(0, index - _AROUND) : index + _AROUND + 1]
        if not (other.heading or other.table_row)
    ]
    signs = {item.ops for item in joinings(joining.text)} - {PAIRED}
    signs |= {item.ops for item in fractions(" ".join(s.text for s in near if s.start >= joining.start))}
    if len(signs) != 1:
        return None
    (sign,) = next(iter(signs))
    pairs = [pair for first, second in _PAIRS if (pair := _counted(scanner, near, first, second)) is not None]
    if len(pairs) != 1:
        return None
    first, second = pairs[0]
    inside = [item for item in pairs[0] if item.sentence is joining]
    if _MORE.search(_without(joining, inside)):
        return None
    parts: list[Tree] = [first.tree, second.tree]
    if _RANKED.search(_without(joining, inside)):
        parts = [apply("RANK", part) for part in parts]
    tree = apply(sign, *parts)
    if sign == "+" and _AVERAGE.search(_without(joining, inside)):
        tree = apply("/", tree, Number("2"))
    places = tuple((item.start, item.end) for item in (first, second))
    return Composed(tree, places, tuple(dict.fromkeys(item.sentence.start for item in (first, second))))


def _counted(
    scanner: Scanner, sentences: Sequence[Sentence], first: re.Pattern[str], second: re.Pattern[str]
) -> tuple[_Quantity, _Quantity] | None:
    """Both quantities, where the text counts them once and in this order."""
    ones = _named(scanner, sentences, first, second)
    others = _named(scanner, sentences, second, None)
    if len(ones) != 1 or len(others) != 1 or ones[0] is None or others[0] is None:
        return None
    return (ones[0], others[0]) if ones[0].start < others[0].start else None


def _named(
    scanner: Scanner, sentences: Sequence[Sentence], cue: re.Pattern[str], stop: re.Pattern[str] | None
) -> list[_Quantity | None]:
    found: list[_Quantity | None] = []
    for sentence in sentences:
        for match in cue.finditer(sentence.text):
            end = stop.search(sentence.text, match.end()) if stop is not None else None
            high = sentence.start + (end.start() if end is not None else len(sentence.text))
            found.append(_quantity(scanner, sentence, sentence.start + match.end(), high))
    return found


def _quantity(scanner: Scanner, sentence: Sentence, start: int, end: int) -> _Quantity | None:
    tokens = scanner.tokens(start, end)
    phrase = longest(tokens, scanner.charts)
    if phrase is None or phrase.first > 1 or not isinstance(phrase.tree, Apply) or has_hole(phrase.tree):
        return None
    if left_over(sentence, tokens, phrase, end, scanner.document.text) is not None:
        return None
    return _Quantity(phrase.tree, tokens[phrase.first].start, tokens[phrase.last - 1].end, sentence)


def _without(sentence: Sentence, quantities: Sequence[_Quantity]) -> str:
    text = sentence.text
    for item in quantities:
        low, high = item.start - sentence.start, item.end - sentence.start
        text = text[:low] + "_" * (high - low) + text[high:]
    return text
