"""The document as sentences, without those that speak to the reader's machine instead of about a factor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from assay.reports._document import Document
from assay.reports._orders import is_order, without_blocks
from assay.reports.rules._limits import SENTENCE

_END = re.compile(
    r"(?<=[之和比差值数率量额价])(?=(?:因子)?(?:逻辑|方向|样本|股票池|说明|备注|频率|调仓)\s*[:：])"
    r"|[。;；!！?？\n]|\.(?=\s+[A-Z\u4e00-\u9fff\"“$(]|\s+[a-h]\)\s|\s*$|[ \t]*\n)"
    r"|[·•▪■●](?=\s[\u4e00-\u9fffA-Za-z ]{1,12}[:：])"
)
_NUMBERING = re.compile(r"\s*[-*#]*\s*(?:[Ss]tep\s+)?\(?\d{1,2}\.")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|Fig|Eq|No|Inc|Ltd|approx)\.$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text[start:end]`` of the document; ``paragraph`` counts from 0; ``heading`` as the layout tells.

    ``suspect``: it follows, in its paragraph, a sentence that was a command; it counts only where nothing
    else is said.
    """

    start: int
    end: int
    paragraph: int
    text: str
    heading: bool = False
    suspect: bool = False

    @property
    def table_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.text.startswith("|") or len(_BAR.findall(_ABSOLUTE.sub("", self.text))) >= 2


@dataclass(frozen=True)
class Sentences:
    """The sentences of a document that may state something."""

    document: Document

    @cached_property
    def all(self) -> tuple[Sentence, ...]:
        """In order, without commands to the reader, and without a paragraph that begins with one.

        What is too long to be read is no command: whoever reads the sentences has to refuse it.
        """
        found: list[Sentence] = []
        silenced = suspected = begun = -1
        for sentence in _split(without_blocks(self.document.text)):
            first = sentence.paragraph != begun
            begun = sentence.paragraph
            if sentence.paragraph == silenced:
                continue
            if len(sentence.text) <= SENTENCE and is_order(sentence.text):
                suspected = sentence.paragraph
                silenced = sentence.paragraph if first else silenced
                continue
            found.append(replace(sentence, suspect=sentence.paragraph == suspected))
        return tuple(found)


_BAR = re.compile(r"(?<=\s)\|(?=\s)|(?<=[^\sA-Za-z(（+*/-])\|(?=[^\sA-Za-z)）+*/-])")
"""A bar between cells; one beside a letter or a sign stands for an absolute value."""

_ABSOLUTE = re.compile(r"\|[^|\s]{1,8}\|(?=[的之/÷×*)）+,，。;； -]|$)")
"""An absolute value inside a sentence."""

_LABEL = re.compile(r"[*\s]*(?:[QA]\d*|问|答|问题\d*|回答)[*]*\s*[:：][*\s]*")
_QUESTION = re.compile(
    r"(?:^|\n)[*\s]*(?:Q\d*|问|问题\d*)[*]*\s*[:：.、]\s*(?P<asked>[^\n]{2,80}?)[?？]?[*]*\s*\n+"
    r"[*\s]*(?:A\d*|答|回答)[*]*\s*[:：.、]\s*(?P<said>[^,，;；。\n]{1,60}?)(?=[,，;；。\n]|\.(?:\s|$)|$)"
)


def answers(document: Document) -> tuple[Sentence, ...]:
    """Questions with the first words of their answers: "How often? Every Friday." says nothing apart."""
    return tuple(
        Sentence(
            match.start("asked"),
            match.end("said"),
            -1,
            document.text[match.start("asked") : match.end("said")],
        )
        for match in _QUESTION.finditer(document.text)
        if not is_order(match.group())
    )


def _split(text: str) -> Iterator[Sentence]:
    start = paragraph = 0
    for match in _END.finditer(text):
        if match.group() == "." and _ABBREVIATION.search(text[max(start, match.end() - 8) : match.end()]):
            continue
        if match.group() == "." and _NUMBERING.fullmatch(text, start, match.end()):
            continue
        yield from _sentence(text, start, match.start(), paragraph)
        start = match.end()
        if match.group() == "\n":
            paragraph += 1
    yield from _sentence(text, start, len(text), paragraph)


def _sentence(text: str, start: int, end: int, paragraph: int) -> Iterator[Sentence]:
    piece = text[start:end]
    label = _LABEL.match(piece)
    if label:
        start, piece = start + label.end(), piece[label.end() :]
    first = start + len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if piece.strip("."):
        ends_open = end >= len(text) or text[end] == "\n"
        heading = ends_open and len(piece) <= 60 and not re.search(r"[,，:：|=]|[\d%)]$|^[-=*_ ]+", piece)
        yield Sentence(first, first + len(piece), paragraph, piece, heading)


_KEY_NEXT = re.compile(
    r"/\s(?:[^\W\d][^/:：]{1,20}[:：]|(?:daily|weekly|monthly)\b|[日周月][频度])", re.IGNORECASE
)


def clauses(start: int, text: str) -> Iterator[tuple[int, str]]:
    """The parts between commas, each with its place; commas inside brackets part nothing.

    A stroke parts where a key or a period follows it: ``Frequency: daily / Rebalance: monthly``.
    """
    depth, last = 0, 0
    for index, character in enumerate(text):
        depth += (character in "([（") - (character in ")]）")
        stroke = character == "/" and _KEY_NEXT.match(text, index) is not None
        if (character in ",，:：|" or stroke) and depth <= 0:
            if text[last:index].strip():
                yield start + last, text[last:index]
            last = index + 1
    if text[last:].strip():
        yield start + last, text[last:]
