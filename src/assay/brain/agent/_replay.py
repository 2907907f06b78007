"""A session again from its record: the policy that answers what was answered then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.brain._codec import from_json
from assay.brain._result import JobResult
from assay.brain.agent._knowledge import SessionKnowledge
from assay.brain.agent._reasons import RECORD_ENDS
from assay.brain.agent._report import begun_of
from assay.brain.agent._types import (
    Briefing,
    Creative,
    Improvement,
    KnowledgeEntry,
    Research,
    SessionReport,
    Task,
)
from assay.errors import Refusal
from assay.ledger import Run


class ReplayPolicy:
    """Answers round by round what a recorded session was answered, whoever did then.

    Parameters
    ----------
    run : the recorded session.
    knowledge : takes what was learned in each round then, whatever sessions have learned since; None =
        what a policy wants to add is handed on instead.

    Raises
    ------
    Refusal
        ``not_a_session``, ``unknown_run``; when it is asked for more than was recorded, ``record_ends``.
    """

    def __init__(self, run: Run, knowledge: SessionKnowledge | None = None) -> None:
        self.task = from_json(Task, begun_of(run)["task"])
        self._run = run.id
        self._bodies: dict[str, Mapping[str, Any]] = {}
        self._knowledge = knowledge
        self._answers: dict[int, Any] = {}
        self._learned: dict[int, Any] = {}
        for entry in run.entries(kind="round"):
            body = entry.body
            self._bodies[body["outcome"]] = body
            if body["outcome"] == "asked":
                self._answers[body["number"]] = body["answer"]
                self._learned[body["number"]] = body["knowledge"]
            if body["outcome"] == "ended" and body["answer"] is not None:
                self._answers[body["number"] + 1] = body["answer"]
                self._learned[body["number"] + 1] = body["knowledge"]

    @property
    def name(self) -> str:
        return "replay"

    def discover(self) -> str:
        """The idea that was found."""
        return str(self._body("idea")["idea"])

    def research(self, briefing: Briefing) -> Research:
        """What the research came to."""
        return from_json(Research, self._body("researched")["research"])

    def create(self, briefing: Briefing) -> Creative:
        """The directions that were opened in the round."""
        answer = from_json(Creative, self._answer(briefing))
        self._learn(briefing)
        return answer

    def improve(self, briefing: Briefing) -> Improvement:
        """The improvements that were tried in the round."""
        answer = from_json(Improvement, self._answer(briefing))
        if self._knowledge is None:
            return answer
        self._learn(briefing)
        return replace(answer, knowledge=())

    def _learn(self, briefing: Briefing) -> None:
        if self._knowledge is not None:
            for item in self._learned[briefing.round]:
                self._knowledge.add(from_json(KnowledgeEntry, item))

    def _answer(self, briefing: Briefing) -> Any:
        if briefing.round not in self._answers:
            raise self._ends(f"no answer of round {briefing.round}")
        return self._answers[briefing.round]

    def _body(self, outcome: str) -> Mapping[str, Any]:
        if outcome not in self._bodies:
            raise self._ends(f"nothing of the kind {outcome!r}")
        return self._bodies[outcome]

    def _ends(self, what: str) -> Refusal:
        return Refusal(RECORD_ENDS, f"the run {self._run!r} has recorded {what}", where="run")


def first_difference(recorded: SessionReport, again: SessionReport) -> str:
    """Where the results of two sessions differ first; empty where they do not. Ids of alphas are left out."""
    for one, other in zip(recorded.results, again.results, strict=False):
        if _bare(one) != _bare(other):
            return f"{one.job}: {_figures(one)}, then {_figures(other)}"
    if len(recorded.results) != len(again.results):
        return f"{len(recorded.results)} results, then {len(again.results)}"
    return "" if recorded.stop == again.stop else f"stopped by {recorded.stop}, then by {again.stop}"


def _bare(result: JobResult) -> JobResult:
    return replace(result, alpha=None)


def _figures(result: JobResult) -> str:
    return f"{result.proposal.request.regular} {result.status} Sharpe {result.sharpe}"
