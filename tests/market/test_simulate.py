from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.market import Panel, doctor, open_panel, simulate, write_dataset


@pytest.fixture(scope="module")
def market() -> Panel:
    return simulate(seed=5, instruments=120, days=700, minutes=3)


def test_equal_arguments_give_equal_bytes(market: Panel, tmp_path: Path) -> None:
    again = simulate(seed=5, instruments=120, days=700, minutes=3)
    first = write_dataset(market.data, tmp_path / "a" / "sim")
    second = write_dataset(again.data, tmp_path / "b" / "sim")
    assert first.manifest.fingerprint == second.manifest.fingerprint
    other = write_dataset(simulate(seed=6, instruments=120, days=700).data, tmp_path / "c" / "sim")
    assert other.manifest.fingerprint != first.manifest.fingerprint
    assert open_panel(tmp_path / "a" / "sim").manifest.planted == market.manifest.planted


def test_the_twin_has_the_same_draws_and_no_signal(market: Panel) -> None:
    twin = simulate(seed=5, instruments=120, days=700, signal=False)
    assert twin.manifest.planted == []
    assert len(market.manifest.planted) == 10
    np.testing.assert_array_equal(twin.raw("factor"), market.raw("factor"))
    np.testing.assert_array_equal(np.isfinite(twin.raw("close")), np.isfinite(market.raw("close")))
    np.testing.assert_array_equal(twin.vector("event_score"), market.vector("event_score"))
    # a signal read on row 0 moves the return of row 3 first
    np.testing.assert_array_equal(twin.raw("close")[:3], market.raw("close")[:3])
    assert (twin.raw("close")[3] != market.raw("close")[3]).any()


def test_the_doctor_finds_nothing_but_suspensions(market: Panel) -> None:
    assert {finding.check for finding in doctor(market)} == {"suspended"}


def test_days_are_like_days_of_a_stock_market(market: Panel) -> None:
    returns = market.field("returns")[1:].astype(np.float64)
    spread = np.nanmean(np.nanstd(returns, axis=1))
    assert 0.015 < spread < 0.035
    scaled = returns / np.nanstd(returns)
    assert np.nanmean(scaled**4) > 4  # fat tails
    size = np.abs(returns) - np.nanmean(np.abs(returns), axis=0)
    clustering = np.nanmean(size[5:] * size[:-5]) / np.nanmean(size**2)
    assert clustering > 0.05
    market_return = np.nanmean(returns, axis=1)
    own = np.nan_to_num(returns)
    joint = np.mean([np.corrcoef(market_return, own[:, column])[0, 1] for column in range(30)])
    assert joint > 0.25


def test_sectors_move_together(market: Panel) -> None:
    returns = np.nan_to_num(market.field("returns")[1:].astype(np.float64))
    returns -= returns.mean(axis=1, keepdims=True)
    correlation = np.corrcoef(returns.T)
    sector = market.group("sector")[0]
    same = (sector[:, None] == sector) & ~np.eye(len(sector), dtype=bool)
    assert correlation[same].mean() > correlation[sector[:, None] != sector].mean() + 0.03


def test_listings_delistings_suspensions_limits_and_factors_occur(market: Panel) -> None:
    trading = market.trading()
    assert (market.data.first_row > 0).sum() >= 10
    assert (trading.delisted_row >= 0).sum() >= 5
    assert 0.001 < trading.suspended.mean() < 0.03
    assert 0.0005 < trading.limit_up.mean() < 0.03
    assert trading.limit_down.any()
    factor = market.raw("factor")
    steps = factor[1:] / factor[:-1]
    assert np.nanmax(steps) > 1.15  # a split
    assert ((steps > 1.003) & (steps < 1.04)).any()  # a dividend
    assert np.nanmin(steps) >= 1
    # no bar after the last one, none before the first
    rows = np.arange(market.shape[0])[:, None]
    outside = (rows < market.data.first_row) | (rows > market.data.last_row)
    assert not np.isfinite(market.raw("close")[outside]).any()


