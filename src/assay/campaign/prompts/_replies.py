"""The forms of the replies: what a prompt shows of them and what reads them come from one model each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from assay.campaign._types import (
    Candidate,
    Candidates,
    Direction,
    DirectionKind,
    Directions,
    Note,
    PlanContext,
    Review,
    Reviews,
    SlotPlan,
)

_SHOWN = 60
_LISTED = 5

Text = Annotated[str, Field(max_length=2000)]


class Item(BaseModel):
    """What a reply says of one slot. Keys that nobody asked for are left aside."""

    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=True)

    slot: int = Field(description="number of the slot")


class DirectionItem(Item):
    """The direction of a slot."""

    kind: DirectionKind
    text: Annotated[str, Field(min_length=1, max_length=2000)] = Field(description="the idea in words")
    parent: str | None = Field(None, max_length=64, description="id of the trial it builds on, or null")


class CandidateItem(Item):
    """The candidate of a slot."""

    name: Annotated[str, Field(min_length=1, max_length=120)] = Field(description="short, for people")
    expression: Annotated[str, Field(min_length=1, max_length=4096)] = Field(description="the formula")
    hypothesis: Text = Field("", description="why it should foretell returns")
    description: Text = Field("", description="what the formula computes")


class ReviewItem(Item):
    """The review of a slot's candidate."""

    consistent: bool = Field(description="whether hypothesis, description and formula agree")
    reasons: Text = Field("", description="what does not agree; empty where all does")


def _list_of(item: type[BaseModel]) -> Any:
    """A list whose entries are read one by one, so that a bad one does not take the others with it."""
    schema = {"type": "array", "items": item.model_json_schema()}
    return Annotated[list[Any], WithJsonSchema(schema)]


class PlanReply(BaseModel):
    """A planner's reply."""

    directions: _list_of(DirectionItem)  # type: ignore[valid-type]


class ProposeReply(BaseModel):
    """A proposer's reply, also to a request to mend candidates."""

    candidates: _list_of(CandidateItem)  # type: ignore[valid-type]


class ReviewReply(BaseModel):
    """A reviewer's reply."""

    reviews: _list_of(ReviewItem)  # type: ignore[valid-type]


class MemoryReply(BaseModel):
    """A distiller's reply."""

    memory: str = Field(description="the whole new memory, as Markdown")


I = TypeVar("I", bound=Item)  # noqa: E741 - the letter of its class


def read_directions(reply: PlanReply, context: PlanContext) -> Directions:
    """The directions of a reply, each with the mechanism type of its slot.

    A slot that a parent claimed keeps it, whatever the reply says. Without feedback every direction is new.
    """
    plans = {plan.slot: plan for plan in context.slots}
    items, notes = _by_slot(reply.directions, DirectionItem, plans)
    found: list[Direction] = []
    for slot, item in items.items():
        direction = _direction(item, plans[slot], context)
        if isinstance(direction, Note):
            notes[slot] = direction
        else:
            found.append(direction)
    return Directions(tuple(found), tuple(notes.values()))


def read_candidates(reply: ProposeReply, slots: Iterable[int]) -> Candidates:
    """The candidates of a reply; those of other slots than ``slots`` are noted and left aside."""
    items, notes = _by_slot(reply.candidates, CandidateItem, slots)
    found = tuple(Candidate(**item.model_dump()) for item in items.values())
    return Candidates(found, tuple(notes.values()))


def read_reviews(reply: ReviewReply, slots: Iterable[int]) -> Reviews:
    """The reviews of a reply; those of other slots than ``slots`` are noted and left aside."""
    items, notes = _by_slot(reply.reviews, ReviewItem, slots)
    return Reviews(tuple(Review(**item.model_dump()) for item in items.values()), tuple(notes.values()))


def shape(reply: type[BaseModel]) -> str:
    """The form of a reply as one line of JSON, with types in place of values."""
    return json.dumps(_shape(reply.model_json_schema()), ensure_ascii=False)


def _shape(schema: Mapping[str, Any]) -> Any:
    if "properties" in schema:
        return {name: _shape(value) for name, value in schema["properties"].items()}
    if schema.get("type") == "array":
        return [_shape(schema["items"])]
    if "enum" in schema:
        return " | ".join(schema["enum"])
    kinds = [item["type"] for item in schema["anyOf"]] if "anyOf" in schema else [schema["type"]]
    kind = " | ".join(kinds)
    return f"{kind}: {schema['description']}" if "description" in schema else kind


def _by_slot(
    entries: Sequence[Any], form: type[I], slots: Iterable[int]
) -> tuple[dict[int, I], dict[int | None, Note]]:
    """The readable entries by slot, and a note for each slot that has none; in the order of ``slots``."""
    wanted = list(slots)
    found: dict[int, I] = {}
    notes: dict[int | None, Note] = {}
    strays: list[str] = []
    for entry in entries:
        slot = _slot_of(entry)
        if slot not in wanted:
            strays.append(f"slot {str(slot)[:_SHOWN]}" if slot is not None else "an entry without a slot")
        elif slot in found:
            strays.append(f"slot {slot} again")
        else:
            try:
                found[slot] = form.model_validate(entry)
                notes.pop(slot, None)
            except ValidationError as error:
                notes[slot] = Note(slot, _faults(error))
    for slot in wanted:
        if slot not in found and slot not in notes:
            notes[slot] = Note(slot, "is not in the reply")
    ordered: dict[int | None, Note] = {slot: notes[slot] for slot in wanted if slot in notes}
    if strays:
        more = f" and {len(strays) - _LISTED} more" if len(strays) > _LISTED else ""
        ordered[None] = Note(None, f"not asked for: {', '.join(strays[:_LISTED])}{more}")
    return {slot: found[slot] for slot in wanted if slot in found}, ordered


def _slot_of(entry: Any) -> int | None:
    given = entry.get("slot") if isinstance(entry, Mapping) else None
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) <= 6:
        return int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _faults(error: ValidationError) -> str:
    # the input is not echoed: it may be megabytes
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found[:_LISTED])


def _direction(item: DirectionItem, plan: SlotPlan, context: PlanContext) -> Direction | Note:
    if not context.feedback_on:
        return Direction(plan.slot, plan.mechanism, "new", item.text)
    if plan.parent is not None:
        kind: DirectionKind = "refinement" if item.kind == "new" else item.kind
        return Direction(plan.slot, plan.mechanism, kind, item.text, plan.parent)
    if item.kind == "new":
        return Direction(plan.slot, plan.mechanism, "new", item.text)
    if item.parent is None:
        return Note(plan.slot, f"a {item.kind} needs the id of the trial that it builds on")
    if item.parent not in context.feedback.buildable:
        return Note(plan.slot, f"{item.parent!r} is no trial that a direction may build on")
    return Direction(plan.slot, plan.mechanism, item.kind, item.text, item.parent)
