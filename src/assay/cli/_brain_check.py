"""Expressions held to the language and to the platform's fields before a simulation is spent on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.cli._brain_outcome import Outcome, expression_error
from assay.cli._files import check_text
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.brain import DataFieldInfo, SimulationSettings
    from assay.brain.client import BlockingClient
    from assay.brain.fastexpr import Problem


def check_idea(idea: str) -> None:
    """Refuse a blank one: a policy would look for an idea of its own, and spend simulations on it."""
    check_text(idea, "--idea")
    if not idea.strip():
        fix = "say what to look for, such as 'short-term reversal'"
        raise AssayError("the idea is empty", where="--idea", fix=fix)


def check_expressions(
    platform: BlockingClient, found: Sequence[Outcome], settings: SimulationSettings
) -> None:
    """Give each expression that the platform would refuse its failure.

    Names are looked up one by one, as a platform has more fields than one would list.
    """
    from assay.brain.fastexpr import check_program

    operators = platform.operators()
    known: dict[str, DataFieldInfo] = {}
    for one in found:
        problem = check_program(one.text, known, operators)
        while problem is not None and problem.kind == "variable":
            named = _named(one.text, problem)
            listed = platform.data_fields(search=named, settings=settings) if named else ()
            match = next((info for info in listed if info.id.lower() == named.lower()), None)
            if match is None or match.id in known:
                break
            known[match.id] = match
            problem = check_program(one.text, known, operators)
        if problem is not None:
            one.failure = expression_error(problem.message, one.text, problem.place, problem.hint)


def _named(text: str, problem: Problem) -> str:
    place = problem.place
    lines = text.splitlines()
    return lines[place.line - 1][place.start : place.end] if place.line <= len(lines) else ""
