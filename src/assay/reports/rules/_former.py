"""Two quantities that one sentence names and a later one joins: "the ratio of the former to the latter"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from assay.reports.rules._parts import Composed
from assay.reports.rules._read import longest
from assay.reports.rules._rest import left_over
from assay.reports.rules._scan import Scanner
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import Apply, Tree, apply, has_hole

_SIGNS: Final = (
    (r"\b(?:ratio|quotient) of the (?:former|first) to the (?:latter|second)"
     r"|\b(?:the )?(?:former|first) (?:is )?(?:divided by|over|relative to) the (?:latter|second)"
     r"|前者(?:除以后者|[与比]后者(?:之比|的?比值))", "/"),
    (r"\bdifference between the (?:former|first) and the (?:latter|second)"
     r"|\b(?:the )?(?:former|first) (?:minus|less) the (?:latter|second)"
     r"|前者(?:减去?后者|[与和]后者(?:之差|的?差值))", "-"),
    (r"\bproduct of the former and the latter|\bthe former (?:times|multiplied by) the latter"
     r"|前者(?:乘以|乘上?)后者|前者[与和]后者(?:之积|的?乘积)", "*"),
)  # fmt: skip
_COMPILED: Final = tuple((re.compile(pattern, re.IGNORECASE), sign) for pattern, sign in _SIGNS)
_PARTED: Final = re.compile(
    r"[；;]|[,，]\s*(?:而|另|以及|再(?!除|减|乘|加|取)|and\b)?|\band\b|以及|[与和](?=过去|最近|近|\d)",
    re.IGNORECASE,
)
_OPENS: Final = re.compile(
    r"^.*(?:[，,]\s*即|即|[:：]|定义为|计算|\b(?:take|compute|calculate|consider|is|as|namely)\b)\s*",
    re.IGNORECASE,
)
_MORE: Final = re.compile(
    r"取负|取反|相反数|对数|排名|标准化|绝对|减[1一]"
    r"|negative|\blog|rank|standardi|z-?score|absolute|minus one",
    re.IGNORECASE,
)
_BACK: Final = 3


def former_and_latter(scanner: Scanner, sentences: Sequence[Sentence], index: int) -> Composed | None:
    """What the sentence at ``index`` makes of the only two quantities that stand right before it."""
    joining = sentences[index]
    signs = {sign for pattern, sign in _COMPILED if pattern.search(joining.text)}
    if len(signs) != 1 or _MORE.search(joining.text):
        return None
    before = [
        other
        for other in sentences[max(0, index - _BACK) : index]
        if other.paragraph == joining.paragraph and not (other.heading or other.table_row)
    ]
    inside = _before_cue(joining)
    if inside is not None:
        before = [*before, inside]
    for count in range(1, len(before) + 1):
        found = [item for sentence in before[-count:] for item in _quantities(scanner, sentence)]
        if len(found) > 2 or None in found:
            return None
        if len(found) == 2:
            pair = [item for item in found if item is not None]
            tree = apply(signs.pop(), *(tree for tree, _, _ in pair))
            places = tuple((start, end) for _, start, end in pair)
            return Composed(tree, places, tuple(s.start for s in before[-count:]))
    return None


def _before_cue(joining: Sentence) -> Sentence | None:
    """The clauses of the joining sentence before the one that joins; None where it has none."""
    place = min(match.start() for pattern, _ in _COMPILED if (match := pattern.search(joining.text)))
    comma = max(joining.text.rfind(mark, 0, place) for mark in ",，;；")
    text = joining.text[: max(comma, 0)].rstrip()
    return replace(joining, end=joining.start + len(text), text=text) if text else None


def _quantities(scanner: Scanner, sentence: Sentence) -> Iterator[tuple[Tree, int, int] | None]:
    """The windowed quantities of a sentence, one for each of its parts; None for one that is not read."""
    cuts = [0, *(match.end() for match in _PARTED.finditer(sentence.text)), len(sentence.text) + 1]
    for low, high in pairwise(cuts):
        part = (
            _PARTED.sub("", sentence.text[low : high - 1])
            if high <= len(sentence.text)
            else sentence.text[low:]
        )
        opens = _OPENS.match(part)
        start = sentence.start + low + (opens.end() if opens else 0)
        end = sentence.start + low + len(part.rstrip())
        tokens = scanner.tokens(start, end)
        phrase = longest(tokens)
        if phrase is None or not isinstance(phrase.tree, Apply) or has_hole(phrase.tree):
            if re.search(r"\d", part):
                yield None
            continue
        if left_over(sentence, tokens, phrase, end, scanner.document.text) is not None:
            yield None
        else:
            yield phrase.tree, tokens[phrase.first].start, tokens[phrase.last - 1].end
