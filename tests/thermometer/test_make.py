"""What a print says: its figures by hand, and laws that hold for all components."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import Refusal
from assay.thermometer import (
    AXES,
    Component,
    ComponentSeries,
    Observation,
    Rules,
    ThermometerProblems,
    make_print,
    methodology_hash,
    month_ends,
    simulated_components,
)

from .conftest import AS_OF, component, moved, series, two_axes

SIGNS = st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=8)
DAYS = st.dates(date(2019, 1, 1), AS_OF)


def test_figures_by_hand() -> None:
    made = make_print(two_axes(supply=[1, -1, -1, 0], demand=[1, 1, 0]), AS_OF)
    supply, demand = made.axes.supply, made.axes.demand
    assert (supply.diffusion, demand.diffusion) == (0.375, 2.5 / 3)
    assert made.heat == pytest.approx(100 * (2.5 / 3 - 0.375 + 1) / 2, abs=1e-12)
    assert (supply.move, demand.move, made.verdict) == ("falling", "rising", "tightening")
    assert (supply.agreement, demand.agreement) == (0.5, 2 / 3)
    assert supply.dispersion == pytest.approx((3 / 4 - 1 / 16) ** 0.5, abs=1e-12)
    assert (supply.counted, supply.components) == (4, 4)
    assert made.simulated is False


@pytest.mark.parametrize(
    ("supply", "demand", "verdict"),
    [
        ([1], [1], "expanding"),
        ([-1], [-1], "contracting"),
        ([0], [0], "balanced"),
        ([1], [0], "easing"),
        ([1], [-1], "easing"),
        ([0], [-1], "easing"),
        ([-1], [0], "tightening"),
        ([-1], [1], "tightening"),
        ([0], [1], "tightening"),
    ],
)
def test_the_verdict_is_of_both_axes(supply: list[float], demand: list[float], verdict: str) -> None:
    assert make_print(two_axes(supply, demand), AS_OF).verdict == verdict


def test_the_neutral_band_is_exact_at_its_edge() -> None:
    five = two_axes(supply=[0], demand=[1, 1, 1, -1, -1])  # diffusion 0.6
    assert make_print(five, AS_OF).axes.demand.move == "flat"
    assert make_print(five, AS_OF, Rules(neutral_band=0.09)).axes.demand.move == "rising"


def test_the_direction_turns_a_change_round() -> None:
    made = make_print((moved("a", "supply", 1.0, direction=-1), moved("b", "demand", -1.0, -1)), AS_OF)
    assert {item.name: item.change for item in made.components} == {"a": "down", "b": "up"}


@given(SIGNS, SIGNS)
def test_heat_and_shares_are_within_their_bounds(supply: list[float], demand: list[float]) -> None:
    made = make_print(two_axes(supply, demand), AS_OF)
    assert 0.0 <= made.heat <= 100.0
    for axis in (made.axes.supply, made.axes.demand):
        assert 0.0 <= axis.diffusion <= 1.0
        assert 1 / 3 <= axis.agreement <= 1.0
        assert 0.0 <= axis.dispersion <= 1.0
    mirrored = make_print(two_axes(demand, supply), AS_OF)
    assert mirrored.heat == pytest.approx(100 - made.heat, abs=1e-9)


@given(SIGNS, SIGNS, st.data())
def test_heat_grows_with_demand_and_falls_with_supply(
    supply: list[float], demand: list[float], data: st.DataObject
) -> None:
    heat = make_print(two_axes(supply, demand), AS_OF).heat
    for side, others, sign in ((demand, supply, 1), (supply, demand, -1)):
        place = data.draw(st.integers(0, len(side) - 1))
        raised = [min(1.0, change + (at == place)) for at, change in enumerate(side)]
        pair = (others, raised) if sign == 1 else (raised, others)
        after = make_print(two_axes(*pair), AS_OF).heat
        if raised == side:
            assert after == heat
        else:
            assert (after - heat) * sign > 0


@given(SIGNS, SIGNS, st.randoms(use_true_random=False))
def test_the_order_of_components_and_values_is_of_no_account(
    supply: list[float], demand: list[float], chance: random.Random
) -> None:
    listed = list(two_axes(supply, demand))
    mixed = [
        replace(item, observations=tuple(chance.sample(item.observations, len(item.observations))))
        for item in chance.sample(listed, len(listed))
    ]
    assert make_print(mixed, AS_OF) == make_print(listed, AS_OF)


@st.composite
def revised(draw: st.DrawFn, name: str, axis: str) -> ComponentSeries:
    """A series of which some dates were revised, some after ``AS_OF``."""
    rows = draw(
        st.dictionaries(
            st.tuples(DAYS, st.integers(0, 700)), st.floats(-9, 9).map(lambda x: round(x, 1)), max_size=25
        )
    )
    seen = tuple(Observation(day, day + timedelta(days=lag), value) for (day, lag), value in rows.items())
    return ComponentSeries(Component(name, axis, 1, "a bureau", 0), seen)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(revised("s", "supply"), revised("d", "demand"), DAYS)
def test_a_print_is_that_of_the_series_cut_at_its_day(
    supply: ComponentSeries, demand: ComponentSeries, as_of: date
) -> None:
    """What was released later changes nothing, to the last bit, and is not refused differently."""
    listed = [*two_axes([1], [1]), supply, demand]
    cut = [
        replace(item, observations=tuple(seen for seen in item.observations if seen.released <= as_of))
        for item in listed
    ]

    def said(items: list[ComponentSeries]) -> object:
        try:
            return make_print(items, as_of)
        except Refusal as refusal:
            return refusal.reason.code

    assert said(listed) == said(cut)


def test_a_value_counts_from_its_day_of_release() -> None:
    late = [moved("s", "supply", 0.0), moved("d", "demand", 1.0, lag=1)]
    (reading,) = (item for item in make_print(late, AS_OF).components if item.name == "d")
    assert reading.last is not None
    assert (reading.last.day, reading.change) == (date(2020, 5, 31), "unchanged")
    (reading,) = (item for item in make_print(late, date(2020, 7, 1)).components if item.name == "d")
    assert reading.last is not None
    assert (reading.last.day, reading.last.released, reading.change) == (AS_OF, date(2020, 7, 1), "up")


def test_of_several_releases_of_a_date_the_last_that_is_known_counts() -> None:
    first = moved("d", "demand", 1.0)
    again = Observation(AS_OF, AS_OF + timedelta(days=20), 3.0)
    both = [moved("s", "supply", 0.0), replace(first, observations=(again, *first.observations))]
    assert make_print(both, AS_OF).axes.demand.diffusion == 1.0
    assert make_print(both, AS_OF + timedelta(days=19)).axes.demand.diffusion == 1.0
    assert make_print(both, AS_OF + timedelta(days=20)).axes.demand.diffusion == 0.0


def test_what_cannot_be_compared_is_named_and_does_not_count() -> None:
    old = ComponentSeries(component("old", "demand"), moved("old", "demand", -1.0).observations[:6])
    none = ComponentSeries(component("none", "demand"), ())
    young = series("young", "demand", [1.0, 2.0])
    made = make_print([*two_axes([1], [1]), old, none, young], AS_OF)
    assert made.freshness.model_dump() == {
        "newest": AS_OF,
        "oldest": AS_OF,
        "counted": ["d0", "s0"],
        "missing": ["none"],
        "short": ["young"],
        "stale": ["old"],
    }
    assert (made.axes.demand.diffusion, made.axes.demand.counted, made.axes.demand.components) == (1.0, 1, 4)


def test_a_reference_across_a_gap_is_none() -> None:
    whole = moved("d", "demand", 1.0)
    gap = replace(whole, observations=(*whole.observations[:4], whole.observations[-1]))
    made = make_print([*two_axes([1], [1]), replace(gap, component=component("gap", "demand"))], AS_OF)
    assert made.freshness.short == ["gap"]


def test_an_axis_of_which_nothing_is_known_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        make_print(two_axes([1], []), AS_OF)
    assert (caught.value.reason.code, caught.value.where) == ("no_reading", "demand")
    with pytest.raises(Refusal):
        make_print(two_axes([1], [1]), AS_OF + timedelta(days=101))
    assert make_print(two_axes([1], [1]), AS_OF + timedelta(days=100)).heat == 50.0


def test_a_name_that_is_used_twice_is_told() -> None:
    with pytest.raises(ThermometerProblems, match="s0"):
        make_print([*two_axes([1], [1]), moved("s0", "demand", 1.0)], AS_OF)


def test_the_methodology_hash_covers_rules_and_definitions_and_nothing_else() -> None:
    made = make_print(two_axes([1], [1]), AS_OF)
    assert made.methodology_hash == make_print(two_axes([-1], [0]), AS_OF).methodology_hash
    defined = [component("s0", "supply"), component("d0", "demand")]
    assert made.methodology_hash == methodology_hash(Rules(), defined)
    others = {
        methodology_hash(Rules(lookback_days=92), defined),
        methodology_hash(Rules(neutral_band=0.2), defined),
        methodology_hash(Rules(stale_after_days=1), defined),
        methodology_hash(Rules(), defined[:1]),
        *(
            methodology_hash(Rules(), [replace(defined[0], **change), defined[1]])
            for change in (
                {"name": "s1"},
                {"axis": "demand"},
                {"direction": -1},
                {"source": "another"},
                {"release_lag_days": 1},
                {"simulated": True},
            )
        ),
    }
    assert len(others | {made.methodology_hash}) == 11


def test_the_series_hash_is_of_the_values_that_are_known() -> None:
    made = make_print(two_axes([1], [1]), AS_OF)
    (reading,) = (item for item in made.components if item.name == "d0")
    seen = [
        [item.day.isoformat(), item.released.isoformat(), item.value]
        for item in two_axes([1], [1])[1].observations
    ]
    text = json.dumps(seen, separators=(",", ":"))
    assert reading.series_hash == hashlib.sha256(text.encode()).hexdigest()
    assert reading.values == 12


def test_simulated_components_are_labelled_and_repeat() -> None:
    made = make_print(simulated_components(), AS_OF)
    assert made.simulated
    assert {item.axis for item in made.components} == set(AXES)
    assert all(item.source == "simulated, seed 7" for item in made.components)
    assert made == make_print(simulated_components(7), AS_OF)
    assert made != make_print(simulated_components(8), AS_OF)
    verdicts = {
        make_print(simulated_components(), day).verdict for day in month_ends(date(2005, 1, 1), AS_OF)
    }
    assert len(verdicts) >= 4


def test_month_ends() -> None:
    assert month_ends(date(2020, 1, 31), date(2020, 3, 30)) == (date(2020, 1, 31), date(2020, 2, 29))
    assert month_ends(date(2020, 2, 1), date(2020, 2, 28)) == ()
    assert month_ends(date(2020, 1, 15), date(2019, 12, 31)) == ()
