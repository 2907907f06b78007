from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from assay.engine import rank_rows, sorted_order
from assay.engine._ranking import grouped_order
from assay.errors import DataError


def by_scipy(x: np.ndarray, zero_to_one: bool = False) -> np.ndarray:
    out = np.full(x.shape, np.nan)
    for t, row in enumerate(x):
        valid = ~np.isnan(row)
        n = valid.sum()
        ranks = rankdata(row[valid])
        if zero_to_one:
            out[t, valid] = 0.5 if n == 1 else (ranks - 1) / (n - 1)
        else:
            out[t, valid] = ranks / max(n, 1)
    return out


def panels(width: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(width)
    normal = rng.standard_normal((9, width))
    gaps = normal.copy()
    gaps[rng.random(gaps.shape) < 0.2] = np.nan
    gaps[4] = np.nan
    gaps[5, 1:] = np.nan
    return {
        "normal": normal,
        "gaps": gaps,
        "ties": rng.integers(-3, 4, (9, width)) * 1.0,
        "equal": np.ones((9, width)),
        "signed zeros": np.where(rng.random((9, width)) < 0.5, 0.0, -0.0),
        "neighbours": 1.0 + rng.permuted(np.arange(9 * width).reshape(9, width), axis=1) * 1.2e-7,
        "extremes": rng.choice([3e38, -3e38, 1e-44, -1e-44, 0.0, 1.0], (9, width)),
    }


@pytest.mark.parametrize("width", [1, 2, 17, 300, 1300])
@pytest.mark.parametrize("kind", list(panels(2)))
def test_ranks_equal_those_of_scipy(width: int, kind: str) -> None:
    x = panels(width)[kind].astype(np.float32)
    np.testing.assert_array_equal(rank_rows(x), by_scipy(x).astype(np.float32))
    np.testing.assert_array_equal(rank_rows(x, scale="(r-1)/(n-1)"), by_scipy(x, True).astype(np.float32))


@pytest.mark.parametrize("width", [1, 17, 300, 1300])
@pytest.mark.parametrize("kind", list(panels(2)))
def test_order_is_stable_and_leaves_missing_values_out(width: int, kind: str) -> None:
    x = panels(width)[kind].astype(np.float32)
    found = sorted_order(x)
    for t, row in enumerate(x):
        n = int((~np.isnan(row)).sum())
        assert found.counts[t] == n
        np.testing.assert_array_equal(found.order[t, :n], np.argsort(row, kind="stable")[:n])
        assert np.all(found.order[t, n:] == -1)


@settings(max_examples=40, deadline=None)
@given(arrays(np.float32, (3, 40), elements=st.floats(width=32, allow_infinity=False)))
def test_any_values_are_ranked(x: np.ndarray) -> None:
    np.testing.assert_array_equal(rank_rows(x), by_scipy(x).astype(np.float32))


def test_more_rows_than_a_block_holds() -> None:
    x = np.random.default_rng(0).standard_normal((1000, 100)).astype(np.float32)
    np.testing.assert_array_equal(rank_rows(x), by_scipy(x).astype(np.float32))


def test_the_given_array_is_filled_and_the_input_left_alone() -> None:
    x = np.random.default_rng(0).standard_normal((5, 8)).astype(np.float32)
    before = x.copy()
    out = np.empty_like(x)
    assert rank_rows(x, out) is out
    np.testing.assert_array_equal(x, before)
    assert x.flags.writeable


def test_groups_are_ordered_one_after_the_other() -> None:
    x = np.array([[3.0, 1.0, 2.0, np.nan, 0.0]], np.float32)
    groups = np.array([[1, 1, 0, 0, -1]], np.int32)
    ((rows, order, counts),) = list(grouped_order(x, groups))
    assert (rows.start, rows.stop, counts[0]) == (0, 1, 3)
    np.testing.assert_array_equal(order[0], [2, 1, 0, -1, -1])


def test_too_many_groups_are_refused() -> None:
    groups = np.full((1, 2), 70_000, np.int32)
    with pytest.raises(DataError, match="group ranks take at most"):
        list(grouped_order(np.ones((1, 2), np.float32), groups))
