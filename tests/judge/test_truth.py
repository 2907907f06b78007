"""The judge against markets whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from assay.judge import JudgeSettings, judge
from assay.market import simulate

SETTINGS = JudgeSettings(robustness="quick", leak_checks="quick", neutral=False)
SHAPE = {"instruments": 200, "days": 900}


@pytest.fixture(scope="module")
def planted():
    return simulate(**SHAPE)


@pytest.fixture(scope="module")
def formulas(planted):
    return {item.name: item.expression for item in planted.manifest.planted}


def test_planted_signals_are_found_at_their_stated_strength(planted, formulas):
    verdicts = judge(formulas, planted, SETTINGS)
    assert [verdict.name for verdict in verdicts if verdict.status != "passed"] == []
    stated = {item.name: item for item in planted.manifest.planted}
    for verdict in verdicts:
        if stated[verdict.name].horizon == SETTINGS.horizon:
            error = 4 * verdict.summary["rank_ic"] / verdict.summary["t"]
            assert abs(verdict.summary["rank_ic"] - stated[verdict.name].ic) < error
    assert max(verdicts.batch.q_by) < 1e-4


def test_the_twin_without_signals_is_rejected(formulas):
    twin = simulate(signal=False, **SHAPE)
    verdicts = judge(formulas, twin, SETTINGS)
    assert {verdict.status for verdict in verdicts} == {"rejected"}
    assert min(verdicts.batch.q_by) > 0.05


def test_noise_is_rejected_and_the_shuffle_band_holds(planted):
    rng = np.random.default_rng(3)
    noise = {f"noise {number}": rng.normal(size=planted.shape) for number in range(6)}
    verdicts = judge(noise, planted, SETTINGS)
    assert {verdict.status for verdict in verdicts} == {"rejected"}
    assert all(verdict.robustness.shuffle.shuffled_inside for verdict in verdicts)


def test_perfect_knowledge_as_values_is_suspicious(planted):
    """Values that know the future cannot be run again; the size of the RankIC raises the alarm instead."""
    close = planted.field("close").astype(float)
    future = np.full(planted.shape, np.nan)
    future[:-7] = close[7:] / close[2:-5] - 1
    verdict = judge(future, planted, SETTINGS)[0]
    assert verdict.summary["rank_ic"] > 0.99
    assert any("suspect a leak" in warning for warning in verdict.warnings)
