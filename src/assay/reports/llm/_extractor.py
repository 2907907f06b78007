"""The extractor behind an LLM role: short reports at once, long ones with tools, on the one agent loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from assay.base import Operator
from assay.errors import Refusal
from assay.llm import Message, ToolSpec
from assay.reports._document import Document
from assay.reports._extraction import Candidate, Extraction
from assay.reports._reasons import BAD_REPLY, NO_FACTOR, SEVERAL_TARGETS, UNKNOWN_TARGET
from assay.reports.llm._prompt import Calls, PromptTask, extraction_prompt
from assay.reports.llm._reply import (
    FactorList,
    ListedFactor,
    SpecAnswer,
    UnreadableAnswer,
    read_answer,
    to_candidates,
    to_extraction,
)
from assay.reports.tools import report_tools
from assay.tools import (
    Action,
    Budget,
    Caller,
    EpisodeState,
    LlmPolicy,
    Registry,
    Score,
    Task,
    Toolbox,
    ToolSink,
    Trajectory,
    TrajectoryStore,
    run_episode,
)

if TYPE_CHECKING:
    from assay.llm import Client

SINGLE_SHOT: Final = 12_000
"""Characters of the normalised text up to which a report is given whole; beyond it, it is read with tools."""

LOOP_BUDGET: Final = Budget(turns=16, calls=16)
"""What an episode with tools may use."""

ONE_TURN: Final = Budget(turns=1, calls=0)


@dataclass(frozen=True, slots=True)
class LlmExtractor:
    """Reads a report with a model: first the list of factors, then one spec.

    Parameters
    ----------
    client : of the role; it logs every call and holds the budget of money and tokens.
    budget : of the episode with tools.
    attempts : how often an answer is asked for that has the form.
    store : where episodes are kept; ``case`` and ``rollout`` name their folders. Without a case, the
        document's hash names it.
    sink : where calls of tools are recorded.
    operator : who acts; by default an agent on the client's model.
    score : the score of an extraction that is stored with its episode.
    single_shot : see :data:`SINGLE_SHOT`.
    """

    client: Client
    budget: Budget = LOOP_BUDGET
    attempts: int = 2
    store: TrajectoryStore | None = None
    case: str | None = None
    rollout: str = "r0"
    sink: ToolSink | None = None
    operator: Operator | None = None
    score: Callable[[Extraction], Score] | None = None
    single_shot: int = SINGLE_SHOT
    run: str | None = field(default=None)

    @property
    def name(self) -> str:
        """The role."""
        return self.client.role

    def candidates(self, document: Document) -> tuple[Candidate, ...]:
        """Every factor that the document defines, in the order of the text.

        The whole text is shown to the model, in blocks of pages of about :data:`SINGLE_SHOT` characters.

        Raises
        ------
        Refusal
            ``extract.bad_reply``: an answer was no list; or as :meth:`assay.llm.Client.complete`.
        ProviderError
            As :meth:`assay.llm.Client.complete`.
        """
        listed: list[ListedFactor] = []
        for number, pages in enumerate(self._blocks(document)):
            task = PromptTask("list", pages)
            episode = self._episode(document, task, FactorList, f"{self.rollout}-list{number}")
            found = _answer(episode, FactorList)
            if not isinstance(found, FactorList):
                raise Refusal(BAD_REPLY, f"pages {pages[0]} to {pages[1]}: {found}", where=document.name)
            listed += found.factors
        return to_candidates(document, listed)

    def extract(self, document: Document, target: str | None = None) -> Extraction:
        """One factor of the document. Without a target, the only computable candidate; several are refused.

        Raises
        ------
        ProviderError, Refusal
            As :meth:`assay.llm.Client.complete`.
        """
        try:
            listed = self.candidates(document)
        except Refusal as refusal:
            if refusal.reason is not BAD_REPLY:
                raise
            return Extraction.refused(BAD_REPLY, note=refusal.message, target=target)
        chosen = choose(listed, target)
        if isinstance(chosen, Extraction):
            return chosen
        short = len(document.text) <= self.single_shot
        calls: Calls = "none"
        if not short:
            calls = "native" if self.client.structured_by == "tool" else "json"
        pages = (1, len(document.pages)) if short else None
        task = PromptTask("spec", pages, chosen, calls, () if short else _specs(document))

        def read(trajectory: Trajectory) -> Extraction:
            answer = _answer(trajectory, SpecAnswer)
            return to_extraction(
                document,
                answer if isinstance(answer, SpecAnswer) else None,
                target=chosen.name,
                candidates=listed,
                trajectory=trajectory,
                problem=answer if isinstance(answer, str) else "",
            )

        score = self.score
        scored = None if score is None else (lambda trajectory: score(read(trajectory)))
        return read(self._episode(document, task, SpecAnswer, self.rollout, scored))

    def _blocks(self, document: Document) -> list[tuple[int, int]]:
        """Runs of pages of about as many characters as are given at once."""
        sizes = [len(page.text) for page in document.pages]
        blocks, first, size = [], 1, 0
        for number, length in enumerate(sizes, start=1):
            if size and size + length > self.single_shot:
                blocks.append((first, number - 1))
                first, size = number, 0
            size += length
        return [*blocks, (first, len(sizes))]

    def _episode(
        self,
        document: Document,
        task: PromptTask,
        model: type[BaseModel],
        rollout: str,
        score: Callable[[Trajectory], Score] | None = None,
    ) -> Trajectory:
        tools = tuple(spec.name for spec in task.tools)
        inner = LlmPolicy(self.client, self.name, calls="json" if task.calls == "json" else "native")
        caller = Caller(self.operator or agent_of(self.client), self.run)
        return run_episode(
            _Answering(inner, model, self.attempts),
            Toolbox(Registry(report_tools(document)), caller, tools, one_call_per_step=True),
            budget=self.budget if tools else ONE_TURN,
            task=Task(
                stage="extract" if task.work == "spec" else "list",
                case=self.case or f"doc-{document.sha256[:12]}",
                prompt=extraction_prompt(document, task),
                rollout=rollout,
                score=score,
            ),
            store=self.store,
            sink=self.sink,
        )


def agent_of(client: Client) -> Operator:
    """A new operator for what a client's model does."""
    model = client.model or client.provider.name
    return Operator.agent(model, f"{client.provider.name}/{model}")


