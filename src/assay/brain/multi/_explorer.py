"""An explorer: a policy that opens directions and takes a few steps along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from assay.brain._errors import fault_of
from assay.brain._platform import Platform
from assay.brain._result import JobResult, Proposal
from assay.brain.agent import Policy, Task
from assay.brain.agent import _records as records
from assay.brain.agent._answer import creative_answer, improvement_answer
from assay.brain.agent._state import State
from assay.brain.agent._vet import Vet
from assay.brain.multi._queues import Side
from assay.config import BrainAgentSettings, BrainMultiSettings
from assay.errors import ProviderError

STEPS: Final = 2
"""Rounds of improvement between two creative ones: going deep is what the optimisers are for."""


class Explorer:
    """A policy as one of several agents, by the rules of a session of its own.

    Parameters
    ----------
    platform : whose fields, operators and choices its expressions are held to.
    task : the idea that it begins with.
    """

    side: Side = "explorer"

    def __init__(
        self,
        name: str,
        policy: Policy,
        platform: Platform,
        task: Task,
        settings: BrainAgentSettings,
        config: BrainMultiSettings,
    ) -> None:
        self.name, self.note = name, ""
        self._policy, self._config = policy, config
        own = replace(settings, improvement_rounds=STEPS, simulations=config.simulations)
        self._state = State(own)
        self._state.apply(records.begun(task, platform, policy.name, own, ()))
        self._vet = Vet(platform, task.data_set)

    @property
    def rounds(self) -> int:
        """Rounds that it opened."""
        return self._state.round

    def ask(self) -> tuple[Proposal, ...]:
        """The jobs of its next round that has any; empty when its rounds are over, or its policy has failed.

        Raises
        ------
        ProviderError, Refusal
            Credentials, a quota or a budget are gone: the run has to pause.
        """
        while not self.note:
            if self._state.round >= self._config.max_explorer_rounds:
                most = self._config.max_explorer_rounds
                self.note = "1 round is over" if most == 1 else f"{most} rounds are over"
            elif self._opened():
                assert self._state.open is not None
                jobs = self._state.open.jobs
                if jobs:
                    return tuple(self._mine(job.proposal) for job in jobs)
                self._state.apply(records.done(self._state.round))
        return ()

    def tell(self, results: Sequence[JobResult | None]) -> None:
        """The results of the round's jobs in order."""
        assert self._state.open is not None
        number = self._state.round
        for job, result in zip(list(self._state.open.jobs), results, strict=True):
            if result is None:
                self._state.apply(records.given_up(number, job.id, f"{job.id} has no answer"))
                continue
            own = replace(result, job=job.id, proposal=job.proposal, round=number)
            self._state.apply(records.result(number, own, None, None))
        self._state.apply(records.done(number))

    def _opened(self) -> bool:
        """Open a round; False where the policy has failed for good."""
        for attempt in range(self._config.explorer_retry):
            try:
                self._open()
            except ProviderError as error:
                if fault_of(error) == "stop":
                    raise
                self.note = f"could not answer {attempt + 1} times: {error.message}"
            else:
                self.note = ""
                return True
        return False

    def _open(self) -> None:
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

    def _mine(self, proposal: Proposal) -> Proposal:
        return replace(proposal, direction=f"{self.name}:{proposal.direction}")
