from __future__ import annotations

import numpy as np
import pytest

from assay.errors import DataError
from assay.metrics import bar_returns, forward_returns, lag_rows


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)[:, None]


def test_label_enters_one_bar_after_the_signal_and_holds_the_horizon() -> None:
    label = forward_returns(column(1, 2, 3, 6, 12), 2)
    # signal of row 0 fills at row 1 (2) and leaves at row 3 (6)
    assert label[0, 0] == pytest.approx(2.0)
    assert label[1, 0] == pytest.approx(3.0)
    assert np.isnan(label[2:]).all()


def test_label_is_missing_where_either_price_is_missing() -> None:
    price = column(1, 2, np.nan, 4, 5, 6)
    label = forward_returns(price, 1)
    assert np.isfinite(label[:, 0]).tolist() == [False, False, True, True, False, False]


@pytest.mark.parametrize("bad", [0.0, -3.0, np.inf, np.nan])
def test_a_price_that_is_none_gives_no_label(bad: float) -> None:
    label = forward_returns(column(1, 2, bad, 4, 5, 6), 1)
    assert np.isnan(label[:2]).all()


def test_no_label_after_delisting_although_the_source_repeats_the_price() -> None:
    price = np.full((8, 2), 5.0)
    label = forward_returns(price, 2, delisted_row=np.array([4, -1]))
    # fills at 1..3 only; leaving at row 4 or later is impossible for the first name
    assert np.isfinite(label[:, 0]).tolist() == [True] + [False] * 7
    assert np.isfinite(label[:, 1]).sum() == 5


def test_rows_are_never_dropped_for_their_label() -> None:
    price = np.array([[1, 1], [1, 1], [1e6, 1], [1, 1], [1, 1.0]])
    label = forward_returns(price, 1)
    assert label[0, 0] == pytest.approx(1e6 - 1)  # extreme, and kept
    assert label.shape == price.shape


def test_label_beyond_the_data_is_all_missing() -> None:
    assert np.isnan(forward_returns(column(1, 2, 3), 5)).all()


@pytest.mark.parametrize(("horizon", "entry"), [(0, 1), (1, 0), (-1, 1)])
def test_impossible_timing_is_refused(horizon: int, entry: int) -> None:
    with pytest.raises(DataError):
        forward_returns(column(1, 2, 3), horizon, entry=entry)


def test_labels_do_not_overlap_an_embargo_of_entry_plus_horizon() -> None:
    rng = np.random.default_rng(3)
    price = np.exp(rng.normal(size=(60, 4)).cumsum(axis=0))
    cut, horizon, entry = 30, 5, 1
    changed = price.copy()
    changed[cut:] *= np.exp(rng.normal(size=(30, 4)))
    before = slice(0, cut - horizon - entry)
    same = forward_returns(price, horizon)[before] == forward_returns(changed, horizon)[before]
    assert same.all()
    assert not (forward_returns(price, horizon)[cut - 1] == forward_returns(changed, horizon)[cut - 1]).any()


def test_a_suspended_holding_earns_nothing_and_then_catches_up() -> None:
    bars = bar_returns(column(10, 11, np.nan, np.nan, 12.1))
    np.testing.assert_allclose(bars[:, 0], [0, 0.1, 0, 0, 0.1], atol=1e-15)


def test_a_delisted_holding_closes_once_at_the_stated_value() -> None:
    price = np.full((6, 3), 10.0)
    price[4:, :2] = np.nan
    bars = bar_returns(price, delisted_row=np.array([4, -1, 2]), delisting_value=0.3)
    np.testing.assert_allclose(bars[:, 0], [0, 0, 0, 0, -0.7, 0])
    np.testing.assert_allclose(bars[:, 1], 0)  # suspended to the end, not delisted
    np.testing.assert_allclose(bars[:, 2], [0, 0, -0.7, 0, 0, 0])


def test_a_name_that_never_traded_loses_nothing_by_delisting() -> None:
    price = np.full((4, 1), np.nan)
    assert (bar_returns(price, delisted_row=np.array([2]), delisting_value=0.0) == 0).all()


def test_lag_moves_rows_and_never_wraps_around() -> None:
    late = lag_rows(column(1, 2, 3), 1)
    assert np.isnan(late[0, 0])
    assert late[1:, 0].tolist() == [1, 2]
    assert np.isnan(lag_rows(column(1, 2), 5)).all()
    with pytest.raises(DataError, match="rows"):
        lag_rows(column(1, 2), -1)
