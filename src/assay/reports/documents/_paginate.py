from __future__ import annotations

import re

PAGE_CHARACTERS = 1800
"""Length of a page where the file marks none: about a printed page of a note."""

_MARK = re.compile(
    r"^[ \t]*(?:<!--[ \t]*page(?:[ \t]+\d+)?[ \t]*-->|---[ \t]*page[ \t]*(?:\d+[ \t]*)?---)[ \t]*\n?",
    re.IGNORECASE | re.MULTILINE,
)


def split_pages(text: str, *, marks: bool) -> tuple[list[str], bool]:
    """The pages of a text file, and whether the file itself marks them.

    A form feed ends a page; with ``marks`` so do lines ``<!-- page -->`` and ``---page---`` (a number may
    follow the word). A file without any is cut by length, at the ends of paragraphs, else of lines.
    """
    pages = [part for piece in text.split("\f") for part in (_MARK.split(piece) if marks else [piece])]
    if len(pages) > 1:
        # a mark at the very start or end makes no page of its own
        first = 0 if pages[0].strip() else 1
        last = len(pages) if pages[-1].strip() else len(pages) - 1
        return pages[first:last], True
    return _by_length(pages[0]), False


def _by_length(text: str) -> list[str]:
    pages = []
    start = 0
    while len(text) - start > PAGE_CHARACTERS:
        limit = start + PAGE_CHARACTERS
        floor = start + PAGE_CHARACTERS // 2
        cut = max(text.rfind("\n\n", floor, limit) + 2, floor)
        if cut == floor:
            cut = max(text.rfind("\n", floor, limit) + 1, floor)
        if cut == floor:
            cut = max((text.rfind(mark, floor, limit) + len(mark) for mark in ("。", ". ", "；")), default=0)
        if cut <= floor:
            cut = limit
        pages.append(text[start:cut])
        start = cut
    rest = text[start:]
    if rest.strip() or not pages:
        pages.append(rest)
    return pages
