from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from assay.errors import DataError
from assay.metrics import pbo_cscv


def noise(T: int = 400, M: int = 20, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(T, M)) * 0.01


def slow_pbo(returns: np.ndarray, blocks: int) -> float:
    size = len(returns) // blocks
    parts = [returns[b * size : (b + 1) * size] for b in range(blocks)]
    below = 0
    splits = list(combinations(range(blocks), blocks // 2))
    for chosen in splits:
        inside = np.concatenate([parts[b] for b in chosen])
        outside = np.concatenate([parts[b] for b in range(blocks) if b not in chosen])
        best = np.argmax(inside.mean(0) / inside.std(0, ddof=1))
        tested = outside.mean(0) / outside.std(0, ddof=1)
        relative = (np.sum(tested < tested[best]) + 1) / (returns.shape[1] + 1)
        below += math.log(relative / (1 - relative)) <= 0
    return below / len(splits)


def test_the_number_of_splits_is_the_published_one() -> None:
    assert pbo_cscv(noise(T=64, M=2), 16).splits == 12870
    assert pbo_cscv(noise(), 8).splits == 70


def test_equal_to_the_slow_definition() -> None:
    assert pbo_cscv(noise(seed=1), 8).pbo == slow_pbo(noise(seed=1), 8)
    assert pbo_cscv(1e6 + noise(T=103, seed=2), 6).pbo == slow_pbo(1e6 + noise(T=103, seed=2), 6)


def test_noise_is_overfitted_about_half_the_time() -> None:
    values = [pbo_cscv(noise(seed=seed), 8).pbo for seed in range(10)]
    assert 0.25 < np.mean(values) < 0.65


def test_demeaned_noise_is_always_overfitted() -> None:
    x = noise(T=800, M=50)
    assert pbo_cscv(x - x.mean(axis=0), 8).pbo == 1.0


def test_one_real_strategy_is_never_overfitted() -> None:
    x = noise(T=800, M=50)
    x[:, 7] += 0.005
    result = pbo_cscv(x, 8)
    assert result.pbo == 0.0
    assert result.loss == 0.0
    assert (result.logits > 0).all()
    assert (result.trials, result.blocks) == (50, 8)


def test_a_constant_trial_is_never_the_best() -> None:
    x = noise()
    x[:, 0] = 0.5
    with_constant, without = pbo_cscv(x, 8), pbo_cscv(x[:, 1:], 8)
    assert abs(with_constant.pbo - without.pbo) < 0.2
    assert np.isfinite(with_constant.logits).all()


def test_impossible_input_is_refused() -> None:
    gap = noise()
    gap[3, 3] = np.nan
    for returns, blocks in (
        (gap, 8),
        (noise()[:, :1], 8),
        (noise(), 7),
        (noise(), 0),
        (noise(), 22),
        (noise(T=10), 8),
    ):
        with pytest.raises(DataError):
            pbo_cscv(returns, blocks)
