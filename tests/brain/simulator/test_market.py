"""What a market offers, and that nothing it says comes from days after its window."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from assay.brain import SimulationSettings
from assay.brain.simulator import Market, Outcome, held, simulate
from assay.config import BrainSimulatorSettings, DateRange, PeriodPlan
from assay.expr import FieldInfo
from assay.market import Group, MarketData, OwnField, Panel, Planted, Source, universe_from_mask

from .markets import SETTINGS, by_hand, market, request, simulated

CODES = (
    "rank(-ts_delta(close, 5))",
    "group_zscore(ts_backfill(vec_avg(event_score), 20), sector)",
    "trade_when(volume > ts_mean(volume, 20), -returns, -1)",
    "equity / cap",
    "close",
    "own",
)


def test_a_simulated_market_is_listed_where_the_default_settings_are() -> None:
    tested = market()
    assert (tested.region, tested.simulated, tested.name) == ("USA", True, "local:sim")
    assert tested.problems(SimulationSettings()) == {}


def test_trials_are_of_the_data_set_and_of_what_changes_their_figures() -> None:
    tested = market()
    assert tested.data.name == "sim"
    assert tested.data == market().data
    turned = (*SETTINGS.order[:1], *reversed(SETTINGS.order[1:]))
    others = [
        Market.of(tested._panel, None, replace(SETTINGS, order=turned)),
        Market.of(tested._panel, None, replace(SETTINGS, held_days=SETTINGS.held_days + 1)),
        Market.of(Panel(by_hand(np.ones((300, 12)) * 5.0)), None, SETTINGS),
    ]
    assert len({tested.data.digest, *(item.data.digest for item in others)}) == 4


@pytest.mark.parametrize(("country", "region"), [("CN", "CHN"), ("US", "USA"), (None, "USA")])
def test_a_region_follows_the_market_of_the_data(country: str | None, region: str) -> None:
    data = replace(by_hand(np.ones((300, 12)) * 5.0), market=country)
    tested = Market.of(Panel(data), None, SETTINGS)
    assert (tested.region, tested.simulated) == (region, False)
    assert tested.choices().regions == (region,)


def test_choices_are_those_of_the_data_set() -> None:
    choices = market().choices()
    assert choices.instrument_types == ("EQUITY",)
    assert choices.universes["USA"] == ("TOP3000", "TOP1000", "TOP500", "INDEX_A", "INDEX_B")
    assert choices.delays["USA"] == (1, 0)
    assert choices.neutralizations["USA"] == ("NONE", "MARKET", "SECTOR", "INDUSTRY", "SUBINDUSTRY")
    plain = Market.of(Panel(by_hand(np.ones((300, 12)) * 5.0)), None, SETTINGS)
    assert plain.choices().neutralizations["USA"] == ("NONE", "MARKET")
    assert "neutralization" in plain.problems(SimulationSettings(neutralization="SECTOR"))


def test_a_test_period_must_leave_days_to_train_on() -> None:
    tested = market()
    assert tested.problems(SimulationSettings(test_period="P1Y0M")) == {}
    assert (
        "leaves less than 60 days" in tested.problems(SimulationSettings(test_period="P3Y0M"))["testPeriod"]
    )


def test_fields_have_type_data_set_and_measured_coverage() -> None:
    tested = market()
    fields = {info.id: info for info in tested.data_fields()}
    kinds = {
        name: (fields[name].type, fields[name].dataset.id)
        for name in ("close", "equity", "event_score", "sector")
    }
    assert kinds == {
        "close": ("MATRIX", "pv1"),
        "equity": ("MATRIX", "fundamental1"),
        "event_score": ("VECTOR", "event1"),
        "sector": ("GROUP", "group1"),
    }
    inside = tested.sample.members("TOP3000")[tested.rows]
    present = np.isfinite(tested.sample.panel.field("close"))[tested.rows] & inside
    assert fields["close"].coverage == round(present.sum() / inside.sum(), 4)
    assert fields["close"].coverage < 1.0
    assert fields["close"].date_coverage == round(present.any(axis=1).mean(), 4)
    assert (fields["close"].region, fields["close"].universe, fields["close"].delay) == ("USA", "TOP3000", 1)
    assert set(fields) == set(tested.sample.panel.fields)


def test_coverage_is_that_of_the_universe_asked_for() -> None:
    tested = market()
    by_universe = [
        {info.id: info.coverage for info in tested.data_fields(name)}["event_score"]
        for name in ("TOP3000", "TOP500")
    ]
    assert by_universe[0] != by_universe[1]
    assert tested.data_fields("TOP500", 0)[0].delay == 0


def test_data_sets_count_their_fields() -> None:
    tested = market()
    sets = {info.id: info for info in tested.data_sets()}
    assert list(sets) == ["pv1", "fundamental1", "event1", "group1"]
    for name, info in sets.items():
        assert info.field_count == sum(one.dataset.id == name for one in tested.data_fields())
    assert 0 < sets["event1"].coverage < 0.2


def test_a_field_of_the_users_own_is_in_a_set_of_its_own() -> None:
    data = by_hand(np.full((300, 12), 5.0), sentiment=np.ones((300, 12)))
    fields = {info.id: info for info in Market.of(Panel(data), None, SETTINGS).data_fields()}
    assert fields["sentiment"].dataset.id == "other1"


def test_notes_say_how_names_are_to_be_read() -> None:
    notes = " | ".join(market().notes())
    for part in (
        "all data is simulated",
        "TOP1000: the 19 most traded of about 57",
        "100 trading days after that",
        "pasteurize -> decay -> truncate",
    ):
        assert part in notes


def test_the_window_is_what_the_settings_say() -> None:
    tested = market()
    dates = simulated().dates
    assert (tested.end, tested.rows.stop) == (dates[599], 600)
    assert len(tested.whole.panel.dates[tested.held_rows]) == 100


def _own(bars: object) -> np.ndarray:
    # reads the whole array, as a careless package might
    values = bars["close"]
    return values / np.nanmax(values, axis=0)


PLAN_ROWS = (0, 549)


def _panel(data: MarketData) -> Panel:
    careless = OwnField(FieldInfo("own", "number", 0.0), _own)
    return Panel(data, own=(careless,))


def _plan(data: MarketData) -> PeriodPlan:
    days = [date.fromisoformat(str(day)) for day in data.dates]
    return PeriodPlan(
        DateRange(days[0], days[549]), DateRange(days[560], days[620]), DateRange(days[630], days[699])
    )


def _other_future(data: MarketData, row: int) -> MarketData:
    """Another market from ``row`` on: prices, events, listings, classes, members, words."""
    random = np.random.default_rng(1)

    def changed(values: np.ndarray) -> np.ndarray:
        out = values.copy()
        out[..., row:, :] = np.flip(out[..., row:, :], axis=-1) * random.uniform(0.5, 2.0)
        return out

    sector = np.tile(data.groups["sector"].codes, (len(data.dates), 1))
    sector[row:] = sector[row:, ::-1]
    members = data.universes["index_a"].mask(data.shape)
    members[row:] = ~members[row:]
    groups = {**data.groups, "sector": Group(sector, data.groups["sector"].labels)}
    return replace(
        data,
        fields={name: changed(values) for name, values in data.fields.items()},
        vectors={name: changed(values) for name, values in data.vectors.items()},
        groups=groups,
        universes={"index_a": universe_from_mask(members, known_until=data.dates[-1])},
        last_row=np.where(data.last_row >= row, len(data.dates) - 1, data.last_row).astype(np.int32),
        source=Source("simulated", {"seed": 99}),
        planted=(Planted("secret", "close", 0.9, 1),),
    )


def _same_start(data: MarketData, row: int) -> MarketData:
    sector = np.tile(data.groups["sector"].codes, (len(data.dates), 1))
    groups = {**data.groups, "sector": Group(sector, data.groups["sector"].labels)}
    members = universe_from_mask(data.universes["index_a"].mask(data.shape), known_until=data.dates[-1])
    return replace(data, groups=groups, universes={"index_a": members})


def _anchored_on_the_last_day(data: MarketData) -> MarketData:
    """Prices whose factor is 1 on the last day, so that every earlier one knows of later splits."""
    factor = data.fields["factor"]
    last = np.array(
        [column[np.isfinite(column)][-1] if np.isfinite(column).any() else 1.0 for column in factor.T]
    )
    # half of the instruments were split after all that is in sample
    last = last * np.where(np.arange(len(last)) % 2, 4.0, 1.0)
    return replace(data, fields={**data.fields, "factor": (factor / last).astype(np.float32)})


def _served(tested: Market) -> list[object]:
    outcomes = []
    for code in CODES:
        for settings in ({}, {"universe": "INDEX_A", "neutralization": "SECTOR", "visualization": True}):
            found = simulate(tested, request(code, **settings))
            assert isinstance(found, Outcome), found
            outcomes += [found.stats, found.daily.pnl.tolist(), found.daily.traded.tolist(), found.recordsets]
    return [
        tested.choices(),
        tested.data_fields(),
        tested.data_fields("INDEX_A"),
        tested.data_sets(),
        tested.notes(),
        *outcomes,
    ]


@pytest.mark.parametrize("plan_known", [True, False])
def test_nothing_served_depends_on_days_after_the_window(plan_known: bool) -> None:
    data = _same_start(simulated().data, 0)
    settings = BrainSimulatorSettings(held_days=100)
    plan = _plan(data) if plan_known else None
    end = 450 if plan_known else 600
    one = Market.of(_panel(data), plan, settings)
    other = Market.of(_panel(_other_future(data, end)), plan, settings)
    assert one.end == data.dates[end - 1]
    assert _served(one) == _served(other)


def test_a_factor_that_knows_of_later_splits_tells_nothing() -> None:
    data = _same_start(simulated().data, 0)
    plan, settings = _plan(data), BrainSimulatorSettings(held_days=100)
    anchored = _anchored_on_the_last_day(data)
    changed = {**anchored.fields, "factor": anchored.fields["factor"] * np.float32(3.0)}
    one, other = (
        Market.of(_panel(which), plan, settings) for which in (anchored, replace(anchored, fields=changed))
    )
    for code in ("close", "own"):
        first, second = (simulate(tested, request(code)) for tested in (one, other))
        np.testing.assert_allclose(first.daily.pnl, second.daily.pnl, rtol=1e-4, atol=1.0)


def test_held_figures_read_the_held_days_and_no_hidden_one() -> None:
    data = _same_start(simulated().data, 0)
    plan, settings = _plan(data), BrainSimulatorSettings(held_days=100)
    asked = request("rank(-ts_delta(close, 5) / close)")
    one, hidden, later = (
        held(Market.of(_panel(which), plan, settings), asked)
        for which in (data, _other_future(data, 550), _other_future(data, 500))
    )
    assert (one.stats.start_date, one.stats.end_date) == (str(data.dates[450]), str(data.dates[549]))
    assert one.stats == hidden.stats
    np.testing.assert_array_equal(one.daily.pnl, hidden.daily.pnl)
    # adjusted prices of the two differ by a factor for each stock, and that by rounding
    np.testing.assert_allclose(one.daily.pnl[:50], later.daily.pnl[:50], rtol=1e-3, atol=10.0)
    assert one.stats != later.stats


def test_hidden_days_before_the_search_change_nothing() -> None:
    data = simulated().data
    days = [date.fromisoformat(str(day)) for day in data.dates]
    plan = PeriodPlan(
        DateRange(days[220], days[699]), DateRange(days[0], days[100]), DateRange(days[110], days[200])
    )
    changed = {
        name: np.where(np.arange(700)[:, None] <= 200, values[:, ::-1], values).astype(np.float32)
        for name, values in data.fields.items()
        if name != "factor"
    }
    other = replace(data, fields={**data.fields, **changed})
    for code in ("rank(-ts_delta(close, 5))", "ts_sum(returns, 18)"):
        one, two = (
            simulate(Market.of(Panel(which), plan, SETTINGS), request(code)) for which in (data, other)
        )
        np.testing.assert_array_equal(one.daily.pnl, two.daily.pnl)
