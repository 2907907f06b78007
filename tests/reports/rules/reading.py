"""Reading a text held in memory, as the tests of this folder do."""

from assay.reports import Document
from assay.reports._extraction import Extraction
from assay.reports.documents import read_document
from assay.reports.rules import RulesExtractor


def document(text: str, name: str = "note.md") -> Document:
    return read_document(text.encode(), name=name)


def extract(text: str, target: str | None = None) -> Extraction:
    return RulesExtractor().extract(document(text), target)
