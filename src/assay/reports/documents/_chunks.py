from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from assay.reports._document import Chunk

CHUNK_CHARACTERS = 1200
OVERLAP = 150

_SENTENCE_END = re.compile(r"\n|[。！？；]|[.!?;](?=\s)")


def chunks_of(text: str, page_of: NDArray[np.int32]) -> tuple[Chunk, ...]:
    """Parts of about 1,200 characters that cover the text, each beginning and ending at the end of a sentence
    where there is one; neighbours share about 150 characters."""
    chunks: list[Chunk] = []
    start = 0
    while True:
        end = _end(text, start)
        number = f"p{page_of[start]}-c{len(chunks):04d}"
        chunks.append(Chunk(number, start, end, int(page_of[start]), int(page_of[end - 1])))
        if end == len(text):
            return tuple(chunks)
        start = _next_start(text, start, end)


def _end(text: str, start: int) -> int:
    limit = start + CHUNK_CHARACTERS
    if len(text) <= limit:
        return len(text)
    ends = [found.end() for found in _SENTENCE_END.finditer(text, start + CHUNK_CHARACTERS // 2, limit)]
    return ends[-1] if ends else limit


def _next_start(text: str, start: int, end: int) -> int:
    """The first sentence that begins within the overlap, else its first character."""
    wanted = end - OVERLAP
    begins = _SENTENCE_END.search(text, max(wanted - OVERLAP, start), end - OVERLAP // 3)
    return begins.end() if begins else wanted
