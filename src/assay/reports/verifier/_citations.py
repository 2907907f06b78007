"""Citations: does the chunk exist, and does the quote stand inside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from assay.reports._document import Document, Numeral, Range
from assay.reports._orders import Orders, Standing
from assay.spec import EvidenceSpan

# a full stop ends a sentence where a blank or the end follows; a line of a table is a sentence of its own
_END: Final = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_CLAUSE: Final = re.compile(r"[。！？!?；;\n，,:：|]|\.(?=\s|$)")


_PROPER: Final = re.compile(r"“[^”\n]{1,24}”|「[^」\n]{1,24}」|《[^》\n]{1,48}》|\"[^\"\n]{1,32}\"")
"""Words in quotation marks; with a digit among them they may be the quantity itself: "20-day high"."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of the evidence that resolves.

    ``start`` and ``end`` are places in the normalised text; ``quote`` is the text there, ``sentences`` the
    sentences that the quote touches, cut at the bounds of the cited chunk. ``suspect``: it follows, in its
    paragraph, an order to programs.
    """

    span: EvidenceSpan
    start: int
    end: int
    quote: str
    sentences: str
    suspect: bool = False

    @property
    def spoken(self) -> str:
        """The quote without names in quotation marks: “均值之外” is what something is called, and no mean."""
        return _PROPER.sub(lambda m: m.group() if re.search(r"\d", m.group()) else "“”", self.quote)


@dataclass(frozen=True, slots=True)
class Citations:
    """The spans of an evidence: those that resolve, and what is wrong with the others."""

    resolved: tuple[Citation, ...]
    problems: tuple[str, ...]

    def of(self, *fields: str) -> tuple[Citation, ...]:
        """The resolved ones for these fields."""
        return tuple(citation for citation in self.resolved if citation.span.field in fields)


def resolve(document: Document, evidence: tuple[EvidenceSpan, ...]) -> Citations:
    """Find every span in the document.

    A quote that stands several times in its chunk counts once for each place: which of them was meant does
    not matter to a reader. A locator must be that of one of the places. Of places inside orders to programs
    none counts, and those that follow one in their paragraph only where there is no other.
    """
    orders = Orders(document.text)
    resolved: list[Citation] = []
    problems: list[str] = []
    for number, span in enumerate(evidence):
        found = _places(document, span, orders)
        if isinstance(found, str):
            problems.append(f"evidence.{number} ({span.field}): {found}")
        else:
            resolved += found
    return Citations(tuple(resolved), tuple(problems))


def sentence_of(text: str, start: int, end: int, low: int = 0, high: int | None = None) -> str:
    """The sentences that ``[start, end)`` touches, within ``[low, high)``."""
    return _around(_END, text, start, end, low, len(text) if high is None else high)


def span_of_sentence(text: str, start: int, end: int) -> Range:
    """Where the sentences begin and end that ``[start, end)`` touches."""
    first = max((match.end() for match in _END.finditer(text, 0, start)), default=0)
    after = _END.search(text, max(end - 1, start))
    return Range(first, after.start() if after is not None else len(text))


def sentences_behind(text: str, end: int) -> Iterator[str]:
    """The sentences behind a place, up to the end of its line."""
    stop = text.find("\n", end)
    for sentence in _END.split(text[end : stop if stop >= 0 else len(text)]):
        if sentence.strip():
            yield sentence


def clause_of(text: str, start: int, end: int) -> str:
    """The clauses, parted by commas too, that ``[start, end)`` touches."""
    return _around(_CLAUSE, text, start, end, 0, len(text))


def numerals_in(document: Document, citation: Citation) -> tuple[Numeral, ...]:
    """The numerals that stand wholly inside the quote."""
    return tuple(
        item for item in document.numerals if citation.start <= item.start and item.end <= citation.end
    )


def _places(document: Document, span: EvidenceSpan, orders: Orders) -> list[Citation] | str:
    from assay.reports.documents import find_quote

    chunk = document.chunk(span.chunk_id)
    if chunk is None:
        return f"there is no chunk {span.chunk_id}"
    ranges = find_quote(document, span.quote, chunk_id=span.chunk_id)
    if not ranges:
        return f"the quote does not stand in chunk {span.chunk_id}"
    if span.located:
        locator = (span.page_start, span.char_start, span.page_end, span.char_end)
        ranges = tuple(place for place in ranges if _locator(document, place.start, place.end) == locator)
        if not ranges:
            return "its page and offsets are not those of the quote"
    by_standing: dict[Standing, list[Range]] = {"plain": [], "after_order": [], "order": []}
    for place in ranges:
        by_standing[orders.standing(place.start, place.end)].append(place)
    if len(by_standing["order"]) == len(ranges):
        return "the quote stands in an order to programs, which says nothing about a factor"
    return [
        Citation(
            span,
            place.start,
            place.end,
            document.text[place.start : place.end],
            sentence_of(document.text, place.start, place.end, chunk.start, chunk.end),
            suspect=not by_standing["plain"],
        )
        for place in by_standing["plain"] or by_standing["after_order"]
    ]


def _locator(document: Document, start: int, end: int) -> tuple[int, int, int, int]:
    place = document.locate(start, end)
    return place.page_start, place.char_start, place.page_end, place.char_end


def _around(ends: re.Pattern[str], text: str, start: int, end: int, low: int, high: int) -> str:
    first = low
    for match in ends.finditer(text, low, start):
        first = match.end()
    after = ends.search(text, max(end - 1, start), high)
    return text[first : after.end() if after is not None else high].strip()
