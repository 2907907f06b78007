"""The document as sentences, without those that speak to the reader's machine instead of about a factor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from assay.reports._document import Document

_TAGGED = re.compile(
    r"\[INST\].*?(?:\[/INST\]|$)|<\|(?:im_start|system|user|assistant).*?(?:<\|(?:im_end|end)[^>]*>|$)"
    r"|<(?P<tag>system|instructions?|prompt|assistant)>.*?(?:</(?P=tag)>|$)|\{\s*\"[^{}]*\}",
    re.IGNORECASE | re.MULTILINE,
)
"""Blocks in the notation of prompts and of replies: none of their words is about a factor."""

_END = re.compile(r"[。;；!！?？\n]|\.(?=\s+[A-Z\u4e00-\u9fff\"“$(]|\s*$)")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|Fig|Eq|No|Inc|Ltd|approx)\.$", re.IGNORECASE)

_COMMAND = re.compile(
    r"(?:ignore|disregard|forget|override)[^.。]{0,40}(?:instruction|prompt|rule|above|previous"
    r"|prior|text|definition)"
    r"|(?:忽略|无视|忘记|跳过|不要理会)[^。]{0,20}(?:指令|提示|要求|规则|说明|上文|以上|之前|前面"
    r"|前文|上述|内容|定义)"
    r"|system\s*(?:prompt|message|:|：)|<\|?/?\s*(?:im_start|im_end|system|assistant|user"
    r"|instructions?)\b|\[/?INST\]"
    r"|(?:^|[\s(])(?:assistant|user|developer|系统|助手)\s*[:：]|系统(?:提示|指令|消息)"
    r"|(?:you are|act as|pretend to be) (?:now )?(?:a|an|the) [^.]{0,30}?\b(?:ai|assistant|language model"
    r"|extractor|llm|parser|model|agent|bot)\b"
    r"|(?:language model|ai model|llm|chatgpt|extraction agent|automated reader|大模型|语言模型"
    r"|人工智能助手|AI助手|智能体|抽取程序|提取程序)"
    r"[^.。]{0,60}(?:must|should|shall|please|output|return|report|set|必须|应当|应该|请|需|输出|返回)"
    r"|(?:you|the (?:reader|extractor|parser|agent)) (?:must|should|shall|will"
    r"|are to) (?:now )?(?:output|return|reply|respond|report|use|set|answer|extract|write|call)"
    r"|(?:please|now) (?:output|return|reply|respond|answer)|(?:respond|reply|answer) (?:only )?with"
    r"|(?:请|必须|务必|应当)(?:直接|改为|只|立即)?(?:输出|返回|回复|回答|填写)|改为输出"
    r"|输出(?:以下|如下)|(?:return|output) (?:the following|only|this) (?:json|spec|expression)"
    r"|^\W*(?:please |now )?(?:set|change) (?:the )?(?:expr|expression|universe|windows?|rebalance"
    r"|neutrali[sz]ation"
    r"|direction|frequency|field) (?:field )?(?:to|=)"
    r"|(?:将|把)\s*(?:expr|universe|windows|rebalance|neutralization|direction|frequency)"
    r"|\"(?:expr|universe|windows|rebalance|neutralization)\"\s*:",
    re.IGNORECASE,
)  # fmt: skip


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
        return self.text.startswith("|") or self.text.count("|") >= 2


@dataclass(frozen=True)
class Sentences:
    """The sentences of a document that may state something."""

    document: Document

    @cached_property
    def all(self) -> tuple[Sentence, ...]:
        """In order, without commands to the reader, and without a paragraph that begins with one."""
        found: list[Sentence] = []
        silenced = suspected = begun = -1
        # blocks are blanked out character by character, so that places stay what they are
        text = _TAGGED.sub(lambda match: "." + " " * (len(match.group()) - 1), self.document.text)
        for sentence in _split(text):
            first = sentence.paragraph != begun
            begun = sentence.paragraph
            if sentence.paragraph == silenced:
                continue
            if _COMMAND.search(sentence.text):
                suspected = sentence.paragraph
                silenced = sentence.paragraph if first else silenced
                continue
            found.append(replace(sentence, suspect=sentence.paragraph == suspected))
        return tuple(found)


def _split(text: str) -> Iterator[Sentence]:
    start = paragraph = 0
    for match in _END.finditer(text):
        if match.group() == "." and _ABBREVIATION.search(text[max(start, match.end() - 8) : match.end()]):
            continue
        yield from _sentence(text, start, match.start(), paragraph)
        start = match.end()
        if match.group() == "\n":
            paragraph += 1
    yield from _sentence(text, start, len(text), paragraph)


def _sentence(text: str, start: int, end: int, paragraph: int) -> Iterator[Sentence]:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if piece.strip("."):
        ends_open = end >= len(text) or text[end] == "\n"
        heading = ends_open and len(piece) <= 60 and not re.search(r"[,，:：|=]|[\d%)]$|^[-=*_ ]+", piece)
        yield Sentence(first, first + len(piece), paragraph, piece, heading)


def clauses(start: int, text: str) -> Iterator[tuple[int, str]]:
    """The parts between commas, each with its place; commas inside brackets part nothing."""
    depth, last = 0, 0
    for index, character in enumerate(text):
        depth += (character in "([（") - (character in ")]）")
        if character in ",，:：|" and depth <= 0:
            if text[last:index].strip():
                yield start + last, text[last:index]
            last = index + 1
    if text[last:].strip():
        yield start + last, text[last:]
