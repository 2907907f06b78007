from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.reports._document import Document, Folded, Range
from assay.reports.documents._characters import fold


def find_quote(document: Document, quote: str, chunk_id: str | None = None) -> tuple[Range, ...]:
    """Where a quote stands in the normalised text.

    Parameters
    ----------
    document : that is quoted.
    quote : as written in the original or in the normalised text. Blanks, line breaks, full or half width and
        hyphens at line ends do not matter; nothing else is forgiven: no case, no other script of a number.
    chunk_id : only places that lie inside this chunk.

    Returns
    -------
    tuple of Range
        In order; empty where the quote, or the chunk, is not there. Text that a reader of the page cannot see
        is not there.
    """
    low, high = 0, len(document.text)
    if chunk_id is not None:
        chunk = document.chunk(chunk_id)
        if chunk is None:
            return ()
        low, high = chunk.start, chunk.end
    wanted = fold(quote)
    texts = (document.folded, document.folded_original)
    found = {place for text in texts for place in _places(text, wanted, low, high)}
    inside = [place for place in found if low <= place.start and place.end <= high]
    return tuple(sorted(inside, key=lambda place: (place.start, place.end)))


def _places(folded: Folded, wanted: str, low: int, high: int) -> Iterator[Range]:
    """Places of a folded quote in the part of the folded text that stands for ``[low, high)``."""
    inside = np.flatnonzero((folded.index >= low) & (folded.index < high))
    if not wanted or not inside.size:
        return
    first, last = int(inside[0]), int(inside[-1]) + 1
    # a quote may begin or end with characters that nobody sees, which stand for no place of the text
    reach = len(wanted)
    start = folded.text.find(wanted, max(0, first - reach), last + reach)
    while start >= 0:
        index = folded.index[start : start + len(wanted)]
        seen = index[index >= 0]
        if seen.size:
            yield Range(int(seen[0]), int(seen[-1]) + 1)
        start = folded.text.find(wanted, start + 1, last + reach)
