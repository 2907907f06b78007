from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import DataError
from assay.metrics import IcSeries, Scorer, late_signal, shuffle_rows, shuffle_test, sub_periods


def planted(seed: int = 0, T: int = 120, N: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(T, N)).astype(np.float32)
    x[rng.random((T, N)) < 0.1] = np.nan
    y = np.nan_to_num(x) + 2 * rng.normal(size=(T, N)).astype(np.float32)
    y[rng.random((T, N)) < 0.1] = np.nan
    return x, y


def test_shuffling_keeps_each_dates_values_and_names() -> None:
    x, _ = planted()
    mixed = shuffle_rows(x, 1)
    np.testing.assert_array_equal(np.isnan(mixed), np.isnan(x))
    np.testing.assert_array_equal(np.sort(mixed, axis=1), np.sort(x, axis=1))
    assert (mixed != x).mean() > 0.8
    np.testing.assert_array_equal(shuffle_rows(x, 1), mixed)
    assert not np.array_equal(shuffle_rows(x, 2), mixed, equal_nan=True)


def test_shuffling_stays_inside_the_universe() -> None:
    x, _ = planted()
    universe = np.random.default_rng(5).random(x.shape) < 0.5
    mixed = shuffle_rows(x, 1, universe)
    np.testing.assert_array_equal(np.isfinite(mixed), np.isfinite(x) & universe)


def test_an_honest_evaluation_stays_in_the_null_band() -> None:
    x, y = planted()
    result = shuffle_test(x, Scorer(y))
    assert result.inside
    assert len(result.means) == 5
    assert result.band < 0.05


def test_the_band_is_the_spread_of_the_null() -> None:
    x, y = planted(T=40)
    result = shuffle_test(x, Scorer(y), seeds=range(60), level=0.95)
    spread = np.std(result.means)
    # the band allows for 60 looks; its unit is the null's deviation
    unit = result.band / 3.34
    assert spread == pytest.approx(unit, rel=0.3)


def test_an_evaluation_that_leaks_leaves_the_band() -> None:
    x, y = planted()
    scorer = Scorer(y)

    class Leaky:
        universe = None

        def score(self, signal: np.ndarray) -> object:
            return scorer.score(np.where(np.isfinite(y), signal + 0.3 * y, signal))

    assert not shuffle_test(x, Leaky()).inside  # type: ignore[arg-type]


def test_a_late_signal_of_pure_noise_keeps_nothing() -> None:
    x, y = planted()
    result = late_signal(x, Scorer(y))
    assert result.in_time.mean > 0.3
    assert abs(result.kept) < 0.1


def test_a_slow_signal_keeps_most_when_late() -> None:
    rng = np.random.default_rng(3)
    level = rng.normal(size=(1, 80)) + 0.2 * rng.normal(size=(120, 80))
    y = level + 2 * rng.normal(size=(120, 80))
    assert late_signal(level, Scorer(y)).kept > 0.8
    with pytest.raises(DataError, match="bars"):
        late_signal(level, Scorer(y), bars=0)


def test_sub_periods_cut_the_defined_dates_evenly() -> None:
    values = np.concatenate([[math.nan] * 10, np.full(40, 0.05), np.full(40, -0.01)])
    values[10:] += np.tile([0.001, -0.001], 40)
    parts = sub_periods(IcSeries("spearman", values, np.full(90, 50), 10), 4, lags=1)
    assert [(part.start, part.stop) for part in parts.parts] == [(10, 30), (30, 50), (50, 70), (70, 90)]
    assert parts.same_sign == 0.5
    assert parts.weakest == pytest.approx(-0.01)


def test_no_defined_date_gives_no_parts() -> None:
    parts = sub_periods(IcSeries("spearman", np.full(5, math.nan), np.zeros(5, int), 10))
    assert parts.parts == ()
    assert math.isnan(parts.same_sign)
    with pytest.raises(DataError):
        sub_periods(IcSeries("spearman", np.full(5, math.nan), np.zeros(5, int), 10), 0)


def test_impossible_settings_are_refused() -> None:
    x, y = planted(T=5)
    with pytest.raises(DataError, match="seed"):
        shuffle_test(x, Scorer(y), seeds=())
    with pytest.raises(DataError, match="level"):
        shuffle_test(x, Scorer(y), level=1.0)
