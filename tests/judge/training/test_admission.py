"""Admission by hand: each threshold, what is undefined, the residual, the deflated figure."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from assay.errors import ConfigProblems
from assay.expr import parse
from assay.judge import CoverageRow
from assay.judge.training import (
    ADMISSION_REASONS,
    AdmissionRule,
    Pool,
    TrainingJudge,
    TrainingScore,
    admit,
    residual,
    sidak,
)
from assay.metrics import Moments, deflated_sharpe, newey_west_t

from .conftest import made_score

RULE = AdmissionRule()
DAYS = 200
RNG = np.random.default_rng(8)
NOISE = RNG.normal(0, 0.1, DAYS)
OTHER = RNG.normal(0, 0.1, DAYS)
RANKS = 2 * RNG.permutation(np.arange(1, 31)).reshape(1, 30)
UNLIKE = 2 * RNG.permutation(np.arange(1, 31)).reshape(1, 30)


def good(**figures: Any) -> TrainingScore:
    return made_score("ts_return(close, 5)", 0.03 + NOISE, RANKS, **figures)


def codes(
    score: TrainingScore, pool: Pool | None = None, rule: AdmissionRule = RULE, n: int | None = 50
) -> list[str]:
    decision = admit(score, pool or Pool(), rule, n)
    assert decision.admitted == (not decision.reasons)
    return [reason.code for reason in decision.reasons]


def test_what_reaches_every_threshold_is_admitted() -> None:
    decision = admit(good(), Pool(), RULE, 50)
    assert decision.admitted
    assert [check.name for check in decision.checks] == [
        "days", "coverage", "t", "payoff", "value_corr", "ic_corr", "residual_ic", "turnover", "break_even",
        "deflated",
    ]  # fmt: skip
    assert {check.outcome for check in decision.checks} == {"passed"}


@pytest.mark.parametrize(
    ("figures", "code"),
    [
        ({"days": 99}, "admission.days"),
        ({"coverage": 0.7999}, "admission.coverage"),
        ({"t": 2.99}, "admission.t"),
        ({"payoff_t": 2.99}, "admission.payoff"),
        ({"payoff_t": -9.0}, "admission.payoff"),
        ({"turnover": 45.1}, "admission.turnover"),
        ({"break_even_bp": 9.9}, "admission.break_even"),
        ({"break_even_bp": -3.0}, "admission.break_even"),
    ],
)
def test_each_threshold(figures: dict[str, float], code: str) -> None:
    assert code in codes(good(**figures))
    loose = AdmissionRule(max_adjusted_p=None)
    assert codes(good(**figures), rule=loose) == [code]


def test_the_thresholds_themselves_are_enough() -> None:
    rule = AdmissionRule(max_adjusted_p=None)
    just = good(days=100, coverage=0.8, t=-3.0, payoff_t=3.0, turnover=45.0, break_even_bp=10.0)
    assert codes(just, rule=rule) == []


@pytest.mark.parametrize("name", ["coverage", "t", "payoff_t", "turnover", "break_even_bp"])
def test_undefined_is_never_admitted(name: str) -> None:
    for value in (math.nan, math.inf):
        decision = admit(good(**{name: value}), Pool(), RULE, 50)
        assert not decision.admitted
        outcomes = {check.name: check.outcome for check in decision.checks}
        assert outcomes[name.removesuffix("_bp") if name != "payoff_t" else "payoff"] == "undefined"
    json.dumps(decision.as_dict(), allow_nan=False)


def test_a_candidate_without_values_is_never_admitted() -> None:
    nothing = made_score("ts_mean(returns, 3)", [math.nan] * DAYS, np.zeros((1, 30)), days=0)
    rule = AdmissionRule(min_days=None)
    assert codes(nothing, Pool().grown("a", good()), rule) == [
        "admission.payoff",
        "admission.value_corr",
        "admission.ic_corr",
        "admission.residual_ic",
        "admission.deflated",
    ]


def test_optional_thresholds() -> None:
    rule = AdmissionRule(min_rank_ic=0.05, min_neutral_ic=0.03)
    assert codes(good(), rule=rule) == ["admission.rank_ic", "admission.neutral_ic"]
    nothing = AdmissionRule(**{name: None for name in AdmissionRule.names() if name[:4] in ("min_", "max_")})
    assert codes(good(t=math.nan, coverage=math.nan), rule=nothing, n=None) == []


def test_values_like_those_of_the_pool() -> None:
    inverse = 62 - RANKS  # the ranks turned round
    twin = made_score("ts_return(close, 7)", 0.02 + OTHER, inverse)
    decision = admit(good(), Pool().grown("twin", twin), RULE, 50)
    assert [reason.code for reason in decision.reasons] == ["admission.value_corr"]
    assert decision.nearest_value == "twin"
    assert next(check.value for check in decision.checks if check.name == "value_corr") == 1.0
    assert "'twin'" in next(check.detail for check in decision.checks if check.name == "value_corr")


def test_rank_ics_like_those_of_the_pool() -> None:
    mover = made_score("ts_return(close, 7)", -0.2 * (0.01 + NOISE), UNLIKE)
    decision = admit(good(), Pool().grown("mover", mover), RULE, 50)
    assert decision.nearest_ic == "mover"
    assert "admission.ic_corr" in [reason.code for reason in decision.reasons]
    # y = 0.03 + noise, x = -0.2 (0.01 + noise): y = 0.02 - 5 x, so 0.02 is left over
    left = residual(good(), Pool().grown("mover", mover), np.array([-1.0]), 10)
    assert left.rank_ic == pytest.approx(0.02, abs=1e-12)
    assert left.members == ("mover",)


def test_what_the_pool_explains() -> None:
    spanning = Pool()
    spanning = spanning.grown("a", made_score("ts_return(close, 7)", 0.02 + OTHER, UNLIKE))
    third = RNG.normal(0, 0.1, DAYS)
    spanning = spanning.grown("b", made_score("ts_return(close, 8)", 0.01 + third, UNLIKE))
    mixture = made_score("ts_return(close, 9)", 0.5 * (0.02 + OTHER) + (0.01 + third), RANKS)
    rule = AdmissionRule(max_ic_corr=None)
    assert codes(mixture, spanning, rule) == ["admission.residual_ic"]
    more = made_score("ts_return(close, 9)", 0.006 + 0.5 * (0.02 + OTHER) + (0.01 + third), RANKS)
    assert codes(more, spanning, rule) == []
    # with one member allowed, what the other would explain is left over
    one = AdmissionRule(max_ic_corr=None, residual_members=1)
    assert codes(mixture, spanning, one) == []


def test_the_residual_counts_in_the_direction_of_the_candidate() -> None:
    down = made_score("ts_return(close, 9)", -0.03 + NOISE, RANKS, t=-6.0, direction=-1)
    assert codes(down) == []
    turned = made_score("ts_return(close, 9)", -0.03 + 0.01 * NOISE, RANKS, t=-6.0, direction=-1)
    pool = Pool().grown("x", made_score("ts_return(close, 7)", -0.04 + 0.01 * NOISE, UNLIKE))
    # y = 0.01 + x: the pool explains more than all of a negative mean
    assert codes(turned, pool, AdmissionRule(max_ic_corr=None)) == ["admission.residual_ic"]


def test_the_residual_of_an_empty_pool_is_the_mean_itself() -> None:
    left = residual(good(), Pool(), np.empty(0), 10)
    assert left.rank_ic == pytest.approx(np.mean(0.03 + NOISE), abs=1e-15)
    assert left.t == pytest.approx(newey_west_t(0.03 + NOISE), abs=1e-9)
    assert (left.days, left.members) == (DAYS, ())


def test_a_member_with_few_days_costs_the_others_none() -> None:
    sparse = np.where(np.arange(DAYS) < 70, 0.01 + NOISE, np.nan)
    pool = Pool().grown("sparse", made_score("ts_return(close, 7)", sparse, UNLIKE))
    pool = pool.grown("full", made_score("ts_return(close, 8)", 0.01 + OTHER, UNLIKE))
    left = residual(good(), pool, pool.ic_correlations(good()), 10)
    assert (left.days, left.members) == (DAYS, ("full",))


def test_the_haircut_by_n() -> None:
    # p of t = 3.3 is 9.67e-4: after 50 trials 4.72%, after 60 trials 5.64%
    p = math.erfc(3.3 / math.sqrt(2))
    assert sidak(p, 50) == pytest.approx(0.0472, abs=1e-4)
    rule = AdmissionRule(least_n=1)
    assert codes(good(p=p), rule=rule, n=50) == []
    assert codes(good(p=p), rule=rule, n=60) == ["admission.deflated"]
    assert codes(good(payoff_p=p), rule=rule, n=60) == ["admission.deflated"]
    assert sidak(1.0, 5) == 1.0
    assert sidak(0.000796, 200) == pytest.approx(0.1473, abs=1e-4)  # Harvey and Liu 2015


def test_the_first_trials_are_held_to_the_length_of_a_search() -> None:
    p = 0.001  # after 50 trials 4.88%, after 100 trials 9.52%
    assert codes(good(p=p), rule=AdmissionRule(least_n=50), n=1) == []
    assert codes(good(p=p), n=1) == ["admission.deflated"]
    assert codes(good(p=0.0005), n=1) == []
    assert codes(good(p=0.0005), n=120) == ["admission.deflated"]


def test_the_weaker_of_rank_ic_and_payoff_counts_and_both_must_agree() -> None:
    assert good(p=0.01, payoff_p=0.02).joint_p == good(p=0.02, payoff_p=0.01).joint_p == 0.02
    assert math.isnan(good(p=math.nan).joint_p)
    assert math.isnan(good(payoff_p=math.nan).joint_p)
    ranks_only = good(rank_ic=-0.03, t=-6.0, payoff_t=5.0)
    assert (ranks_only.paid_t, ranks_only.joint_p) == (-5.0, 1.0)
    assert codes(ranks_only, rule=AdmissionRule(min_residual_ic=None)) == [
        "admission.payoff", "admission.deflated",
    ]  # fmt: skip
    assert good(rank_ic=-0.03, t=-6.0, payoff_t=-5.0).joint_p == 1e-6


def test_without_n_nothing_is_admitted() -> None:
    assert codes(good(), n=None) == ["admission.deflated"]
    assert codes(good(), rule=AdmissionRule(max_adjusted_p=None), n=None) == []


def test_the_deflated_sharpe_ratio_of_bailey_and_lopez_de_prado() -> None:
    # their example: SR 2.5 a year, 1250 days, skew -3, kurtosis 10, N 100, V 1/2 a year: DSR 0.9004
    moments = Moments(2.5 / math.sqrt(250), -3.0, 10.0, 1250)
    variance = 0.5 / 250
    score = good(moments=moments)
    assert deflated_sharpe(moments, 100, variance).value == pytest.approx(0.9004, abs=1e-4)
    rule = AdmissionRule(deflation="dsr", least_n=1)
    assert [r.code for r in admit(score, Pool(), rule, 100, variance).reasons] == ["admission.deflated"]
    assert admit(score, Pool(), rule, 46, variance).admitted  # 0.9505
    assert not admit(score, Pool(), rule, 46).admitted  # V[SR] unknown


def test_a_refusal_for_coverage_carries_where_values_are_lost(trained: TrainingJudge) -> None:
    gap = parse("rank(ts_return(where(returns > 0, close, log(-close)), 1))")
    score = trained.score([gap])[0]
    decision = admit(score, Pool(), RULE, 5, trace=trained.trace_coverage)
    assert "admission.coverage" in [reason.code for reason in decision.reasons]
    rows = decision.coverage
    assert rows[-1].node.startswith("rank(")
    lost = max(rows, key=lambda row: row.lost)
    assert isinstance(lost, CoverageRow)
    assert lost.lost > 0.3
    assert json.loads(json.dumps(decision.as_dict()))["coverage"][-1]["share"] == rows[-1].share
    assert admit(good(), Pool(), RULE, 5, trace=lambda _: pytest.fail("asked for nothing")).coverage == ()


def test_settings_out_of_range_are_told_at_once() -> None:
    with pytest.raises(ConfigProblems) as caught:
        AdmissionRule(min_coverage=1.5, min_t="3", residual_members=0, least_n=0, deflation="luck")  # type: ignore[arg-type]
    assert [problem.where for problem in caught.value.problems] == [
        "min_coverage", "min_t", "residual_members", "least_n", "deflation",
    ]  # fmt: skip
    assert set(AdmissionRule().to_dict()) == set(AdmissionRule.names())


def test_the_table_of_defaults_is_true() -> None:
    rows = [line.split() for line in (AdmissionRule.__doc__ or "").splitlines()]
    told = {row[0]: row[1] for row in rows if row and row[0] in AdmissionRule.names() and row[1] != ":"}
    for name, default in told.items():
        value = getattr(RULE, name)
        assert default == "None" if value is None else float(default) == value, name
    assert len(told) == len(AdmissionRule.names()) - 3


def test_reasons_are_named_after_their_checks() -> None:
    assert all(reason.code == f"admission.{name}" for name, reason in ADMISSION_REASONS.items())
