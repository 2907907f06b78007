"""Neutralised signals: against least squares with dummies, date by date."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import Refusal
from assay.judge import JudgeSettings, judge
from assay.judge._neutralize import Exposures, exposures_of
from assay.market import Panel

QUICK = JudgeSettings(robustness="off", leak_checks="off", bootstrap=0, neutral=False, horizons=(5,))


def by_least_squares(signal, groups, size):
    out = np.full(signal.shape, np.nan)
    for t, row in enumerate(signal):
        known = np.isfinite(row) if size is None else np.isfinite(row) & np.isfinite(size[t])
        codes = groups[t][known]
        design = (codes[:, None] == np.unique(codes)).astype(float)
        if size is not None:
            design = np.column_stack([design, size[t][known]])
        fit, *_ = np.linalg.lstsq(design, row[known], rcond=None)
        out[t, known] = row[known] - design @ fit
    return out


@pytest.mark.parametrize("with_size", [False, True])
def test_residuals_are_those_of_least_squares(with_size):
    rng = np.random.default_rng(3)
    signal = rng.normal(size=(6, 40)).astype(np.float32)
    signal[rng.random(signal.shape) < 0.1] = np.nan
    groups = rng.integers(0, 5, signal.shape)
    size = rng.normal(10, 2, signal.shape) if with_size else None
    if size is not None:
        size[rng.random(signal.shape) < 0.1] = np.nan
    found = Exposures(groups, size).residual(signal)
    expected = by_least_squares(signal.astype(float), groups, size)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.allclose(found, expected, atol=1e-5, equal_nan=True)


def test_what_industries_explain_fully_leaves_nothing():
    groups = np.tile(np.arange(12) % 3, (4, 1))
    left = Exposures(groups, None).residual((groups * 0.1 + 1 / 3).astype(np.float32))
    assert np.array_equal(left, np.zeros((4, 12)))


def test_the_exposures_are_those_known_at_the_signal(sim):
    exposures = exposures_of(sim, replace(QUICK, neutralize="industry_size", lag=3), sim.universe("all"))
    assert np.array_equal(exposures.groups[3:], sim.group("industry")[:-3] + 1)
    assert np.allclose(exposures.size[3:], np.log(sim.field("cap")[:-3].astype(float)), equal_nan=True)
    assert np.isnan(exposures.size[:3]).all()


def test_each_choice_is_another_book_and_another_trial(sim):
    figures = {
        choice: judge("cap", sim, replace(QUICK, neutralize=choice))[0].summary
        for choice in ("none", "industry", "size", "industry_size")
    }
    assert len({figure["rank_ic"] for figure in figures.values()}) == 4
    assert judge("cap", sim, QUICK)[0].summary == figures["none"]


def test_market_values_that_are_mostly_missing_are_no_size(sim):
    data = sim.data
    cap = data.fields["cap"].copy()
    cap[:, ::2] = np.nan
    with pytest.raises(Refusal) as caught:
        judge(
            "close",
            Panel(replace(data, fields={**data.fields, "cap": cap})),
            replace(QUICK, neutralize="size"),
        )
    assert caught.value.reason.code == "unsupported_neutralization"
    assert "5" in caught.value.message


def test_size_of_the_panel_that_lacks_it_is_refused(small):
    with pytest.raises(Refusal) as caught:
        judge("close", small, replace(QUICK, neutralize="size"))
    assert caught.value.reason.code == "unsupported_neutralization"
