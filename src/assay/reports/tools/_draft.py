"""A spec as an agent writes it, with quotes instead of located spans; and where those quotes stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from assay.reports._document import Document
from assay.reports._orders import Orders
from assay.spec import EvidenceSpan, FactorSpec, Frequency, Neutralization, SpecField, UniverseName

NOT_IN_TEXT: Final = "not-in-text"
"""Chunk id of a span whose quote the text does not hold; it never resolves, so the gate sees it."""


class Quote(BaseModel):
    """Words of the report, copied character by character, and the field that they state."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    field: SpecField = Field(description="the field of the spec, or direction")
    quote: str = Field(min_length=1, max_length=2000, description="copied from the text, never rephrased")
    chunk_id: str | None = Field(
        None, max_length=32, description="the chunk that holds it, where a tool named one"
    )


class SpecDraft(BaseModel):
    """A FactorSpec with quotes as its evidence. Its other fields are those of the spec."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(min_length=1, max_length=200)
    universe: UniverseName
    frequency: Frequency
    neutralization: Neutralization
    rebalance: Frequency
    expr: str = Field(min_length=1, max_length=4096)
    windows: tuple[Annotated[int, Field(ge=1, le=504)], ...] = Field(max_length=64)
    evidence: tuple[Quote, ...] = Field(max_length=200)


@dataclass(frozen=True, slots=True)
class Located:
    """A spec with located evidence, and the quotes that the text does not hold."""

    spec: FactorSpec
    missing: tuple[Quote, ...]


def locate(document: Document, draft: SpecDraft) -> Located:
    """Find every quote of a draft in the text.

    Nothing is mended: a quote that does not stand in the text, or not in the chunk that it names, or in a
    sentence that gives orders to programs, stays in the evidence under :data:`NOT_IN_TEXT`, where the gate
    refuses it; what it was to state is unsupported.
    """
    spans = [span_of(document, quote) for quote in draft.evidence]
    missing = tuple(
        quote for quote, span in zip(draft.evidence, spans, strict=True) if span.chunk_id == NOT_IN_TEXT
    )
    fields = {name: getattr(draft, name) for name in SpecDraft.model_fields if name != "evidence"}
    return Located(FactorSpec(**fields, evidence=tuple(spans)), missing)


def span_of(document: Document, quote: Quote) -> EvidenceSpan:
    """The span of one quote: where it first stands whole inside a chunk.

    A quote that this chunk holds several times has no locator: which place was meant does not matter. A
    sentence that gives orders to programs states nothing about a factor, so it is no place.
    """
    from assay.reports.documents import find_quote

    orders = Orders(document.text)
    for chunk in document.chunks:
        if quote.chunk_id is not None and quote.chunk_id != chunk.chunk_id:
            continue
        found = find_quote(document, quote.quote, chunk_id=chunk.chunk_id)
        places = [place for place in found if orders.standing(place.start, place.end) != "order"]
        if len(places) > 1:
            return EvidenceSpan(field=quote.field, chunk_id=chunk.chunk_id, quote=quote.quote)
        if places:
            place = document.locate(places[0].start, places[0].end)
            return EvidenceSpan(
                field=quote.field,
                chunk_id=chunk.chunk_id,
                quote=quote.quote,
                page_start=place.page_start,
                page_end=place.page_end,
                char_start=place.char_start,
                char_end=place.char_end,
            )
    return EvidenceSpan(field=quote.field, chunk_id=NOT_IN_TEXT, quote=quote.quote)
