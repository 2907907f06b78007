"""What passes between the loop of a campaign and its four backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from assay.expr import Expression

    Correlations = npt.NDArray[np.float64]

DirectionKind = Literal["new", "mutation", "refinement"]
"""A new mechanism, an orthogonal mutation of an accepted factor, or a refinement of a trial."""

Outcome = Literal["admitted", "rejected", "review_rejected", "gate_refused", "no_candidate"]
"""How a slot ended: after admission; refused by the reviewer or by the gate; or nothing usable came."""

FixCause = Literal["gate", "review", "repeat"]
"""Who sent a candidate back: the gate, the reviewer, or the check for repeats of earlier trials."""

EVALUATED: Final[frozenset[Outcome]] = frozenset({"admitted", "rejected"})
"""Outcomes of slots whose candidate was scored."""


def trial_id(number: int, slot: int) -> str:
    """The id of a slot's trial: ``r03-s05`` is slot 5 of round 3. Rounds count from 1, slots from 0."""
    return f"r{number:02d}-s{slot:02d}"


@dataclass(frozen=True, slots=True)
class Direction:
    """What one slot is going to try.

    Parameters
    ----------
    slot : number in the round, from 0.
    mechanism : one of the configured mechanism types; that of the slot.
    kind : new, mutation or refinement.
    text : the idea in words.
    parent : id of the trial that it builds on; None for a new one.
    """

    slot: int
    mechanism: str
    kind: DirectionKind
    text: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A formula for a direction, with what it is meant to measure.

    Parameters
    ----------
    slot : of its direction.
    name : short, for people; need not be unique.
    expression : formula in the dialect ``core``.
    hypothesis : why it should foretell returns.
    description : what the formula computes.
    """

    slot: int
    name: str
    expression: str
    hypothesis: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """Whether hypothesis, description and formula of a candidate agree; ``reasons`` if not."""

    slot: int
    consistent: bool
    reasons: str = ""


@dataclass(frozen=True, slots=True)
class FixRequest:
    """A candidate that came back, and why, in words for who wrote it."""

    direction: Direction
    candidate: Candidate
    cause: FixCause
    reason: str
    text: str
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One slot of a round that was recorded, as the ledger tells it.

    Every slot has one, also where no candidate was evaluated; in the words of the design only those with
    ``evaluated`` are trials.

    Parameters
    ----------
    id : see :func:`trial_id`; made of round and slot.
    direction : what was tried.
    candidate : the last form of the formula; None where none came.
    outcome, reason, detail : how it ended; the reason is a word (``candidate.duplicate``, ``t_too_low``), the
        detail a sentence.
    fingerprint : of the canonical formula; None where it could not be read.
    figures : of the training segment, by the names that the judge's ``TrainingScore`` has: ``rank_ic``,
        ``neutral_rank_ic``, ``t``, ``icir``, ``coverage``, ``turnover``, ``break_even_bp``.
    checks : of admission: name, outcome, value, threshold.
    fixes : how often it was sent back, by cause.
    """

    id: str
    round: int
    slot: int
    direction: Direction
    candidate: Candidate | None
    outcome: Outcome
    reason: str = ""
    detail: str = ""
    fingerprint: str | None = None
    figures: Mapping[str, float | None] = field(default_factory=dict)
    checks: tuple[Mapping[str, Any], ...] = ()
    fixes: Mapping[str, int] = field(default_factory=dict)

    @property
    def mechanism(self) -> str:
        """The mechanism type of its slot."""
        return self.direction.mechanism

    @property
    def parent(self) -> str | None:
        """Id of the trial that it was built on."""
        return self.direction.parent

    @property
    def evaluated(self) -> bool:
        """Whether the judge scored it."""
        return self.outcome in EVALUATED

    @property
    def admitted(self) -> bool:
        """Whether it joined the zoo."""
        return self.outcome == "admitted"


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round that was done.

    Parameters
    ----------
    quota : number of slots by mechanism type, in the order of the types.
    claims : parent by slot, where picked parents claimed slots.
    trials : by slot.
    memory : the text that the distiller wrote in this round; None where it kept the previous one.
    """

    number: int
    quota: Mapping[str, int]
    claims: Mapping[int, str]
    trials: tuple[TrialRecord, ...]
    memory: str | None = None

    @property
    def admitted(self) -> tuple[TrialRecord, ...]:
        """Those that joined the zoo, in the order of proposal."""
        return tuple(trial for trial in self.trials if trial.admitted)


class TriedTrials(Protocol):
    """How alike evaluated trials are on the training segment."""

    def correlation(self, left: str, right: str) -> float | None:
        """Mean daily rank correlation of the values of two trials, by id; None where it is not defined."""
        ...

    def correlations(self, ids: Sequence[str]) -> Correlations:
        """The same for each pair: float64 ``(n, n)``, symmetric, NaN where it is not defined.

        A pair has the same number whichever other trials are asked for, or were tried in between, so that
        what is made of it is the same after a resume.
        """
        ...


@dataclass(frozen=True, slots=True)
class History:
    """All that a campaign knows of its past; a pure function of the ledger.

    ``memory`` is the current text, ``memory_round`` the round before which it was written (0: none yet).
    """

    rounds: tuple[RoundRecord, ...] = ()
    memory: str = ""
    memory_round: int = 0

    @property
    def trials(self) -> tuple[TrialRecord, ...]:
        """The slots of all rounds, in order."""
        return tuple(trial for number in self.rounds for trial in number.trials)

    @property
    def zoo(self) -> tuple[TrialRecord, ...]:
        """Admitted factors in the order of admission."""
        return tuple(trial for trial in self.trials if trial.admitted)

    def trial(self, name: str) -> TrialRecord | None:
        """The slot of an id."""
        return next((trial for trial in self.trials if trial.id == name), None)


@dataclass(frozen=True, slots=True)
class Family:
    """Factors of the reference set, or known ones, that measure something alike."""

    name: str
    known: bool
    examples: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Brief:
    """What every prompt says of the task: texts made once from config, data and vocabulary.

    Parameters
    ----------
    market, label, scoring : sentences in the language of the prompts.
    fields : description by name, of the fields that are loaded.
    ops : one line for each op, generated from the op table.
    mechanisms : description by mechanism type.
    language : of the prompts.
    limits : what the gate allows, in words.
    """

    market: str
    label: str
    scoring: str
    fields: Mapping[str, str]
    ops: tuple[str, ...]
    mechanisms: Mapping[str, str]
    language: Literal["en", "zh"] = "en"
    limits: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What planner and proposer read of the past; a pure function of history and config.

    With ``context.feedback`` off only ``seed_directions`` and ``families`` are filled. Lines are ready to be
    shown; each names its trials by id.

    Parameters
    ----------
    last_round : what became of each slot of the last round.
    best : the best mechanisms so far.
    recent : a line for each trial of the last ``recent_rounds`` rounds (planner).
    earlier : the older trials counted by mechanism type and outcome (planner).
    accepted : the zoo, with lineage where that is on (planner).
    themes : trials grouped by what their factors measure (planner).
    buildable : ids of trials that a direction may build on.
    """

    seed_directions: tuple[str, ...] = ()
    families: tuple[Family, ...] = ()
    memory: str = ""
    last_round: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    buildable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """A slot before it is planned: its mechanism type, and the parent that claimed it."""

    slot: int
    mechanism: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a planner gets.

    A slot with a parent is to be planned as a refinement or mutation of it. With ``feedback_on`` False every
    direction is new, and ``history`` is empty. ``tried`` is there where ``context.theme_correlation`` is set.
    """

    round: int
    seed: int
    slots: tuple[SlotPlan, ...]
    brief: Brief
    feedback: Feedback
    history: History
    feedback_on: bool = True
    tried: TriedTrials | None = None


@dataclass(frozen=True, slots=True)
class ProposeContext:
    """What a proposer gets: the directions of its group, and the block about the parent of each slot.

    ``parents`` holds by slot a text that shows the parent's formula, figures and, where that is on, lineage.
    """

    round: int
    seed: int
    group: int
    directions: tuple[Direction, ...]
    brief: Brief
    feedback: Feedback
    history: History
    parents: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """What a reviewer gets: the candidates that passed the gate, and no feedback."""

    round: int
    seed: int
    group: int
    candidates: tuple[Candidate, ...]
    directions: tuple[Direction, ...]
    brief: Brief
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What a distiller gets: the memory so far and the trials since, oldest first."""

    round: int
    memory: str
    trials: tuple[TrialRecord, ...]
    lines: tuple[str, ...]
    brief: Brief


