"""Admission: whether a scored candidate joins the zoo, by its figures on the training segment alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assay.errors import Reason
from assay.judge._results import CoverageRow, Criterion
from assay.judge.training._admission_reasons import ADMISSION_REASONS
from assay.judge.training._pool import LEAST_DAYS, Nearest, Pool, Residual
from assay.judge.training._rule import AdmissionRule
from assay.judge.training._score import TrainingScore
from assay.metrics import deflated_sharpe, newey_west_t

Trace = Callable[[TrainingScore], Sequence[CoverageRow]]


@dataclass(frozen=True, slots=True)
class Admission:
    """The decision on one candidate.

    Parameters
    ----------
    admitted : every check passed.
    reasons : of the checks that failed or are undefined, in order.
    checks : what was asked and what was found; an undefined figure is never admitted.
    coverage : where the values are lost; empty unless the coverage was too small.
    nearest_value, nearest_ic : the pool's member that is most alike.
    """

    admitted: bool
    reasons: tuple[Reason, ...]
    checks: tuple[Criterion, ...]
    coverage: tuple[CoverageRow, ...] = ()
    nearest_value: str | None = None
    nearest_ic: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; undefined figures are None."""
        return {
            "admitted": self.admitted,
            "reasons": [reason.code for reason in self.reasons],
            "checks": [asdict(check) for check in self.checks],
            "coverage": [asdict(row) for row in self.coverage],
            "nearest_value": self.nearest_value,
            "nearest_ic": self.nearest_ic,
        }


def admit(
    score: TrainingScore,
    pool: Pool,
    rule: AdmissionRule,
    n: int | None,
    variance: float = math.nan,
    *,
    trace: Trace | None = None,
) -> Admission:
    """Decide on one candidate.

    Parameters
    ----------
    pool : what it is compared with: reference factors, the zoo, and what this run admitted before.
    n : number of trials, from the ledger. None: unknown; then no deflated figure exists and, unless the rule
        leaves the check out, nothing is admitted.
    variance : V[SR] over these trials, which the DSR needs.
    trace : says at which step of the formula values are lost; asked when the coverage is too small.

    Notes
    -----
    The residual is the intercept of the least-squares regression of the candidate's daily RankIC on those of
    its nearest members: what a mixture of them does not earn (the spanning test of Huberman and Kandel 1987).
    """
    alone = checks_alone(score, rule, n, variance)
    together, value, ic = _checks_together(score, pool, rule)
    checks = _in_order((*alone, *together))
    failed = [check for check in checks if check.outcome != "passed"]
    lost = any(check.name == "coverage" for check in failed)
    return Admission(
        admitted=not failed,
        reasons=tuple(ADMISSION_REASONS[check.name] for check in failed),
        checks=checks,
        coverage=tuple(trace(score)) if lost and trace is not None else (),
        nearest_value=value.name,
        nearest_ic=ic.name,
    )


def checks_alone(
    score: TrainingScore, rule: AdmissionRule, n: int | None, variance: float
) -> tuple[Criterion, ...]:
    """The checks that do not depend on the pool, and so on no order."""
    found = [
        _least("days", score.days / len(score.rank_ics), rule.min_days, "of the dates have a RankIC"),
        _least("coverage", score.coverage, rule.min_coverage, "of the members have a value"),
        _least("t", abs(score.t), rule.min_t, "|t| of the mean RankIC"),
        _least("payoff", score.paid_t, rule.min_payoff_t, "t of the payoff, in the RankIC's direction"),
        _least("rank_ic", abs(score.rank_ic), rule.min_rank_ic, "|mean RankIC|"),
        _least("neutral_ic", abs(score.neutral_rank_ic), rule.min_neutral_ic, "|mean neutral RankIC|"),
        _most("turnover", score.turnover, rule.max_turnover, "one-way turnover a year"),
        _least("break_even", score.break_even_bp, rule.min_break_even_bp, "bp a unit traded may cost"),
        _deflated(score, rule, n, variance),
    ]
    return tuple(check for check in found if check is not None)


def _checks_together(
    score: TrainingScore, pool: Pool, rule: AdmissionRule
) -> tuple[tuple[Criterion, ...], Nearest, Nearest]:
    value = pool.nearest(pool.value_correlations(score))
    series = pool.ic_correlations(score)
    ic = pool.nearest(series)
    found = [
        _alike("value_corr", value, rule.max_value_corr, "values", score),
        _alike("ic_corr", ic, rule.max_ic_corr, "daily RankICs", score),
        _left_over(score, pool, rule, series),
    ]
    return tuple(check for check in found if check is not None), value, ic


def _in_order(checks: Sequence[Criterion]) -> tuple[Criterion, ...]:
    place = {name: number for number, name in enumerate(ADMISSION_REASONS)}
    return tuple(sorted(checks, key=lambda check: place[check.name]))


