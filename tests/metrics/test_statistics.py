from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm

from assay.errors import DataError
from assay.metrics import (
    autocorrelation,
    is_undefined,
    mean_of,
    newey_west_p,
    newey_west_t,
    ratio_of,
    std_of,
)


def numacc(number: int) -> np.ndarray:
    """The NIST StRD series NumAcc1 to NumAcc4, made from their published definitions."""
    if number == 1:
        return np.array([10000001.0, 10000003.0, 10000002.0])
    first, low, high = {
        2: (1.2, 1.1, 1.3),
        3: (1000000.2, 1000000.1, 1000000.3),
        4: (10000000.2, 10000000.1, 10000000.3),
    }[number]
    return np.array([first] + [low, high] * 500)


@pytest.mark.parametrize(
    ("number", "mean", "std", "lag1"),
    [
        (1, 10000002.0, 1.0, -0.5),
        (2, 1.2, 0.1, -0.999),
        (3, 1000000.2, 0.1, -0.999),
        (4, 10000000.2, 0.1, -0.999),
    ],
)
def test_nist_certified_values(number: int, mean: float, std: float, lag1: float) -> None:
    series = numacc(number)
    assert mean_of(series) == pytest.approx(mean, rel=1e-15)
    assert std_of(series) == pytest.approx(std, rel=1e-8)
    assert autocorrelation(series) == pytest.approx(lag1, rel=1e-8)


def test_the_single_pass_formula_and_float32_fail_where_ours_holds() -> None:
    series = numacc(4)
    n = len(series)
    single_pass = (np.sum(series**2) - np.sum(series) ** 2 / n) / (n - 1)
    assert abs(math.sqrt(max(single_pass, 0.0)) - 0.1) > 0.05
    assert abs(float(np.std(series.astype(np.float32), ddof=1)) - 0.1) > 0.05
    assert std_of(series) == pytest.approx(0.1, rel=1e-8)


@pytest.mark.parametrize("lags", [0, 1, 5, 10, 30])
def test_newey_west_equals_statsmodels(lags: int) -> None:
    rng = np.random.default_rng(0)
    x = 0.02 + rng.normal(size=400)
    for i in range(1, 400):
        x[i] += 0.4 * x[i - 1]
    fit = sm.OLS(x, np.ones(400)).fit(cov_type="HAC", cov_kwds={"maxlags": lags})
    assert newey_west_t(x, lags) == pytest.approx(fit.tvalues[0], rel=1e-12)


def test_missing_values_are_dropped() -> None:
    x = np.array([1.0, 2.0, np.nan, 4.0, np.inf])
    assert mean_of(x) == pytest.approx(7 / 3)
    assert std_of(x) == pytest.approx(np.std([1, 2, 4], ddof=1))


@pytest.mark.parametrize("level", [0.0, 1e-3, 0.1, 7.0, 1e9])
def test_a_constant_series_has_no_ratio(level: float) -> None:
    series = np.full(50, level)
    series[::2] += level * 1e-15
    assert math.isnan(ratio_of(series))
    assert math.isnan(newey_west_t(series, 2))
    assert math.isnan(autocorrelation(np.full(9, level)))


def test_the_undefined_rule_is_the_stated_one() -> None:
    assert is_undefined(1e-12, 0.5)
    assert not is_undefined(1.1e-12, 0.5)
    assert is_undefined(1e-10, 100.0)
    assert is_undefined(math.nan, 0.0)


def test_too_short_is_undefined_and_bad_input_refused() -> None:
    assert math.isnan(mean_of([]))
    assert math.isnan(std_of([1.0]))
    assert math.isnan(newey_west_t(np.arange(5.0), 4))
    with pytest.raises(DataError):
        mean_of(np.ones((2, 2)))
    with pytest.raises(DataError):
        newey_west_t(np.arange(9.0), -1)


def test_the_p_of_a_long_independent_series_is_the_normal_one() -> None:
    for t in (0.5, 1.96, 3.5, -3.5):
        assert newey_west_p(t, 200_000, 0) == pytest.approx(math.erfc(abs(t) / math.sqrt(2)), rel=2e-3)
    # without lags: Student of 29 degrees of freedom at 2 sqrt(29/30), as the variance is divided by n
    assert newey_west_p(2.0, 30, 0) == pytest.approx(0.0589, abs=1e-4)
    assert newey_west_p(0.0, 100, 10, 5) == 1.0
    assert math.isnan(newey_west_p(math.nan, 100, 10, 5))


def test_critical_values_of_the_fixed_b_theory() -> None:
    # Kiefer and Vogelsang 2005, Bartlett kernel: polynomials in b for 95% and 97.5%, one side
    n = 2000
    for lags in (49, 99, 199):
        b = (lags + 1) / n
        at_95 = 1.6449 + 2.1859 * b + 0.3142 * b**2 - 0.3427 * b**3
        at_97 = 1.9600 + 2.9694 * b + 0.4160 * b**2 - 0.5324 * b**3
        assert newey_west_p(at_95, n, lags) / 2 == pytest.approx(0.05, rel=0.04)
        assert newey_west_p(at_97, n, lags) / 2 == pytest.approx(0.025, rel=0.04)


@pytest.mark.parametrize(("n", "lags", "overlap"), [(270, 10, 5), (200, 5, 1), (400, 0, 5), (250, 20, 10)])
def test_overlapping_labels_are_as_significant_as_they_say(n: int, lags: int, overlap: int) -> None:
    rng = np.random.default_rng(3)
    walk = np.cumsum(rng.standard_normal((1500, n + overlap)), axis=1)
    series = walk[:, overlap:] - walk[:, :-overlap]
    found = np.array([newey_west_t(x, lags) for x in series])
    p = np.array([newey_west_p(t, n, lags, overlap) for t in found])
    plain = np.array([math.erfc(abs(t) / math.sqrt(2)) for t in found])
    assert 0.035 < (p < 0.05).mean() < 0.065
    assert 0.004 < (p < 0.01).mean() < 0.018
    if overlap > 1:
        assert (plain < 0.01).mean() > 0.018


@pytest.mark.parametrize(("n", "lags", "overlap"), [(1, 0, 1), (10, -1, 1), (10, 0, 0)])
def test_a_p_of_nothing(n: int, lags: int, overlap: int) -> None:
    with pytest.raises(DataError):
        newey_west_p(1.0, n, lags, overlap)
