"""The messages that each role gets: templates filled from brief, feedback and the work of the round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assay.campaign._lines import one_line, origin
from assay.campaign._memory import MOST_CHARACTERS
from assay.campaign._settings import Language
from assay.campaign._types import (
    Brief,
    Candidate,
    Direction,
    Family,
    Feedback,
    FixRequest,
    MemoryContext,
    PlanContext,
    ProposeContext,
    ReviewContext,
    SlotPlan,
)
from assay.campaign.prompts._templates import PromptTemplates
from assay.llm import Message

if TYPE_CHECKING:
    from pydantic import BaseModel

_TEXT: Final = 2000
_FORMULA: Final = 4096


class Prompts:
    """What models are told. Equal contexts give equal messages.

    Parameters
    ----------
    language : of the templates.
    replaced : templates of the workspace, text by name.

    Raises
    ------
    ConfigProblems
        A replaced template cannot be used; every problem is listed.
    """

    def __init__(self, language: Language, replaced: Mapping[str, str] | None = None) -> None:
        self._templates = PromptTemplates(language, replaced)

    def plan(self, context: PlanContext) -> tuple[Message, ...]:
        """For the planner."""
        from assay.campaign.prompts._replies import PlanReply

        feedback = context.feedback
        work = {
            "round": str(context.round),
            "slots": _lines(_slot(plan) for plan in context.slots),
            **_past(feedback),
            "recent": _lines(feedback.recent),
            "earlier": _lines(feedback.earlier),
            "accepted": _lines(feedback.accepted),
            "themes": _lines(feedback.themes),
            "buildable": ", ".join(feedback.buildable),
        }
        return self._messages("planner", "planner", {**_task(context.brief, PlanReply), **work})

    def propose(self, context: ProposeContext) -> tuple[Message, ...]:
        """For the proposer: all directions of a group."""
        from assay.campaign.prompts._replies import ProposeReply

        work = {
            "round": str(context.round),
            "directions": _lines(_direction(direction) for direction in context.directions),
            "parents": _parents(context, context.directions),
            **_past(context.feedback),
        }
        return self._messages("proposer", "proposer", {**_task(context.brief, ProposeReply), **work})

    def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> tuple[Message, ...]:
        """For the proposer: candidates that came back, all in one go."""
        from assay.campaign.prompts._replies import ProposeReply

        work = {
            "round": str(context.round),
            "requests": "\n\n".join(_request(request) for request in requests),
            "parents": _parents(context, [request.direction for request in requests]),
            "memory": context.feedback.memory,
        }
        return self._messages("proposer", "fix", {**_task(context.brief, ProposeReply), **work})

    def review(self, context: ReviewContext) -> tuple[Message, ...]:
        """For the reviewer: the candidates of a group, and nothing of the past."""
        from assay.campaign.prompts._replies import ReviewReply

        texts = {direction.slot: direction.text for direction in context.directions}
        blocks = (_candidate(candidate, texts.get(candidate.slot)) for candidate in context.candidates)
        work = {"round": str(context.round), "candidates": "\n\n".join(blocks)}
        return self._messages("reviewer", "reviewer", {**_task(context.brief, ReviewReply), **work})

    def distill(self, context: MemoryContext) -> tuple[Message, ...]:
        """For the distiller."""
        from assay.campaign.prompts._replies import MemoryReply

        work = {
            "round": str(context.round),
            "memory": context.memory,
            "trials": _lines(context.lines),
            "size": str(MOST_CHARACTERS),
        }
        return self._messages("distiller", "distiller", {**_task(context.brief, MemoryReply), **work})

    def _messages(self, system: str, user: str, values: Mapping[str, str]) -> tuple[Message, ...]:
        return (
            Message("system", self._templates.render(f"{system}.system", values)),
            Message("user", self._templates.render(f"{user}.user", values)),
        )


def _task(brief: Brief, reply: type[BaseModel]) -> dict[str, str]:
    """What every role is told of the task."""
    from assay.campaign.prompts._replies import shape

    return {
        "market": brief.market,
        "label": brief.label,
        "scoring": brief.scoring,
        "fields": _lines(f"{name}: {text}" if text else name for name, text in brief.fields.items()),
        "ops": _lines(brief.ops),
        "mechanisms": _lines(f"{name}: {text}" for name, text in brief.mechanisms.items()),
        "limits": brief.limits,
        "reply": shape(reply),
    }


def _past(feedback: Feedback) -> dict[str, str]:
    return {
        "seed_directions": _lines(one_line(text, _TEXT) for text in feedback.seed_directions),
        "families": _lines(_family(family) for family in feedback.families),
        "memory": feedback.memory,
        "last_round": _lines(feedback.last_round),
        "best": _lines(feedback.best),
    }


def _lines(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _slot(plan: SlotPlan) -> str:
    claimed = f" | parent {plan.parent}" if plan.parent is not None else ""
    return f"slot {plan.slot} | {plan.mechanism}{claimed}"


def _direction(direction: Direction) -> str:
    text = one_line(direction.text, _TEXT)
    return f"slot {direction.slot} | {direction.mechanism} | {origin(direction)} | {text}"


def _family(family: Family) -> str:
    known = " [known]" if family.known else ""
    examples = f": {'; '.join(family.examples)}" if family.examples else ""
    return f"{one_line(family.name, _TEXT)}{known} ({family.count}){examples}"


def _parents(context: ProposeContext, directions: Iterable[Direction]) -> str:
    """The block of each parent once, in the order of the directions."""
    blocks = (context.parents[item.slot] for item in directions if item.slot in context.parents)
    return "\n\n".join(dict.fromkeys(blocks))


def _candidate(candidate: Candidate, direction: str | None) -> str:
    parts = {
        "direction": direction or "",
        "name": candidate.name,
        "expression": candidate.expression,
        "hypothesis": candidate.hypothesis,
        "description": candidate.description,
    }
    lines = [f"{name}: {one_line(text, _FORMULA)}" for name, text in parts.items() if text]
    return "\n".join([f"slot {candidate.slot}", *lines])


def _request(request: FixRequest) -> str:
    direction = f"{request.direction.mechanism}, {origin(request.direction)}: {request.direction.text}"
    # what is wrong may have lines: the place in a formula is marked below it
    wrong = "\n".join("    " + line for line in request.text.splitlines())
    reason = f" ({request.reason})" if request.reason else ""
    return f"{_candidate(request.candidate, direction)}\nsent back by: {request.cause}{reason}\n{wrong}"
