"""Outside libraries, where their convention equals ours; where it does not, the difference is written down
here.
"""

from __future__ import annotations

import math
import warnings
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from assay.metrics import (
    Scorer,
    annual_ir,
    annual_return,
    annual_volatility,
    beta_of,
    dollar_neutral_weights,
    expected_max_sharpe,
    information_coefficient,
    max_drawdown,
    moments_of,
    psr,
    quantile_membership,
    quantile_turnover,
    rank_autocorrelation,
    std_of,
    total_return,
)


def peer(name: str) -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"the peer {name} is not installed")


@pytest.fixture(scope="module")
def returns() -> pd.Series:
    rng = np.random.default_rng(0)
    values = 0.0004 + 0.01 * rng.standard_t(5, 500)
    values[0] = -0.07  # the worst fall begins on the first day
    return pd.Series(values, index=pd.bdate_range("2020-01-01", periods=500))


@pytest.fixture(scope="module")
def benchmark(returns: pd.Series) -> pd.Series:
    noise = np.random.default_rng(1).normal(size=len(returns)) * 0.005
    return 0.6 * returns + noise


def test_empyrical_agrees_on_one_stream(returns: pd.Series, benchmark: pd.Series) -> None:
    empyrical = peer("empyrical")
    assert max_drawdown(returns).depth == pytest.approx(empyrical.max_drawdown(returns), rel=1e-12)
    assert annual_return(returns) == pytest.approx(empyrical.annual_return(returns), rel=1e-12)
    assert annual_volatility(returns) == pytest.approx(empyrical.annual_volatility(returns), rel=1e-12)
    assert annual_ir(returns) == pytest.approx(empyrical.sharpe_ratio(returns), rel=1e-12)
    assert total_return(returns) == pytest.approx(empyrical.cum_returns_final(returns), rel=1e-12)
    assert beta_of(returns, benchmark) == pytest.approx(empyrical.beta(returns, benchmark), rel=1e-10)


def test_quantstats_agrees_on_one_stream(returns: pd.Series) -> None:
    quantstats = peer("quantstats")
    assert annual_volatility(returns) == pytest.approx(quantstats.stats.volatility(returns), rel=1e-12)
    assert annual_ir(returns) == pytest.approx(quantstats.stats.sharpe(returns), rel=1e-12)
    assert max_drawdown(returns).depth == pytest.approx(quantstats.stats.max_drawdown(returns), rel=1e-9)


def test_quantstats_leaves_its_information_ratio_daily(returns: pd.Series, benchmark: pd.Series) -> None:
    quantstats = peer("quantstats")
    theirs = quantstats.stats.information_ratio(returns, benchmark, prepare_returns=False)
    assert annual_ir(returns - benchmark) == pytest.approx(float(theirs) * math.sqrt(252), rel=1e-9)


def test_constant_returns_are_undefined_here_and_a_number_there() -> None:
    constant = pd.Series(np.full(100, 0.01), index=pd.bdate_range("2020-01-01", periods=100))
    assert math.isnan(annual_ir(constant))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer("empyrical").sharpe_ratio(constant)
    assert not abs(theirs) < 1e6  # infinite, or an absurd number


def test_skfolio_agrees_on_psr_and_the_expected_maximum(returns: pd.Series) -> None:
    measures = peer("skfolio.measures")
    moments = moments_of(returns)
    sharpe = returns.mean() / std_of(returns)  # its ratio has ddof 1
    ours = psr(sharpe, moments.n, moments.skew, moments.kurtosis, 0.01)
    theirs = measures.probabilistic_sharpe_ratio(returns.to_numpy(), benchmark_sharpe_ratio=0.01)
    assert ours == pytest.approx(theirs, rel=1e-12)
    for trials in (2, 10, 1000):
        assert expected_max_sharpe(trials, 0.04) == pytest.approx(
            measures.expected_max_sharpe_ratio(trials, 0.2)
        )


DATES, NAMES, QUANTILES = 30, 40, 10


