from __future__ import annotations

from dataclasses import dataclass

from assay.reports.documents._limits import Limits


@dataclass(frozen=True, slots=True)
class PdfPage:
    """Text of a page, and the spans of it that a reader of the page does not see."""

    text: str
    hidden: tuple[tuple[int, int], ...]


def pdf_pages(data: bytes, limits: Limits, where: str) -> list[PdfPage]:
    raise NotImplementedError
