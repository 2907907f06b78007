from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.errors import DataError
from assay.metrics import (
    annual_ir,
    annual_return,
    annual_volatility,
    beta_of,
    break_even_bp,
    capacity_of,
    max_drawdown,
    nav_of,
    total_return,
)


def test_drawdown_counts_the_first_day() -> None:
    fall = max_drawdown([-0.10, -1 / 6, 0.02])
    assert fall.depth == pytest.approx(-0.25)
    assert (fall.peak, fall.trough) == (-1, 1)


def test_drawdown_of_a_rising_book_is_zero() -> None:
    assert max_drawdown([0.01, 0.02]).depth == 0.0
    assert max_drawdown([]).depth == 0.0


def test_drawdown_is_the_deepest_not_the_last() -> None:
    fall = max_drawdown([0.1, -0.2, 0.5, -0.1])
    assert fall.depth == pytest.approx(-0.2)
    assert (fall.peak, fall.trough) == (0, 1)


@settings(max_examples=50, deadline=None)
@given(hnp.arrays(float, st.integers(1, 40), elements=st.floats(-0.5, 0.5)))
def test_property_drawdown_equals_the_definition(returns: np.ndarray) -> None:
    nav = [1.0, *nav_of(returns)]
    worst = min(b / a - 1 for i, a in enumerate(nav) for b in nav[i:])
    assert max_drawdown(returns).depth == pytest.approx(worst, abs=1e-12)


def test_years_are_bars_over_252() -> None:
    returns = np.full(126, 0.001)
    assert annual_return(returns) == pytest.approx(1.001**252 - 1)
    assert total_return(returns) == pytest.approx(1.001**126 - 1)
    assert annual_return([-1.0, 0.5]) == -1.0
    assert math.isnan(annual_return([]))


def test_volatility_and_ir_use_ddof_one() -> None:
    returns = np.array([0.01, -0.02, 0.03, 0.0])
    assert annual_volatility(returns) == pytest.approx(returns.std(ddof=1) * math.sqrt(252))
    assert annual_ir(returns) == pytest.approx(returns.mean() / returns.std(ddof=1) * math.sqrt(252))


@pytest.mark.parametrize("value", [0.0, 0.01, -3.0])
def test_constant_returns_have_no_ir(value: float) -> None:
    assert math.isnan(annual_ir(np.full(30, value)))


def test_a_gap_is_refused_and_not_taken_for_zero() -> None:
    for function in (annual_volatility, annual_ir, max_drawdown, total_return):
        with pytest.raises(DataError, match="1 of 3 returns"):
            function([0.1, math.nan, 0.1])


def test_figures_of_a_book_do_not_depend_on_a_benchmark() -> None:
    returns = np.random.default_rng(0).normal(size=50) * 0.01
    before = (annual_return(returns), annual_volatility(returns))
    beta_of(returns, returns * 2)
    assert (annual_return(returns), annual_volatility(returns)) == before


def test_beta() -> None:
    x = np.random.default_rng(0).normal(size=50)
    assert beta_of(2 * x + 1, x) == pytest.approx(2)
    assert math.isnan(beta_of(x, np.ones(50)))
    with pytest.raises(DataError, match="benchmark"):
        beta_of(x, x[:-1])


def test_break_even_cost() -> None:
    assert break_even_bp([0.01, 0.01], [1.0, 3.0]) == pytest.approx(50.0)
    assert math.isnan(break_even_bp([0.01], [0.0]))
    assert break_even_bp([-0.01], [1.0]) == pytest.approx(-100.0)


def test_capacity_lets_the_stated_share_of_trades_pass() -> None:
    trades = np.array([[0.5, -0.5, 0.0], [0.1, 0.0, 0.0]])
    value = np.array([[100.0, 1000.0, 1.0], [1e9, 1.0, 1.0]])
    whole = capacity_of(trades, value, 0.1, share=1.0)
    assert whole.capital == pytest.approx(0.1 * 100 / 0.5)  # the tightest order decides
    half = capacity_of(trades, value, 0.1, share=0.5)
    assert half.capital == pytest.approx(0.1 * 1000 / 0.5)
    assert half.orders == 3


def test_capacity_says_what_it_does_not_know() -> None:
    trades = np.array([[0.5, 0.5]])
    part = capacity_of(trades, np.array([[100.0, np.nan]]), 0.1)
    assert part.unknown == pytest.approx(0.5)
    assert part.capital == pytest.approx(20.0)
    assert math.isnan(capacity_of(trades, np.full((1, 2), np.nan), 0.1).capital)
    assert math.isnan(capacity_of(np.zeros((1, 2)), np.ones((1, 2)), 0.1).capital)


def test_capacity_grows_with_participation() -> None:
    rng = np.random.default_rng(0)
    trades, value = rng.normal(size=(20, 5)) * 0.1, rng.lognormal(size=(20, 5)) * 1e6
    one, two = capacity_of(trades, value, 0.01), capacity_of(trades, value, 0.02)
    assert two.capital == pytest.approx(2 * one.capital)
    assert capacity_of(trades, value, 0.01, 0.5).capital > one.capital
    for participation, share in ((0.0, 0.9), (1.1, 0.9), (0.1, 0.0)):
        with pytest.raises(DataError):
            capacity_of(trades, value, participation, share)
