"""Places of the document as evidence spans: quotes that stand inside one chunk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.reports._document import Chunk, Document
from assay.reports.rules._factors import Factor
from assay.reports.rules._sentences import Sentence
from assay.spec import EvidenceSpan, SpecField

_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Citing:
    """Makes the spans of one document."""

    document: Document

    def spans(self, field: SpecField, start: int, end: int) -> tuple[EvidenceSpan, ...]:
        """``text[start:end]`` as a quote; cut where no chunk holds all of it."""
        end = min(end, start + _LONGEST)
        chunk = self._chunk(start, end)
        if chunk is None:
            return ()
        end = min(end, chunk.end)
        while end > start and self.document.text[end - 1].isspace():
            end -= 1
        if end <= start:
            return ()
        place = self.document.locate(start, end)
        return (
            EvidenceSpan(
                field=field,
                chunk_id=chunk.chunk_id,
                quote=self.document.text[start:end],
                page_start=place.page_start,
                page_end=place.page_end,
                char_start=place.char_start,
                char_end=place.char_end,
            ),
        )

    def name(self, factor: Factor) -> tuple[EvidenceSpan, ...]:
        """Where the text gives the factor its name."""
        first = factor.first
        place = first.name_start if first.name == factor.name else self.document.text.find(factor.name)
        if place < 0 or not self.document.text.startswith(factor.name, place):
            place = self.document.text.find(factor.name)
        return self.spans("name", place, place + len(factor.name)) if place >= 0 else ()

    def _chunk(self, start: int, end: int) -> Chunk | None:
        holding = [chunk for chunk in self.document.chunks if chunk.start <= start < chunk.end]
        return max(holding, key=lambda chunk: min(chunk.end, end) - start, default=None)


_LETTER = re.compile(r"(?<![A-Za-z])[OHLCVRA](?![A-Za-z])")
_MEANING = re.compile(
    r"high|low|clos|open|volume|amount|value|return|最高|最低|收盘|开盘|成交|收益", re.IGNORECASE
)


def letters_told(
    document: Document, start: int, end: int, sentences: Sequence[Sentence]
) -> tuple[Sentence, ...]:
    """The sentences that say what the letters of a formula stand for: "H and L are the high and the low"."""
    used = set(_LETTER.findall(document.text[start:end]))
    return tuple(
        sentence
        for sentence in sentences
        if used
        and not start <= sentence.start < end
        and used & set(_LETTER.findall(sentence.text))
        and _MEANING.search(sentence.text)
    )
