"""Reports to factors: documents, evidence, extraction, the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.base import lazy_names
from assay.reports._document import Chunk, Document, Location, Numeral, Page, Range

# most users of the document types read no file
_HOMES = {".documents": ("Limits", "find_quote", "read_document", "read_pages", "search")}

__all__ = [
    "Chunk",
    "Document",
    "Limits",
    "Location",
    "Numeral",
    "Page",
    "Range",
    "find_quote",
    "read_document",
    "read_pages",
    "search",
]

if TYPE_CHECKING:
    from assay.reports.documents import Limits as Limits
    from assay.reports.documents import find_quote as find_quote
    from assay.reports.documents import read_document as read_document
    from assay.reports.documents import read_pages as read_pages
    from assay.reports.documents import search as search

__getattr__ = lazy_names(__name__, _HOMES)
