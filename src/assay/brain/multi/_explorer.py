"""An explorer: a policy that opens directions and takes a few steps along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from assay.brain._errors import fault_of
from assay.brain._platform import Platform
from assay.brain._result import JobResult, Proposal
from assay.brain.agent import Policy, PolicyRounds, Task
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
        self._config = config
        own = replace(settings, improvement_rounds=STEPS, simulations=config.simulations)
        self._rounds = PolicyRounds(platform, policy, task, own)

    @property
    def rounds(self) -> int:
        """Rounds that it opened."""
        return self._rounds.number

    def ask(self) -> tuple[Proposal, ...]:
        """The jobs of its next round that has any; empty when its rounds are over, or its policy has failed.

        Raises
        ------
        ProviderError, Refusal
            Credentials, a quota or a budget are gone: the run has to pause.
        """
        while not self.note:
            if self.rounds >= self._config.max_explorer_rounds:
                most = self._config.max_explorer_rounds
                self.note = "1 round is over" if most == 1 else f"{most} rounds are over"
            elif proposals := self._opened():
                return tuple(self._mine(proposal) for proposal in proposals)
        return ()

    def tell(self, results: Sequence[JobResult | None]) -> None:
        """The results of the round's jobs in order."""
        self._rounds.close(results)

    def _opened(self) -> tuple[Proposal, ...]:
        """Open a round; a note is left where the policy has failed for good."""
        for attempt in range(self._config.explorer_retry):
            try:
                proposals = self._rounds.open()
            except ProviderError as error:
                if fault_of(error) == "stop":
                    raise
                self.note = f"could not answer {attempt + 1} times: {error.message}"
            else:
                self.note = ""
                return proposals
        return ()

    def _mine(self, proposal: Proposal) -> Proposal:
        return replace(proposal, direction=f"{self.name}:{proposal.direction}")
