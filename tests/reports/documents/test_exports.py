"""The package offers the reader, and loads it when it is first used."""

from __future__ import annotations

import subprocess
import sys

from assay import reports
from assay.reports import documents

NAMES = ("Limits", "find_quote", "read_document", "read_pages", "search")


def test_the_reader_is_offered_by_the_package() -> None:
    assert set(NAMES) | {"Range", "Document"} <= set(reports.__all__)
    for name in NAMES:
        assert getattr(reports, name) is getattr(documents, name)
    document = reports.read_document(b"# A\n\nThe window is 20 days.\n", name="a.md")
    (found,) = reports.find_quote(document, "window is 20")
    assert isinstance(found, reports.Range)
    assert document.text[found.start : found.end] == "window is 20"
    assert reports.search(document, "20").hits
    assert "20" in reports.read_pages(document, 1, 1).read[0].text


def test_the_types_alone_load_no_reader() -> None:
    program = "import sys, assay.reports; sys.exit('assay.reports.documents' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
