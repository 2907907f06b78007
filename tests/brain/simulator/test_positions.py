"""Each stage on vectors worked by hand, and what must hold of all positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.brain.simulator._positions import (
    Stages,
    decay,
    demean,
    neutralize,
    pasteurize,
    positions,
    scale,
    truncate,
)
from assay.config import DEFAULT_ORDER

NAN = float("nan")
SHAPE = (6, 8)
GROUPS = np.tile(np.array([0, 0, 0, 1, 1, 2, 2, -1], dtype=np.int32), (6, 1))
VALUES = arrays(
    np.float32, SHAPE, elements=st.one_of(st.just(NAN), st.integers(-9999, 9999).map(lambda x: x / 100))
)  # fmt: skip


def _row(*values: float) -> np.ndarray:
    return np.array([values], dtype=np.float64)


def _stages(**changes: object) -> Stages:
    members = np.ones(SHAPE, dtype=np.bool_)
    return Stages(
        **{
            "members": members,
            "groups": GROUPS,
            "decay": 3,
            "truncation": 0.2,
            "book": 20e6,
            **changes,
        }
    )


def test_decay_weighs_the_newest_most() -> None:
    # (3 x 10 + 2 x 8 + 1 x 6) / 6, as the published example of ts_decay_linear
    assert decay(_row(6, 8, 10).T, 3)[2, 0] == pytest.approx(8.67, abs=0.005)
    # the help page's (5 a_t + 4 a_t-1 + ..) / 15
    assert decay(_row(1, 2, 3, 4, 5).T, 5)[4, 0] == pytest.approx((25 + 16 + 9 + 4 + 1) / 15)


def test_a_decay_of_zero_or_one_changes_nothing() -> None:
    x = _row(6, 8, 10).T
    assert decay(x, 0) is x
    assert decay(x, 1) is x


def test_decay_takes_a_missing_past_as_zero_and_keeps_a_missing_present() -> None:
    found = decay(_row(NAN, 8, NAN, 4).T, 2)[:, 0]
    np.testing.assert_allclose(found, [NAN, 16 / 3, NAN, 8 / 3])


def test_truncation_is_a_share_of_the_sum_of_sizes() -> None:
    # the operator's published example: half of 3 + 7 + 20 + 6 is 18
    np.testing.assert_allclose(truncate(_row(3, 7, 20, 6), 0.5), _row(3, 7, 18, 6))
    np.testing.assert_allclose(truncate(_row(-3, 7, -20, NAN), 0.5), _row(-3, 7, -15, NAN))


def test_a_truncation_of_zero_is_none() -> None:
    np.testing.assert_array_equal(truncate(_row(1, 1000), 0.0), _row(1, 1000))


def test_scale_makes_the_sizes_add_up() -> None:
    # the published example of scale
    np.testing.assert_allclose(scale(_row(2, -3, 5), 1.0), _row(0.2, -0.3, 0.5))
    np.testing.assert_array_equal(scale(_row(0, NAN, 0), 1.0), _row(0, NAN, 0))


def test_neutralisation_takes_the_mean_of_the_group_and_leaves_out_the_missing() -> None:
    groups = np.array([[0, 0, 0, 1, 1, -1]], dtype=np.int32)
    found = neutralize(_row(1, 3, NAN, 10, 0, 7), groups)
    np.testing.assert_allclose(found, _row(-1, 1, NAN, 5, -5, NAN))


def test_zero_is_an_opinion_and_missing_is_none() -> None:
    found = demean(_row(3, 0, NAN))
    np.testing.assert_allclose(found, _row(1.5, -1.5, NAN))
    np.testing.assert_array_equal(demean(_row(NAN, NAN)), _row(NAN, NAN))


def test_equal_opinions_hold_nothing() -> None:
    # the mean of many equal numbers is not always that number; what is left must not be scaled to a book
    x = np.full((1, 300), 0.1)
    stages = Stages(np.ones((1, 300), dtype=np.bool_), "market", 0, 0.0, 20e6)
    assert not np.any(positions(x.astype(np.float32), stages, DEFAULT_ORDER))
    assert not np.any(demean(x))
    assert not np.any(neutralize(x, np.zeros((1, 300), dtype=np.int32)))


def test_pasteurise_keeps_finite_members() -> None:
    members = np.array([[True, True, False]])
    np.testing.assert_array_equal(pasteurize(_row(1, np.inf, 3), members), _row(1, NAN, NAN))


def test_stages_run_in_the_order_given() -> None:
    x = np.array([[10, 1, 1, 0]], dtype=np.float32)
    stages = Stages(np.ones((1, 4), dtype=np.bool_), "market", 0, 0.25, 1.0)
    # cut to a quarter of 12, then less 1.25: 1.75, -.25, -.25, -1.25
    before = positions(x, stages, ("pasteurize", "decay", "truncate", "neutralize", "scale"))
    np.testing.assert_allclose(before, np.array([[1.75, -0.25, -0.25, -1.25]]) / 3.5)
    # less 3: 7, -2, -2, -3, then cut to a quarter of 14
    after = positions(x, stages, ("pasteurize", "decay", "neutralize", "truncate", "scale"))
    np.testing.assert_allclose(after, np.array([[3.5, -2, -2, -3]]) / 10.5)


@given(VALUES)
def test_positions_of_a_group_add_up_to_zero_and_all_to_the_book(values: np.ndarray) -> None:
    found = np.nan_to_num(positions(values, _stages(), DEFAULT_ORDER))
    for code in (0, 1, 2):
        np.testing.assert_allclose(np.where(code == GROUPS, found, 0.0).sum(axis=1), 0.0, atol=1e-3)
    size = np.abs(found).sum(axis=1)
    assert np.all((size == 0.0) | np.isclose(size, 20e6))
    assert not found[:, 7].any()


@given(VALUES, st.integers(-6, 6))
def test_the_scale_of_an_expression_does_not_matter(values: np.ndarray, power: int) -> None:
    one = positions(values, _stages(), DEFAULT_ORDER)
    other = positions(values * np.float32(2.0**power), _stages(), DEFAULT_ORDER)
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-3)


@given(VALUES, st.integers(1, 5))
def test_later_values_change_no_earlier_position(values: np.ndarray, row: int) -> None:
    changed = values.copy()
    changed[row:] = 1.0 - changed[row:]
    one, other = (positions(x, _stages(), DEFAULT_ORDER) for x in (values, changed))
    np.testing.assert_array_equal(one[:row], other[:row])
