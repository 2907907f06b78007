from __future__ import annotations

import math

import numpy as np
import pytest

from assay.base import generator
from assay.errors import DataError
from assay.metrics import bootstrap_interval, optimal_block, stationary_indices


def autoregressive(rho: float, n: int = 600, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=n)
    for i in range(1, n):
        x[i] += rho * x[i - 1]
    return x


@pytest.mark.parametrize("rho", [-0.4, 0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("n", [60, 250, 1700])
def test_block_length_equals_arch(rho: float, n: int) -> None:
    arch = pytest.importorskip("arch.bootstrap", reason="the extra 'stats' is not installed")
    x = autoregressive(rho, n)
    assert optimal_block(x) == pytest.approx(
        max(1.0, float(arch.optimal_block_length(x)["stationary"].iloc[0]))
    )


def test_interval_agrees_with_arch() -> None:
    arch = pytest.importorskip("arch.bootstrap", reason="the extra 'stats' is not installed")
    x = 0.1 + autoregressive(0.5)
    ours = bootstrap_interval(x, block=10.0, resamples=4000)
    sampler = arch.StationaryBootstrap(10, x, seed=1)
    low, high = sampler.conf_int(np.mean, reps=4000, method="percentile", size=0.95).ravel()
    width = high - low
    assert ours.low == pytest.approx(low, abs=0.06 * width)
    assert ours.high == pytest.approx(high, abs=0.06 * width)


def test_blocks_have_the_mean_length_and_run_on() -> None:
    rows = stationary_indices(1000, 8.0, 50, generator(0, "test"))
    breaks = np.mean(np.diff(rows, axis=1) % 1000 != 1)
    assert breaks == pytest.approx(1 / 8, abs=0.01)
    assert rows.min() >= 0
    assert rows.max() < 1000


def test_autocorrelation_widens_the_interval() -> None:
    x = autoregressive(0.7)
    blocked, single = bootstrap_interval(x), bootstrap_interval(x, block=1.0)
    assert blocked.high - blocked.low > 1.5 * (single.high - single.low)
    assert blocked.low < blocked.estimate < blocked.high


def test_coverage_of_the_mean_is_near_its_level() -> None:
    hits = 0
    for seed in range(100):
        interval = bootstrap_interval(autoregressive(0.3, 300, seed), resamples=200, level=0.9, seed=seed)
        hits += interval.low <= 0 <= interval.high
    assert 78 <= hits <= 98


def test_the_ratio_is_mean_over_deviation() -> None:
    x = 0.2 + np.random.default_rng(0).normal(size=500)
    interval = bootstrap_interval(np.append(x, np.nan), "ratio")
    assert interval.estimate == pytest.approx(x.mean() / x.std(ddof=1))
    assert interval.low < 0.2 < interval.high


def test_the_same_seed_gives_the_same_interval_however_it_is_split() -> None:
    x = autoregressive(0.3)
    assert bootstrap_interval(x, seed=5) == bootstrap_interval(x, seed=5)
    assert bootstrap_interval(x, seed=5) != bootstrap_interval(x, seed=6)


def test_what_cannot_be_estimated_is_undefined() -> None:
    assert math.isnan(bootstrap_interval([1.0, 2.0]).low)
    assert math.isnan(bootstrap_interval(np.full(50, 0.3), "ratio").estimate)
    assert optimal_block(np.full(50, 0.3)) == 1.0
    for options in ({"level": 1.0}, {"resamples": 1}, {"block": 0.5}):
        with pytest.raises(DataError):
            bootstrap_interval(np.arange(20.0), **options)
