"""A report as text with one coordinate system: the normalised text, mapped back to pages of the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

DocumentFormat = Literal["pdf", "markdown", "text"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the original. ``number`` counts from 1; ``text`` is what the reader got, unchanged."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the original: character offsets within the text of its first and last page (half-open)."""

    page_start: int
    char_start: int
    page_end: int
    char_end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of the normalised text, ``[start, end)``; ids are ``p<page>-c<nnnn>`` and always resolve."""

    chunk_id: str
    start: int
    end: int
    page_start: int
    page_end: int


NumeralUnit = Literal["intraday", "day", "week", "month", "quarter", "year", "percent", "ratio", "none"]
"""``intraday``: seconds, minutes, hours; never a number of trading days."""

NumeralLabel = Literal[
    "parameter", "date", "code", "price", "name", "furniture", "ordinal", "count", "result"
]
"""Only a ``parameter`` can ground a number; the others belong to something else (``result``: a performance
figure such as an IC or a drawdown)."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in the normalised text, ``[start, end)``, whatever its script.

    The range covers the number with its percent sign or 万/亿, not the unit of time after it. ``value`` has
    no sign (``t-20`` is 20) and is exact text of a decimal (``"20"``, ``"0.025"``, ``"1/3"`` as
    ``"0.3333333333"``); percents are fractions. ``days`` are the numbers of trading days that a ``parameter``
    with a unit of time may mean, ascending.
    """

    start: int
    end: int
    value: str
    unit: NumeralUnit
    label: NumeralLabel
    days: tuple[int, ...] = ()


DropKind = Literal["furniture", "hidden", "invisible", "markup", "hyphen"]
"""Why a part of the original is not in the text: running headers, footers and page numbers; text that a
reader of the page cannot see; characters without a glyph (Unicode tags, zero width, bidi); emphasis marks;
hyphens of words broken at a line end."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Characters ``[char_start, char_end)`` of a page's original text that the normalised text leaves out."""

    page: int
    char_start: int
    char_end: int
    kind: DropKind


@dataclass(frozen=True, slots=True)
class Range:
    """Characters ``[start, end)`` of the normalised text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A text without blanks and with all widths made half, in which quotes are looked up.

    ``index[i]`` is the position in the normalised text of folded character ``i``, or -1 for one that is only
    in the original.
    """

    text: str
    index: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A report that was read.

    Parameters
    ----------
    sha256 : of the file's bytes.
    pages : the original, page by page.
    text : normalised: furniture (running headers, footers, page numbers) and hidden text left out, broken
        lines joined, letters, digits and signs of full width made half width (，；：！？ stay: a Chinese
        comma is no thousands separator), blanks collapsed and dropped beside Chinese characters. One line is
        one paragraph, heading, list item or table row. Words and numerals stay as written.
    page_of, offset_of : for each character of ``text``, its page number and offset in that page's text.
    chunks : cover ``text``, overlapping.
    numerals : in order.
    flags : what a reader should know, sorted: ``hidden_text``, ``tag_characters``, ``bidi_controls``,
        ``furniture_removed``, ``tables``, ``pages_without_text`` (scanned pages among others), ``text_lost``
        (the PDF lacks a font that this machine lacks too: install it, or get a PDF with its fonts).
    dropped : the parts of the original that ``text`` leaves out, in order.
    folded, folded_original : the text, and the original with furniture, as quotes are looked up in them.
    """

    name: str
    format: DocumentFormat
    sha256: str
    pages: tuple[Page, ...]
    text: str
    page_of: NDArray[np.int32]
    offset_of: NDArray[np.int32]
    chunks: tuple[Chunk, ...]
    numerals: tuple[Numeral, ...]
    folded: Folded
    folded_original: Folded
    flags: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    def chunk(self, chunk_id: str) -> Chunk | None:
        """The chunk of that id."""
        return next((chunk for chunk in self.chunks if chunk.chunk_id == chunk_id), None)

    def locate(self, start: int, end: int) -> Location:
        """The place in the original of ``text[start:end]``, which is not empty."""
        last = end - 1
        return Location(
            int(self.page_of[start]),
            int(self.offset_of[start]),
            int(self.page_of[last]),
            int(self.offset_of[last]) + 1,
        )

    def original(self, start: int, end: int) -> str:
        """The characters of the original from the first to the last of ``text[start:end]``, pages joined by a
        form feed: what a person who opens the file finds there, dropped parts included."""
        place = self.locate(start, end)
        pages = [page.text for page in self.pages[place.page_start - 1 : place.page_end]]
        pages[-1] = pages[-1][: place.char_end]
        pages[0] = pages[0][place.char_start :]
        return "\f".join(pages)
