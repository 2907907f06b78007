"""Which of the alphas that pass to submit, and in which order, under the rule of self-correlation.

An alpha is refused if its daily PnL correlates by 0.7 or more, over four years, with an alpha submitted
before, unless its Sharpe ratio is better than that of each such alpha by a tenth. So of two that correlate,
both can be in if the better one is better by a tenth and comes second; else only one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from assay.brain._correlation import may_follow
from assay.brain._limits import BETTER_BY, SELF_CORRELATION
from assay.brain.search._independent import greedy, heaviest, weight_of
from assay.brain.search._plan_correlations import Correlations, Pair
from assay.brain.search._plan_types import Candidate, Exclusion, Step, SubmissionPlan, Weight

EXACT_UP_TO: Final = 60
_UNITS: Final = 10_000
"""Parts of one in which values are counted; platforms round them to hundredths."""


def plan_submissions(
    candidates: Sequence[Candidate],
    submitted: Sequence[Candidate] = (),
    *,
    cap: int = 4,
    days: int | None = None,
    weight: Weight = "fitness",
    correlations: Mapping[Pair, float] | None = None,
    exact: bool = True,
    seed: int = 0,
) -> SubmissionPlan:
    """The submissions that are worth most together, and why the others are left out.

    Exact for up to 60 alphas that hang together by correlation; beyond, a local search that starts from the
    greedy plan and states how far from the best it can be at most.

    Parameters
    ----------
    submitted : alphas of the account that are in already; the rule counts them first.
    cap : submissions a day.
    days : days that the plan may take; None = as many as it needs.
    weight : what an alpha is worth: its fitness, its Sharpe ratio, or one.
    correlations : the platform's own, by pairs of ids in either order; they go before those of the PnL.
    exact : with False only the local search is made.
    """
    table = Correlations(correlations or {})
    free, excluded = _sorted_out(candidates, submitted, table)
    most = len(free) if days is None else min(len(free), cap * days)
    worth = [_worth(alpha, weight) for alpha in free]
    units = [round(value * _UNITS) for value in worth]
    joined = _conflicts(free, table)
    chosen = heaviest(units, joined, most, exact_up_to=EXACT_UP_TO if exact else -1, seed=seed)
    planned = _in_order([i for i in range(len(free)) if chosen.members >> i & 1], free, worth, table)
    steps = _steps(planned, free, worth, submitted, table, cap)
    excluded += _left_out(free, planned, joined, table, cap, days)
    return SubmissionPlan(
        steps=steps,
        excluded=tuple(sorted(excluded, key=lambda item: [c.id for c in candidates].index(item.alpha.id))),
        weight=weight,
        value=chosen.weight / _UNITS,
        bound=chosen.bound / _UNITS,
        greedy=weight_of(units, greedy(units, joined, most)) / _UNITS,
        exact=chosen.exact,
        unknown=tuple(alpha.id for alpha in submitted if not _told(alpha, free, table)),
        cap=cap,
        days=days,
    )


def _sorted_out(
    candidates: Sequence[Candidate], submitted: Sequence[Candidate], table: Correlations
) -> tuple[list[Candidate], list[Exclusion]]:
    """Those that may be planned at all, and why the others may not."""
    free: list[Candidate] = []
    excluded: list[Exclusion] = []
    taken = {alpha.id for alpha in submitted}
    for alpha in candidates:
        against = {other.id: c for other in submitted if (c := _against(alpha, other, table)) is not None}
        if alpha.id in taken:
            excluded.append(Exclusion(alpha, "submitted", "it is submitted already"))
        elif alpha.failing:
            excluded.append(Exclusion(alpha, "failing", f"it fails {', '.join(alpha.failing)}"))
        elif not alpha.pnl.values and not table.given(alpha, [*candidates, *submitted]):
            message = "its daily PnL is not there, so nobody knows what it correlates with"
            excluded.append(Exclusion(alpha, "no_pnl", message))
        elif against:
            message = _compared(alpha, "submitted already", submitted, against)
            excluded.append(Exclusion(alpha, "existing", message, against))
        else:
            free.append(alpha)
            taken.add(alpha.id)
    return free, excluded


def _told(alpha: Candidate, free: Sequence[Candidate], table: Correlations) -> bool:
    """Whether the correlations of a submitted alpha are known."""
    return bool(alpha.pnl.values) or table.given(alpha, free)


def _against(alpha: Candidate, other: Candidate, table: Correlations) -> float | None:
    """The correlation with an alpha that is in, where the rule forbids to follow it."""
    if other.id == alpha.id:
        return None
    found = table.of(alpha, other)
    return None if found is None or may_follow(alpha.sharpe, other.sharpe, found) else found


def _conflicts(free: Sequence[Candidate], table: Correlations) -> list[int]:
    """Pairs of which only one can be in, whatever the order."""
    joined = [0] * len(free)
    for i, a in enumerate(free):
        for j in range(i + 1, len(free)):
            b = free[j]
            found = table.of(a, b)
            if not may_follow(a.sharpe, b.sharpe, found) and not may_follow(b.sharpe, a.sharpe, found):
                joined[i] |= 1 << j
                joined[j] |= 1 << i
    return joined


def _in_order(
    members: Sequence[int], free: Sequence[Candidate], worth: Sequence[float], table: Correlations
) -> list[int]:
    """The most valuable first, but of two that correlate the one with the lower Sharpe ratio."""
    order: list[int] = []
    left = sorted(members, key=lambda i: (-worth[i], free[i].id))
    while left:
        ready = next(i for i in left if not any(_waits(free[i], free[j], table) for j in left if j != i))
        order.append(ready)
        left.remove(ready)
    return order


def _waits(alpha: Candidate, other: Candidate, table: Correlations) -> bool:
    """Whether an alpha has to come after the other: the other may not follow it."""
    return not may_follow(other.sharpe, alpha.sharpe, table.of(alpha, other))


def _steps(
    planned: Sequence[int],
    free: Sequence[Candidate],
    worth: Sequence[float],
    submitted: Sequence[Candidate],
    table: Correlations,
    cap: int,
) -> tuple[Step, ...]:
    steps = []
    before = list(submitted)
    for place, index in enumerate(planned):
        alpha = free[index]
        after = {
            other.id: found
            for other in before
            if (found := table.of(alpha, other)) is not None and found >= SELF_CORRELATION
        }
        steps.append(Step(alpha, place // cap + 1, worth[index], after))
        before.append(alpha)
    return tuple(steps)


def _left_out(
    free: Sequence[Candidate],
    planned: Sequence[int],
    joined: Sequence[int],
    table: Correlations,
    cap: int,
    days: int | None,
) -> list[Exclusion]:
    found = []
    for index, alpha in enumerate(free):
        if index in planned:
            continue
        others = [free[i] for i in planned if joined[index] >> i & 1]
        if others:
            against = {other.id: value for other in others if (value := table.of(alpha, other)) is not None}
            message = _compared(alpha, "planned", others, against)
            found.append(Exclusion(alpha, "planned", message, against))
        elif days is not None and len(planned) >= cap * days:
            message = f"{cap * days} others fill {days} days of {cap} and are worth more"
            found.append(Exclusion(alpha, "cap", message))
        else:
            found.append(Exclusion(alpha, "cap", "it is worth nothing by the weight that was chosen"))
    return found


def _compared(alpha: Candidate, state: str, others: Sequence[Candidate], against: Mapping[str, float]) -> str:
    """The correlations that stand against an alpha, and the Sharpe ratio that would be needed."""
    sharpes = {other.id: other.sharpe for other in others}
    named = ", ".join(f"{name} by {value:.2f}" for name, value in against.items())
    needed = max((sharpes[name] or 0.0 for name in against), default=0.0) * BETTER_BY
    own = "unknown" if alpha.sharpe is None else f"{alpha.sharpe:.2f}"
    return f"it correlates with {named} ({state}): a Sharpe of {needed:.2f} is needed, it has {own}"


def _worth(alpha: Candidate, weight: Weight) -> float:
    if weight == "count":
        return 1.0
    value = alpha.fitness if weight == "fitness" else alpha.sharpe
    return max(0.0, value or 0.0)
