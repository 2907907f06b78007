"""Whole simulations: a planted signal and its twin, settings, splits, record sets, errors."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from assay.brain import limits
from assay.brain.simulator import CodeError, Market, Outcome, held, simulate
from assay.config import BrainSimulatorSettings
from assay.errors import DataError, Refusal
from assay.market import Panel

from .markets import SETTINGS, by_hand, market, request, simulated

CODE = "-ts_corr(close, volume, 10)"


def _run(code: str, tested: Market | None = None, **settings: object) -> Outcome:
    found = simulate(tested or market(), request(code, **settings))
    assert isinstance(found, Outcome), found
    return found


def _check(outcome: Outcome, name: str) -> object:
    return next(check for check in outcome.stats.checks if check.name == name)


def test_a_planted_signal_passes_and_its_twin_does_not() -> None:
    planted, twin = (
        _run(CODE, market(signal, 300, 900), decay=5, neutralization="MARKET") for signal in (True, False)
    )
    assert planted.stats.sharpe > limits().sharpe
    assert _check(planted, "LOW_SHARPE").result == _check(planted, "LOW_FITNESS").result == "PASS"
    assert abs(twin.stats.sharpe) < limits().sharpe
    assert _check(twin, "LOW_SHARPE").result == "FAIL"
    assert planted.grade != "INFERIOR"
    assert twin.grade == "INFERIOR"


def test_the_held_days_of_a_planted_signal_are_good_too() -> None:
    tested = market(True, 300, 900)
    found = held(tested, request(CODE, decay=5))
    assert found.stats.start_date > _run(CODE, tested).end_date
    assert len(found.daily.dates) == SETTINGS.held_days
    assert found.stats.sharpe > 1.0
    assert found.stats.checks == ()


def test_by_hand_from_prices_to_statistics() -> None:
    # name 0 rises by a tenth on even rows and falls back on odd ones, name 1 does the opposite
    days = 200
    up = np.where(np.arange(days) % 2, 10.0, 11.0)
    panel = Panel(by_hand(np.column_stack([up, 21.0 - up])))
    tested = Market.of(panel, None, BrainSimulatorSettings(held_days=0))
    found = _run("close", tested, decay=0, truncation=0.0, neutralization="MARKET", delay=1)
    # after an even row name 0 is dearer: long 10M of it; it falls by 1/11 while the other rises by a tenth
    pnl = found.daily.pnl[2:]
    np.testing.assert_allclose(pnl, -10e6 * (1 / 11 + 0.1), rtol=1e-6)
    # each day both positions turn round: 2 x 20M on a book of 20M
    np.testing.assert_allclose(found.daily.traded[3:], 40e6)
    assert found.stats.long_count == found.stats.short_count == 1
    assert found.stats.drawdown == pytest.approx(-found.daily.pnl.sum() / 10e6, abs=1e-4)
    with pytest.raises(DataError, match="no days are held"):
        held(tested, request("close", decay=0, truncation=0.0))


def test_an_expression_without_opinions_holds_nothing() -> None:
    found = _run("close - close")
    assert found.stats.sharpe is None
    assert (found.stats.pnl, found.stats.long_count, found.stats.turnover) == (0.0, 0, 0.0)
    assert {check.result for check in found.stats.checks} == {"FAIL", "PASS", "PENDING"}
    assert _check(found, "CONCENTRATED_WEIGHT").result == "FAIL"


def test_a_sign_turns_the_figures_round() -> None:
    one, other = _run(CODE), _run(f"-({CODE})")
    np.testing.assert_allclose(one.daily.pnl, -other.daily.pnl, rtol=1e-9)
    assert one.stats.sharpe == -other.stats.sharpe
    assert one.stats.turnover == other.stats.turnover


def test_equal_requests_give_equal_outcomes_on_a_fresh_market() -> None:
    fresh = Market.of(simulated(), None, SETTINGS)
    one, other = _run(CODE), _run(CODE, fresh)
    assert one.stats == other.stats
    assert one.recordsets == other.recordsets
    np.testing.assert_array_equal(one.daily.pnl, other.daily.pnl)


def test_later_days_change_no_earlier_day() -> None:
    shorter = Market.of(simulated(), None, replace(SETTINGS, held_days=200))
    for code in (
        CODE,
        "trade_when(volume > ts_mean(volume, 20), -returns, -1)",
        "group_rank(equity / cap, sector)",
    ):
        one, other = _run(code, shorter), _run(code)
        np.testing.assert_allclose(one.daily.pnl, other.daily.pnl[:500], rtol=1e-6, atol=1.0)


def test_the_largest_weight_is_cut_by_truncation() -> None:
    free, cut = (
        _run("power(rank(cap), 40)", truncation=share, neutralization="NONE") for share in (0.0, 0.05)
    )
    assert free.daily.largest.max() / 20e6 > 0.1
    assert _check(free, "CONCENTRATED_WEIGHT").result == "FAIL"
    assert cut.daily.largest.max() < free.daily.largest.max()


def test_pasteurisation_hides_what_is_outside_the_universe() -> None:
    code = "rank(ts_mean(close, 60) / close)"
    on, off = (_run(code, universe="TOP500", pasteurization=switch) for switch in ("ON", "OFF"))
    # with hidden inputs a name has no mean until it has been a member for 60 days
    assert on.daily.long_count.sum() < off.daily.long_count.sum()
    names = (off.daily.long_count + off.daily.short_count).max()
    assert names <= market().sample.members("TOP500").sum(axis=1).max()


def test_delay_zero_is_no_look_at_the_days_own_return() -> None:
    honest = _run("returns", decay=0, delay=1)
    sooner = _run("returns", decay=0, delay=0)
    np.testing.assert_array_equal(sooner.daily.pnl, honest.daily.pnl)
    np.testing.assert_array_equal(sooner.daily.traded[:-1], honest.daily.traded[1:])
    assert _check(sooner, "LOW_SHARPE").limit == 2.0


def test_stages_follow_the_order_of_the_settings() -> None:
    order = ("pasteurize", "neutralize", "truncate", "decay", "scale")
    other = Market.of(simulated(), None, replace(SETTINGS, order=order))
    found = _run(CODE, other, truncation=0.02)
    assert found.order == order
    assert found.stats.turnover != _run(CODE, truncation=0.02).stats.turnover


def test_switches_without_a_published_effect_are_taken() -> None:
    plain = _run(CODE)
    for switch in ({"max_trade": "ON"}, {"max_position": "ON"}, {"simulation_mode": "QUICK"}):
        assert _run(CODE, **switch).stats == plain.stats


def test_a_test_period_is_the_end_of_the_window() -> None:
    whole = _run(CODE, test_period="P0Y6M")
    assert whole.train is not None
    assert whole.test is not None
    row = int(np.searchsorted(whole.daily.dates, np.datetime64(whole.test.start_date)))
    assert whole.train.start_date == whole.start_date
    assert whole.test.end_date == whole.end_date
    assert whole.train.end_date == str(whole.daily.dates[row - 1])
    assert whole.train.pnl + whole.test.pnl == pytest.approx(whole.stats.pnl, abs=2)
    assert 120 <= len(whole.daily.dates) - row <= 132
    none = _run(CODE, test_period="P0Y0M")
    assert (none.train, none.test) == (None, None)


def test_record_sets_tell_the_series() -> None:
    found = _run(CODE)
    assert set(found.recordsets) == {"pnl", "daily-pnl", "sharpe", "turnover", "coverage", "yearly-stats"}
    total, each = found.recordsets["pnl"], found.recordsets["daily-pnl"]
    assert [column.name for column in total.columns] == ["date", "pnl"]
    assert total.records[-1] == (found.end_date, round(float(found.daily.pnl.sum()), 2))
    np.testing.assert_allclose([row[1] for row in each.records], found.daily.pnl, atol=0.006)
    cover = [row[1] for row in found.recordsets["coverage"].records]
    assert 0.9 < cover[-1] <= 1.0
    # the correlation of ten days is not there on the first of them
    assert cover[0] == 0.0


def test_yearly_figures_are_those_of_the_year() -> None:
    found = _run(CODE)
    rows = found.recordsets["yearly-stats"].records
    names = [column.name for column in found.recordsets["yearly-stats"].columns]
    assert names[:2] == ["year", "pnl"]
    assert [row[0] for row in rows] == ["2018", "2019", "2020"]
    assert sum(row[1] for row in rows) == pytest.approx(found.stats.pnl, abs=3)
    pnl = found.daily.pnl[np.char.startswith(found.daily.dates.astype(str), "2019")]
    sharpe = dict(zip(names, rows[1], strict=True))["sharpe"]
    assert sharpe == pytest.approx(sqrt(252) * pnl.mean() / pnl.std(ddof=1), abs=0.006)
    assert found.recordsets["sharpe"].records[1] == ("2019", sharpe)


def test_visualisation_adds_the_parts_of_groups() -> None:
    found = _run(CODE, visualization=True)
    added = set(found.recordsets) - set(_run(CODE).recordsets)
    kinds = ("pnl", "sharpe", "average-size", "coverage")
    assert added == {f"{kind}-by-{group}" for kind in kinds for group in ("sector", "industry")}
    parts = found.recordsets["pnl-by-sector"].records
    assert sum(row[1] for row in parts) == pytest.approx(found.stats.pnl, abs=5)
    sizes = [row[1] for row in found.recordsets["average-size-by-sector"].records]
    assert sum(sizes) == pytest.approx(found.daily.held.mean() / 20e6, abs=2e-3)


def test_the_sub_universe_sharpe_is_that_of_its_members_alone() -> None:
    tested = market()
    found = _run("rank(-returns)", decay=0, truncation=0.0, neutralization="NONE")
    members = tested.sample.members("TOP1000")
    values = tested.sample.panel.field("returns").astype(np.float64)
    pnl = []
    for row in range(1, len(members)):
        # in the universe of 57 the ranks are even, so a rank's distance from the mean of the members is
        # worked out from the ranks of all
        inside = np.isfinite(values[row - 1]) & tested.sample.members("TOP3000")[row - 1]
        ranks = np.full(len(inside), np.nan)
        order = np.argsort(np.argsort(-values[row - 1][inside]))
        ranks[inside] = order / max(inside.sum() - 1, 1)
        ranks[~members[row - 1]] = np.nan
        weights = np.nan_to_num(ranks - np.nanmean(ranks) if np.isfinite(ranks).any() else ranks)
        size = np.abs(weights).sum()
        pnl.append(0.0 if size == 0 else float(weights @ tested.sample.gains[row]) / size * 20e6)
    series = np.array([0.0, *pnl])[tested.rows]
    expected = sqrt(252) * series.mean() / series.std(ddof=1)
    check = _check(found, "LOW_SUB_UNIVERSE_SHARPE")
    assert check.value == pytest.approx(expected, abs=0.02)
    assert check.limit == pytest.approx(0.75 * sqrt(1 / 3) * found.stats.sharpe, abs=0.006)


@pytest.mark.parametrize(
    ("code", "message", "start"),
    [
        ("rank(clos)", 'Attempted to use unknown variable "clos"', 5),
        ("rnk(close)", 'Attempted to use inaccessible or unknown operator "rnk"', 0),
        ("ts_max(close, 5)", 'Attempted to use inaccessible or unknown operator "ts_max"', 0),
        ("rank(close", "Unexpected end of input", 10),
        ("event_score", "Got invalid input at index 0, must be an expression", 0),
    ],
)
def test_an_expression_that_cannot_run_is_an_error_with_its_place(
    code: str, message: str, start: int
) -> None:
    found = simulate(market(), request(code))
    assert isinstance(found, CodeError)
    assert found.message == message
    assert found.place.start == start
    with pytest.raises(Refusal) as caught:
        held(market(), request(code))
    assert caught.value.reason.code == "bad_expression"


def test_units_that_do_not_fit_are_warnings_beside_the_checks() -> None:
    check = _check(_run("close + volume"), "UNITS")
    assert check.result == "WARNING"
    assert "UNITS" not in {check.name for check in _run("close / volume").stats.checks}


def test_a_consultant_has_more_operators() -> None:
    tested = Market.of(simulated(), None, replace(SETTINGS, level="consultant"))
    found = _run("ts_max(close, 5) / close", tested)
    assert _check(found, "LOW_SHARPE").limit == 1.58
    assert _check(found, "PROD_CORRELATION").result == "PENDING"


def test_settings_that_the_market_does_not_have_are_refused() -> None:
    with pytest.raises(Refusal) as caught:
        simulate(market(), request("close", region="XXX"))
    assert caught.value.reason.code == "bad_settings"
    assert caught.value.where == "settings.region"


def test_operators_are_counted_as_written() -> None:
    assert _run("rank(close)").operator_count == 1
    assert _run("a = ts_mean(close, 5); -a / close + 1").operator_count == 4
    assert _run("close > 2 ? -1 : rank(volume)").operator_count == 3
