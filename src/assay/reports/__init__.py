"""Reports to factors: documents, evidence, extraction, the gate."""

from assay.reports._document import Chunk, Document, Location, Numeral, Page

__all__ = ["Chunk", "Document", "Location", "Numeral", "Page"]
