"""The normalised text of a report, character by character tied to the original."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from assay.reports._document import DropKind, Dropped, Folded
from assay.reports.documents._characters import (
    FOLD,
    HAN,
    INVISIBLE,
    LIGATURE,
    LIGATURES,
    NARROW,
)
from assay.reports.documents._lines import Line, full_width, joint

_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)([^\n]{1,500}?)(?<=\S)\1")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNSEEN_ELEMENT = re.compile(
    r"<(\w{1,20})\b[^<>]{0,300}?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|\bhidden\b)[^<>]{0,300}>.{0,5000}?</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)
_CJK_BLANK = re.compile(rf"(?<=[{HAN}])[ ](?=[{HAN}A-Za-z0-9])|(?<=[A-Za-z0-9])[ ](?=[{HAN}])")
_LINE_NUMBER = re.compile(r"[#>*+\- ]*[0-9]{1,2}(?:\.[0-9]+)* (?![日天周月年个])")
_BLANKS = np.array(
    [
        *range(9, 14),
        *range(28, 33),
        0x85,
        0xA0,
        0x1680,
        *range(0x2000, 0x200B),
        0x2028,
        0x2029,
        0x202F,
        0x205F,
        0x3000,
    ],
    dtype=np.uint32,
)
"""What ``str.isspace`` calls blank; a test compares."""
_WORD = re.compile(r"\S+")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Normalised:
    """The text with its maps; see :class:`assay.reports.Document`."""

    text: str
    page_of: NDArray[np.int32]
    offset_of: NDArray[np.int32]
    dropped: tuple[Dropped, ...]
    folded: Folded
    folded_original: Folded


def markdown_spans(page: str) -> tuple[list[Span], list[Span]]:
    """What a reader of the rendered page does not see: hidden text, and emphasis marks."""
    hidden = [found.span() for found in chain(_COMMENT.finditer(page), _UNSEEN_ELEMENT.finditer(page))]
    marks = []
    for found in _EMPHASIS.finditer(page):
        marks += [(found.start(), found.start() + 2), (found.end() - 2, found.end())]
    return hidden, marks


def normalise(
    pages: Sequence[str],
    *,
    furniture: Sequence[Sequence[Span]],
    hidden: Sequence[Sequence[Span]],
    markup: Sequence[Sequence[Span]],
    cut_by_length: bool = False,
) -> Normalised:
    """Text and maps of a report from its pages and the spans to leave out of each.

    ``cut_by_length``: the ends of pages are the reader's own, so a line goes on over them.
    """
    dropped: list[Dropped] = []
    lines: list[Line] = []
    for index, page in enumerate(pages):
        invisible = [found.span() for found in INVISIBLE.finditer(page)]
        kinds: tuple[tuple[DropKind, Iterable[Span]], ...] = (
            ("furniture", furniture[index]),
            ("hidden", hidden[index]),
            ("invisible", invisible),
            ("markup", markup[index]),
        )
        keep = np.ones(len(page), dtype=bool)
        for kind, spans in kinds:
            for start, end in spans:
                keep[start:end] = False
                dropped.append(Dropped(index + 1, start, end, kind))
        on_page = _page_lines(index + 1, page, keep)
        if cut_by_length and on_page and on_page[-1].text:
            on_page[-1] = replace(on_page[-1], cut=_taken_blank(pages[index : index + 2]))
        lines += on_page
    text, page_of, offset_of, hyphens = _joined(lines)
    dropped += hyphens
    dropped.sort(key=lambda part: (part.page, part.char_start, part.char_end))
    return Normalised(
        text=text,
        page_of=page_of,
        offset_of=offset_of,
        dropped=tuple(dropped),
        folded=_fold_text(text),
        folded_original=_fold_original(pages, dropped, page_of, offset_of),
    )


def _taken_blank(pages: Sequence[str]) -> str:
    """The blank at the cut between two pages."""
    after = pages[1][:1] if len(pages) > 1 else ""
    return " " if pages[0][-1].isspace() or after.isspace() else ""


def _page_lines(number: int, page: str, keep: NDArray[np.bool_]) -> list[Line]:
    """The lines of a page, each with the offsets of its characters; an empty line stands for blank ones."""
    narrow = page.translate(NARROW)
    lines = []
    start = 0
    for raw in page.split("\n"):
        end = start + len(raw)
        offsets = start + np.flatnonzero(keep[start:end])
        # a line that was dropped whole is no paragraph end: the sentence goes on after the page footer
        if offsets.size or end == start:
            text = narrow[start:end]
            if offsets.size < end - start:
                text = "".join([narrow[offset] for offset in offsets])
            # what joins two lines stands at the line break, at the end of a page at its last character
            lines.append(_line(number, text, offsets.astype(np.int32), min(end, len(page) - 1)))
        start = end + 1
    full = full_width([line.text for line in lines if not line.row])
    return [replace(line, full=full) for line in lines]


def _line(number: int, text: str, offsets: NDArray[np.int32], end: int) -> Line:
    if LIGATURE.search(text):
        spelt = [LIGATURES.get(char, char) for char in text]
        offsets = np.repeat(offsets, [len(part) for part in spelt])
        text = "".join(spelt)
    columns = "\t" in text.strip()
    positions: list[int] = []
    words: list[str] = []
    for word in _WORD.finditer(text):
        if words:
            gap = text[positions[-1] + 1 : word.start()]
            words.append(" | " if "\t" in gap else " ")
            positions += [positions[-1] + 1] * len(words[-1])
        words.append(word[0])
        positions += range(word.start(), word.end())
    joined = "".join(words)
    # blanks beside Chinese characters are layout, but the one after a heading's number ends it
    numbered = _LINE_NUMBER.match(joined)
    from_ = numbered.end() if numbered else 0
    blanks = [blank.start() for blank in _CJK_BLANK.finditer(joined, from_)]
    if blanks:
        cut = set(blanks)
        joined = "".join(char for place, char in enumerate(joined) if place not in cut)
        positions = [position for place, position in enumerate(positions) if place not in cut]
    return Line(number, joined, offsets[positions], end, columns or " | " in joined or joined[:1] == "|")


def _joined(
    lines: list[Line],
) -> tuple[str, NDArray[np.int32], NDArray[np.int32], list[Dropped]]:
    """All lines in one text: those of a paragraph joined, the others one a line."""
    parts: list[str] = []
    pages: list[NDArray[np.int32]] = []
    offsets: list[NDArray[np.int32]] = []
    hyphens: list[Dropped] = []
    last: Line | None = None
    paragraph_end = False
    for line in lines:
        if not line.text:
            paragraph_end = True
            continue
        if last is not None:
            mark = joint(last, line, blank_between=paragraph_end)
            if mark is None:
                # the hyphen of a broken word goes, and so does the line break
                parts[-1] = parts[-1][:-1]
                pages[-1] = pages[-1][:-1]
                hyphen = int(offsets[-1][-1])
                offsets[-1] = offsets[-1][:-1]
                hyphens.append(Dropped(last.page, hyphen, hyphen + 1, "hyphen"))
            elif mark:
                parts.append(mark)
                pages.append(np.full(len(mark), last.page, dtype=np.int32))
                offsets.append(np.full(len(mark), last.end, dtype=np.int32))
        parts.append(line.text)
        pages.append(np.full(len(line.text), line.page, dtype=np.int32))
        offsets.append(line.offsets)
        last, paragraph_end = line, False
    if not parts:
        empty = np.empty(0, dtype=np.int32)
        return "", empty, empty, []
    return "".join(parts), np.concatenate(pages), np.concatenate(offsets), hyphens


def _fold_text(text: str) -> Folded:
    return Folded("".join(text.translate(FOLD).split()), np.flatnonzero(~_blank(text)).astype(np.int32))


def _blank(text: str) -> NDArray[np.bool_]:
    """Which characters are blanks of any kind."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    blank: NDArray[np.bool_] = np.isin(codes, _BLANKS)
    return blank


