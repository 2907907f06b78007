from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from assay.errors import Reason, Refusal
from assay.reports._reasons import (
    DOCUMENT_ENCRYPTED,
    DOCUMENT_TIMED_OUT,
    DOCUMENT_TOO_LARGE,
    DOCUMENT_TOO_MANY_PAGES,
    DOCUMENT_UNREADABLE,
)
from assay.reports.documents._limits import Limits

_CHILD: Final = Path(__file__).with_name("_pdf_child.py")
_REASONS: Final[dict[str, Reason]] = {
    "encrypted": DOCUMENT_ENCRYPTED,
    "too_large": DOCUMENT_TOO_LARGE,
    "too_many_pages": DOCUMENT_TOO_MANY_PAGES,
    "unreadable": DOCUMENT_UNREADABLE,
}


@dataclass(frozen=True, slots=True)
class PdfPage:
    """Text of a page, the spans of it that a reader of the page does not see, and whether some was lost."""

    text: str
    hidden: tuple[tuple[int, int], ...]
    lost: bool


def pdf_pages(data: bytes, limits: Limits, where: str) -> list[PdfPage]:
    """The pages of a PDF, read by PDFium in a process of its own under the limits.

    Raises
    ------
    Refusal
        ``document.encrypted``, ``too_large``, ``too_many_pages``, ``unreadable`` or ``timed_out``.
    """
    # -P: the child finds its one neighbour by a path that it sets itself; -B: it may not write files
    command = [sys.executable, "-P", "-B", str(_CHILD), json.dumps(asdict(limits))]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=limits.seconds, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        message = f"the PDF was not read within {limits.seconds:g} s"
        raise Refusal(DOCUMENT_TIMED_OUT, message, where=where) from error
    if done.returncode == -signal.SIGXCPU:
        raise Refusal(DOCUMENT_TIMED_OUT, f"the PDF took more than {limits.seconds:g} s", where=where)
    if done.returncode != 0:
        raise Refusal(DOCUMENT_UNREADABLE, _last_words(done, limits), where=where)
    answer = json.loads(done.stdout)
    if "refused" in answer:
        raise Refusal(_REASONS[answer["refused"]], answer["message"], where=where)
    return [
        PdfPage(page["text"], tuple((start, end) for start, end in page["hidden"]), page["lost"] > 0)
        for page in answer["pages"]
    ]


def _last_words(done: subprocess.CompletedProcess[bytes], limits: Limits) -> str:
    """Why the child ended without an answer: PDFium ends its process when memory fails it."""
    memory = limits.memory_bytes // (1024 * 1024)
    if done.returncode < 0:
        ended = f"its reader was ended by signal {-done.returncode}"
        return f"the PDF is damaged, or unpacks to more than {memory} MB: {ended}"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return f"the PDF could not be read: {said[-1][:200] if said else 'no answer'}"
