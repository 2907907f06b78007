"""What a template is: a FASTEXPR text with typed slots, as files and models write it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from assay.brain._settings import SimulationSettings
from assay.brain.templates._pattern import MAX_PATTERN, Pattern, PatternFault
from assay.errors import Problem

NAME_PATTERN: Final = r"^TPL_[A-Z0-9]+(_[A-Z0-9]+)*_V[1-9][0-9]{0,3}$"
SLOT_PATTERN: Final = r"^[a-z][a-z0-9_]{0,31}$"
MAX_EXPRESSION: Final = 2000
MAX_VALUE: Final = 200
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")

OperatorKind = Literal["time", "time_pair", "section", "group", "element", "vector"]
"""What an operator takes: a series and days; two series and days; a series; a series and a group; a series
bar by bar; a list of values."""


def _usable(text: str) -> str:
    try:
        Pattern.of(text)
    except PatternFault as fault:
        said = {"text": repr(text), "fault": str(fault)}
        raise PydanticCustomError("pattern", "the pattern {text} {fault}", said) from fault
    return text


def _plain(value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if number or (isinstance(value, str) and 0 < len(value) <= MAX_VALUE):
        return value
    raise PydanticCustomError("value", "should be a finite number or a text of 1 to 200 characters")


PatternText = Annotated[str, Field(max_length=MAX_PATTERN), AfterValidator(_usable)]
SlotName = Annotated[str, Field(pattern=SLOT_PATTERN)]
Value = Annotated[int | float | str, BeforeValidator(_plain)]
Representatives = Annotated[tuple[Value, ...], Field(max_length=20)]


class Strict(BaseModel):
    """A key that nobody knows is a typing error, not a wish."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SearchDomain(Strict):
    """Which fields may stand in a slot: those whose id ``include_regex`` fits, and ``exclude_regex`` not."""

    include_regex: PatternText = ""
    exclude_regex: PatternText | None = None
    fallback_to_all: bool = Field(False, description="take any field of the type where none fits")
    max_candidates: int = Field(10, ge=1, le=500)


class FieldSlot(Strict):
    """A field of the platform."""

    source: Literal["dataset_field"]
    type: Literal["MATRIX", "VECTOR", "GROUP"] = "MATRIX"
    dataset: str | None = Field(None, max_length=100, description="id of the only data set to look in")
    search_domain: SearchDomain = SearchDomain()
    representative_values: Representatives = ()


class OperatorSlot(Strict):
    """An operator of a kind; where none are named, all of the kind that the platform has."""

    source: Literal["operator"]
    kind: OperatorKind
    operators: tuple[str, ...] = Field((), max_length=50)
    representative_values: Representatives = ()


class ValueSlot(Strict):
    """A closed list of numbers or of pieces of text."""

    source: Literal["values"]
    values: tuple[Value, ...] = Field(min_length=1, max_length=500)
    representative_values: Representatives = ()


Slot = Annotated[FieldSlot | OperatorSlot | ValueSlot, Field(discriminator="source")]


class Constraints(Strict):
    """What the slots of one instance must keep to."""

    not_equal: tuple[tuple[SlotName, SlotName], ...] = ()


class Template(Strict):
    """A FASTEXPR text with ``{slots}``.

    ``core_slots`` decide what an instance measures; the others how it is treated. One core is probed with the
    representative values of the others before all of them are tried. ``settings`` are those of a simulation
    that the template wants otherwise than the run has them, by the platform's names.
    """

    name: str = Field(pattern=NAME_PATTERN, max_length=80)
    family: str = Field("", max_length=60)
    idea: str = Field("", max_length=1000, description="the hypothesis, in a sentence")
    expression: str = Field(min_length=1, max_length=MAX_EXPRESSION)
    slots: dict[SlotName, Slot] = Field(default_factory=dict, max_length=12)
    core_slots: tuple[SlotName, ...] = ()
    constraints: Constraints = Constraints()
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def order(self) -> tuple[str, ...]:
        """The slots, those of the core first."""
        return (*self.core_slots, *(name for name in self.slots if name not in self.core_slots))

    def filled(self, choice: Mapping[str, str]) -> str:
        """The text with a value in every slot."""
        return _PLACEHOLDER.sub(lambda found: choice[found[1]], self.expression)

    def settings_on(self, base: SimulationSettings) -> SimulationSettings:
        """``base`` with the template's own settings instead."""
        return SimulationSettings.model_validate({**base.wire(), **self.settings})


def written(value: Value) -> str:
    """A value as it stands in an expression."""
    return value if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def template_problems(template: Template) -> Iterator[Problem]:
    """What is wrong between the keys of a template, all of it."""
    text = template.expression
    if "{" in _PLACEHOLDER.sub("", text) or "}" in _PLACEHOLDER.sub("", text):
        yield Problem("expression", "has a brace without its partner", "write a slot as {name}")
    named = list(dict.fromkeys(_PLACEHOLDER.findall(text)))
    for name in named:
        if name not in template.slots:
            yield Problem("expression", f"names the slot {{{name}}}, which there is not", f"add slots.{name}")
    for name, slot in template.slots.items():
        if name not in named:
            yield Problem(
                f"slots.{name}", "is not in the expression", f"write {{{name}}} there, or remove it"
            )
        yield from _slot_problems(f"slots.{name}", slot)
    for name in template.core_slots:
        if name not in template.slots:
            yield Problem("core_slots", f"names {name!r}, which is no slot", "name slots of the template")
    if len(set(template.core_slots)) < len(template.core_slots):
        yield Problem("core_slots", "names a slot twice", "name each once")
    for pair in template.constraints.not_equal:
        if pair[0] == pair[1] or not set(pair) <= set(template.slots):
            yield Problem("constraints.not_equal", f"{list(pair)} are not two slots", "name two slots")
    yield from _settings_problems(template.settings)


def _slot_problems(where: str, slot: FieldSlot | OperatorSlot | ValueSlot) -> Iterator[Problem]:
    if isinstance(slot, FieldSlot):
        return
    allowed: tuple[Value, ...] = slot.values if isinstance(slot, ValueSlot) else slot.operators
    if len({written(value) for value in allowed}) < len(allowed):
        yield Problem(where, "has a value twice", "give each once")
    for value in slot.representative_values:
        if allowed and value not in allowed:
            yield Problem(
                f"{where}.representative_values", f"{value!r} is not one of its values", "take some of them"
            )


def _settings_problems(settings: Mapping[str, Any]) -> Iterator[Problem]:
    from pydantic import ValidationError

    try:
        SimulationSettings.model_validate({**SimulationSettings().wire(), **settings})
    except ValidationError as error:
        for item in error.errors(include_url=False):
            place = ".".join(str(part) for part in item["loc"])
            yield Problem(f"settings.{place}", item["msg"], "use the platform's names and choices")
