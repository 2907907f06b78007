"""A report's text cut up for a page: pages, blocks, and runs that each carry one set of citations."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from assay.reports import Document, Numeral
from assay.reports.documents import find_quote
from assay.spec import EvidenceSpan
from assay.views._report_words import FIELDS, numeral_text, quoted_text, visible

MOST_PLACES: Final = 20
"""Places of one quote that are shown; a citation that fits more of them says nothing."""

MOST_GAPS: Final = 100
"""Places of one page at which something was left out that are shown."""

_GAP_LENGTH: Final = 300
_HEADING: Final = re.compile(r"(#{1,6})\s+")
_RULE: Final = re.compile(r"\s*[-=_*\u2500\u2501]{3,}\s*")
_ITEM: Final = re.compile(r"[-*\u2022\u00b7]\s+")
_TABLE_RULE: Final = re.compile(r"[|\s:-]+")
_FENCE: Final = "```"

_LEFT_OUT: Final = ("furniture", "hidden", "invisible")
"""What a person should be able to see; emphasis marks and hyphens are not worth it."""

_Key = tuple[str, int, int]
"""Field, start and end of a highlight."""

BlockKind = Literal["paragraph", "heading", "item", "rule", "code", "table", "gap"]


@dataclass(frozen=True, slots=True)
class Highlight:
    """A cited place ``[start, end)`` of the text and the field that it supports.

    ``spans`` are the numbers of the citations that stand there; ``lane`` is the line under the text that it
    has to itself.
    """

    id: str
    field: str
    start: int
    end: int
    spans: tuple[int, ...]
    lane: int = 0

    @property
    def label(self) -> str:
        """The field in words."""
        return FIELDS[self.field].label

    @property
    def tag(self) -> str:
        """The two letters of the field."""
        return FIELDS[self.field].tag


@dataclass(frozen=True, slots=True)
class Quoted:
    """A citation with the places where it is shown; none where the text does not hold it.

    ``more`` counts the places beyond the limit.
    """

    id: str
    span: EvidenceSpan
    places: tuple[Highlight, ...]
    more: int = 0

    @property
    def shown(self) -> str:
        """The words, with invisible characters written out."""
        return quoted_text(self.span.quote)


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a page that the text leaves out, just before position ``at`` of the text."""

    at: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A number, or the text between two; ``numeral`` says what the number that ends here means."""

    text: str
    number: bool = False
    numeral: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text with one set of citations.

    Parameters
    ----------
    highlights : those that cover it, the shortest first.
    begin : those that begin here, and get their tag here.
    gaps : what was left out just before it.
    """

    pieces: tuple[Piece, ...]
    highlights: tuple[Highlight, ...] = ()
    begin: tuple[Highlight, ...] = ()
    gaps: tuple[Gap, ...] = ()

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def ids(self) -> str:
        """The highlights' ids, as a page's script looks for them."""
        return " ".join(item.id for item in self.highlights)

    @property
    def lines(self) -> str:
        """The lines under the text, as CSS."""
        return ";".join(f"--l{item.lane}:var(--line-{item.field})" for item in self.highlights)

    @property
    def supports(self) -> str:
        """The fields in words."""
        return ", ".join(dict.fromkeys(item.label for item in self.highlights))


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, item or line of code (``runs``), or a table (``rows`` of cells)."""

    kind: BlockKind
    runs: Runs = ()
    level: int = 0
    rows: tuple[tuple[Runs, ...], ...] = ()
    headed: bool = False
    gap: Gap | None = None
    lanes: int = 0


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page of the report."""

    number: int
    blocks: tuple[Block, ...]
    cited: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole text, and where each citation stands in it."""

    pages: tuple[TextPage, ...]
    quoted: tuple[Quoted, ...]
    highlights: tuple[Highlight, ...]

    @property
    def has_gaps(self) -> bool:
        """Whether anything was left out that is worth a look."""
        blocks = [block for page in self.pages for block in page.blocks]
        cells = [runs for block in blocks for runs in (block.runs, *(c for row in block.rows for c in row))]
        return any(block.gap for block in blocks) or any(run.gaps for runs in cells for run in runs)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are cited, in the order of the page."""
        used = {item.field for item in self.highlights}
        return tuple(name for name in FIELDS if name in used)


def lay_out(document: Document, evidence: Sequence[EvidenceSpan]) -> Layout:
    """Cut the text of a document up by pages, blocks and citations."""
    quoted = _quoted(document, evidence)
    highlights = dict.fromkeys(place for item in quoted for place in item.places)
    cutter = _Cutter(document, sorted(highlights, key=lambda item: (item.start, item.end)))
    pages = tuple(cutter.pages())
    # a quote of nothing but markup (the bars of a table) is cited and has no place on the page
    quoted = tuple(
        replace(item, places=tuple(place for place in item.places if place.id in cutter.tagged))
        for item in quoted
    )
    return Layout(pages, quoted, tuple(item for item in highlights if item.id in cutter.tagged))


