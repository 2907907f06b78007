from __future__ import annotations

import math
from datetime import date

import pytest

from assay.judge import (
    SUMMARY,
    JudgeSettings,
    LeakCheck,
    Robustness,
    ShuffleControl,
    SubPeriod,
    Thresholds,
)
from assay.judge._decide import decide

NAN = float("nan")


def summary(**changes):
    base = {column.key: 0.1 for column in SUMMARY}
    return {**base, "days": 500, "days_undefined": 3, "t": 4.0, "rank_ic": 0.03, "coverage": 0.95, **changes}


def parts(*values):
    day = date(2020, 1, 1)
    return tuple(SubPeriod(day, day, 100, v, v, v, v, v) for v in values)


def robust(rank_ic=(0.02, 0.04, 0.03), observed_outside=True, shuffled_inside=True, late_share=0.9):
    shuffle = ShuffleControl(0.03, -0.01, 0.01, (0.001, -0.002), observed_outside, shuffled_inside)
    return Robustness(0.027, late_share, shuffle, parts(*rank_ic))


def leaks(**outcome):
    names = ("prefix", "scramble", "permutation", "adjustment")
    return [LeakCheck(name, outcome.get(name, "passed"), "compared") for name in names]


def judged(figures=None, robustness=None, checks=None, **settings):
    return decide(figures or summary(), robustness or robust(), checks or leaks(), JudgeSettings(**settings))


def test_a_factor_that_meets_everything_passes():
    decision = judged()
    assert decision.status == "passed"
    assert decision.reasons == ()
    assert decision.sentence.startswith("Passed")
    assert "opposite" not in decision.sentence


def test_a_factor_that_does_not_pay_its_costs_is_told_so():
    assert "costs" not in judged(summary(net_excess=0.01)).sentence
    assert "earns 1.2% a year less" in judged(summary(net_excess=-0.012)).sentence


def test_an_unstable_sign_names_its_limit():
    decision = judged(None, robust(rank_ic=(0.02, -0.01, 0.03)))
    assert "in 2 of 3 sub-periods, 3 needed" in decision.sentence
    assert "needed" not in judged().criteria[6].detail


def test_a_negative_factor_passes_and_says_so():
    decision = judged(summary(t=-4.0, rank_ic=-0.03), robust(rank_ic=(-0.02, -0.03)))
    assert decision.status == "passed"
    assert "opposite sign" in decision.sentence


@pytest.mark.parametrize(
    ("figures", "robustness", "checks", "name"),
    [
        (summary(t=2.9), None, None, "t"),
        (summary(coverage=0.5), None, None, "coverage"),
        (None, robust(rank_ic=(0.02, -0.01)), None, "stable_sign"),
        (None, robust(observed_outside=False), None, "shuffle"),
        (None, robust(shuffled_inside=False), None, "shuffle"),
        (None, robust(late_share=0.1), None, "one_bar_late"),
        (None, None, leaks(prefix="failed"), "leak_prefix"),
        (None, None, leaks(scramble="failed"), "leak_scramble"),
        (None, None, leaks(permutation="failed"), "leak_permutation"),
    ],
)
def test_each_criterion_rejects_alone(figures, robustness, checks, name):
    decision = judged(figures, robustness, checks)
    assert decision.status == "rejected"
    assert [c.name for c in decision.criteria if c.outcome == "failed"] == [name]
    assert len(decision.reasons) == 1


@pytest.mark.parametrize(
    ("figures", "robustness", "checks"),
    [
        (summary(t=NAN), None, None),
        (summary(days=10), None, None),
        (None, robust(rank_ic=(0.02, NAN)), None),
        (None, None, leaks(permutation="undefined")),
    ],
)
def test_what_cannot_be_computed_never_passes(figures, robustness, checks):
    assert judged(figures, robustness, checks).status == "undefined"


def test_too_few_days_is_undefined_even_when_something_fails():
    assert judged(summary(days=10, t=0.1)).status == "undefined"


def test_adjustment_follows_the_policy():
    checks = leaks(adjustment="failed")
    assert judged(checks=checks).status == "passed"
    assert judged(checks=checks, adjustment="refuse").status == "rejected"
    assert judged(checks=leaks(adjustment="undefined"), adjustment="refuse").status == "undefined"


def test_values_have_no_leak_checks_and_can_pass():
    names = dict.fromkeys(("prefix", "scramble", "permutation", "adjustment"), "not_applicable")
    decision = judged(checks=leaks(**names))
    assert decision.status == "passed"
    assert [c.outcome for c in decision.criteria[-4:]] == ["not_applicable"] * 4


def test_optional_thresholds_are_listed_when_not_asked_and_bind_when_set():
    quiet = judged()
    asked = {c.name: c.outcome for c in quiet.criteria}
    assert asked["net_excess"] == "not_run"
    strict = judged(summary(net_excess=-0.02), thresholds=Thresholds(min_net_excess=0.0))
    assert strict.status == "rejected"
    assert "yearly net excess return -0.02 < 0" in strict.reasons[0]


def test_undefined_values_are_not_numbers_in_the_criteria():
    decision = judged(summary(t=NAN, net_excess=NAN))
    assert all(c.value is None or not math.isnan(c.value) for c in decision.criteria)


def test_switched_off_robustness_is_not_run():
    decision = decide(summary(), Robustness(), leaks(), JudgeSettings(robustness="off"))
    outcome = {c.name: c.outcome for c in decision.criteria}
    assert (outcome["stable_sign"], outcome["shuffle"], outcome["one_bar_late"]) == ("not_run",) * 3
    assert decision.status == "passed"