@pytest.fixture(scope="module")
def factor_data() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    index = pd.MultiIndex.from_product(
        [pd.bdate_range("2020-01-01", periods=DATES), [f"s{i:02d}" for i in range(NAMES)]],
        names=["date", "asset"],
    )
    factor = rng.normal(size=DATES * NAMES).astype(np.float32).astype(float)
    label = (0.02 * rng.normal(size=DATES * NAMES) + 0.002 * factor).astype(np.float32).astype(float)
    return pd.DataFrame({"1D": label, "factor": factor}, index=index)


def wide(column: pd.Series) -> np.ndarray:
    return column.to_numpy().reshape(DATES, NAMES)


def test_alphalens_agrees_on_ic_and_quantiles(factor_data: pd.DataFrame) -> None:
    peer("alphalens")
    from alphalens import performance, utils

    data = factor_data.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data["factor_quantile"] = utils.quantize_factor(data[["factor"]], QUANTILES)
        ic = performance.factor_information_coefficient(data)["1D"].to_numpy()
        means = performance.mean_return_by_quantile(data, by_date=True, demeaned=False)[0]["1D"]
        turnover = performance.quantile_turnover(data["factor_quantile"], QUANTILES, 1).to_numpy()
        autocorrelation = performance.factor_rank_autocorrelation(data, 1).to_numpy()
        weights = performance.factor_weights(data, demeaned=True).to_numpy()
    x, y = wide(data["factor"]), wide(data["1D"])
    score = Scorer(y).score(x)
    np.testing.assert_allclose(score.rank_ic.values, ic, atol=1e-13)
    member = quantile_membership(x)
    np.testing.assert_array_equal(member + 1, wide(data["factor_quantile"]))
    theirs = means.unstack("factor_quantile").to_numpy()
    np.testing.assert_allclose(score.quantiles.values, theirs, atol=1e-12)
    np.testing.assert_allclose(quantile_turnover(member, QUANTILES - 1), turnover, atol=1e-13, equal_nan=True)
    np.testing.assert_allclose(rank_autocorrelation(x).values, autocorrelation, atol=1e-12, equal_nan=True)
    np.testing.assert_allclose(dollar_neutral_weights(x), wide(pd.Series(weights)), atol=1e-12)


def test_alphalens_drops_a_factor_of_five_values_where_ours_keeps_all(factor_data: pd.DataFrame) -> None:
    peer("alphalens")
    from alphalens import utils

    data = factor_data.copy()
    data["factor"] = np.floor(np.clip(data["factor"] + 2.5, 0, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = utils.quantize_factor(data[["factor"]], QUANTILES, None, False, True)
    lost = 1 - len(theirs) / len(data)
    member = quantile_membership(wide(data["factor"]))
    assert (member >= 0).all()
    assert lost > 0.5


def test_padding_over_a_suspension_is_what_moves_alphalens() -> None:
    rng = np.random.default_rng(3)
    price = np.exp(0.02 * rng.normal(size=(60, 30)).cumsum(axis=0))
    price[20:34, 4] = np.nan
    x = rng.normal(size=(60, 30)).astype(np.float32)
    frame = pd.DataFrame(price)
    padded = (frame.ffill().shift(-2) / frame.ffill().shift(-1) - 1).to_numpy()
    honest = np.where(np.isnan(price[1:-1]) | np.isnan(price[2:]), np.nan, padded[:-2])
    theirs = information_coefficient(x, padded).values[:-2]
    ours = information_coefficient(x[:-2], honest).values
    moved = np.flatnonzero(~np.isclose(ours, theirs, atol=1e-12))
    assert moved.min() >= 18
    assert moved.max() <= 33
    assert len(moved) >= 13


def test_linear_models_agree_on_the_neutral_residual() -> None:
    api = peer("statsmodels.api")
    from assay.metrics import Neutralizer, Styles, average_ranks

    rng = np.random.default_rng(4)
    x, a, b, c = rng.normal(size=(4, 3, 60)).astype(np.float32)
    groups = rng.integers(0, 5, 60)
    residual = Neutralizer(Styles(a, b, c), groups).residual(x)
    for t in range(3):
        ranks = [average_ranks(v[t : t + 1], scaled=False)[0] for v in (x, a, b, c)]
        design = np.column_stack([np.eye(5)[groups], *ranks[1:]])
        fit = api.OLS(ranks[0], design).fit()
        np.testing.assert_allclose(residual[t], fit.resid / 60, atol=1e-6)
