"""The sampler against a market with a known truth, through the harness of the benchmark."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from assay.expr import parse
from assay.judge.training import AdmissionRule, TrainingJudge, TrainingSettings
from assay.market import simulate

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
SHORT = {"instruments": 120, "days": 800}


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("_search")


def test_a_short_search_finds_planted_signals_and_nearly_all_it_proposes_may_run(harness: ModuleType) -> None:
    panel = simulate(7, **SHORT)
    judge = TrainingJudge(panel, settings=TrainingSettings(validate_bars=160))
    found = harness.search(judge, harness.SamplerStrategy.of(judge, 1), AdmissionRule(), 96)
    assert len(found.scores) == 96
    assert found.proposed <= 1.1 * 96, found.refused
    truth = judge.pool(
        {item.name: parse(item.expression, fields=judge.fields) for item in panel.manifest.planted}
    )
    alike = [np.abs(np.nan_to_num(truth.value_correlations(score))) for score in found.scores]
    assert (np.max(alike, axis=0) >= 0.7).sum() >= 4
    assert found.admitted
    best = np.max([np.abs(np.nan_to_num(truth.value_correlations(s))) for s in found.admitted], axis=0)
    assert (best >= 0.7).sum() >= 2


def test_a_search_is_the_same_when_it_is_run_again(harness: ModuleType) -> None:
    panel = simulate(3, 60, 400)
    histories = []
    for _ in range(2):
        judge = TrainingJudge(panel, settings=TrainingSettings(validate_bars=80))
        rule = AdmissionRule(min_t=1.0, max_adjusted_p=None, min_break_even_bp=None)
        histories.append(harness.search(judge, harness.SamplerStrategy.of(judge, 9), rule, 96).history)
    assert histories[0] == histories[1]


def test_short_searches_where_nothing_predicts_admit_little(harness: ModuleType) -> None:
    counts = []
    for seed in (1, 2, 3):
        panel = simulate(seed, **SHORT, signal=False)
        judge = TrainingJudge(panel, settings=TrainingSettings(validate_bars=160))
        counts.append(
            len(harness.search(judge, harness.SamplerStrategy.of(judge, seed), AdmissionRule(), 48).admitted)
        )
    assert sum(counts) <= 2, counts


@pytest.mark.slow
def test_planted_signals_are_found(harness: ModuleType) -> None:
    bench = importlib.import_module("campaign")
    found = sum(len(bench.planted(seed, 2000)["found"]) for seed in range(101, 106))
    assert found >= 45


@pytest.mark.slow
def test_searches_where_nothing_predicts_seldom_admit_two(harness: ModuleType) -> None:
    """200 searches of 100 trials; the run of docs/benchmarks.md."""
    bench = importlib.import_module("campaign")
    many = sum(bench.twin(seed, shape=(60, 700)) > 1 for seed in range(20000, 20200))
    low, high = bench.exact_interval(many, 200)
    assert many <= 4, f"{many} of 200 runs, exact 95% interval {low:.1%} to {high:.1%}"
