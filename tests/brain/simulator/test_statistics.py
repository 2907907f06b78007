"""Figures by hand, and those of captured replies."""

from __future__ import annotations

import numpy as np
import pytest

from assay.brain.simulator._pnl import Book, daily_of
from assay.brain.simulator._statistics import (
    drawdown_of,
    fitness_of,
    returns_of,
    sharpe_of,
    stats_of,
    turnover_of,
)

from .markets import daily, weekdays

BOOK = 20e6
PNL = [10_000.0, -5_000.0, 15_000.0, -20_000.0, 5_000.0, 20_000.0]


def test_fitness_is_that_of_a_captured_alpha() -> None:
    # MP5agW2n: returns .2543, turnover .0131, Sharpe 1.0
    assert round(fitness_of(1.0, 0.2543, 0.0131), 2) == 1.43
    # and one with turnover above the floor
    assert fitness_of(2.0, -0.09, 0.36) == pytest.approx(1.0)


def test_margin_is_what_a_traded_dollar_earned() -> None:
    # returns / (504 turnover), which is .0385 for the captured alpha
    days = 252
    pnl = np.full(days, 0.2543 * (BOOK / 2) / days)
    pnl[::2] += 1.0
    pnl[1::2] -= 1.0
    found = stats_of(daily(pnl.tolist(), traded=0.0131 * BOOK), BOOK)
    assert found.margin == pytest.approx(0.0385, abs=5e-5)
    assert found.returns == 0.2543
    assert found.turnover == 0.0131


def test_sharpe_is_annual_with_252_days() -> None:
    pnl = np.array(PNL)
    assert sharpe_of(pnl) == pytest.approx(np.sqrt(252) * np.mean(pnl) / np.std(pnl, ddof=1))
    assert sharpe_of(np.array([1.0, 3.0])) == pytest.approx(np.sqrt(252) * 2 / np.sqrt(2))


def test_sharpe_of_a_constant_is_not_defined() -> None:
    assert sharpe_of(np.zeros(10)) is None
    assert sharpe_of(np.full(10, 0.1)) is None
    assert sharpe_of(np.array([1.0])) is None
    found = stats_of(daily([0.0] * 10, traded=0.0), BOOK)
    assert (found.sharpe, found.fitness, found.margin) == (None, None, None)


def test_returns_are_on_half_the_book() -> None:
    assert returns_of(np.full(252, 10_000.0), BOOK) == pytest.approx(0.252)


def test_turnover_is_on_the_whole_book() -> None:
    assert turnover_of(daily(PNL, traded=3e6), BOOK) == pytest.approx(0.15)


def test_drawdown_is_from_a_peak_that_begins_at_nothing() -> None:
    # peak 20,000 after three days, then -20,000
    assert drawdown_of(np.array(PNL), BOOK) == pytest.approx(20_000 / 10e6)
    assert drawdown_of(np.array([-30_000.0, 10_000.0]), BOOK) == pytest.approx(30_000 / 10e6)
    assert drawdown_of(np.array([1.0, 2.0]), BOOK) == 0.0


def test_figures_are_rounded_as_captured() -> None:
    found = stats_of(daily([12_345.678, -2_345.6, 7_000.111]), BOOK)
    assert found.pnl == 17_000
    assert found.sharpe == round(found.sharpe, 2)
    assert found.turnover == 0.05
    assert found.margin == round(17_000.189 / 3e6, 6)
    assert found.book_size == BOOK
    assert (found.long_count, found.short_count) == (10, 10)
    assert (found.start_date, found.end_date) == ("2020-01-01", "2020-01-03")


def test_no_figure_is_minus_zero() -> None:
    found = stats_of(daily([0.001, -0.002, 0.0], traded=1e6), BOOK)
    assert str(found.pnl) == "0.0"
    assert str(found.returns) == "0.0"


TARGETS = np.array([[10.0, -10.0], [20.0, -20.0], [0.0, 0.0], [30.0, -30.0]])
GAINS = np.array([[0.0, 0.0], [0.1, 0.0], [0.2, 0.1], [0.5, 0.0]])


def test_with_delay_one_yesterdays_target_earns_from_close_to_close() -> None:
    found = daily_of(Book(weekdays(4), TARGETS, GAINS), 1, slice(0, 4))
    np.testing.assert_allclose(found.pnl, [0.0, 1.0, 4.0 - 2.0, 0.0])
    np.testing.assert_allclose(found.traded, [0.0, 20.0, 20.0, 40.0])
    np.testing.assert_array_equal(found.long_count, [0, 1, 1, 0])
    np.testing.assert_allclose(found.largest, [0.0, 10.0, 20.0, 0.0])


def test_with_delay_zero_a_position_never_earns_the_way_to_the_close_that_it_read() -> None:
    found = daily_of(Book(weekdays(4), TARGETS, GAINS), 0, slice(0, 4))
    np.testing.assert_allclose(found.pnl, [0.0, 1.0, 2.0, 0.0])
    np.testing.assert_allclose(found.traded, [20.0, 20.0, 40.0, 60.0])
    np.testing.assert_array_equal(found.short_count, [1, 1, 0, 1])


def test_a_cut_of_dates_keeps_the_positions_before_it() -> None:
    whole = daily_of(Book(weekdays(4), TARGETS, GAINS), 1, slice(0, 4))
    part = daily_of(Book(weekdays(4), TARGETS, GAINS), 1, slice(2, 4))
    np.testing.assert_array_equal(part.pnl, whole.pnl[2:])
    np.testing.assert_array_equal(part.traded, whole.traded[2:])
