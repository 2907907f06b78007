"""``report.search``, ``report.read_pages``, ``report.validate_spec``."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from assay.errors import Reason, Refusal
from assay.reports._document import Document
from assay.reports._extraction import Extraction
from assay.reports.tools._draft import SpecDraft, locate
from assay.spec import Direction, read_expr
from assay.tools import Arguments, Context, Result, Tool

SEARCH: Final = "report.search"
READ_PAGES: Final = "report.read_pages"
VALIDATE_SPEC: Final = "report.validate_spec"

MOST_HITS: Final = 20
MOST_PAGES: Final = 10
MOST_CHARACTERS: Final = 24_000
"""Text of pages that one call gives; a single page is given whole."""
LONGEST_QUERY: Final = 200

NO_REPORT = Reason("no_report", "No report is attached here.", "Ask the operator to attach one.")
MISSING_QUERY = Reason("missing_query", "There is no query.", "Give a word or a number to look for.")
BAD_QUERY = Reason(
    "bad_query",
    "The query is empty, or too long.",
    f"Give 1 to {LONGEST_QUERY} characters with a word in them.",
)
BAD_LIMIT = Reason("bad_limit", "The limit is out of bounds.", f"Give 1 to {MOST_HITS}.")
MISSING_PAGE_START = Reason("missing_page_start", "There is no first page.", "Give page_start, from 1.")
BAD_PAGE_START = Reason("bad_page_start", "The first page is no page number.", "Give a whole number from 1.")
MISSING_PAGE_END = Reason("missing_page_end", "There is no last page.", "Give page_end; it is read too.")
BAD_PAGE_END = Reason("bad_page_end", "The last page is no page number.", "Give a whole number from 1.")
UNKNOWN_PAGE = Reason(
    "unknown_page", "The report has no such page.", "Ask for pages up to the last one, which is named."
)
BAD_RANGE = Reason("bad_range", "The last page lies before the first.", "Give page_end >= page_start.")
TOO_MANY_PAGES = Reason(
    "too_many_pages", "These are too many pages for one call.", "Ask for fewer at a time."
)
MISSING_SPEC = Reason("missing_spec", "There is no spec.", "Give the spec to check.")
BAD_SPEC = Reason("bad_spec", "The spec breaks its schema.", "Mend the listed fields.")
MISSING_DIRECTION = Reason(
    "missing_direction", "There is no direction.", "Give positive, negative or undeclared."
)
BAD_DIRECTION = Reason(
    "bad_direction", "There is no such direction.", "Give positive, negative or undeclared."
)


class SearchArguments(Arguments):
    """What to look for."""

    query: str = Field(
        min_length=1,
        max_length=LONGEST_QUERY,
        description="words as the report may write them; a number finds itself in any script",
    )
    limit: int = Field(5, ge=1, le=MOST_HITS, description="places to give, in the order of the text")


class SearchHit(Result):
    """A place: its page, the chunks that hold it whole, and the words around it."""

    page: int
    chunk_ids: tuple[str, ...]
    text: str


class SearchResult(Result):
    """``total`` counts all places, ``hits`` holds the first."""

    total: int
    hits: tuple[SearchHit, ...]


class PagesArguments(Arguments):
    """Which pages, both included."""

    page_start: int = Field(ge=1)
    page_end: int = Field(ge=1)


class PageText(Result):
    """A page's text, and the chunks that touch it."""

    number: int
    chunk_ids: tuple[str, ...]
    text: str


class PagesResult(Result):
    """``count`` is how many pages the report has."""

    count: int
    pages: tuple[PageText, ...]


class SpecArguments(Arguments):
    """A spec with its quotes, and the direction that the text states."""

    spec: SpecDraft
    direction: Direction


class SpecProblem(Result):
    """Why the gate would not admit the spec."""

    reason: str
    message: str
    where: str


class Support(Result):
    """One thing that the text has to state, and whether the quotes do.

    ``aspect`` is number, op, data (a field that the formula reads), field (of the spec) or direction.
    """

    aspect: str
    what: str
    supported: bool


class SpecResult(Result):
    """``ok``: the gate would admit it. ``windows`` are those of the formula, in its order."""

    ok: bool
    problems: tuple[SpecProblem, ...]
    support: tuple[Support, ...]
    windows: tuple[int, ...]


