"""What the state machine and a policy say to each other, and what a session leaves to be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from assay.brain._result import DailyPnl, JobResult, Proposal
from assay.brain._settings import SimulationSettings
from assay.brain._wire import Quota, Stats

Phase = Literal["discovery", "research", "creative", "improvement", "done"]
StopReason = Literal[
    "converged",  # the criteria are met
    "forced",  # the policy insisted, or could not go on, with criteria unmet
    "plateau",
    "stalled",
    "budget",
    "rounds",
    "interrupted",
    "paused",  # an outage, a quota, credentials: resume later
]
Level = Literal["none", "minimum", "good", "excellent", "spectacular"]


@dataclass(frozen=True, slots=True)
class Task:
    """Where a session starts: an idea, a data set that it keeps to, an expression to make better.

    With a data set there is no exploring: its fields are the research. ``settings`` are those that
    simulations begin with.
    """

    idea: str = ""
    data_set: str = ""
    expression: str = ""
    critique: str = ""
    settings: SimulationSettings = field(default_factory=SimulationSettings)


@dataclass(frozen=True, slots=True)
class Direction:
    """A line of search. ``rounds`` are those in which results of its own came back."""

    id: str
    hypothesis: str
    target_check: str = ""
    approach: str = ""
    created_at_round: int = 0
    rounds: int = 0
    improvement_count: int = 0
    best_sharpe: float | None = None
    abandoned: bool = False


@dataclass(frozen=True, slots=True)
class NewDirection:
    """A direction that a policy opens, with its first expressions."""

    hypothesis: str
    proposals: tuple[Proposal, ...]
    target_check: str = ""
    approach: str = ""


@dataclass(frozen=True, slots=True)
class KnowledgeEntry:
    """Something learned. ``id`` is a hash of topic and insight, so that the same is kept once."""

    id: str
    topic: str
    insight: str
    tags: tuple[str, ...] = ()
    source: str = ""
    created: str = ""


@dataclass(frozen=True, slots=True)
class Research:
    """What the research phase hands on: hypotheses, and fields with their data sets."""

    summary: str
    hypotheses: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Creative:
    """A policy's answer in the creative phase."""

    directions: tuple[NewDirection, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Improvement:
    """A policy's answer in the improvement phase. Each proposal names a direction that exists."""

    proposals: tuple[Proposal, ...] = ()
    abandoned: tuple[str, ...] = ()
    knowledge: tuple[KnowledgeEntry, ...] = ()
    converged: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Briefing:
    """All that a policy may know: the task, the state, and results in the order of submission.

    A policy answers from its briefing (and a seed of its own) alone, so that a session that is resumed goes
    on as it would have gone. ``settings`` are those that the session's simulations begin with.
    """

    idea: str
    phase: Phase
    round: int
    research: Research
    directions: tuple[Direction, ...]
    results: tuple[JobResult, ...]
    latest: tuple[JobResult, ...]
    knowledge: tuple[KnowledgeEntry, ...]
    remarks: tuple[str, ...]
    critique: str = ""
    expression: str = ""
    remaining: int = 0
    best: JobResult | None = None
    data_set: str = ""
    settings: SimulationSettings = field(default_factory=SimulationSettings)


class Policy(Protocol):
    """Who decides: a model, the sampler, a replay.

    A :class:`~assay.errors.ProviderError` that a policy lets through pauses the session; it does not end it.
    """

    @property
    def name(self) -> str: ...

    def discover(self) -> str:
        """An idea, where the user gave none."""
        ...

    def research(self, briefing: Briefing) -> Research: ...

    def create(self, briefing: Briefing) -> Creative: ...

    def improve(self, briefing: Briefing) -> Improvement: ...


@dataclass(frozen=True, slots=True)
class SlotView:
    """A slot: which job runs in it, how far the platform says it is; ``job`` None = idle."""

    job: str | None = None
    expression: str = ""
    progress: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """The session at one moment, for a live view."""

    phase: Phase
    round: int
    slots: tuple[SlotView, ...]
    queue: int
    background: int
    directions: tuple[Direction, ...]
    best: JobResult | None
    simulations: int
    budget: int
    quota: Quota
    tokens: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Funnel:
    """How many got how far."""

    proposed: int = 0
    invalid: int = 0
    duplicate: int = 0
    simulated: int = 0
    failed: int = 0
    above_minimum: int = 0
    all_checks: int = 0
    submitted: int = 0


@dataclass(frozen=True, slots=True)
class HeldFigures:
    """An alpha in sample and in the year that was kept from the agent."""

    in_sample: Stats
    held: Stats


@dataclass(frozen=True, slots=True)
class Luck:
    """The best alpha beside what luck alone reaches in ``n`` trials on its data.

    ``by_luck`` is the annual Sharpe ratio that the best of ``n`` worthless ones is expected to show, ``dsr``
    the deflated Sharpe ratio; None where they cannot be had, and ``note`` says why.
    """

    n: int | None
    by_luck: float | None
    dsr: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class RoundLine:
    """One round: which phase, what came back, the best Sharpe ratio so far."""

    number: int
    phase: Phase
    submitted: int
    completed: int
    failed: int
    best_sharpe: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class SessionReport:
    """A finished or paused session, ready to be shown.

    ``unmet`` names the criteria that were not met when it stopped; ``check_failures`` counts by check the
    alphas that failed it; ``held`` is by job, and empty on the real platform. ``message`` says why it paused,
    or could not go on.
    """

    run: str
    idea: str
    platform: str
    simulated: bool
    policy: str
    stop: StopReason
    level: Level
    unmet: tuple[str, ...]
    limits: Mapping[str, float]
    rounds: tuple[RoundLine, ...]
    directions: tuple[Direction, ...]
    results: tuple[JobResult, ...]
    funnel: Funnel
    check_failures: Mapping[str, int]
    best: JobResult | None
    pnl: Mapping[str, DailyPnl] = field(default_factory=dict)
    held: Mapping[str, HeldFigures] = field(default_factory=dict)
    trials: int = 0
    simulations: int = 0
    budget: int = 0
    luck: Luck | None = None
    tokens: int = 0
    knowledge: tuple[KnowledgeEntry, ...] = ()
    message: str = ""
