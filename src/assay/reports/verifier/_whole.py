"""Is the formula all of what the text defines, or only a part that was quoted faithfully."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.expr import Call, Node, walk
from assay.reports._composition import Joining, fractions, goes_on, joinings, later_step
from assay.reports._document import Document, Range
from assay.reports._orders import Orders
from assay.reports._sections import asides, varies
from assay.reports._signs import signs, top
from assay.reports.verifier._citations import Citation, Citations
from assay.reports.verifier._needs import op_word
from assay.reports.verifier._qualified import unqualified

_BEFORE: Final = 3
_AFTER: Final = 6
"""Lines around the cited definition in which a text says what becomes of it."""

_PIECE: Final = re.compile(r"[^。；;！？!?\n]+?(?=[。；;！？!?\n]|\.(?=\s)|$)[。；;！？!?.]?")
_CLAUSE: Final = re.compile(r"[^。；;，,！？!?\n]+?(?=[。；;，,！？!?\n]|\.(?=\s)|$)")
_ABOUT: Final = re.compile(
    r"因子|得分|信号|指标|\bfactor\b|\bscore\b|\bsignal\b|\bcomposite\b|\bmeasure\b", re.IGNORECASE
)
_WHERE: Final = re.compile(
    r"(?:(?:^|[，,])\s*(?:其中|式中|where\b)|^\s*(?:这里|此处|here\b|with\b))"
    r"(?!.*(?:因子|指标|信号|定义|factor|signal|score|defin))",
    re.IGNORECASE | re.DOTALL,
)
"""The beginning of what only explains the letters of a formula."""
_SAME_AS: Final = {"-": {"DELTA", "TS_PCTCHANGE"}, "/": {"TS_PCTCHANGE"}}
"""Ops that hold a difference or a quotient of one series at two times."""


def parts_only(document: Document, citations: Citations, node: Node) -> tuple[str, ...]:
    """What the text does with the cited words and the formula does not; empty of a whole formula."""
    cited = [c for c in citations.of("expr") if not c.suspect]
    if not cited:
        return ()
    has = {op_word(part) for part in walk(node) if isinstance(part, Call)}
    found = [item for item in _cut_off(document.text, citations) if item.ops and not item.ops & has]
    region = _region(document, cited)
    said = [(item, sentence) for sentence, item in _joined(document, region)]
    about = [item for item, sentence in said if _ABOUT.search(sentence)]
    for item, _ in said:
        if not _met(item, node, has, outermost=bool(about) and item is about[-1]):
            found.append(item)
    messages = [f"the text goes on with {item.said!r}, of which the formula has nothing" for item in found]
    messages += unqualified(document, cited, node)
    if all(_WHERE.search(_sentence_before(document.text, citation.start)) for citation in cited):
        messages.append("the cited words only explain a part of a formula that stands before them")
    return tuple(dict.fromkeys(messages))


def _met(item: Joining, node: Node, has: set[str], *, outermost: bool) -> bool:
    outer = top(node)
    same = any(sign in item.ops and has & ops for sign, ops in _SAME_AS.items())
    if outer is None:
        return same
    return outer in item.ops or same or (not outermost and bool(signs(node) & item.ops))


def _cut_off(text: str, citations: Citations) -> Iterator[Joining]:
    """Where the sentence goes on right beside the quoted words, and what follows it as a next step."""
    last = 0
    for place in _merged(text, citations.of("expr", "windows")):
        if not any(place.start <= c.start < place.end for c in citations.of("expr")):
            continue
        last = max(last, place.end)
        joined = goes_on(text, place.start, place.end)
        if joined is not None:
            yield joined
    end = text.find("\n", last)
    for clause in _CLAUSE.finditer(text, last, end if end >= 0 else len(text)):
        step = later_step(clause.group(), clause.start())
        if step is not None:
            yield step


def _merged(text: str, citations: tuple[Citation, ...]) -> list[Range]:
    """The cited places, those joined that overlap or that only blanks and marks part."""
    found: list[Range] = []
    for citation in sorted(citations, key=lambda item: item.start):
        if found and not re.search(r"\w", text[found[-1].end : citation.start]):
            found[-1] = Range(found[-1].start, max(found[-1].end, citation.end))
        else:
            found.append(Range(citation.start, citation.end))
    return found


def _region(document: Document, cited: list[Citation]) -> Range:
    """The lines around the cited definition, as far as no heading parts them from it."""
    text = document.text
    low = text.rfind("\n", 0, min(c.start for c in cited)) + 1
    for _ in range(_BEFORE):
        above = text.rfind("\n", 0, max(low - 1, 0)) + 1
        if low == 0 or text.startswith("#", above):
            break
        low = above
    high = _line_end(text, max(c.end for c in cited))
    for _ in range(_AFTER):
        if high >= len(text) or text.startswith("#", high + 1):
            break
        high = _line_end(text, high + 1)
    return Range(low, high)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _joined(document: Document, region: Range) -> Iterator[tuple[str, Joining]]:
    text = document.text
    orders, tries = Orders(text), asides(text)
    for item in fractions(text[region.start : region.end], region.start):
        yield "", item
    for piece in _PIECE.finditer(text, region.start, region.end):
        if (
            varies(tries, piece.start(), piece.group())
            or orders.standing(piece.start(), piece.end()) != "plain"
        ):
            continue
        for item in joinings(piece.group(), piece.start()):
            yield piece.group(), item


def _sentence_before(text: str, place: int) -> str:
    """The words of the sentence that stand before a place."""
    begin = max(text.rfind(mark, 0, place) for mark in "。；;\n！？") + 1
    stop = text.rfind(". ", begin, place)
    return text[stop + 2 if stop >= 0 else begin : place]
