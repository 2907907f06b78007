from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.campaign._types import (
    Candidates,
    Directions,
    FixRequest,
    MemoryContext,
    PlanContext,
    ProposeContext,
    ReviewContext,
    Reviews,
    Team,
)


@dataclass(frozen=True)
class ScriptedBackends:
    """Backends that say what they are told to, for tests and examples: functions of their context.

    What they say must depend on the context alone; a resumed run asks again.
    """

    on_plan: Callable[[PlanContext], Directions]
    on_propose: Callable[[ProposeContext], Candidates]
    on_fix: Callable[[ProposeContext, Sequence[FixRequest]], Candidates]
    on_review: Callable[[ReviewContext], Reviews]
    on_distill: Callable[[MemoryContext], str | None]

    def team(self) -> Team:
        """For calls one after the other."""
        return Team(self, self, self, self)

    def lanes(self, n: int) -> tuple[Team, ...]:
        """For groups side by side."""
        return (self.team(),) * n

    def plan(self, context: PlanContext) -> Directions:
        """See :class:`Planner`."""
        return self.on_plan(context)

    def propose(self, context: ProposeContext) -> Candidates:
        """See :class:`Proposer`."""
        return self.on_propose(context)

    def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
        """See :class:`Proposer`."""
        return self.on_fix(context, requests)

    def review(self, context: ReviewContext) -> Reviews:
        """See :class:`Reviewer`."""
        return self.on_review(context)

    def distill(self, context: MemoryContext) -> str | None:
        """See :class:`Distiller`."""
        return self.on_distill(context)
