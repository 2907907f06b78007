from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from assay.campaign._types import (
    Brief,
    Family,
    Feedback,
    History,
    MemoryContext,
    TrialRecord,
    TriedTrials,
)


class ContextMaker(Protocol):
    """What the loop makes of the past for its backends; every method is a pure function of its arguments
    and the config."""

    def feedback(self, history: History, families: Sequence[Family], tried: TriedTrials | None) -> Feedback:
        """What planner and proposer read."""
        ...

    def parent_block(self, history: History, trial: TrialRecord) -> str:
        """What the proposer reads of a trial that it builds on."""
        ...

    def graph(self, history: History, tried: TriedTrials) -> Graph:
        """The trial graph before a round."""
        ...

    def memory(self, history: History, number: int, brief: Brief) -> MemoryContext | None:
        """What the distiller gets before a round; None where it is not its turn."""
        ...

    def accepted_memory(self, reply: str | None) -> str | None:
        """The new memory; None where the reply cannot be used and the previous one is kept."""
        ...


class Graph(Protocol):
    """A trial graph."""

    @property
    def picks(self) -> tuple[str, ...]:
        """Ids of the trials to build on, in pick order."""
        ...

    def as_dict(self) -> Mapping[str, Any]:
        """JSON-ready."""
        ...
