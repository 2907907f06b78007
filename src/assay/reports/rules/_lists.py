"""Sums whose terms are listed: "the sum of three ranks: A, B and C", "0.5倍的A、0.3倍的B与0.2倍的C之和"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

from assay.reports.rules._read import longest
from assay.reports.rules._scan import Scanner
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import Apply, Number, Tree, apply, has_hole

_COUNTS: Final = {"两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "two": 2, "three": 3, "four": 4, "five": 5}
_ANNOUNCED: Final = re.compile(
    r"\b(?P<op>sum|total|average|mean|equal-weighted (?:sum|average|mean)) of (?:the )?(?:following )?"
    r"(?P<count>two|three|four|five) (?:[\w-]+ ){0,2}(?P<what>[a-z]+)\s*:\s*"
    r"|由(?:以下)?(?P<zhcount>[两二三四五])(?:个|项|部分)[^，,。:：]{0,6}?"
    r"(?P<zh>等权相加|相加|求和|等权平均|取平均|等权合成)(?:得到|而成|构成)?\s*[:：]\s*",
    re.IGNORECASE,
)
_BLENDED: Final = re.compile(
    r"\b(?:blend|combine|add(?: up)?|sum)s?\s+(?=\d)|\b(?:blend|sum|combination) of (?=\d)"
    r"|(?:^|由|为|是|[:：])\s*(?=\d+(?:\.\d+)?\s*倍)",
    re.IGNORECASE,
)
_PARTED: Final = re.compile(
    r"\s*(?:,\s*and\b|[,，、；;]|\band\b|以及|和(?!的)|与|及|(?:之和|相加))\s*", re.IGNORECASE
)
_MEAN: Final = re.compile(r"average|mean|平均|合成", re.IGNORECASE)
_MORE: Final = re.compile(
    r"取负|取反|对数|排名|标准化|negative|log|standardi|z-?score|rank|divid|除以|乘以", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Listed:
    """The sum at ``[start, end)``, and where the words that announce it begin."""

    tree: Tree
    start: int
    end: int
    cue: int


def listed(scanner: Scanner, sentence: Sentence) -> Listed | None:
    """The sum that a sentence announces and lists; None where a term of it is not read, or one is missing."""
    match = _ANNOUNCED.search(sentence.text)
    counted = match is not None
    match = match or _BLENDED.search(sentence.text)
    if match is None:
        return None
    terms = list(_terms(scanner, sentence, match.end()))
    trees = [tree for tree, _, _ in terms]
    if len(terms) < 2 or (counted and len(terms) != _count(match)) or not _weighted(trees, counted=counted):
        return None
    last = terms[-1][2]
    if _MORE.search(sentence.text, last - sentence.start):
        return None
    tree = reduce(lambda left, right: apply("+", left, right), trees)
    if counted and _MEAN.search(match.group("op") or match.group("zh")):
        tree = apply("/", tree, Number(str(len(terms))))
    return Listed(tree, terms[0][1], last, sentence.start + match.start())


def _count(match: re.Match[str]) -> int:
    return _COUNTS[(match.group("count") or match.group("zhcount")).lower()]


def _weighted(trees: list[Tree], *, counted: bool) -> bool:
    """Whether all terms have a weight, or, in a list that counts them, none has."""
    weights = [isinstance(t, Apply) and t.op == "*" and isinstance(t.args[0], Number) for t in trees]
    return all(weights) or (counted and not any(weights))


def _terms(scanner: Scanner, sentence: Sentence, place: int) -> Iterator[tuple[Tree, int, int]]:
    """The terms one after another, until what follows is none."""
    text = sentence.text
    while place < len(text):
        start = sentence.start + place
        tokens = scanner.tokens(start, sentence.end)
        phrase = _term(scanner, start, [token.end for token in tokens], sentence)
        if phrase is None:
            return
        tree, end = phrase
        yield tree, start, end
        gap = _PARTED.match(text, end - sentence.start)
        if gap is None:
            return
        place = gap.end()


def _term(scanner: Scanner, start: int, ends: list[int], sentence: Sentence) -> tuple[Tree, int] | None:
    """The complete quantity at ``start`` that reaches to the next mark of the list."""
    text = sentence.text
    for end in ends:
        if _PARTED.match(text, end - sentence.start) is None and text[end - sentence.start :].strip(" .。"):
            continue
        tokens = scanner.tokens(start, end)
        phrase = longest(tokens)
        whole = phrase is not None and (phrase.first, phrase.last) == (0, len(tokens))
        if phrase is not None and whole and isinstance(phrase.tree, Apply) and not has_hole(phrase.tree):
            return phrase.tree, end
    return None
