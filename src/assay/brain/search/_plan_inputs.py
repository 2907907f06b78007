"""What the submission planner has to know, asked of a platform."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.brain._limits import limits
from assay.brain._platform import Platform
from assay.brain._result import DailyPnl
from assay.brain._trials import read_pnl
from assay.brain._wire import Alpha
from assay.brain.search._plan_correlations import Pair
from assay.brain.search._plan_types import Candidate
from assay.config import BrainLevel

SUBMITTED: Final = ("ACTIVE", "DECOMMISSIONED")
# The planner answers these itself, by what would be submitted before.
_CORRELATION_CHECKS: Final = ("SELF_CORRELATION",)
_NO_PNL: Final = DailyPnl((), ())

Told = Callable[[int, int], None]
"""Called with how many alphas of how many have been read."""


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Alphas that might be submitted, those that are already, and correlations that the platform told."""

    candidates: tuple[Candidate, ...]
    submitted: tuple[Candidate, ...]
    correlations: dict[Pair, float]


def plan_inputs(
    platform: Platform,
    *,
    level: BrainLevel = "user",
    ask_correlations: bool = False,
    check: bool = False,
    told: Told | None = None,
) -> PlanInputs:
    """Read an account: its alphas, and the daily PnL of those that matter.

    Only alphas that reach the limits and fail no check are looked at closely; the others are candidates
    that name what they fail.

    Parameters
    ----------
    ask_correlations : also ask for the platform's own correlations with what is submitted.
    check : have the platform answer the checks that are pending.
    """
    alphas = platform.user_alphas()
    inside = [alpha for alpha in alphas if alpha.status in SUBMITTED]
    outside = [alpha for alpha in alphas if alpha.status not in SUBMITTED]
    made = [_candidate(alpha, level) for alpha in outside]
    close = [item for item in made if not item.failing]
    looked_at = [*close, *(_candidate(alpha, level, submitted=True) for alpha in inside)]
    read: dict[str, Candidate] = {}
    for number, item in enumerate(looked_at, 1):
        read[item.id] = replace(item, pnl=read_pnl(platform, item.id))
        if told is not None:
            told(number, len(looked_at))
    if check:
        for item in close:
            read[item.id] = _checked(platform, read[item.id])
    correlations = _asked(platform, [item.id for item in close]) if ask_correlations else {}
    return PlanInputs(
        tuple(read.get(item.id, item) for item in made),
        tuple(read[alpha.id] for alpha in inside),
        correlations,
    )


def _candidate(alpha: Alpha, level: BrainLevel, *, submitted: bool = False) -> Candidate:
    stats = alpha.in_sample
    checks = () if stats is None else stats.checks
    failing = [c.name for c in checks if c.result in ("FAIL", "ERROR") and c.name not in _CORRELATION_CHECKS]
    return Candidate(
        id=alpha.id,
        sharpe=None if stats is None else stats.sharpe,
        fitness=None if stats is None else stats.fitness,
        pnl=_NO_PNL,
        failing=() if submitted else tuple(dict.fromkeys((*failing, *_below(alpha, level)))),
        pending=tuple(c.name for c in checks if c.result == "PENDING" and c.name not in _CORRELATION_CHECKS),
        expression="" if alpha.regular is None else alpha.regular.code,
    )


def _below(alpha: Alpha, level: BrainLevel) -> list[str]:
    """Limits that the figures miss, named as the platform names their checks."""
    stats = alpha.in_sample
    if stats is None:
        return ["no figures"]
    bounds = limits(level, alpha.request_settings.delay)
    turnover = stats.turnover
    missed = {
        "LOW_SHARPE": stats.sharpe is None or stats.sharpe < bounds.sharpe,
        "LOW_FITNESS": stats.fitness is None or stats.fitness < bounds.fitness,
        "LOW_TURNOVER": turnover is None or turnover < bounds.min_turnover,
        "HIGH_TURNOVER": turnover is not None and turnover > bounds.max_turnover,
    }
    return [name for name, is_missed in missed.items() if is_missed]


def _checked(platform: Platform, item: Candidate) -> Candidate:
    checks = platform.check(item.id)
    failing = [c.name for c in checks if c.result in ("FAIL", "ERROR") and c.name not in _CORRELATION_CHECKS]
    pending = [c.name for c in checks if c.result == "PENDING" and c.name not in _CORRELATION_CHECKS]
    return replace(item, failing=tuple(failing), pending=tuple(pending))


def _asked(platform: Platform, ids: Sequence[str]) -> dict[Pair, float]:
    """The platform's correlations of alphas with those that are submitted."""
    found: dict[Pair, float] = {}
    for id_ in ids:
        for row in platform.correlations(id_, "self").rows:
            other, value = row.get("id"), row.get("correlation")
            if isinstance(other, str) and isinstance(value, int | float):
                found[id_, other] = float(value)
    return found
