"""Refusals of the tools on a document; those of the reading itself are in ``assay.reports._reasons``."""

from __future__ import annotations

from assay.errors import Reason

BAD_PAGE_RANGE = Reason(
    "document.bad_page_range",
    "the report has no such pages",
    "ask for pages within the report, first to last, a few at a time",
)
BAD_QUERY = Reason(
    "document.bad_query", "this is no text to search for", "search for a word or a number, with a small limit"
)
UNKNOWN_CHUNK = Reason(
    "document.unknown_chunk",
    "the report has no chunk of that id",
    "use an id that a search or a page returned",
)

REASONS = (BAD_PAGE_RANGE, BAD_QUERY, UNKNOWN_CHUNK)
"""Every refusal of these tools, for the generated reference."""