def report_tools(document: Document | None) -> tuple[Tool, ...]:
    """The tools of one report. They read, write nothing, and give text of the report as data.

    Without one they refuse ``no_report``.
    """
    return (_search_tool(document), _pages_tool(document), _validate_tool(document))


def _attached(document: Document | None) -> Document:
    if document is None:
        raise Refusal(NO_REPORT)
    return document


def _search_tool(document: Document | None) -> Tool:
    from assay.reports.documents import search

    def run(arguments: SearchArguments, context: Context) -> SearchResult:
        report = _attached(document)
        try:
            found = search(report, arguments.query, arguments.limit)
        except Refusal as refusal:
            raise Refusal(BAD_QUERY, refusal.message, where="query") from refusal
        hits = tuple(SearchHit(page=h.page, chunk_ids=h.chunk_ids, text=h.snippet) for h in found.hits)
        return SearchResult(total=found.total, hits=hits)

    return Tool(
        id=SEARCH,
        summary="Find words or a number in the report: page, chunk ids and the words around each place.",
        arguments=SearchArguments,
        result=SearchResult,
        reasons=(MISSING_QUERY, BAD_QUERY, BAD_LIMIT, NO_REPORT),
        function=run,
    )


def _pages_tool(document: Document | None) -> Tool:
    def run(arguments: PagesArguments, context: Context) -> PagesResult:
        return _read(_attached(document), arguments.page_start, arguments.page_end)

    return Tool(
        id=READ_PAGES,
        summary=f"Read pages of the report, at most {MOST_PAGES} at a time.",
        arguments=PagesArguments,
        result=PagesResult,
        reasons=(
            MISSING_PAGE_START, BAD_PAGE_START, MISSING_PAGE_END, BAD_PAGE_END, UNKNOWN_PAGE, BAD_RANGE,
            TOO_MANY_PAGES, NO_REPORT,
        ),
        function=run,
    )  # fmt: skip


def _read(document: Document, first: int, last: int) -> PagesResult:
    from assay.reports.documents import read_pages

    count = len(document.pages)
    if last < first:
        raise Refusal(BAD_RANGE, f"pages {first} to {last} were asked for")
    if last > count:
        message = f"pages {first} to {last} were asked for; the report has {count}"
        raise Refusal(UNKNOWN_PAGE, message, details={"count": count})
    if last - first >= MOST_PAGES:
        message = f"{last - first + 1} pages were asked for; at most {MOST_PAGES} are read at a time"
        raise Refusal(TOO_MANY_PAGES, message, details={"count": count})
    read = read_pages(document, first, last).read
    size = sum(len(page.text) for page in read)
    if len(read) > 1 and size > MOST_CHARACTERS:
        message = f"these pages have {size} characters; at most {MOST_CHARACTERS} are read at a time"
        raise Refusal(TOO_MANY_PAGES, message, details={"count": count})
    return PagesResult(
        count=count,
        pages=tuple(PageText(number=p.number, chunk_ids=p.chunk_ids, text=p.text) for p in read),
    )


def _validate_tool(document: Document | None) -> Tool:
    def run(arguments: SpecArguments, context: Context) -> SpecResult:
        return _validate(_attached(document), arguments.spec, arguments.direction)

    return Tool(
        id=VALIDATE_SPEC,
        summary="Check a spec against the report: schema, formula, and whether the quotes state every "
        "number, op and field. A spec that is not ok is no error: mend it, or leave undeclared what the text "
        "does not state.",
        arguments=SpecArguments,
        result=SpecResult,
        reasons=(MISSING_SPEC, BAD_SPEC, MISSING_DIRECTION, BAD_DIRECTION, NO_REPORT),
        function=run,
    )


def _validate(document: Document, draft: SpecDraft, direction: Direction) -> SpecResult:
    from assay.reports.verifier import gate, ground

    spec = locate(document, draft).spec
    read = read_expr(spec)
    node = read.expression.node if read.expression is not None else None
    verdict = gate(document, Extraction.found(spec, direction))
    needs = ground(document, spec, direction, node).needs
    return SpecResult(
        ok=verdict.admitted,
        problems=tuple(
            SpecProblem(reason=f.code, message=f.message, where=f.where) for f in verdict.findings
        ),
        support=tuple(Support(aspect=n.aspect, what=n.what, supported=n.met) for n in needs),
        windows=read.windows,
    )
