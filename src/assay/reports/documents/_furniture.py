"""Running headers, footers and page numbers: lines at the edge of pages that repeat over pages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Literal

from assay.reports.documents._characters import fold
from assay.reports.documents._chinese import chinese_value

Edge = Literal["top", "bottom"]
EDGES: tuple[Edge, ...] = ("top", "bottom")

EDGE_LINES = 4
"""Most lines of furniture at the top and at the bottom of a page."""

_NUMBER = re.compile(r"[0-9]+")
_CHINESE_PAGE = re.compile(r"(?<=第)[一二三四五六七八九十百]+(?=页)")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line at an edge: where it stands in its page's text, and its words with the numbers taken out."""

    page: int
    start: int
    end: int
    words: str
    numbers: tuple[int, ...]


def furniture_spans(pages: Sequence[str]) -> list[list[tuple[int, int]]]:
    """For each page the spans ``[start, end)`` of its furniture, line by line.

    A line is furniture when at the same edge of at least three pages, and of a third of all (of both pages of
    two), stands the same line; numbers in it are either the same everywhere or move with the page. Only lines
    with nothing but furniture between them and the edge count, and no rows of tables, so that the text itself
    is never taken for furniture because it repeats.
    """
    spans: list[list[tuple[int, int]]] = [[] for _ in pages]
    if len(pages) < 2:
        return spans
    for edge in EDGES:
        lines = [_edge_lines(page, text, edge) for page, text in enumerate(pages)]
        repeated = _repeated([line for page in lines for line in page], len(pages))
        for page, candidates in enumerate(lines):
            block = list(takewhile(repeated.__contains__, candidates))
            if len(block) > EDGE_LINES:
                # so long a block is text that repeats; what a blank line sets apart is still furniture
                block = _set_apart(block, text=pages[page])
            spans[page] += [(line.start, line.end) for line in block]
    spans = [sorted(set(page)) for page in spans]
    # a file of nothing but equal pages has no text around which furniture could stand
    return spans if any(map(_has_text, pages, spans)) else [[] for _ in pages]


def _has_text(page: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a page has more than its furniture."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(page)]
    return any(page[end:start].strip() for end, start in zip(ends, starts, strict=True))


def _set_apart(block: Sequence[_Line], text: str) -> list[_Line]:
    """The lines of the block between the edge and the first blank line."""
    for place, (line, inner) in enumerate(pairwise(block), start=1):
        between = text[min(line.end, inner.end) : max(line.start, inner.start)]
        if between.count("\n") > 1:
            return list(block[:place])
    return []


def _edge_lines(page: int, text: str, edge: Edge) -> list[_Line]:
    """The lines that may be furniture, from the edge inwards."""
    found = [m for m in re.finditer(r"[^\n]+", text) if not m[0].isspace()]
    nearest = (found if edge == "top" else found[::-1])[: EDGE_LINES + 1]
    lines = []
    for match in nearest:
        folded = _CHINESE_PAGE.sub(lambda word: str(chinese_value(word[0])), fold(match[0]))
        if match[0].count("|") >= 2:
            break
        numbers = tuple(int(number) for number in _NUMBER.findall(folded) if len(number) < 10)
        lines.append(_Line(page, match.start(), match.end(), _NUMBER.sub("#", folded), numbers))
    return lines


def _repeated(lines: Iterable[_Line], pages: int) -> set[_Line]:
    """The lines that repeat."""
    alike: dict[tuple[str, int], list[_Line]] = defaultdict(list)
    for line in lines:
        alike[line.words, len(line.numbers)].append(line)
    needed = 2 if pages == 2 else max(3, -(-pages // 3))
    kept: set[_Line] = set()
    for (words, _), group in alike.items():
        if len({line.page for line in group}) < needed:
            continue
        bare = not re.search(r"\w", words.replace("#", "")) and words.count("#") < 3
        for same in _moving_with_the_page(group, bare=bare):
            if len({line.page for line in same}) >= needed:
                kept |= set(same)
    return kept


def _moving_with_the_page(group: list[_Line], *, bare: bool) -> list[list[_Line]]:
    """Parts of the group in which every number is constant or the page number plus a constant.

    A ``bare`` line has nothing but a number or two: one must move with the page, or it is a figure that
    happens to repeat.
    """
    parts: dict[tuple[tuple[str, int], ...], list[_Line]] = defaultdict(list)
    for line in group:
        # a number stands for its distance to the page where others of the group move alike
        key = tuple(
            ("page", number - line.page) if _moves(group, slot, number - line.page) else ("same", number)
            for slot, number in enumerate(line.numbers)
        )
        if bare and not any(kind == "page" for kind, _ in key):
            continue
        parts[key].append(line)
    return list(parts.values())


def _moves(group: list[_Line], slot: int, distance: int) -> bool:
    pages = {line.page for line in group if line.numbers[slot] - line.page == distance}
    return len(pages) >= 2
