"""The simulator on real markets."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from assay.brain.simulator import Market, Outcome, held, simulate
from assay.config import BrainSimulatorSettings, DateRange, PeriodPlan
from assay.market import Panel

from ...market.real import csi300_panel, us_panel
from . import reference
from .markets import request


@pytest.fixture(scope="module")
def cn(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Market:
    panel = csi300_panel(shared, tmp_path_factory.mktemp("real"))
    return Market.of(
        panel, PeriodPlan(DateRange(date(2017, 1, 1), date(2023, 12, 31))), BrainSimulatorSettings()
    )


@pytest.fixture(scope="module")
def us(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Panel:
    return us_panel(shared, tmp_path_factory.mktemp("real"))


def _run(market: Market, code: str, **settings: object) -> Outcome:
    found = simulate(market, request(code, **settings))
    assert isinstance(found, Outcome), found
    return found


def test_the_window_ends_a_year_before_the_search_does(cn: Market) -> None:
    assert str(cn.end) == "2022-12-16"
    assert str(cn.start) == "2017-12-18"
    assert cn.choices().regions == ("CHN",)
    assert cn.choices().neutralizations["CHN"] == ("NONE", "MARKET", "INDUSTRY")
    assert "CSI300" in cn.choices().universes["CHN"]
    last = held(cn, request("-returns", region="CHN")).stats
    assert (last.start_date, last.end_date) == ("2022-12-19", "2023-12-29")


def test_reversal_in_china_is_that_of_the_slow_simulator(cn: Market) -> None:
    asked = request(
        "rank(-ts_delta(close, 5) / close)",
        region="CHN",
        universe="CSI300",
        neutralization="INDUSTRY",
        decay=0,
    )
    found = simulate(cn, asked)
    assert isinstance(found, Outcome)
    expected = reference.figures(cn, asked)
    np.testing.assert_allclose(found.daily.pnl, expected.pnl, rtol=1e-3, atol=200.0)
    assert found.stats.sharpe == pytest.approx(expected.sharpe, abs=0.011)
    assert found.stats.long_count + found.stats.short_count > 250


def test_turnover_of_a_slow_signal_is_low(cn: Market) -> None:
    slow = _run(cn, "ts_std_dev(returns, 120)", region="CHN")
    fast = _run(cn, "-returns", region="CHN", decay=0)
    assert slow.stats.turnover < 0.05
    assert fast.stats.turnover > 0.7
    assert next(check for check in fast.stats.checks if check.name == "HIGH_TURNOVER").result == "FAIL"


def test_american_members_are_known_to_a_day(us: Panel) -> None:
    market = Market.of(us, None, BrainSimulatorSettings())
    assert market.choices().regions == ("USA",)
    assert "SECTOR" in market.choices().neutralizations["USA"]
    found = _run(market, "group_rank(-ts_corr(close, volume, 20), sector)", neutralization="SECTOR")
    assert found.stats.sharpe is not None
    assert found.end_date == str(us.dates[-253])
    np.testing.assert_allclose(found.daily.held[25:], 20e6)