def places_of(document: Document, span: EvidenceSpan) -> list[tuple[int, int]]:
    """Where a citation stands in the normalised text: one place where it has a locator, else all of them."""
    found = find_quote(document, span.quote, chunk_id=span.chunk_id)
    places = [(place.start, place.end) for place in found]
    if not span.located:
        return places
    wanted = (span.page_start, span.char_start, span.page_end, span.char_end)
    return [place for place in places if _locator(document, *place) == wanted]


def _locator(document: Document, start: int, end: int) -> tuple[int, int, int, int]:
    place = document.locate(start, end)
    return place.page_start, place.char_start, place.page_end, place.char_end


def _quoted(document: Document, evidence: Sequence[EvidenceSpan]) -> tuple[Quoted, ...]:
    every = [places_of(document, span) for span in evidence]
    places = [found[:MOST_PLACES] for found in every]
    spans: dict[_Key, list[int]] = {}
    for number, (span, found) in enumerate(zip(evidence, places, strict=True)):
        for start, end in found:
            spans.setdefault((span.field, start, end), []).append(number)
    lanes = _lanes(spans)
    made = {
        key: Highlight(f"s{number}", *key, tuple(spans[key]), lanes[key]) for number, key in enumerate(spans)
    }
    return tuple(
        Quoted(
            f"q{number}",
            span,
            tuple(made[span.field, start, end] for start, end in found),
            len(every[number]) - len(found),
        )
        for number, (span, found) in enumerate(zip(evidence, places, strict=True))
    )


def _lanes(keys: Iterable[_Key]) -> dict[_Key, int]:
    """A lane for each highlight: those that overlap share one only where they support the same field."""
    lanes: dict[_Key, int] = {}
    open_: list[tuple[int, int, str]] = []  # end, lane, field
    for key in sorted(keys, key=lambda key: (key[1], -key[2])):
        name, start, end = key
        open_ = [item for item in open_ if item[0] > start]
        same = [lane for _, lane, other in open_ if other == name]
        taken = {lane for _, lane, _ in open_}
        lane = same[0] if same else next(free for free in range(len(taken) + 1) if free not in taken)
        open_.append((end, lane, name))
        lanes[key] = lane
    return lanes


@dataclass
class _Cutter:
    """Walks through the text once, page by page and line by line."""

    document: Document
    highlights: list[Highlight]
    tagged: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._numerals = self.document.numerals
        self._numeral_starts = [item.start for item in self._numerals]
        self._starts = [item.start for item in self.highlights]
        self._longest = max((item.end - item.start for item in self.highlights), default=0)
        self._gaps: deque[Gap] = deque()

    def pages(self) -> Iterator[TextPage]:
        """Every page of the original in order, also those without text."""
        stretches: dict[int, list[tuple[int, int]]] = {page.number: [] for page in self.document.pages}
        gaps = _gaps(self.document)
        for start, end in _stretches(self.document):
            stretches[int(self.document.page_of[start])].append((start, end))
        for number, parts in stretches.items():
            self._gaps = deque(gaps.get(number, ()))
            blocks = [block for start, end in parts for block in self._blocks(start, end)]
            blocks += [Block("gap", gap=gap) for gap in self._gaps]
            cited = sum(len(self._inside(start, end)) for start, end in parts)
            yield TextPage(number, tuple(blocks), cited)

    def _blocks(self, start: int, end: int) -> Iterator[Block]:
        lines = list(_lines(self.document.text, start, end))
        position = 0
        fenced = False
        while position < len(lines):
            low, high = lines[position]
            line = self.document.text[low:high]
            yield from (Block("gap", gap=gap) for gap in self._gaps_before(low + 1))
            position += 1
            if line.strip().startswith(_FENCE):
                fenced = not fenced
            elif fenced:
                yield self._block("code", low, high)
            elif line.lstrip().startswith("|"):
                rows = [(low, high)]
                while position < len(lines) and self._is_row(*lines[position]):
                    rows.append(lines[position])
                    position += 1
                yield self._table(rows)
            elif line.strip():
                yield self._plain(line, low, high)

    def _is_row(self, low: int, high: int) -> bool:
        return self.document.text[low:high].lstrip().startswith("|")

    def _plain(self, line: str, low: int, high: int) -> Block:
        if heading := _HEADING.match(line):
            return self._block("heading", low + heading.end(), high, level=len(heading[1]))
        if _RULE.fullmatch(line):
            return Block("rule")
        if item := _ITEM.match(line):
            return self._block("item", low + item.end(), high)
        return self._block("paragraph", low, high)

    def _block(self, kind: BlockKind, low: int, high: int, *, level: int = 0) -> Block:
        runs = self._runs(low, high)
        return Block(kind, runs, level, lanes=_most_lanes([runs]))

    def _table(self, lines: list[tuple[int, int]]) -> Block:
        ruled = [_TABLE_RULE.fullmatch(self.document.text[low:high]) is not None for low, high in lines]
        rows = tuple(
            tuple(self._runs(*cell) for cell in _cells(self.document.text, low, high))
            for (low, high), rule in zip(lines, ruled, strict=True)
            if not rule
        )
        headed = len(lines) > 1 and ruled[1] and not ruled[0]
        return Block(
            "table", rows=rows, headed=headed, lanes=_most_lanes([cell for row in rows for cell in row])
        )

    def _gaps_before(self, end: int) -> list[Gap]:
        """Those of the page that come before a position, each handed out once."""
        found = []
        while self._gaps and self._gaps[0].at < end:
            found.append(self._gaps.popleft())
        return found

    def _inside(self, low: int, high: int) -> list[Highlight]:
        """The highlights that touch ``[low, high)``."""
        first = bisect_left(self._starts, low - self._longest)
        near = self.highlights[first : bisect_left(self._starts, high)]
        return [item for item in near if low < item.end]

    def _runs(self, low: int, high: int) -> Runs:
        if low >= high:
            return ()
        inside = self._inside(low, high)
        gaps = [replace(gap, at=max(gap.at, low)) for gap in self._gaps_before(high)]
        cuts = {low, high, *(gap.at for gap in gaps)}
        for item in inside:
            cuts |= {max(item.start, low), min(item.end, high)}
        return tuple(self._run(a, b, inside, gaps) for a, b in pairwise(sorted(cuts)))

    def _run(self, low: int, high: int, inside: list[Highlight], gaps: list[Gap]) -> Run:
        over = sorted(
            (item for item in inside if item.start < high and low < item.end),
            key=lambda item: (item.end - item.start, item.lane),
        )
        begin = tuple(item for item in over if item.id not in self.tagged)
        self.tagged |= {item.id for item in begin}
        return Run(
            tuple(self._pieces(low, high)),
            tuple(over),
            tuple(sorted(begin, key=lambda item: list(FIELDS).index(item.field))),
            tuple(gap for gap in gaps if gap.at == low),
        )

    def _pieces(self, low: int, high: int) -> Iterator[Piece]:
        text = self.document.text
        for item in self._numerals_in(low, high):
            first, last = max(item.start, low), min(item.end, high)
            if low < first:
                yield Piece(visible(text[low:first]))
            yield Piece(
                visible(text[first:last]),
                True,
                numeral_text(item, text[item.start : item.end]) if item.end == last else "",
            )
            low = last
        if low < high:
            yield Piece(visible(text[low:high]))

    def _numerals_in(self, low: int, high: int) -> Iterator[Numeral]:
        first = max(bisect_left(self._numeral_starts, low) - 1, 0)
        for item in self._numerals[first:]:
            if item.start >= high:
                return
            if item.end > low:
                yield item