def _least(name: str, value: float, threshold: float | None, what: str) -> Criterion | None:
    if threshold is None:
        return None
    if not math.isfinite(value):
        return Criterion(name, "undefined", None, threshold, f"{what}: undefined")
    detail = f"{value:.4g} {what}; at least {threshold:g}"
    return Criterion(name, "passed" if value >= threshold else "failed", value, threshold, detail)


def _most(name: str, value: float, threshold: float | None, what: str) -> Criterion | None:
    if threshold is None:
        return None
    if not math.isfinite(value):
        return Criterion(name, "undefined", None, threshold, f"{what}: undefined")
    detail = f"{value:.4g} {what}; at most {threshold:g}"
    return Criterion(name, "passed" if value <= threshold else "failed", value, threshold, detail)


def _alike(
    name: str, nearest: Nearest, threshold: float | None, what: str, score: TrainingScore
) -> Criterion | None:
    if threshold is None:
        return None
    if nearest.name is None and score.days < LEAST_DAYS:
        return Criterion(name, "undefined", None, threshold, f"{what} on too few dates to compare")
    if nearest.name is None:
        return Criterion(name, "passed", None, threshold, f"no factor of the pool has {what} to compare")
    value = abs(nearest.correlation)
    detail = f"|correlation| {value:.3f} of {what} with {nearest.name!r}; at most {threshold:g}"
    return Criterion(name, "passed" if value <= threshold else "failed", value, threshold, detail)


def _left_over(
    score: TrainingScore, pool: Pool, rule: AdmissionRule, correlations: np.ndarray
) -> Criterion | None:
    threshold = rule.min_residual_ic
    if threshold is None:
        return None
    left = residual(score, pool, correlations, rule.residual_members)
    if not math.isfinite(left.rank_ic):
        return Criterion("residual_ic", "undefined", None, threshold, "residual RankIC: undefined")
    value = math.copysign(1.0, score.rank_ic) * left.rank_ic
    what = f"RankIC left by {len(left.members)} factors of the pool (t {left.t:.2f})"
    return _least("residual_ic", value, threshold, what)


def residual(score: TrainingScore, pool: Pool, correlations: np.ndarray, members: int) -> Residual:
    """What the nearest members of the pool leave of a candidate's mean RankIC; see :func:`admit`.

    Parameters
    ----------
    correlations : of daily RankICs with each member ``(P,)``.
    members : how many are used at most: those with the largest absolute correlation among the members that
        have a RankIC on at least half of the candidate's days.
    """
    y = score.rank_ics
    order = np.argsort(-np.abs(correlations), kind="stable")  # NaN comes last
    places = [place for place in order if np.isfinite(correlations[place]) and _shares(pool, place, y)][
        :members
    ]
    x = pool.rank_ics(places) if len(places) else np.empty((len(y), 0))
    days = np.isfinite(y) & np.isfinite(x).all(axis=1)
    names = tuple(pool.members[place].name for place in places)
    count = int(days.sum())
    if count < LEAST_DAYS:
        return Residual(math.nan, math.nan, count, names)
    design = np.column_stack([np.ones(count), x[days]])
    found = np.linalg.lstsq(design, y[days], rcond=None)[0]
    series = y[days] - x[days] @ found[1:]
    return Residual(float(found[0]), newey_west_t(series, score.t_lags), count, names)


def _shares(pool: Pool, place: int, series: np.ndarray) -> bool:
    """Whether a member has a RankIC on at least half of the days of a series."""
    known = np.isfinite(series)
    both = known & np.isfinite(pool.members[place].rank_ics)
    return 2 * int(both.sum()) >= int(known.sum())


def _deflated(score: TrainingScore, rule: AdmissionRule, n: int | None, variance: float) -> Criterion | None:
    threshold = rule.max_adjusted_p
    if threshold is None:
        return None
    if n is None:
        return Criterion("deflated", "undefined", None, threshold, "the number of trials is not known")
    trials = max(n, rule.least_n)
    if rule.deflation == "haircut":
        what = f"p of RankIC and payoff after {trials} trials"
        return _most("deflated", sidak(score.joint_p, trials), threshold, what)
    undefined = math.isnan(score.sharpe) or math.isnan(variance)
    value = math.nan if undefined else 1.0 - deflated_sharpe(score.moments, trials, variance).value
    return _most("deflated", value, threshold, f"1 - DSR after {trials} trials")


def sidak(p: float, n: int) -> float:
    """The chance that the smallest of ``n`` independent p-values is at most ``p``.

    Examples
    --------
    >>> round(sidak(0.0008, 200), 2)
    0.15
    """
    return 1.0 if p >= 1.0 else -math.expm1(n * math.log1p(-p))