def choose(listed: tuple[Candidate, ...], target: str | None) -> Candidate | Extraction:
    """The candidate that is meant, or the refusal that says why none is."""
    if not listed:
        return Extraction.refused(NO_FACTOR, target=target)
    names = ", ".join(repr(candidate.name) for candidate in listed)
    if target is None:
        computable = [candidate for candidate in listed if candidate.computable]
        alike = not computable and len({candidate.why_not for candidate in listed}) == 1
        if len(computable) != 1 and not alike:
            return Extraction.refused(SEVERAL_TARGETS, note=f"candidates: {names}", candidates=listed)
        chosen = computable[0] if computable else listed[0]
    else:
        wanted = "".join(target.casefold().split())
        keys = {"".join(candidate.name.casefold().split()): candidate for candidate in listed}
        near = (
            [keys[wanted]]
            if wanted in keys
            else [keys[k] for k in keys if wanted and (wanted in k or k in wanted)]
        )
        if len(near) != 1:
            note = f"candidates: {names}"
            return Extraction.refused(UNKNOWN_TARGET, note=note, target=target, candidates=listed)
        chosen = near[0]
    if chosen.why_not is not None:
        note = chosen.definition
        return Extraction.refused(chosen.why_not, note=note, target=chosen.name, candidates=listed)
    return chosen


def _specs(document: Document) -> tuple[ToolSpec, ...]:
    listed = sorted(report_tools(document), key=lambda tool: tool.id)
    return tuple(ToolSpec(tool.id, tool.summary, tool.input_schema) for tool in listed)


def _answer(trajectory: Trajectory, model: type[BaseModel]) -> BaseModel | str:
    """The answer of an episode, or what is wrong with it."""
    if trajectory.stop != "answered":
        return f"the episode ended without an answer: {trajectory.stop}"
    try:
        return read_answer(trajectory.final_text, model)
    except UnreadableAnswer as error:
        return error.message


@dataclass(frozen=True)
class _Answering:
    """A model that is asked again when its answer does not have the form."""

    inner: LlmPolicy
    model: type[BaseModel]
    attempts: int

    @property
    def name(self) -> str:
        return self.inner.name

    def act(self, state: EpisodeState) -> Action:
        """The model's turn; of an answer, the first that can be read, or the last one."""
        messages = state.messages
        rejected: list[Action] = []
        while True:
            action = self.inner.act(replace(state, messages=messages))
            fault = None if action.tool_calls else self._fault(action.text)
            if fault is None or len(rejected) + 1 >= self.attempts:
                return _with(action, rejected)
            rejected.append(action)
            again = f"This answer cannot be used: {fault}. Give the whole answer again, corrected."
            messages += (Message("assistant", action.text or "(empty)"), Message("user", again))

    def _fault(self, text: str) -> str | None:
        try:
            read_answer(text, self.model)
        except UnreadableAnswer as error:
            return error.message
        return None


def _with(action: Action, rejected: list[Action]) -> Action:
    """The action, with what the rejected ones before it cost."""
    if not rejected:
        return action
    return replace(
        action,
        tokens=action.tokens + sum(before.tokens for before in rejected),
        money=action.money + sum(before.money for before in rejected),
        repairs={**action.repairs, "unusable_answer": len(rejected)},
    )