def _most_lanes(parts: Sequence[Runs]) -> int:
    return max((item.lane + 1 for runs in parts for run in runs for item in run.highlights), default=0)


def _stretches(document: Document) -> Iterator[tuple[int, int]]:
    """Ranges of the text that lie on one page, in the order of the text."""
    if not document.text:
        return
    turns = (np.flatnonzero(np.diff(document.page_of)) + 1).tolist()
    yield from pairwise([0, *turns, len(document.text)])


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _cells(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """The cells of a table row, without the blanks around them."""
    bars = [low + found.start() for found in re.finditer(r"\|", text[low:high])]
    if text[low:high].rstrip()[-1] != "|":
        bars.append(high)
    for left, right in pairwise(bars):
        first, last = left + 1, right
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        yield first, last


def _gaps(document: Document) -> dict[int, list[Gap]]:
    """Those of each page in the order of the text."""
    dropped = [item for item in document.dropped if item.kind in _LEFT_OUT]
    shown = {number: np.flatnonzero(document.page_of == number) for number in {item.page for item in dropped}}
    # the first offset at or after a place is where their running maximum reaches it
    reached = {number: np.maximum.accumulate(document.offset_of[here]) for number, here in shown.items()}
    gaps: dict[int, list[Gap]] = {}
    for item in dropped:
        text = document.pages[item.page - 1].text[item.char_start : item.char_end]
        words = visible(text if item.kind == "invisible" else " ".join(text.split()))
        if not words:
            continue
        here = shown[item.page]
        place = int(np.searchsorted(reached[item.page], item.char_start))
        at = int(here[place]) if place < here.size else len(document.text)
        more = "\u2026" if len(words) > _GAP_LENGTH else ""
        gaps.setdefault(item.page, []).append(Gap(at, item.kind, words[:_GAP_LENGTH] + more))
    return {number: _fewer(sorted(found, key=lambda gap: gap.at)) for number, found in gaps.items()}


def _fewer(gaps: list[Gap]) -> list[Gap]:
    """The first of them; a page with an invisible character after every letter would be all gaps."""
    if len(gaps) <= MOST_GAPS:
        return gaps
    last = gaps[MOST_GAPS]
    return [*gaps[:MOST_GAPS], replace(last, text=f"{len(gaps) - MOST_GAPS} more on this page")]
