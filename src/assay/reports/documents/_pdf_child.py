"""The process that reads a PDF: bytes on stdin, JSON on stdout. It is run by its path and imports nothing of
Assay, so that PDFium, which is native code fed with files from anywhere, sees only its own small process.

Limits come as JSON in the first argument. The answer is ``{"pages": [{"text", "hidden"}]}`` or
``{"refused": REASON, "message": TEXT}``.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from typing import Any

_ZLIB_STEP = 1 << 16
_EOF_MARK = b"%%EOF"
_STREAM = re.compile(rb">>\s{0,8}stream\r?\n")
_LINEARIZED = re.compile(rb"/Linearized\b[^>]{0,200}?/L\s+(\d+)")
_PASSWORD = 4


class Refused(Exception):
    """A reason of ``document.*`` and what to say."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def main() -> int:
    """Reads one PDF under the limits of the first argument."""
    limits = json.loads(sys.argv[1])
    confine(limits["memory_bytes"], limits["seconds"])
    data = sys.stdin.buffer.read()
    try:
        check_whole(data)
        check_inflated(data, limits["inflated_bytes"])
        answer: dict[str, Any] = {"pages": read_pages(data, limits["pages"], limits["characters"])}
    except Refused as refused:
        answer = {"refused": refused.reason, "message": str(refused)}
    except MemoryError:
        answer = {"refused": "too_large", "message": "the PDF needs more memory than the limit"}
    sys.stdout.buffer.write(json.dumps(answer).encode())
    return 0


def confine(memory_bytes: int, seconds: float) -> None:
    """Bounds processor time, files written and, on Linux, memory: macOS refuses that."""
    import resource

    wanted = [
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ]
    if sys.platform == "linux":
        wanted.append((resource.RLIMIT_AS, memory_bytes))
    for kind, limit in wanted:
        hard = resource.getrlimit(kind)[1]
        allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (allowed, hard))


def check_whole(data: bytes) -> None:
    """Refuses a file that was cut off: PDFium would mend it and silently lose pages."""
    tail = data.rfind(_EOF_MARK)
    declared = _LINEARIZED.search(data[:2048])
    cut = tail < 0 or (declared is not None and int(declared[1]) > len(data))
    # after an update is cut off, an older end mark stands far before the end of the file
    if cut or re.search(rb"\d{1,10} \d{1,5} obj\b", data[tail:]):
        raise Refused("unreadable", "the PDF is cut off: its end is missing")


def check_inflated(data: bytes, limit: int) -> None:
    """Refuses streams that unpack to more than the limit in all, before PDFium unpacks them.

    Any stream that begins like zlib data is tried, whatever its dictionary calls it; pictures are not, since
    text is read without decoding them. What is packed twice is left to the limit of memory.
    """
    total = 0
    view = memoryview(data)
    for found in _STREAM.finditer(data):
        dictionary = data[max(0, found.start() - 1000) : found.end()]
        dictionary = dictionary[dictionary.rfind(b" obj") + 1 :]
        head = data[found.end() : found.end() + 2]
        zlib_head = len(head) == 2 and head[0] & 15 == 8 and int.from_bytes(head, "big") % 31 == 0
        if not zlib_head or re.search(rb"/Subtype\s*/Image", dictionary):
            continue
        total += inflated_size(view, found.end(), limit - total)
        if total > limit:
            raise Refused("too_large", f"its streams unpack to more than {limit:,} bytes")


def inflated_size(view: memoryview, start: int, limit: int) -> int:
    """How much the stream at ``start`` unpacks to, counted until it ends, breaks or passes the limit."""
    unpack = zlib.decompressobj()
    size = 0
    pending: bytes | memoryview = b""
    while size <= limit and not unpack.eof:
        if not pending:
            pending = view[start : start + _ZLIB_STEP]
            start += _ZLIB_STEP
            if not pending:
                break
        try:
            size += len(unpack.decompress(pending, 1 << 20))
        except zlib.error:
            break
        pending = unpack.unconsumed_tail
    return size


def read_pages(data: bytes, page_limit: int, character_limit: int) -> list[dict[str, Any]]:
    """Text of every page, with the spans that nobody sees."""
    import ctypes

    import pypdfium2.raw as pdfium

    sys.path.append(os.path.dirname(__file__))
    from _pdf_layout import page_text  # type: ignore[import-not-found,unused-ignore]

    pdfium.FPDF_InitLibraryWithConfig(ctypes.byref(pdfium.FPDF_LIBRARY_CONFIG(version=2)))
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        if pdfium.FPDF_GetLastError() == _PASSWORD:
            raise Refused("encrypted", "the PDF needs a password")
        raise Refused("unreadable", "the PDF is damaged")
    count = pdfium.FPDF_GetPageCount(document)
    if count > page_limit:
        raise Refused("too_many_pages", f"the report has {count} pages, the limit is {page_limit}")
    if count < 1:
        raise Refused("unreadable", "the PDF has no pages")
    pages = []
    characters = 0
    for number in range(count):
        page = pdfium.FPDF_LoadPage(document, number)
        if not page:
            raise Refused("unreadable", f"page {number + 1} of the PDF is damaged")
        text = page_text(pdfium, page, character_limit - characters)
        pdfium.FPDF_ClosePage(page)
        if text is None:
            raise Refused("too_large", f"the text has more than {character_limit:,} characters")
        characters += len(text["text"])
        pages.append(text)
    return pages


if __name__ == "__main__":
    sys.exit(main())
