"""The policy that is a model: it works with the tools, and answers in the form of each phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from assay.base import Operator, canonical_json
from assay.brain._settings import SimulationSettings
from assay.brain.agent._types import Briefing, Creative, Improvement, Research
from assay.brain.agent.policies._language import Language, language_of
from assay.brain.agent.policies.model import _texts as texts
from assay.brain.agent.policies.model._ask import Question, Understood, ask
from assay.brain.agent.policies.model._backend import ROLE
from assay.brain.agent.policies.model._history import BoundedClient
from assay.brain.agent.policies.model._prompts import render
from assay.brain.agent.policies.model._replies import (
    CreativeReply,
    DiscoveryReply,
    ImprovementReply,
    ResearchReply,
)
from assay.brain.agent.policies.model._understand import Reader
from assay.brain.tools import BrainDesk, brain_tools
from assay.config import BrainAgentSettings
from assay.errors import AssayError
from assay.llm import Client, Message
from assay.tools import Caller, LlmPolicy, Registry, Toolbox, json_protocol

M = TypeVar("M", bound=BaseModel)
A = TypeVar("A")

_PHASE_TURNS = 12
_IDEA = 500
_RESEARCH = 6000


class ModelPolicy:
    """Decides by the replies of a model.

    Each answer comes from its briefing alone: what the model is told is made anew from the session's state,
    so that a session that is resumed asks what it would have asked.

    Parameters
    ----------
    client : of the role ``researcher``.
    desk : what stands behind the tools.
    settings : criteria, and how many turns, stalls and invalid replies there may be.
    language : of the prompts; by default that of the idea.
    operator : who calls the tools; by default the system.
    """

    def __init__(
        self,
        client: Client,
        desk: BrainDesk,
        settings: BrainAgentSettings,
        *,
        language: Language | None = None,
        operator: Operator | None = None,
    ) -> None:
        caller = Caller(operator or Operator.system("brain-llm"))
        self._platform = desk.need_platform()
        self._desk, self._settings = desk, settings
        self._language = language
        self._toolbox = Toolbox(Registry(brain_tools(desk)), caller)
        own = {} if "temperature" in client.parameters else {"temperature": settings.temperature}
        self._native = client.structured_by == "tool"
        self._policy = LlmPolicy(BoundedClient(client), ROLE, own, calls="native" if self._native else "json")

    @property
    def name(self) -> str:
        return "llm"

    def discover(self) -> str:
        """The idea that the model trusts most.

        Raises
        ------
        AssayError
            The model found none.
        """
        said = {**self._look(), "knowledge": self._known()}
        answer = self._ask("discovery", said, None, DiscoveryReply, _ideas)
        if isinstance(answer, str):
            raise AssayError(
                f"the model found no idea: {answer}", where="discovery", fix="give one with --idea"
            )
        return answer.value

    def research(self, briefing: Briefing) -> Research:
        """What the model finds out with the tools."""
        said = {
            **self._look(),
            "idea": texts.quoted(briefing.idea),
            "knowledge": texts.knowledge_lines(briefing.knowledge),
            "critique": texts.quoted(briefing.critique),
        }
        answer = self._ask("research", said, briefing, ResearchReply, _research)
        return Research(f"no usable answer: {answer}") if isinstance(answer, str) else answer.value

    def create(self, briefing: Briefing) -> Creative:
        """The directions that the model opens."""
        said = {**self._state(briefing), "research": _told(briefing.research)}
        answer = self._ask(
            "creative", said, briefing, CreativeReply, lambda r: self._reader(briefing).creative(r)
        )
        return Creative((), f"no usable answer: {answer}") if isinstance(answer, str) else answer.value

    def improve(self, briefing: Briefing) -> Improvement:
        """What the model makes of the directions that there are."""
        said = {
            **self._state(briefing),
            "latest": texts.result_lines(briefing.latest, self._settings, briefing.settings),
            "advice": texts.advice_lines(briefing),
            "knowledge_per_round": str(self._settings.knowledge_per_round),
        }
        answer = self._ask(
            "improvement",
            said,
            briefing,
            ImprovementReply,
            lambda r: self._reader(briefing).improvement(r),
        )
        return Improvement(note=f"no usable answer: {answer}") if isinstance(answer, str) else answer.value

    def _reader(self, briefing: Briefing) -> Reader:
        return Reader(self._platform, briefing)

    def _ask(
        self,
        phase: str,
        said: Mapping[str, str],
        asked: Briefing | None,
        form: type[M],
        understand: Callable[[M], Understood[A]],
    ) -> Understood[A] | str:
        settings = SimulationSettings() if asked is None else asked.settings
        language = self._language or language_of("" if asked is None else asked.idea)
        looking = phase in ("discovery", "research")
        turns = self._settings.research_turns if looking else _PHASE_TURNS
        values = {**said, "turns": str(turns), "reply": self._form(form)}
        prompt = (
            Message("system", render(language, "system", self._task(settings))),
            Message("user", render(language, phase, values)),
        )
        return ask(
            Question(phase, prompt, form, understand),
            self._policy,
            self._toolbox,
            turns=turns,
            stalls=self._settings.research_stalls,
            attempts=self._settings.invalid_replies,
        )

    def _form(self, form: type[BaseModel]) -> str:
        """The schema of a reply, and how it is wrapped where calls are plain JSON, too."""
        schema = canonical_json(form.model_json_schema())
        return schema if self._native else f'{{"answer": OBJECT}}, where OBJECT is of\n{schema}'

    def _task(self, settings: SimulationSettings) -> dict[str, str]:
        specs = self._toolbox.specs()
        simulated = " (a local simulator on an invented market)" if self._platform.simulated else ""
        names = f"Tools: {', '.join(spec.name for spec in specs)}."
        return {
            "platform": f"{self._platform.name}{simulated}",
            "criteria": texts.criteria(self._settings),
            "operators": texts.operator_lines(self._platform.operators()),
            "settings": texts.settings_text(self._platform.choices(), settings),
            "protocol": names if self._native else json_protocol(specs),
        }

    def _look(self) -> dict[str, str]:
        return {"data_sets": texts.data_set_lines(self._platform)}

    def _known(self) -> str:
        store = self._desk.knowledge
        return texts.knowledge_lines(() if store is None else tuple(store.search()))

    def _state(self, briefing: Briefing) -> dict[str, str]:
        settings = self._settings
        return {
            "idea": texts.quoted(briefing.idea),
            "round": str(briefing.round),
            "directions": texts.direction_lines(briefing.directions),
            "results": texts.result_lines(briefing.results, settings, briefing.settings),
            "knowledge": texts.knowledge_lines(briefing.knowledge),
            "remarks": texts.lines(f"- {remark}" for remark in briefing.remarks),
            "critique": texts.quoted(briefing.critique),
            "slots": str(settings.slots),
            "remaining": str(briefing.remaining),
        }


def _ideas(reply: DiscoveryReply) -> Understood[str]:
    best = max(reply.ideas, key=lambda idea: idea.confidence)
    return Understood(best.hypothesis[:_IDEA])


def _research(reply: ResearchReply) -> Understood[Research]:
    return Understood(Research(reply.summary, tuple(reply.hypotheses), tuple(reply.fields)))


def _told(research: Research) -> str:
    told: dict[str, Any] = {
        "summary": research.summary,
        "hypotheses": list(research.hypotheses),
        "fields": list(research.fields),
    }
    return texts.lines([canonical_json(told)], line=_RESEARCH)
