"""What the loop makes of the past, by the rules of feedback, trial graph and memory."""

from __future__ import annotations

from collections.abc import Sequence

from assay.campaign._feedback import feedback, parent
from assay.campaign._memory import memory_context, usable_memory
from assay.campaign._past import Past
from assay.campaign._settings import CampaignConfig
from assay.campaign._trial_graph import TrialGraph, trial_graph
from assay.campaign._types import Brief, Family, Feedback, History, MemoryContext, TrialRecord, TriedTrials


class LedgerContext:
    """A :class:`~assay.campaign._context.ContextMaker`: pure functions of what the ledger tells.

    What a round works out of its past is kept while the same past is asked for again.
    """

    def __init__(self, config: CampaignConfig) -> None:
        self._config = config
        self._kept: tuple[History, TriedTrials | None, Past] | None = None

    def feedback(self, history: History, families: Sequence[Family], tried: TriedTrials | None) -> Feedback:
        """See :func:`assay.campaign._feedback.feedback`."""
        return feedback(self._past(history, tried), self._config, families)

    def parent_block(self, history: History, trial: TrialRecord) -> str:
        """See :func:`assay.campaign._feedback.parent`."""
        if not self._config.context.lineage:
            return parent(trial)
        kept = self._kept
        # themes say nothing of lineage, so any past of the same rounds will do
        past = kept[2] if kept is not None and kept[0].rounds is history.rounds else self._past(history, None)
        return parent(trial, past.lineages[trial.id])

    def graph(self, history: History, tried: TriedTrials) -> TrialGraph:
        """See :func:`assay.campaign._trial_graph.trial_graph`."""
        return trial_graph(self._past(history, tried))

    def memory(self, history: History, number: int, brief: Brief) -> MemoryContext | None:
        """See :func:`assay.campaign._memory.memory_context`."""
        return memory_context(history, number, self._config, brief)

    def accepted_memory(self, reply: str | None) -> str | None:
        """See :func:`assay.campaign._memory.usable_memory`."""
        return usable_memory(reply)

    def _past(self, history: History, tried: TriedTrials | None) -> Past:
        kept = self._kept
        if kept is None or kept[0] is not history or kept[1] is not tried:
            kept = history, tried, Past.of(history, self._config, tried)
            self._kept = kept
        return kept[2]
