"""A policy's rounds without a session around them: nothing is recorded, and nothing is simulated here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.brain._platform import Platform
from assay.brain._result import JobResult, Proposal
from assay.brain.agent import _records as records
from assay.brain.agent._answer import creative_answer, improvement_answer
from assay.brain.agent._state import State
from assay.brain.agent._types import Policy, Task
from assay.brain.agent._vet import Vet
from assay.config import BrainAgentSettings


class PolicyRounds:
    """Asks a policy round by round, by the rules of a session: for whoever simulates elsewhere.

    Parameters
    ----------
    platform : whose fields, operators and choices the expressions are held to.
    task : what the policy begins with.
    """

    def __init__(self, platform: Platform, policy: Policy, task: Task, settings: BrainAgentSettings) -> None:
        self._policy = policy
        self._state = State(settings)
        self._state.apply(records.begun(task, platform, policy.name, settings, ()))
        self._vet = Vet(platform, task.data_set)

    @property
    def number(self) -> int:
        """Rounds that were opened."""
        return self._state.round

    def open(self) -> tuple[Proposal, ...]:
        """Ask for a round; what of it can be simulated. A round with nothing of the kind is over at once.

        Raises
        ------
        ProviderError, Refusal
            The policy has no answer; ask again.
        """
        state = self._state
        if state.phase == "discovery":
            state.apply(records.idea(self._policy.discover()))
        if state.phase == "research":
            state.apply(records.researched(self._policy.research(state.briefing())))
        if state.phase == "creative":
            body = creative_answer(state, self._policy.create(state.briefing()), self._vet)
        else:
            body = improvement_answer(state, self._policy.improve(state.briefing()), self._vet)
        state.apply(body)
        proposals = tuple(job.proposal for job in state.opened.jobs)
        if not proposals:
            state.apply(records.done(state.round))
        return proposals

    def close(self, results: Sequence[JobResult | None]) -> None:
        """End the round with the results of its proposals in their order; None where none came."""
        number = self._state.round
        for job, result in zip(list(self._state.opened.jobs), results, strict=True):
            if result is None:
                self._state.apply(records.given_up(number, job.id, f"{job.id} has no answer"))
                continue
            own = replace(result, job=job.id, proposal=job.proposal, round=number)
            self._state.apply(records.result(number, own, None, None))
        self._state.apply(records.done(number))