def test_bars_are_consistent(market: Panel) -> None:
    low, high, close = market.raw("low"), market.raw("high"), market.raw("close")
    traded = np.isfinite(close)
    assert (low[traded] <= close[traded]).all()
    assert (close[traded] <= high[traded]).all()
    assert (low[traded] <= market.raw("vwap")[traded]).all()
    assert (market.raw("volume")[traded] >= 100).all()
    np.testing.assert_allclose(
        market.raw("amount")[traded], market.raw("vwap")[traded] * market.raw("volume")[traded], rtol=1e-5
    )
    cents = close[traded].astype(np.float64) * 100
    assert np.abs(cents - np.round(cents)).max() < 0.02


def test_no_move_passes_the_limit(market: Panel) -> None:
    returns = market.field("returns")
    assert np.nanmax(np.abs(returns)) < 0.115


def test_two_indices_whose_members_change(market: Panel) -> None:
    large, middle = market.universe("sim300"), market.universe("sim500")
    assert not (large & middle).any()
    assert market.universe("index_a") is not None
    for members in (large, middle):
        changes = np.abs(np.diff(members.astype(int), axis=0)).sum()
        assert 4 < changes < members.sum() / 20
    cap = market.field("cap")
    assert np.nanmedian(cap[large]) > np.nanmedian(cap[middle])


def test_an_event_is_used_only_after_it_is_known(market: Panel) -> None:
    events = market.events("event_score")
    assert len(events) > 1000
    assert (events["event_time"] <= events["known_time"]).all()
    closes = market.dates.astype("datetime64[s]") + np.timedelta64(15, "h")
    assert (closes[events["row"]] >= events["known_time"]).all()
    earlier = closes[np.maximum(events["row"] - 1, 0)]
    assert ((earlier < events["known_time"]) | (events["row"] == 0)).all()
    vector = market.vector("event_score")
    assert np.isfinite(vector).sum() == len(events)
    cells = vector[:, events["row"], events["instrument"]]
    assert (cells == events["score"]).any(axis=0).all()


def test_bars_inside_the_day_agree_with_the_day(market: Panel) -> None:
    minutes = market.minutes()
    assert minutes is not None
    bars = {name: values.reshape(3, 48, -1) for name, values in minutes.fields.items()}
    day = {name: market.raw(name)[-3:] for name in ("open", "high", "low", "close", "volume")}
    traded = np.isfinite(day["close"])
    np.testing.assert_array_equal(bars["close"][:, -1], day["close"])
    np.testing.assert_array_equal(bars["open"][:, 0], day["open"])
    assert (bars["high"].max(axis=1)[traded] <= day["high"][traded]).all()
    assert (bars["low"].min(axis=1)[traded] >= day["low"][traded]).all()
    np.testing.assert_allclose(bars["volume"].sum(axis=1)[traded], day["volume"][traded], rtol=1e-5)
    assert (bars["bid"] < bars["ask"])[np.isfinite(bars["bid"])].all()
    assert str(minutes.times[0]).endswith("09:35:00")
    assert str(minutes.times[-1]).endswith("15:00:00")


def test_the_manifest_says_that_it_is_simulated(market: Panel) -> None:
    assert market.manifest.simulated
    assert market.manifest.source.detail["seed"] == 5


@pytest.mark.parametrize(
    "arguments",
    [
        {"instruments": 10_000, "days": 5_000},
        {"instruments": 3},
        {"days": 10},
        {"days": 10**9},
        {"minutes": -1},
        {"start": "soon"},
    ],
)
def test_sizes_out_of_bounds_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(AssayError):
        simulate(**{"instruments": 40, "days": 80, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("start", ["0001-01-01", "1989-12-31", "2101-01-01", "2299-01-01", "NaT"])
def test_a_start_that_no_market_has_is_refused(start: str) -> None:
    with pytest.raises(AssayError, match="start is"):
        simulate(1, 20, 60, start=start)
