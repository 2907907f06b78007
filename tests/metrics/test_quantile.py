from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import DataError
from assay.metrics import (
    QuantileReturns,
    Scorer,
    coverage,
    newey_west_t,
    quantile_membership,
    quantile_turnover,
)


def test_an_equal_split_without_ties() -> None:
    x = np.random.default_rng(0).normal(size=(4, 300)).astype(np.float32)
    member = quantile_membership(x)
    for t in range(4):
        assert np.bincount(member[t]).tolist() == [30] * 10
        assert (np.sort(x[t])[-30:] == np.sort(x[t, member[t] == 9])).all()


def test_sizes_differ_by_one_at_most() -> None:
    x = np.random.default_rng(0).normal(size=(1, 47)).astype(np.float32)
    sizes = np.bincount(quantile_membership(x)[0])
    assert sizes.max() - sizes.min() == 1


def test_five_values_fill_five_quantiles_and_lose_no_name() -> None:
    x = np.tile(np.arange(5.0), 60)[None, :]
    member = quantile_membership(x)
    # mean ranks 30.5, 90.5, ... of 300 fall into quantiles 2, 4, 6, 8, 10
    assert sorted(set(member[0].tolist())) == [1, 3, 5, 7, 9]
    score = Scorer(np.ones((1, 300), np.float32)).score(x)
    assert score.quantiles.names[0].tolist() == [0, 60] * 5
    assert np.isnan(score.quantiles.values[0, ::2]).all()
    assert (score.quantiles.values[0, 1::2] == 1).all()


def test_a_constant_signal_sits_in_the_middle() -> None:
    assert (quantile_membership(np.ones((1, 50))) == 5).all()  # mean rank 25.5 of 50


def test_missing_names_are_in_no_quantile() -> None:
    x = np.arange(20.0).reshape(1, 20)
    x[0, 5] = np.nan
    assert quantile_membership(x, 2)[0, 5] == -1
    universe = np.ones((1, 20), bool)
    universe[0, 19] = False
    assert quantile_membership(x, 2, universe)[0, 19] == -1
    with pytest.raises(DataError, match="quantiles"):
        quantile_membership(x, 1)


def test_turnover_is_the_share_of_new_names() -> None:
    member = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])
    turnover = quantile_turnover(member, 1)
    np.testing.assert_allclose(turnover, [np.nan, 0.5, 0.5, np.nan, np.nan])
    np.testing.assert_allclose(quantile_turnover(member, 1, lag=2)[2], 1.0)


def test_turnover_counts_rows_of_the_calendar() -> None:
    member = np.array([[1, 0], [1, 0], [0, 1]])
    assert quantile_turnover(member, 1, 1)[1] == 0.0
    with pytest.raises(DataError, match="lag"):
        quantile_turnover(member, 1, 0)


def test_summary_of_a_monotone_signal() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 100)).astype(np.float32)
    summary = Scorer(0.01 * x).score(x).quantiles.summary()
    assert summary.monotonicity == pytest.approx(1.0)
    assert list(summary.mean) == sorted(summary.mean)
    assert summary.spread == pytest.approx(summary.mean[-1] - summary.mean[0], rel=1e-9)
    assert summary.names == (10.0,) * 10
    assert summary.empty_days == (0,) * 10


def test_empty_quantiles_are_counted() -> None:
    values = np.array([[0.1, np.nan], [0.2, 0.3], [np.nan, np.nan]])
    summary = QuantileReturns(values, np.array([[3, 0], [2, 2], [0, 0]], dtype=np.int32)).summary(lags=0)
    assert summary.empty_days == (0, 1)  # the third date has no names at all
    assert summary.spread == pytest.approx(0.1)
    assert summary.mean[0] == pytest.approx(0.15)


def test_monotonicity_without_variation_is_undefined() -> None:
    values = np.full((5, 3), 0.1)
    assert math.isnan(QuantileReturns(values, np.ones((5, 3), np.int32)).summary(lags=0).monotonicity)


def test_coverage_is_a_share_of_the_universe() -> None:
    x = np.ones((3, 4))
    x[0, 0] = np.nan
    x[1] = np.nan
    members = np.ones((3, 4), bool)
    members[2] = False
    covered = coverage(x, members)
    np.testing.assert_allclose(covered.per_date, [0.75, 0.0, np.nan])
    assert covered.mean == pytest.approx(0.375)
    assert covered.lowest == 0.0
    assert covered.dates_without_signal == 1


def test_the_ladder_is_the_portfolio_of_the_quantiles_places() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(3, 40)).astype(np.float32), rng.normal(size=(3, 40)).astype(np.float32)
    y[1, :3] = np.nan
    member = quantile_membership(x, 5).astype(np.float64)
    for row, found in enumerate(Scorer(y, quantiles=5, min_names=5).score(x).quantiles.ladder):
        known = np.isfinite(y[row])
        weight = member[row, known] - member[row, known].mean()
        weight /= weight[weight > 0].sum()
        assert found == pytest.approx(weight @ y[row, known], rel=1e-5)


def test_the_ladder_of_the_label_itself_and_of_one_step() -> None:
    y = np.array([[-0.01, 0.03, 0.02, 0.0]], np.float32)
    quantiles = Scorer(y, quantiles=2, min_names=2).score(y).quantiles
    assert quantiles.ladder == pytest.approx(quantiles.spread)
    assert np.isnan(Scorer(y, quantiles=2, min_names=2).score(np.ones((1, 4))).quantiles.ladder).all()


def test_skewed_returns_have_a_rank_ic_and_no_payoff() -> None:
    """Log-normal returns of mean 0: the median falls with the volatility, and with it the rank."""
    rng = np.random.default_rng(6)
    risk = np.linspace(0.05, 0.4, 100)
    returns = np.exp(risk * rng.standard_normal((800, 100)) - risk**2 / 2) - 1
    score = Scorer(returns).score(np.broadcast_to(risk, returns.shape))
    assert score.rank_ic.summary(0).t < -8
    assert abs(newey_west_t(score.quantiles.ladder, 0)) < 2.5
