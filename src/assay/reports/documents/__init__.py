"""Files to documents: PDF, Markdown and text, read into one coordinate system; numbers, quotes, searches."""

from assay.reports.documents._limits import Limits
from assay.reports.documents._numerals import read_numerals
from assay.reports.documents._quotes import find_quote
from assay.reports.documents._read import read_document
from assay.reports.documents._search import Found, Hit, PageRead, PagesRead, chunk_of, read_pages, search

__all__ = [
    "Found",
    "Hit",
    "Limits",
    "PageRead",
    "PagesRead",
    "chunk_of",
    "find_quote",
    "read_document",
    "read_numerals",
    "read_pages",
    "search",
]
