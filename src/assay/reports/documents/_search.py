"""The tools that read a document for an agent: search and pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.errors import Refusal
from assay.reports._document import Chunk, Document, Range
from assay.reports.documents._characters import fold
from assay.reports.documents._numerals import number_marks
from assay.reports.documents._quotes import find_quote
from assay.reports.documents._reasons import BAD_PAGE_RANGE, BAD_QUERY, UNKNOWN_CHUNK

MAX_HITS = 20
MAX_PAGES = 10
MAX_QUERY = 200
_AROUND = 80


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that was found, ``[start, end)``: the chunks that hold it whole, what is around it."""

    start: int
    end: int
    page: int
    chunk_ids: tuple[str, ...]
    snippet: str


@dataclass(frozen=True, slots=True)
class Found:
    """Answer of a search: the first hits in order, and how many there are in all."""

    query: str
    hits: tuple[Hit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class PageRead:
    """The normalised text of a page, ``[start, end)``, and the chunks that touch it."""

    number: int
    start: int
    end: int
    text: str
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PagesRead:
    """Pages of a document; ``pages`` is how many it has."""

    first: int
    last: int
    pages: int
    read: tuple[PageRead, ...]


def search(document: Document, query: str, limit: int = 5) -> Found:
    """Finds a query in the text, literally but for case, blanks and width.

    A number in the query finds the same number in any script, and only as a whole: 20 finds 20, 二十, 廿 and
    ２０, not 2018 or 120.

    Raises
    ------
    Refusal
        ``document.bad_query``: the query is empty or longer than 200 characters, or the limit is not 1 to 20.
    """
    if not 1 <= limit <= MAX_HITS:
        raise Refusal(BAD_QUERY, f"the limit is {limit}, not 1 to {MAX_HITS}", where="limit")
    if len(query) > MAX_QUERY:
        raise Refusal(BAD_QUERY, f"the query has more than {MAX_QUERY} characters", where="query")
    if not fold(query):
        raise Refusal(BAD_QUERY, "the query is empty", where="query")
    places = sorted(_by_value(document, query) | _literally(document, query))
    hits = tuple(_hit(document, start, end) for start, end in places[:limit])
    return Found(query, hits, len(places))


def read_pages(document: Document, first: int, last: int) -> PagesRead:
    """The normalised text of pages ``first`` to ``last``, both included, at most 10 at a time.

    Raises
    ------
    Refusal
        ``document.bad_page_range``: the document has no such pages, or they are too many.
    """
    count = len(document.pages)
    if not 1 <= first <= last <= count:
        message = f"pages {first} to {last} were asked for; the document has pages 1 to {count}"
        raise Refusal(BAD_PAGE_RANGE, message, where="pages", details={"pages": count})
    if last - first >= MAX_PAGES:
        message = f"{last - first + 1} pages were asked for; at most {MAX_PAGES} are read at a time"
        raise Refusal(BAD_PAGE_RANGE, message, where="pages", details={"pages": count})
    return PagesRead(first, last, count, tuple(_page(document, number) for number in range(first, last + 1)))


def chunk_of(document: Document, chunk_id: str) -> Chunk:
    """The chunk of that id.

    Raises
    ------
    Refusal
        ``document.unknown_chunk``.
    """
    chunk = document.chunk(chunk_id)
    if chunk is None:
        message = f"the document has no chunk {chunk_id!r}"
        raise Refusal(UNKNOWN_CHUNK, message, where="chunk_id", details={"chunks": len(document.chunks)})
    return chunk


def _page(document: Document, number: int) -> PageRead:
    start, end = (int(place) for place in document.page_of.searchsorted([number, number + 1]))
    chunks = tuple(c.chunk_id for c in document.chunks if c.start < end and start < c.end)
    return PageRead(number, start, end, document.text[start:end].strip(), chunks)


def _hit(document: Document, start: int, end: int) -> Hit:
    chunks = tuple(c.chunk_id for c in document.chunks if c.start <= start and end <= c.end)
    around = document.text[max(0, start - _AROUND) : end + _AROUND]
    return Hit(start, end, int(document.page_of[start]), chunks, around)


def _literally(document: Document, query: str) -> set[tuple[int, int]]:
    """Places of the words as written; a number at an end of the query is not cut out of a longer one."""
    text = document.text
    found = set()
    for place in _without_case(document, query):
        before, after = text[max(0, place.start - 2) : place.start], text[place.end : place.end + 2]
        head, tail = text[place.start], text[place.end - 1]
        cut_before = head.isdigit() and re.search(r"[0-9]$|[0-9][.,]$", before)
        cut_after = tail.isdigit() and re.match(r"[0-9]|[.,][0-9]", after)
        if not (cut_before or cut_after):
            found.add((place.start, place.end))
    return found


def _without_case(document: Document, query: str) -> list[Range]:
    lowered = document.folded.text.lower()
    if len(lowered) != len(document.folded.text):
        # a letter whose lower case is longer would shift every place after it
        return list(find_quote(document, query))
    wanted = fold(query).lower()
    places = []
    start = lowered.find(wanted)
    while start >= 0:
        index = document.folded.index
        places.append(Range(int(index[start]), int(index[start + len(wanted) - 1]) + 1))
        start = lowered.find(wanted, start + 1)
    return places


def _by_value(document: Document, query: str) -> set[tuple[int, int]]:
    """Places where the query stands with its numbers in another script."""
    wanted = number_marks(query)
    if not wanted.numbers:
        return set()
    marked = number_marks(document.text, document.numerals)
    found = set()
    start = marked.text.find(wanted.text)
    while start >= 0:
        last = start + len(wanted.text) - 1
        found.add((int(marked.starts[start]), int(marked.ends[last])))
        start = marked.text.find(wanted.text, start + 1)
    return found
