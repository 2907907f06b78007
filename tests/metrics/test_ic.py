from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import DataError
from assay.metrics import (
    IcSeries,
    Scorer,
    horizon_scorers,
    ic_decay,
    information_coefficient,
    newey_west_t,
)


def series(values: list[float], names: int = 50) -> IcSeries:
    return IcSeries("spearman", np.array(values), np.full(len(values), names), 10)


def test_summary_drops_undefined_days_and_counts_them() -> None:
    summary = series([0.1, math.nan, -0.05, 0.2]).summary(lags=1)
    defined = np.array([0.1, -0.05, 0.2])
    assert summary.mean == pytest.approx(defined.mean())
    assert summary.std == pytest.approx(defined.std(ddof=1))
    assert summary.icir == pytest.approx(defined.mean() / defined.std(ddof=1))
    assert summary.t == pytest.approx(newey_west_t(defined, 1))
    assert (summary.days, summary.undefined_days, summary.lags) == (3, 1, 1)
    assert summary.positive_share == pytest.approx(2 / 3)
    assert summary.mean_names == 50


def test_an_undefined_day_is_not_a_zero() -> None:
    assert series([0.1, math.nan]).summary(0).mean != series([0.1, 0.0]).summary(0).mean


def test_days_without_any_pair_are_not_counted_as_undefined() -> None:
    empty = IcSeries("pearson", np.array([math.nan, 0.1]), np.array([0, 30]), 10)
    assert empty.undefined == 0


def test_a_series_without_a_defined_day_is_undefined_throughout() -> None:
    summary = series([math.nan, math.nan]).summary()
    for value in (summary.mean, summary.icir, summary.t, summary.positive_share):
        assert math.isnan(value)
    assert summary.days == 0


def test_a_constant_ic_has_no_icir() -> None:
    assert math.isnan(series([0.03] * 20).summary().icir)


def test_a_correlation_beyond_one_is_an_error() -> None:
    with pytest.raises(AssertionError, match="left"):
        series([0.2, 1.0000001])


def test_admission_asks_for_more_names() -> None:
    few = IcSeries("spearman", np.array([0.1, 0.2]), np.array([12, 40]), 10)
    kept = few.admissible(30)
    assert np.isnan(kept.values[0])
    assert kept.values[1] == 0.2
    assert kept.min_names == 30
    assert kept.undefined == 1


def test_between_takes_rows() -> None:
    assert series([0.1, 0.2, 0.3]).between(1, 3).values.tolist() == [0.2, 0.3]


def test_methods_differ_and_unknown_ones_are_refused() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 30))
    y = np.exp(3 * x)
    assert information_coefficient(x, y).values == pytest.approx([1.0] * 3)
    assert (information_coefficient(x, y, "pearson").values < 0.9).all()
    with pytest.raises(DataError, match="kendall"):
        information_coefficient(x, y, "kendall")  # type: ignore[arg-type]


def test_decay_follows_a_signal_that_foresees_three_bars() -> None:
    rng = np.random.default_rng(1)
    returns = 0.01 * rng.normal(size=(200, 60))
    price = np.exp(returns.cumsum(axis=0))
    foresight = np.full(price.shape, np.nan)
    foresight[:-4] = price[4:] / price[1:-3] - 1  # the label of horizon 3
    decay = ic_decay(foresight, horizon_scorers(price, (10, 1, 3)), lags=2)
    assert [point.horizon for point in decay.points] == [1, 3, 10]
    by_horizon = {point.horizon: point.rank_ic.mean for point in decay.points}
    assert by_horizon[3] == pytest.approx(1.0)
    assert by_horizon[1] == pytest.approx(math.sqrt(1 / 3), abs=0.05)
    assert by_horizon[10] == pytest.approx(math.sqrt(3 / 10), abs=0.05)
    assert [point.rank_ic.lags for point in decay.points] == [2, 3, 10]
    with pytest.raises(DataError, match="horizon"):
        horizon_scorers(price, ())


def test_one_bar_of_look_ahead_shows() -> None:
    # a signal that knows the bar of its own fill scores 1 with no lag, and nothing on the honest label
    rng = np.random.default_rng(2)
    price = np.exp((0.01 * rng.normal(size=(300, 80))).cumsum(axis=0))
    last = np.full(price.shape, np.nan)
    last[:-1] = price[1:] / price[:-1] - 1  # the return into the fill of t+1
    honest = horizon_scorers(price, (1,))[1].score(last).rank_ic.summary()
    leaky = Scorer(last.astype(np.float32)).score(last).rank_ic.summary()
    assert leaky.mean == 1.0
    assert abs(honest.mean) < 4 / math.sqrt(300 * 80)
