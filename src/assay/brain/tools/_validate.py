"""``validate_expression``: what the platform would say, before a simulation is spent on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pydantic import Field

from assay.brain.tools._desk import BrainDesk
from assay.brain.tools._reasons import NO_PLATFORM, UNKNOWN_DATA_SET
from assay.tools import Arguments, Context, Result, Tool

if TYPE_CHECKING:
    from assay.brain._platform import Platform
    from assay.brain._wire import DataFieldInfo

MOST_CHARACTERS: Final = 4096
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_NAMES: Final = 60


class ValidateArguments(Arguments):
    expression: str = Field(description="The program to look at.", min_length=1, max_length=MOST_CHARACTERS)
    dataset_id: str = Field(
        "", description="Its fields count as known without asking for each.", max_length=128
    )


class ErrorRow(Result):
    message: str = Field(description="In the platform's words.")
    line: int
    start: int = Field(description="First character within the line, from 0.")
    end: int


class ValidateResult(Result):
    valid: bool
    errors: list[ErrorRow]
    warnings: list[str]


def validate_tools(desk: BrainDesk) -> Iterator[Tool]:
    """``brain.validate_expression``."""

    def validate_expression(arguments: ValidateArguments, context: Context) -> ValidateResult:
        from assay.brain.fastexpr import check_program, unit_warnings

        platform = desk.need_platform()
        listed = desk.fields_of(arguments.dataset_id) if arguments.dataset_id else ()
        known = {item.id: item for item in listed}
        fields = {**fields_named(platform, arguments.expression, known), **known}
        problem = check_program(arguments.expression, fields, platform.operators())
        if problem is None:
            said = [
                str((check.model_extra or {}).get("message") or check.name)
                for check in unit_warnings(arguments.expression, fields)
            ]
            return ValidateResult(valid=True, errors=[], warnings=said)
        place = problem.place
        row = ErrorRow(message=problem.message, line=place.line, start=place.start, end=place.end)
        return ValidateResult(valid=False, errors=[row], warnings=[])

    yield Tool(
        "brain.validate_expression",
        "Says whether the platform would take an expression, and what is wrong where. Costs no simulation.",
        ValidateArguments,
        ValidateResult,
        (NO_PLATFORM, UNKNOWN_DATA_SET),
        validate_expression,
    )


def fields_named(
    platform: Platform, expression: str, known: Mapping[str, DataFieldInfo] | None = None
) -> dict[str, DataFieldInfo]:
    """The fields of the platform that an expression names, but for those that are known already.

    Each name is asked for by itself: a platform may have more fields than anybody would load.
    """
    taken = {item.name.lower() for item in platform.operators()} | set(known or ())
    names = [name for name in dict.fromkeys(_NAME.findall(expression)) if name.lower() not in taken]
    found: dict[str, DataFieldInfo] = {}
    for name in names[:_MOST_NAMES]:
        found |= {item.id: item for item in platform.data_fields(search=name) if item.id == name}
    return found
