"""``validate_expression``: what the platform would say, before a simulation is spent on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import Field

from assay.brain.tools._desk import BrainDesk
from assay.brain.tools._reasons import NO_PLATFORM, UNKNOWN_DATA_SET
from assay.tools import Arguments, Context, Result, Tool

MOST_CHARACTERS: Final = 4096


class ValidateArguments(Arguments):
    expression: str = Field(description="The program to look at.", min_length=1, max_length=MOST_CHARACTERS)
    dataset_id: str = Field(
        "", description="Its fields count as known without asking for each.", max_length=128
    )


class ErrorRow(Result):
    message: str = Field(description="In the platform's words.")
    hint: str = Field(description="What was expected, or may have been meant.")
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
        from assay.brain.fastexpr import ProgramCheck, unit_warnings

        platform = desk.need_platform()
        if arguments.dataset_id:
            desk.data_set(arguments.dataset_id)
        programs = ProgramCheck(platform, arguments.dataset_id)
        problem = programs.problem(arguments.expression)
        if problem is None:
            said = [
                str((check.model_extra or {}).get("message") or check.name)
                for check in unit_warnings(arguments.expression, programs.fields)
            ]
            return ValidateResult(valid=True, errors=[], warnings=said)
        place = problem.place
        row = ErrorRow(
            message=problem.message, hint=problem.hint, line=place.line, start=place.start, end=place.end
        )
        return ValidateResult(valid=False, errors=[row], warnings=[])

    yield Tool(
        "brain.validate_expression",
        "Says whether the platform would take an expression, and what is wrong where. Costs no simulation.",
        ValidateArguments,
        ValidateResult,
        (NO_PLATFORM, UNKNOWN_DATA_SET),
        validate_expression,
    )
