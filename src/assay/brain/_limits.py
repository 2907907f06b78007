"""The limits of the platform's checks: one place for simulator, criteria, pages and planner.

Sources: the platform's documentation of alpha submission, and captured replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from assay.config import BrainLevel

MAX_WEIGHT: Final = 0.1
SELF_CORRELATION: Final = 0.7
BETTER_BY: Final = 1.1
"""An alpha that correlates beyond the limit passes if its Sharpe exceeds all of those by this factor."""
SELF_CORRELATION_YEARS: Final = 4
SUB_UNIVERSE: Final = 0.75
TURNOVER_FLOOR: Final = 0.125

Grade = Literal["INFERIOR", "AVERAGE", "GOOD", "EXCELLENT", "SPECTACULAR"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What an alpha has to reach at a delay."""

    sharpe: float
    fitness: float
    min_turnover: float = 0.01
    max_turnover: float = 0.7


_LIMITS: Final[dict[tuple[str, int], Limits]] = {
    ("user", 1): Limits(1.25, 1.0),
    ("user", 0): Limits(2.0, 1.3),
    ("consultant", 1): Limits(1.58, 1.0),
    ("consultant", 0): Limits(2.69, 1.5),
}
_GRADES: Final[dict[int, tuple[tuple[float, Grade], ...]]] = {
    1: ((2.5, "SPECTACULAR"), (2.0, "EXCELLENT"), (1.5, "GOOD"), (1.0, "AVERAGE")),
    0: ((3.25, "SPECTACULAR"), (2.6, "EXCELLENT"), (1.95, "GOOD"), (1.3, "AVERAGE")),
}


LADDER: Final = (2, 3, 4, 5, 6, 7, 8, 9, 10)
"""Years that the ladder of Sharpe ratios looks back, one after the other."""
LADDER_FAIL: Final[dict[int, float]] = {1: 1.59, 0: 2.69}
_LADDER_PASS: Final[dict[int, tuple[float, ...]]] = {
    1: (2.38, 2.38, 2.38, 2.38, 2.22, 2.06, 1.90, 1.74, 1.59),
    0: (3.96, 3.96, 3.96, 3.96, 3.64, 3.33, 3.17, 2.85, 2.69),
}
LADDER_CALM: Final = 0.3
LADDER_CALM_FACTOR: Final = 0.85
"""Below a turnover of 30% the ladder's limits are lowered by this factor."""


def ladder_limits(years: int, delay: int, turnover: float | None) -> tuple[float, float]:
    """Sharpe ratios of the last ``years`` that pass, and below which it fails."""
    factor = LADDER_CALM_FACTOR if turnover is not None and turnover < LADDER_CALM else 1.0
    passing = _LADDER_PASS[delay][LADDER.index(years)]
    return round(passing * factor, 4), round(LADDER_FAIL[delay] * factor, 4)


def limits(level: BrainLevel = "user", delay: int = 1) -> Limits:
    """The limits for an account's level at a delay."""
    return _LIMITS[level, delay]


def grade(fitness: float | None, delay: int = 1) -> Grade:
    """The platform's word for a fitness."""
    if fitness is None:
        return "INFERIOR"
    return next((word for least, word in _GRADES[delay] if fitness >= least), "INFERIOR")
