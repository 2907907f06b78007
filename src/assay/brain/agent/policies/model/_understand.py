"""From replies of the right form to answers: ids that exist, settings and expressions that can be run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from assay.brain._platform import Platform
from assay.brain._result import Proposal
from assay.brain._settings import SimulationRequest, SimulationSettings
from assay.brain.agent._types import Briefing, Creative, Improvement, KnowledgeEntry, NewDirection
from assay.brain.agent.policies.model._ask import Understood, listed
from assay.brain.agent.policies.model._replies import CreativeReply, Expression, ImprovementReply
from assay.brain.fastexpr import ProgramCheck
from assay.brain.tools import knowledge_entry

ORIGIN: Final = "model"
_SHOWN: Final = 80


class Reader:
    """Reads the expressions of one reply, and gathers what is wrong with them.

    Parameters
    ----------
    platform : whose fields, operators and choices hold.
    briefing : the session's settings, directions and jobs.
    """

    def __init__(self, platform: Platform, briefing: Briefing) -> None:
        self._briefing = briefing
        self._programs = ProgramCheck(platform, briefing.data_set)
        self._choices = platform.choices()
        self.problems: list[str] = []

    def creative(self, reply: CreativeReply) -> Understood[Creative]:
        """Directions with what is valid of their expressions."""
        found = []
        for number, item in enumerate(reply.directions):
            where = f"directions.{number}.expressions"
            proposals = [
                made
                for place, one in enumerate(item.expressions)
                if (made := self._proposal(one, f"{where}.{place}")) is not None
            ]
            if proposals:
                new = NewDirection(item.hypothesis, tuple(proposals), item.target_check, item.approach)
                found.append(new)
        return Understood(Creative(tuple(found), reply.reasoning), tuple(self.problems))

    def improvement(self, reply: ImprovementReply) -> Understood[Improvement]:
        """Improvements of directions that live, and the rest of the reply."""
        alive = [item.id for item in self._briefing.directions if not item.abandoned]
        known = [item.id for item in self._briefing.directions]
        jobs = {result.job for result in self._briefing.results}
        proposals = []
        for number, item in enumerate(reply.improvements):
            where = f"improvements.{number}"
            if item.direction_id not in alive:
                self._wrong(f"{where}.direction_id", item.direction_id, alive)
            elif item.replace_job_id is not None and item.replace_job_id not in jobs:
                self._wrong(f"{where}.replace_job_id", item.replace_job_id, sorted(jobs)[-_SHOWN // 8 :])
            elif (made := self._proposal(item, where, item.direction_id, item.replace_job_id)) is not None:
                proposals.append(made)
        for name in reply.abandoned_directions:
            if name not in known:
                self._wrong("abandoned_directions", name, alive)
        if not (proposals or reply.converged or reply.abandoned_directions or self.problems):
            self.problems.append("improvements: none is proposed, and it has not converged")
        answer = Improvement(
            tuple(proposals),
            tuple(name for name in reply.abandoned_directions if name in known),
            tuple(self._entry(item.topic, item.insight, item.tags) for item in reply.knowledge),
            reply.converged,
            reply.reasoning,
        )
        return Understood(answer, tuple(self.problems))

    def _proposal(
        self, item: Expression, where: str, direction: str = "", replaces: str | None = None
    ) -> Proposal | None:
        settings = self._settings(item.settings, f"{where}.settings")
        if settings is None or not self._takes(item.expression, f"{where}.expression"):
            return None
        request = SimulationRequest(settings=settings, regular=item.expression)
        return Proposal(request, direction, item.rationale, replaces, ORIGIN)

    def _settings(self, given: Mapping[str, Any], where: str) -> SimulationSettings | None:
        """The session's settings with those of the reply over them."""
        try:
            settings = SimulationSettings.model_validate({**self._briefing.settings.wire(), **given})
        except ValidationError as error:
            self.problems.append(f"{where}: {listed(error)}")
            return None
        faults = self._choices.problems(settings)
        self.problems += [f"{where}.{name}: {said}" for name, said in faults.items()]
        return None if faults else settings

    def _takes(self, text: str, where: str) -> bool:
        problem = self._programs.problem(text)
        if problem is not None:
            self.problems.append(f"{where}: {problem}")
        return problem is None

    def _wrong(self, where: str, given: str, known: Sequence[str]) -> None:
        self.problems.append(f"{where}: there is no {given[:_SHOWN]!r}; known: {', '.join(known) or 'none'}")

    @staticmethod
    def _entry(topic: str, insight: str, tags: Sequence[str]) -> KnowledgeEntry:
        return knowledge_entry(topic, insight, list(tags), ORIGIN)
