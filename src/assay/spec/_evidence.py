from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

SpecField = Literal[
    "name", "universe", "frequency", "neutralization", "rebalance", "expr", "windows", "direction"
]
"""What a span can support: a field of the spec, or the direction, which is kept apart from the formula."""

QUOTE_LIMIT = 2000


class EvidenceSpan(BaseModel):
    """One quote from the report and the field that it supports.

    ``page_*`` count from 1; ``char_*`` are offsets in the original text of the page (half-open), as a person
    who opens the file would count them. A span that was only quoted has no locator yet; the document adds it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    field: SpecField
    chunk_id: str = Field(min_length=1, max_length=32)
    quote: str = Field(min_length=1, max_length=QUOTE_LIMIT)
    page_start: int | None = Field(None, ge=1)
    page_end: int | None = Field(None, ge=1)
    char_start: int | None = Field(None, ge=0)
    char_end: int | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _whole_locator(self) -> EvidenceSpan:
        parts = (self.page_start, self.page_end, self.char_start, self.char_end)
        if any(part is None for part in parts) and any(part is not None for part in parts):
            raise ValueError("a locator has page_start, page_end, char_start and char_end, or none of them")
        return self

    @property
    def located(self) -> bool:
        """Whether the span says where in the file it stands."""
        return self.page_start is not None
