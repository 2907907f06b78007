"""What a submission plan is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.brain._result import DailyPnl

Weight = Literal["fitness", "sharpe", "count"]
Why = Literal["failing", "submitted", "no_pnl", "existing", "planned", "cap"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An alpha that may be submitted, or one that is already.

    ``failing`` names checks that failed; such an alpha is left out. ``pending`` ones are told and may still
    fail.
    """

    id: str
    sharpe: float | None
    fitness: float | None
    pnl: DailyPnl
    failing: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    expression: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One submission. ``after`` are correlated alphas that are in before, which it is better than."""

    alpha: Candidate
    day: int
    weight: float
    after: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An alpha that is left out, why, and because of which others (with their correlation)."""

    alpha: Candidate
    why: Why
    message: str
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SubmissionPlan:
    """What to submit, in order.

    ``bound`` is a value that no plan can exceed, so ``gap`` (a share of it) is 0 for an exact one. ``greedy``
    is what taking the best first would have been worth. ``unknown`` are submitted alphas without a daily PnL:
    the platform may refuse what correlates with one of them.
    """

    steps: tuple[Step, ...]
    excluded: tuple[Exclusion, ...]
    weight: Weight
    value: float
    bound: float
    greedy: float
    exact: bool
    cap: int
    days: int | None
    unknown: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        return 0.0 if self.bound <= 0 else max(0.0, (self.bound - self.value) / self.bound)