@dataclass(frozen=True, slots=True)
class Note:
    """Something about one slot of an answer that could not be used, in words; ``slot`` None: of no slot."""

    slot: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Directions:
    """A planner's answer. Slots without a usable direction have a note instead."""

    items: tuple[Direction, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """A proposer's answer. Slots without a usable candidate have a note instead."""

    items: tuple[Candidate, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Reviews:
    """A reviewer's answer. Slots without a usable review have a note instead."""

    items: tuple[Review, ...]
    notes: tuple[Note, ...] = ()


class Planner(Protocol):
    """Plans one direction for each slot."""

    def plan(self, context: PlanContext) -> Directions:
        """Raises what ends a round: :class:`ProviderError`, or a refusal of the budget."""
        ...


class Proposer(Protocol):
    """Writes one candidate for each direction, and mends those that come back."""

    def propose(self, context: ProposeContext) -> Candidates:
        """One candidate for each direction of the group."""
        ...

    def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
        """All requests in one go; the answer names candidates by slot."""
        ...


class Reviewer(Protocol):
    """Judges whether hypothesis, description and formula agree."""

    def review(self, context: ReviewContext) -> Reviews:
        """One review for each candidate."""
        ...


class Distiller(Protocol):
    """Folds trials into the memory."""

    def distill(self, context: MemoryContext) -> str | None:
        """The new memory; None or nothing but blanks keeps the previous one."""
        ...


@dataclass(frozen=True, slots=True)
class Team:
    """The four backends as one round uses them. Those of a proposal group are made by ``lanes``."""

    planner: Planner
    proposer: Proposer
    reviewer: Reviewer
    distiller: Distiller


class Backends(Protocol):
    """Makes the backends of a run."""

    def team(self) -> Team:
        """For calls one after the other."""
        ...

    def lanes(self, n: int) -> tuple[Team, ...]:
        """For ``n`` groups side by side, in their order; equal requests are told apart by it."""
        ...


@dataclass(frozen=True, slots=True)
class Gated:
    """A candidate that passed the gate, with its checked formula."""

    candidate: Candidate
    expression: Expression


@dataclass(frozen=True, slots=True)
class PoolFactor:
    """A factor that candidates are compared with from the start: of the reference set, or a known one.

    ``family`` is what it is listed under: the set of the library, or what its file says.
    """

    name: str
    family: str
    expression: Expression
    known: bool = False