def _fold_original(
    pages: Sequence[str],
    dropped: Sequence[Dropped],
    page_of: NDArray[np.int32],
    offset_of: NDArray[np.int32],
) -> Folded:
    """The original without what nobody sees: furniture, emphasis marks and hyphens are still there."""
    texts: list[str] = []
    indexes: list[NDArray[np.int32]] = []
    bounds = np.searchsorted(page_of, np.arange(1, len(pages) + 2))
    unseen = [np.zeros(len(page), dtype=bool) for page in pages]
    for part in dropped:
        if part.kind in ("hidden", "invisible"):
            unseen[part.page - 1][part.char_start : part.char_end] = True
    for number, page in enumerate(pages, start=1):
        low, high = bounds[number - 1], bounds[number]
        text_at = np.full(len(page), -1, dtype=np.int32)
        # of the characters spelt from one ligature, or set after a line, the first one is its place
        places, first = np.unique(offset_of[low:high], return_index=True)
        text_at[places] = low + first
        kept = np.flatnonzero(~(unseen[number - 1] | _blank(page)))
        narrow = page.translate(FOLD)
        spelt = [narrow[place] for place in kept]
        if LIGATURE.search(page):
            spelt = [LIGATURES.get(char, char) for char in spelt]
            kept = np.repeat(kept, [len(part) for part in spelt])
        texts += spelt
        indexes.append(text_at[kept])
    return Folded("".join(texts), np.concatenate(indexes).astype(np.int32))
