from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import Refusal
from assay.reports._document import Document, DocumentFormat, Page
from assay.reports._reasons import (
    DOCUMENT_EMPTY,
    DOCUMENT_NO_TEXT,
    DOCUMENT_TOO_LARGE,
    DOCUMENT_TOO_MANY_PAGES,
    DOCUMENT_UNREADABLE,
)
from assay.reports.documents._characters import BIDI_CONTROL, TAG
from assay.reports.documents._chunks import chunks_of
from assay.reports.documents._decode import decode
from assay.reports.documents._furniture import furniture_spans
from assay.reports.documents._limits import Limits
from assay.reports.documents._normalise import Span, markdown_spans, normalise
from assay.reports.documents._numerals import read_numerals
from assay.reports.documents._paginate import split_pages
from assay.reports.documents._pdf import pdf_pages

_MARKDOWN_NAMES = (".md", ".markdown")
_MARKDOWN_SIGNS = re.compile(r"^(?:#{1,6} \S|<!-- ?page|--- ?page|\|.+\|\s*$)", re.IGNORECASE | re.MULTILINE)
_PDF_HEAD = 1024


@dataclass(frozen=True, slots=True)
class _Raw:
    """Pages as their format gives them, with what the format itself says to leave out."""

    format: DocumentFormat
    pages: Sequence[str]
    marked_pages: bool
    hidden: Sequence[Sequence[Span]]
    markup: Sequence[Sequence[Span]] = ()
    flags: Mapping[str, bool] = field(default_factory=dict)


def read_document(source: Path | bytes, *, name: str | None = None, limits: Limits | None = None) -> Document:
    """Read a report: PDF, Markdown or plain text.

    Parameters
    ----------
    source : the file or its bytes. A PDF is known by its first bytes; Markdown by the name, or for bytes
        without one by its headings, tables or page marks; all else is plain text in UTF-8, or in UTF-16
        with a byte order mark.
    name : under which the document is known; the file's by default.
    limits : of size, pages, memory and time; the defaults of :class:`Limits` otherwise.

    Raises
    ------
    Refusal
        ``document.unreadable``, ``encrypted``, ``no_text``, ``too_large``, ``too_many_pages``,
        ``wrong_encoding``, ``empty`` or ``timed_out``.
    """
    limits = limits or Limits()
    where = name or (source.name if isinstance(source, Path) else "report")
    data = _bytes(source, limits, where)
    if not data:
        raise Refusal(DOCUMENT_EMPTY, where=where)
    is_pdf = b"%PDF-" in data[:_PDF_HEAD]
    raw = _pdf(data, limits, where) if is_pdf else _text(data, limits, where)
    if len(raw.pages) > limits.pages:
        message = f"the report has {len(raw.pages)} pages, the limit is {limits.pages}"
        raise Refusal(DOCUMENT_TOO_MANY_PAGES, message, where=where)
    return _document(where, data, raw)


def _document(name: str, data: bytes, raw: _Raw) -> Document:
    none: list[list[Span]] = [[] for _ in raw.pages]
    furniture = furniture_spans(_seen(raw)) if raw.marked_pages else none
    normal = normalise(
        raw.pages,
        furniture=furniture,
        hidden=raw.hidden,
        markup=raw.markup or none,
        cut_by_length=not raw.marked_pages,
    )
    if not normal.text:
        reason = DOCUMENT_NO_TEXT if raw.format == "pdf" else DOCUMENT_EMPTY
        raise Refusal(reason, where=name, details={"hidden_text": any(raw.hidden)})
    kinds = {part.kind for part in normal.dropped}
    flags = {
        **raw.flags,
        "hidden_text": "hidden" in kinds,
        "furniture_removed": "furniture" in kinds,
        "tables": " | " in normal.text,
        "tag_characters": any(TAG.search(page) for page in raw.pages),
        "bidi_controls": any(BIDI_CONTROL.search(page) for page in raw.pages),
    }
    return Document(
        name=name,
        format=raw.format,
        sha256=hashlib.sha256(data).hexdigest(),
        pages=tuple(Page(number, text) for number, text in enumerate(raw.pages, start=1)),
        text=normal.text,
        page_of=normal.page_of,
        offset_of=normal.offset_of,
        chunks=chunks_of(normal.text, normal.page_of),
        numerals=read_numerals(normal.text),
        folded=normal.folded,
        folded_original=normal.folded_original,
        flags=tuple(sorted(flag for flag, on in flags.items() if on)),
        dropped=normal.dropped,
    )


def _seen(raw: _Raw) -> list[str]:
    """The pages with blanks in place of hidden text, so that offsets stay."""
    seen = []
    for page, spans in zip(raw.pages, raw.hidden, strict=True):
        for start, end in spans:
            page = page[:start] + re.sub(r"[^\n]", " ", page[start:end]) + page[end:]
        seen.append(page)
    return seen


def _bytes(source: Path | bytes, limits: Limits, where: str) -> bytes:
    if isinstance(source, bytes):
        data = source
    else:
        try:
            data = _content(source, limits.file_bytes + 1)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "this is no path"
            message = f"the file cannot be read: {why}"
            raise Refusal(DOCUMENT_UNREADABLE, message, where=str(source), fix="check the path") from error
    if len(data) > limits.file_bytes:
        message = f"the file has more than {limits.file_bytes:,} bytes"
        raise Refusal(DOCUMENT_TOO_LARGE, message, where=where)
    return data


def _content(path: Path, most: int) -> bytes:
    """So many bytes of a file: one more than is allowed tells that there is more."""
    # a pipe that nobody writes to would keep an opening for reading waiting
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise OSError(0, "it is a folder" if stat.S_ISDIR(mode) else "it is a device or a pipe")
    with os.fdopen(handle, "rb") as file:
        return file.read(most)


def _pdf(data: bytes, limits: Limits, where: str) -> _Raw:
    pages = pdf_pages(data, limits, where)
    flags = {
        "text_lost": any(page.lost for page in pages),
        "pages_without_text": not all(page.text.strip() for page in pages),
    }
    return _Raw("pdf", [page.text for page in pages], True, [page.hidden for page in pages], flags=flags)


def _text(data: bytes, limits: Limits, where: str) -> _Raw:
    text = decode(data[: 4 * limits.characters + 4], where) if len(data) <= 4 * limits.characters else ""
    if not text or len(text) > limits.characters:
        message = f"the text has more than {limits.characters:,} characters"
        raise Refusal(DOCUMENT_TOO_LARGE, message, where=where)
    suffix = Path(where).suffix.lower()
    markdown = suffix in _MARKDOWN_NAMES or (not suffix and bool(_MARKDOWN_SIGNS.search(text)))
    pages, marked = split_pages(text, marks=markdown)
    if not markdown:
        return _Raw("text", pages, marked, [[] for _ in pages])
    spans = [markdown_spans(page) for page in pages]
    return _Raw("markdown", pages, marked, [hidden for hidden, _ in spans], [marks for _, marks in spans])
