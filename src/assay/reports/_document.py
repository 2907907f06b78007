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


NumeralUnit = Literal["day", "week", "month", "quarter", "year", "percent", "ratio", "none"]
NumeralLabel = Literal["parameter", "date", "code", "price", "name", "furniture", "ordinal", "count"]
"""Only a ``parameter`` can ground a number; the others belong to something else."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in the normalised text, ``[start, end)``, whatever its script.

    ``value`` is exact text of a decimal (``"20"``, ``"0.025"``, ``"1/3"`` as ``"0.3333333333"``); percents are
    fractions. ``days`` is the number of trading days it may mean, where its unit is one of time.
    """

    start: int
    end: int
    value: str
    unit: NumeralUnit
    label: NumeralLabel
    days: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A report that was read.

    Parameters
    ----------
    sha256 : of the file's bytes.
    pages : the original, page by page.
    text : normalised: furniture (running headers, footers, page numbers) left out, broken lines joined, full
        width made half width, blanks collapsed. Words and numerals stay as written.
    page_of, offset_of : for each character of ``text``, its page number and offset in that page's text.
    chunks : cover ``text``, overlapping.
    numerals : in order.
    flags : what a reader should know: ``hidden_text``, ``furniture_removed``, ``tables``.
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
    flags: tuple[str, ...] = ()

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
