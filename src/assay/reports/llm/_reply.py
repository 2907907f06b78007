"""What a model answers, and the only way from there to an extraction: schema, then evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.errors import AssayError
from assay.llm import read_json
from assay.reports._document import Document
from assay.reports._extraction import Candidate, Extraction
from assay.reports._reasons import BAD_REPLY, reason_of
from assay.reports.tools import NOT_IN_TEXT, Quote, SpecDraft, locate
from assay.reports.tools._draft import span_of
from assay.spec import Direction
from assay.tools import Trajectory

WhyNot = Literal[
    "extract.minute_data", "extract.fundamental_data", "extract.unsupported_op", "extract.unsupported_field",
]  # fmt: skip
"""Why a factor cannot be computed from daily bars with the ops and fields of the dialect."""

AnswerReason = Literal[
    "extract.no_factor", "extract.minute_data", "extract.fundamental_data", "extract.unsupported_op",
    "extract.unsupported_field", "extract.unread", "extract.conflicting_window",
    "extract.conflicting_direction", "extract.conflicting_field",
]  # fmt: skip
"""Reasons that a model may give; those of the platform it may not."""

_SHOWN = 60
_LISTED = 10

M = TypeVar("M", bound=BaseModel)


class UnreadableAnswer(AssayError):
    """A reply does not have the form asked for; the message is for the model that wrote it."""

    kind = "unreadable_answer"


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ListedFactor(_Closed):
    """A factor that the text defines."""

    name: str = Field(min_length=1, max_length=200, description="as the report calls it")
    quote: str = Field(
        min_length=1, max_length=2000, description="the words that define it, copied from the text"
    )
    computable: bool = Field(
        description="whether the ops and fields of the list can express it on daily bars"
    )
    why_not: WhyNot | None = Field(None, description="exactly where it is not computable")


class FactorList(_Closed):
    """Every factor that the text defines, in its order; empty where it defines none."""

    factors: tuple[ListedFactor, ...] = Field(max_length=60)


class SpecAnswer(_Closed):
    """One factor: its spec, or why there is none."""

    status: Literal["spec", "refused", "conflict"]
    spec: SpecDraft | None = Field(None, description="of status spec alone")
    direction: Direction = Field(
        "undeclared", description="whether a high value of the formula predicts a high return"
    )
    reason: AnswerReason | None = Field(None, description="of a refusal or a conflict")
    note: str = Field("", max_length=500, description="which op, or which two statements")
    evidence: tuple[Quote, ...] = Field(
        (), max_length=20, description="of a refusal or a conflict: the words that it rests on"
    )


def read_answer(text: str, model: type[M]) -> M:
    """The answer that a reply holds, also within ``{"answer": ...}``.

    Raises
    ------
    UnreadableAnswer
        No JSON can be read, or it does not fit ``model``.
    """
    try:
        value = read_json(text).value
        if isinstance(value, dict) and "answer" in value and not set(value) - {"answer", "thought"}:
            inner = value["answer"]
            value = read_json(inner).value if isinstance(inner, str) else inner
        return model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        raise UnreadableAnswer(_listed(error)) from error
    except AssayError as error:
        raise UnreadableAnswer(error.message) from error


def to_candidates(document: Document, listed: Sequence[ListedFactor]) -> tuple[Candidate, ...]:
    """The factors whose defining words stand in the text, each name once, in the order of the text.

    Pages are those of the quote, whatever the model thinks; a factor whose quote is not there is left out.
    """
    found: dict[str, tuple[int, Candidate]] = {}
    for item in listed:
        span = span_of(document, Quote(field="expr", quote=item.quote))
        key = _same(item.name)
        if span.chunk_id == NOT_IN_TEXT or not key or key in found:
            continue
        start, pages = _place(document, item.quote, span.chunk_id)
        computable = item.computable and item.why_not is None
        why_not = None if computable else reason_of(item.why_not or "extract.unread")
        line = " ".join(item.quote.split())
        found[key] = (start, Candidate(_plain(item.name), pages, line, computable, why_not))
    return tuple(candidate for _, candidate in sorted(found.values(), key=lambda pair: pair[0]))


def to_extraction(
    document: Document,
    answer: SpecAnswer | None,
    *,
    target: str | None,
    candidates: tuple[Candidate, ...] = (),
    trajectory: Trajectory | None = None,
    problem: str = "",
) -> Extraction:
    """The extraction that an answer amounts to; without an answer the refusal ``extract.bad_reply``.

    A quote that the text does not hold leaves its field without support: the spec keeps the field and the
    quote, for the gate to refuse, and the note names it.
    """
    more: dict[str, Any] = {"target": target, "candidates": candidates, "trajectory": trajectory}
    if answer is None:
        return Extraction.refused(BAD_REPLY, note=problem, **more)
    if answer.status == "spec":
        if answer.spec is None:
            return Extraction.refused(BAD_REPLY, note="status is spec, and there is no spec", **more)
        found = locate(document, answer.spec)
        lost = [f"{quote.field}: {quote.quote[:_SHOWN]!r}" for quote in found.missing]
        parts = [_plain(answer.note), f"not in the text: {'; '.join(lost)}" if lost else ""]
        note = "; ".join(part for part in parts if part)
        return Extraction.found(found.spec, answer.direction, note=note, **more)
    if answer.reason is None:
        return Extraction.refused(BAD_REPLY, note=f"status is {answer.status}, without a reason", **more)
    spans = [span_of(document, quote) for quote in answer.evidence]
    evidence = tuple(span for span in spans if span.chunk_id != NOT_IN_TEXT)
    if answer.reason.startswith("extract.conflicting") != (answer.status == "conflict"):
        return Extraction.refused(BAD_REPLY, note=f"{answer.reason} is no {answer.status}", **more)
    if answer.status == "refused":
        return Extraction.refused(
            reason_of(answer.reason), note=_plain(answer.note), evidence=evidence, **more
        )
    if len({span.quote for span in evidence}) < 2:
        return Extraction.refused(BAD_REPLY, note="a conflict cites two places of the text", **more)
    return Extraction.conflict(reason_of(answer.reason), note=_plain(answer.note), evidence=evidence, **more)


def _place(document: Document, quote: str, chunk_id: str) -> tuple[int, tuple[int, ...]]:
    from assay.reports.documents import find_quote

    place = find_quote(document, quote, chunk_id=chunk_id)[0]
    where = document.locate(place.start, place.end)
    return place.start, tuple(range(where.page_start, where.page_end + 1))


def _same(name: str) -> str:
    return "".join(name.casefold().split())


def _plain(text: str) -> str:
    """One line without control characters: it is shown to people."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _listed(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(map(str, item['loc'])) or 'the object'}: {item['msg']}" for item in found]
    return "; ".join(dict.fromkeys(lines[:_LISTED]))
