from __future__ import annotations

import numpy as np
import pytest

from assay.errors import AssayError, Refusal
from assay.market import Group, Panel, universe_from_mask

from .tapes import NAN, panel_array, tape


def test_prices_are_multiplied_and_volumes_divided_by_the_factor() -> None:
    panel = Panel(tape())
    np.testing.assert_array_equal(panel.field("close")[:, 0], np.float32([10, 11, 12, 13.2]))
    np.testing.assert_array_equal(panel.field("volume")[:, 0], np.float32([100, 100, 100, 100]))
    np.testing.assert_array_equal(panel.raw("close")[:, 0], np.float32([10, 11, 6, 6.6]))
    np.testing.assert_array_equal(panel.field("raw_close"), panel.raw("close"))
    np.testing.assert_array_equal(panel.field("factor")[:, 0], np.float32([1, 1, 2, 2]))


def test_an_amount_does_not_see_the_factor() -> None:
    panel = Panel(tape())
    raw = (panel.raw("high") + panel.raw("low") + panel.raw("close")) / 3 * panel.raw("volume")
    np.testing.assert_allclose(panel.field("amount"), raw, rtol=1e-6)


def test_returns_are_missing_on_both_sides_of_a_suspension() -> None:
    returns = Panel(tape()).field("returns")
    expected = panel_array([[NAN] * 3, [0.1, NAN, 0.1], [1 / 11, NAN, -0.1], [0.1, -1 / 22, NAN]])
    np.testing.assert_allclose(returns, expected, rtol=1e-5)


def test_what_the_source_has_is_not_derived() -> None:
    data = tape()
    stored = np.full(data.shape, 7, dtype=np.float32)
    panel = Panel(tape(fields={**data.fields, "vwap": stored}))
    np.testing.assert_array_equal(panel.raw("vwap"), stored)
    assert panel.manifest.fields["amount"].derived == "vwap x volume"
    assert Panel(data).manifest.fields["vwap"].derived == "(high + low + close) / 3"


def test_arrays_are_read_only_c_ordered_float32() -> None:
    panel = Panel(tape())
    for name in ("close", "returns", "vwap", "amount"):
        values = panel.field(name)
        assert values.dtype == np.float32
        assert values.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            values[0, 0] = 1


def test_a_view_shares_memory_and_keeps_what_came_before() -> None:
    panel = Panel(tape())
    view = panel.between("2020-01-03", "2020-01-06")
    assert view.shape == (2, 3)
    assert np.shares_memory(view.field("close"), panel.field("close"))
    # the first row of the view still knows the bar before it
    np.testing.assert_array_equal(view.field("returns"), panel.field("returns")[1:3])
    again = view.between(None, "2020-01-03")
    assert again.dates.tolist() == panel.dates[1:2].tolist()


def test_a_view_does_not_know_of_a_later_delisting() -> None:
    panel = Panel(tape())
    assert panel.trading().delisted_row.tolist() == [-1, -1, 3]
    assert panel.between(None, "2020-01-06").trading().delisted_row.tolist() == [-1, -1, -1]
    assert panel.between("2020-01-07").trading().delisted_row.tolist() == [-1, -1, 0]


def test_a_range_without_trading_days_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        Panel(tape()).between("2020-01-04", "2020-01-05")
    assert caught.value.reason.code == "no_dates"
    assert "2020-01-02 to 2020-01-07" in str(caught.value.fix)


@pytest.mark.parametrize("text", ["soon", "2020-13-01", object(), "NaT"])
def test_a_date_that_is_none(text: object) -> None:
    with pytest.raises(AssayError, match="is not a date"):
        Panel(tape()).between(text)


def test_a_universe_is_refused_after_its_known_dates() -> None:
    panel = Panel(tape())
    with pytest.raises(Refusal) as caught:
        panel.universe("index")
    assert caught.value.reason.code == "universe_outdated"
    members = panel.between(None, "2020-01-06").universe("index")
    assert members.tolist() == [[True, True, False], [True, True, False], [True, False, True]]


def test_a_universe_has_aliases_and_misspellings_are_met() -> None:
    view = Panel(tape()).between(None, "2020-01-06")
    np.testing.assert_array_equal(view.universe("idx"), view.universe("index"))
    with pytest.raises(Refusal, match="no universe 'indx'") as caught:
        view.universe("indx")
    assert "index" in caught.value.details["did_you_mean"]


def test_all_is_everything_from_first_to_last_record() -> None:
    panel = Panel(tape(first_row=np.array([0, 1, 0], dtype=np.int32)))
    assert panel.universe("all").tolist() == [
        [True, False, True],
        [True, True, True],
        [True, True, True],
        [True, True, False],
    ]


def test_groups_are_wide_codes_with_labels_and_market_holds_all() -> None:
    panel = Panel(tape())
    codes = panel.group("industry")
    assert codes.shape == (4, 3)
    assert codes.dtype == np.int32
    assert codes[2].tolist() == [0, 1, -1]
    assert panel.group_labels("industry") == ("bank", "steel")
    assert not panel.group("market").any()
    assert panel.fields["market"].kind == "group"


def test_a_group_may_change_with_the_date() -> None:
    codes = np.zeros((4, 3), dtype=np.int32)
    codes[2:, 0] = 1
    panel = Panel(tape(groups={"industry": Group(codes, ("a", "b"))}))
    assert panel.between("2020-01-06").group("industry")[0].tolist() == [1, 0, 0]


def test_vectors_and_events_follow_the_dates() -> None:
    panel = Panel(tape())
    assert panel.vector("score").shape == (1, 4, 3)
    view = panel.between("2020-01-03")
    assert view.vector("score")[0, 0, 0] == np.float32(0.5)
    assert view.events("news")["row"].tolist() == [0]
    assert panel.between("2020-01-06").events("news").size == 0


@pytest.mark.parametrize("read", ["field", "raw", "vector", "group", "group_labels", "events"])
def test_an_unknown_name_is_refused_with_what_there_is(read: str) -> None:
    with pytest.raises(Refusal) as caught:
        getattr(Panel(tape()), read)("clse")
    assert caught.value.reason.code == "unknown_field"


def test_a_group_is_no_numeric_field() -> None:
    with pytest.raises(Refusal, match="no field 'industry'"):
        Panel(tape()).field("industry")


def test_masks_and_spans_are_the_same_membership() -> None:
    mask = np.random.default_rng(0).random((30, 7)) < 0.5
    universe = universe_from_mask(mask, known_until=np.datetime64("2020-01-01"))
    np.testing.assert_array_equal(universe.mask(mask.shape), mask)
