from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from assay.campaign._settings import RoleBackends
from assay.campaign._types import (
    Backends,
    Candidates,
    Directions,
    FixRequest,
    MemoryContext,
    Note,
    PlanContext,
    ProposeContext,
    ReviewContext,
    Reviews,
    Team,
)
from assay.campaign.prompts import (
    MemoryReply,
    PlanReply,
    Prompts,
    ProposeReply,
    ReviewReply,
    read_candidates,
    read_directions,
    read_reviews,
)
from assay.errors import ProviderBadReply
from assay.llm import Client, Roles

A = TypeVar("A", Directions, Candidates, Reviews)


@dataclass(frozen=True)
class LlmBackends:
    """The roles of a campaign on models, those that have none on ``others``.

    A reply that has not the form asked for, also when it is asked for again, costs its slots and nothing
    else.

    Parameters
    ----------
    chosen : what each role runs on.
    roles : the clients of the run.
    others : for the roles without a model.
    """

    chosen: RoleBackends
    roles: Roles
    prompts: Prompts
    others: Backends

    def team(self) -> Team:
        """For calls one after the other."""
        return self._team(self.roles, self.others.team())

    def lanes(self, n: int) -> tuple[Team, ...]:
        """For groups side by side."""
        pairs = zip(self.roles.lanes(n), self.others.lanes(n), strict=True)
        return tuple(self._team(roles, others) for roles, others in pairs)

    def _team(self, roles: Roles, others: Team) -> Team:
        models = self.chosen.models
        return Team(
            LlmPlanner(roles.client("planner"), self.prompts) if "planner" in models else others.planner,
            LlmProposer(roles.client("proposer"), self.prompts) if "proposer" in models else others.proposer,
            LlmReviewer(roles.client("reviewer"), self.prompts) if "reviewer" in models else others.reviewer,
            LlmDistiller(roles.client("distiller"), self.prompts)
            if "distiller" in models
            else others.distiller,
        )


@dataclass(frozen=True)
class LlmPlanner:
    """A planner on a model."""

    client: Client
    prompts: Prompts

    def plan(self, context: PlanContext) -> Directions:
        """One call for all slots."""
        return _kept(
            lambda: read_directions(
                self.client.structured(self.prompts.plan(context), PlanReply).value, context
            ),
            Directions,
            [plan.slot for plan in context.slots],
        )


@dataclass(frozen=True)
class LlmProposer:
    """A proposer on a model."""

    client: Client
    prompts: Prompts

    def propose(self, context: ProposeContext) -> Candidates:
        """One call for the group."""
        slots = [direction.slot for direction in context.directions]
        return _kept(
            lambda: read_candidates(
                self.client.structured(self.prompts.propose(context), ProposeReply).value, slots
            ),
            Candidates,
            slots,
        )

    def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
        """One call for all that came back."""
        slots = [request.candidate.slot for request in requests]
        return _kept(
            lambda: read_candidates(
                self.client.structured(self.prompts.fix(context, requests), ProposeReply).value, slots
            ),
            Candidates,
            slots,
        )


@dataclass(frozen=True)
class LlmReviewer:
    """A reviewer on a model."""

    client: Client
    prompts: Prompts

    def review(self, context: ReviewContext) -> Reviews:
        """One call for the group."""
        slots = [candidate.slot for candidate in context.candidates]
        return _kept(
            lambda: read_reviews(
                self.client.structured(self.prompts.review(context), ReviewReply).value, slots
            ),
            Reviews,
            slots,
        )


@dataclass(frozen=True)
class LlmDistiller:
    """A distiller on a model."""

    client: Client
    prompts: Prompts

    def distill(self, context: MemoryContext) -> str | None:
        """One call; None where no reply has the form."""
        try:
            return self.client.structured(self.prompts.distill(context), MemoryReply).value.memory
        except ProviderBadReply:
            return None


def _kept(ask: Callable[[], A], kind: Callable[[tuple[()], tuple[Note, ...]], A], slots: Iterable[int]) -> A:
    """The answer, or notes in place of it where no reply has the form."""
    try:
        return ask()
    except ProviderBadReply as error:
        return kind((), tuple(Note(slot, error.message) for slot in slots))
