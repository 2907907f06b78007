"""What hidden periods may tell: ``score`` one rounded number, ``eval`` figures against a person's token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from assay.config import PeriodPlan
from assay.errors import DataError, Reason, Refusal
from assay.expr import Expression, parse
from assay.judge._inputs import BoolArray
from assay.judge._items import Item, ItemReader
from assay.judge._judge import judge, panel_fields
from assay.judge._leaks import FULL, FieldExponents, Subject, check_leaks
from assay.judge._measure import Measured
from assay.judge._measuring import MeasuringPool
from assay.judge._period import plan_for
from assay.judge._permit import spend_eval_token
from assay.judge._recording import Record, Recording
from assay.judge._settings import JudgeSettings
from assay.judge._setup import Setup, make_setup
from assay.judge._verdict import Verdict
from assay.market import data_digest

if TYPE_CHECKING:
    from assay.market import Panel

Floor: TypeAlias = Literal["leak", "adjustment", "low_coverage", "undefined", "shuffle", "late"]

REVERSAL = "-ts_return(close, 20)"
"""The reference formula. The other reference, equal weight, is the benchmark itself: its IR is 0."""
MINIMUM, STEP = -1.0, 0.05
LEAST_SHARE, LEAST_NAMES, LEAST_DAYS = 0.80, 30, 0.90

SCORE_UNAVAILABLE = Reason(
    "score_unavailable",
    "the score period cannot be judged with these settings",
    "ask the owner of the workspace, who may judge on it: assay judge --period score",
)


@dataclass(frozen=True, slots=True)
class Reward:
    """What a candidate earns on the hidden score period: a multiple of 0.05 in [-1, 1].

    ``floor_reason`` says why it is the minimum whatever its book earned; None where the book decided.
    """

    value: float
    floor_reason: Floor | None = None


@dataclass(frozen=True, slots=True)
class EvalFigures:
    """After-cost figures of one formula on the sealed period; NaN where undefined."""

    ir: float
    net_excess: float
    max_drawdown: float
    turnover: float
    rank_ic: float
    days: int


@dataclass(frozen=True, slots=True)
class EvalReport:
    """The candidate on the sealed period, beside the formula that it was evolved from."""

    candidate: EvalFigures
    seed: EvalFigures | None = None


def reference_expressions(panel: Panel) -> tuple[Expression, ...]:
    """What any candidate must beat besides its seed, equal weight apart: the reversal of 20 days."""
    return (parse(REVERSAL, fields=panel_fields(panel)),)


def score_reward(
    expression: Expression,
    panel: Panel,
    *,
    baseline: Sequence[Expression],
    settings: JudgeSettings,
    recording: Recording,
    plan: PeriodPlan | None = None,
) -> Reward:
    """The after-cost IR of a candidate on the ``score`` period, minus that of the baseline.

    The difference is clipped to [-1, 1] and rounded to 0.05. Each call that reads the period is one charged
    look and one trial, which is recorded without a figure. The candidate earns the minimum where

    - prefix, scramble or permutation fails (``leak``), or the value changes with a stock's adjustment factor
      and the settings refuse that (``adjustment``);
    - on more than 10% of the days fewer than 80% of the members, or fewer than 30, have a value
      (``low_coverage``);
    - its IR is undefined (``undefined``);
    - its mean RankIC is no better than that of a shuffled cross-section (``shuffle``), or less of it is left
      one bar late than the settings ask (``late``).

    Nothing is kept between calls, so that no answer about one period can be given for another.

    Parameters
    ----------
    expression : what is traded: high is bought.
    baseline : the seed first, then further references; see :func:`reference_expressions`. The better of them
        all, and of equal weight, whose IR is 0, is the baseline. One whose IR is undefined counts for
        nothing. A candidate that is the seed up to a constant factor, or its sign, is the seed: it earns 0,
        and no hidden date is read for it.
    settings : costs, book, universe, neutralisation; the period is that of this function.
    recording : whose budget of looks is charged.
    plan : the periods; by default those of the workspace in which the panel is stored.

    Raises
    ------
    Refusal
        The expression cannot run; ``look_budget_exhausted``; ``unknown_period``: no score period is set;
        ``score_unavailable``, whatever else is wrong, in words that are always the same.
    """
    chosen = _hidden(settings, "score")
    plan = plan_for(panel, plan)
    if plan is None:
        raise Refusal(SCORE_UNAVAILABLE, where="period")
    plan.resolve("score")
    items = _items(expression, baseline, panel)
    if baseline and expression.signature == baseline[0].signature:
        return Reward(0.0)
    try:
        setup = make_setup(panel, chosen, plan)
    except (DataError, Refusal):
        raise Refusal(SCORE_UNAVAILABLE, where="period") from None  # its words may name a hidden date
    with Record(recording, items[:1], setup, data_digest(panel)) as record:
        try:
            measured = _measured(items, setup)
            found = _reward(items, measured, setup)
        except (DataError, Refusal):
            raise Refusal(SCORE_UNAVAILABLE, where="period") from None
        record.count()
    return found


def _hidden(settings: JudgeSettings, period: str) -> JudgeSettings:
    """The settings on a hidden period, with the controls on and without what no reward is made of."""
    return replace(
        settings,
        period=period,
        start=None,
        end=None,
        allow_hidden=True,
        horizons=(settings.horizon,),
        robustness="full",
        bootstrap=0,
        neutral=False,
        direction="given",
    )


def _items(expression: Expression, baseline: Sequence[Expression], panel: Panel) -> list[Item]:
    named = {"candidate": expression, **{f"baseline {k}": other for k, other in enumerate(baseline)}}
    items, _ = ItemReader(panel.dates, panel.instruments, panel_fields(panel)).read(named)
    return items


def _measured(items: Sequence[Item], setup: Setup) -> dict[str, Measured]:
    with MeasuringPool(setup, len(items)) as pool:
        pool.submit(items)
        return pool.results()


def _reward(items: Sequence[Item], measured: Mapping[str, Measured], setup: Setup) -> Reward:
    candidate = measured["candidate"]
    floor = _floor(items[0], candidate, setup)
    if floor is not None:
        return Reward(MINIMUM, floor)
    others = [float(measured[item.name].summary["ir"]) for item in items[1:]]
    best = max([0.0, *(ir for ir in others if math.isfinite(ir))])
    return Reward(rounded(float(candidate.summary["ir"]) - best))


def rounded(difference: float) -> float:
    """``difference`` clipped to [-1, 1], to the nearest multiple of 0.05."""
    return round(round(min(1.0, max(MINIMUM, difference)) / STEP) * STEP, 2) + 0.0


def _floor(item: Item, measured: Measured, setup: Setup) -> Floor | None:
    """Why the candidate earns the minimum, whatever its book earned."""
    leaks = _leaks(item, setup)
    settings = setup.settings
    if "failed" in (leaks["prefix"], leaks["scramble"], leaks["permutation"]):
        return "leak"
    if settings.adjustment == "refuse" and leaks["adjustment"] != "passed":
        return "adjustment"
    if not _covered(measured, setup.judged[setup.rows]):
        return "low_coverage"
    if not math.isfinite(measured.summary["ir"]):
        return "undefined"
    control = measured.robustness.shuffle
    if control is None or not (control.observed_outside and control.shuffled_inside):
        return "shuffle"
    least = settings.thresholds.min_late_share
    if least is not None and not measured.robustness.late_share >= least:
        return "late"
    return None


def _leaks(item: Item, setup: Setup) -> dict[str, str]:
    from assay.engine import evaluate

    expression = item.expression
    if expression is None:  # items of expressions alone are made here
        raise AssertionError(item.name)
    subject = Subject(expression.node, expression.fields, expression.lookback, item.breaks_at)
    exponents = FieldExponents({name: info.exponent for name, info in setup.view.fields.items()})
    found = check_leaks(
        {item.name: subject},
        setup.view,
        exponents,
        evaluate,
        universe=setup.members,
        plan=FULL,
        seed=setup.settings.seed,
        threads=setup.settings.threads,
    )
    return {check.name: check.outcome for check in found[item.name]}


def _covered(measured: Measured, members: BoolArray) -> bool:
    """Whether enough names have a value on enough days; a day without members is not a good one."""
    share = np.nan_to_num(np.asarray(measured.series["coverage"]))
    names = np.rint(share * members.sum(axis=1))
    good = (share >= LEAST_SHARE) & (names >= LEAST_NAMES)
    return bool(np.mean(good) >= LEAST_DAYS)


def eval_report(
    expression: Expression,
    panel: Panel,
    *,
    token: str,
    settings: JudgeSettings,
    recording: Recording,
    seed: Expression | None = None,
    plan: PeriodPlan | None = None,
) -> EvalReport:
    """Open the sealed ``eval`` period for a candidate, and for its seed.

    One use of the token is spent before any sealed date is read, and stays spent whatever comes of it. Each
    formula that was not opened before is a charged look; its trial and certificate are recorded as those of
    any judgement.

    Parameters
    ----------
    token : issued by a person; see :func:`~assay.judge.issue_eval_token`.

    Raises
    ------
    Refusal
        ``eval_sealed``: the token is not one for this data set, or used up; ``look_budget_exhausted``;
        ``unknown_period``; the expression cannot run.
    """
    plan = plan_for(panel, plan)
    if plan is not None:
        plan.resolve("eval")
    items = _items(expression, () if seed is None else (seed,), panel)
    spend_eval_token(recording.ledger, token, data=panel.name)
    chosen = _hidden(settings, "eval")
    named = {item.name: item.expression for item in items}
    verdicts = judge(named, panel, chosen, plan=plan, recording=recording)
    figures = [_figures(verdict) for verdict in verdicts]
    return EvalReport(*figures)


def _figures(verdict: Verdict) -> EvalFigures:
    found = verdict.summary
    return EvalFigures(
        ir=float(found["ir"]),
        net_excess=float(found["net_excess"]),
        max_drawdown=float(found["max_drawdown"]),
        turnover=float(found["turnover"]),
        rank_ic=float(found["rank_ic"]),
        days=int(found["days"]),
    )
