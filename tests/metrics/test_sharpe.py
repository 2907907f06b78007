from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.errors import DataError
from assay.metrics import (
    Moments,
    annualising_factor,
    deflated_sharpe,
    expected_max,
    expected_max_sharpe,
    max_trials,
    min_backtest_length,
    min_track_record,
    moments_of,
    psr,
    sharpe_error,
)

DAILY = 2.5 / math.sqrt(250)


def test_psr_of_bailey_and_lopez_de_prado_2012() -> None:
    assert psr(0.458, 24) == pytest.approx(0.98167, abs=5e-6)
    assert psr(0.458, 24, -2.448, 10.164) == pytest.approx(0.91336, abs=5e-6)


@pytest.mark.parametrize(
    ("periods", "skew", "kurtosis", "years"),
    [(250, 0, 3, 2.7312), (52, 0, 3, 2.8288), (12, 0, 3, 3.2398), (12, -0.72, 5.78, 4.9913)],
)
def test_minimum_track_record_of_the_same_paper(
    periods: int, skew: float, kurtosis: float, years: float
) -> None:
    root = math.sqrt(periods)
    needed = min_track_record(2 / root, 1 / root, skew, kurtosis) / periods
    assert needed == pytest.approx(years, abs=5e-5)


@pytest.mark.parametrize(
    ("trials", "skew", "kurtosis", "value"),
    [(100, -3, 10, 0.90040), (46, -3, 10, 0.95050), (88, 0, 3, 0.95049)],
)
def test_dsr_of_bailey_and_lopez_de_prado_2014(
    trials: int, skew: float, kurtosis: float, value: float
) -> None:
    result = deflated_sharpe(Moments(DAILY, skew, kurtosis, 1250), trials, 0.5 / 250)
    assert result.value == pytest.approx(value, abs=5e-6)
    assert (result.trials, result.variance) == (trials, 0.5 / 250)


def test_expected_maximum_sharpe_of_the_same_paper() -> None:
    assert expected_max_sharpe(100, 0.5 / 250) == pytest.approx(0.11317, abs=5e-6)


def test_excess_kurtosis_moves_the_dsr_by_the_known_little() -> None:
    raw = deflated_sharpe(Moments(DAILY, -3, 10, 1250), 100, 0.5 / 250).value
    threshold = expected_max_sharpe(100, 0.5 / 250)
    factor = 1 + 3 * DAILY + (7 - 1) / 4 * DAILY**2
    wrong = stats.norm.cdf((DAILY - threshold) * math.sqrt(1249) / math.sqrt(factor))
    assert wrong == pytest.approx(0.9018, abs=5e-5)
    assert wrong - raw == pytest.approx(0.0014, abs=5e-5)


def test_excess_kurtosis_is_refused_where_it_is_impossible() -> None:
    # a raw kurtosis is at least skew^2 + 1; excess kurtosis 7 with skew -3 cannot be raw
    with pytest.raises(DataError, match="kurtosis"):
        psr(DAILY, 1250, -3.0, 7.0)
    with pytest.raises(DataError, match="kurtosis"):
        min_track_record(0.1, 0.0, 0.0, 0.0)


def test_an_annual_ratio_with_days_as_length_gives_certainty() -> None:
    # the negative control: the ratio must be per period
    assert psr(2.5, 1250, -3, 10, 0.11317) == pytest.approx(1.0, abs=1e-9)
    assert psr(DAILY, 1250, -3, 10, 0.11317) < 0.91


def test_expected_maximum_and_backtest_length_of_the_notices_paper() -> None:
    assert expected_max(10) == pytest.approx(1.57460, abs=5e-6)
    assert expected_max(45) ** 2 == pytest.approx(4.998, abs=5e-4)
    assert max_trials(5.0) == 45
    assert min_backtest_length(7) == pytest.approx(1.923, abs=5e-4)
    assert min_backtest_length(45) < 2 * math.log(45) == pytest.approx(7.61, abs=5e-3)
    assert expected_max(1) == 0.0


def test_max_trials_inverts_the_backtest_length() -> None:
    for years in (0.5, 2.0, 8.0):
        n = max_trials(years, 1.2)
        assert min_backtest_length(n, 1.2) <= years < min_backtest_length(n + 1, 1.2)


@pytest.mark.parametrize(
    ("sharpe", "n", "error"), [(0.5, 12, 0.306), (1, 60, 0.158), (1.5, 60, 0.188), (3, 125, 0.210)]
)
def test_standard_error_of_lo_2002(sharpe: float, n: int, error: float) -> None:
    assert sharpe_error(sharpe, n) == pytest.approx(error, abs=5e-4)


@pytest.mark.parametrize(
    ("rho", "eta"),
    [(-0.5, 5.6922), (-0.2, 4.1708), (0.0, math.sqrt(12)), (0.2, 2.8788), (0.5, 2.1213), (0.9, 1.2070)],
)
def test_eta_of_lo_2002_for_an_ar1(rho: float, eta: float) -> None:
    assert annualising_factor(12, [rho**k for k in range(1, 12)]) == pytest.approx(eta, abs=5e-5)


def test_eta_without_autocorrelation_is_the_root() -> None:
    assert annualising_factor(252) == pytest.approx(math.sqrt(252))
    assert math.isnan(annualising_factor(3, [-1.0, -1.0]))


def test_moments_equal_scipy_biased() -> None:
    x = np.random.default_rng(0).standard_t(5, 300) * 0.01 + 0.001
    moments = moments_of(np.append(x, np.nan))
    assert moments.skew == pytest.approx(stats.skew(x), rel=1e-10)
    assert moments.kurtosis == pytest.approx(stats.kurtosis(x, fisher=False), rel=1e-10)
    assert moments.sharpe == pytest.approx(x.mean() / x.std(), rel=1e-12)
    assert moments.n == 300


def test_a_constant_stream_stays_undefined_to_the_end() -> None:
    moments = moments_of(np.full(100, 0.01))
    assert math.isnan(moments.sharpe)
    assert math.isnan(psr(moments.sharpe, moments.n, moments.skew, moments.kurtosis))
    assert math.isnan(deflated_sharpe(moments, 10, 0.01).value)
    assert math.isnan(min_track_record(moments.sharpe))


def test_a_ratio_that_does_not_exceed_needs_forever() -> None:
    assert min_track_record(0.1, 0.1) == math.inf


def test_psr_and_track_record_agree() -> None:
    needed = min_track_record(0.1, 0.02, -0.5, 4.0, confidence=0.95)
    assert psr(0.1, round(needed), -0.5, 4.0, 0.02) == pytest.approx(0.95, abs=1e-3)


def test_impossible_numbers_are_refused() -> None:
    for call in (
        lambda: expected_max(0),
        lambda: expected_max_sharpe(3, -1.0),
        lambda: min_backtest_length(3, 0.0),
        lambda: max_trials(0.0),
        lambda: sharpe_error(1.0, 0),
        lambda: annualising_factor(0),
    ):
        with pytest.raises(DataError):
            call()
