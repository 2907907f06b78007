from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from assay.errors import DataError
from assay.metrics import average_ranks, rank_autocorrelation


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(
        np.float32,
        st.tuples(st.integers(1, 3), st.integers(1, 70)),
        elements=st.floats(width=32, allow_nan=True, allow_infinity=True),
    )
)
def test_property_equal_to_scipy(x: np.ndarray) -> None:
    ranks = average_ranks(x, scaled=False)
    for row, own in zip(x, ranks, strict=True):
        finite = np.isfinite(row)
        np.testing.assert_array_equal(own[finite], stats.rankdata(row[finite]))
        assert np.isnan(own[~finite]).all()


def test_scaled_ranks_end_at_one() -> None:
    ranks = average_ranks(np.array([[3.0, 1.0, np.nan, 1.0, 2.0]]))
    np.testing.assert_allclose(ranks, [[1.0, 0.375, np.nan, 0.375, 0.75]])


def test_the_universe_decides_who_is_ranked() -> None:
    ranks = average_ranks(np.array([[3.0, 1.0, 2.0]]), universe=np.array([[True, False, True]]))
    np.testing.assert_allclose(ranks, [[1.0, np.nan, 0.5]])


@pytest.mark.parametrize("N", [1, 2, 1000, 5000])
def test_wide_rows(N: int) -> None:
    x = np.random.default_rng(N).normal(size=(2, N)).astype(np.float32)
    np.testing.assert_array_equal(average_ranks(x, scaled=False), stats.rankdata(x, axis=1))


def test_a_long_run_of_colliding_keys_is_put_in_order() -> None:
    rng = np.random.default_rng(0)
    x = (1 + 1e-5 * rng.normal(size=(2, 3000))).astype(np.float32)
    x[:, 7] = -1e30  # beside it all others look alike in the leading bits
    np.testing.assert_array_equal(
        average_ranks(x, scaled=False), stats.rankdata(x, axis=1).astype(np.float32)
    )


def test_rank_autocorrelation() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(8, 40))
    x[3] = x[2]
    x[4] = -x[3]
    series = rank_autocorrelation(x)
    assert np.isnan(series.values[0])
    assert series.values[3] == 1.0
    assert series.values[4] == -1.0
    assert rank_autocorrelation(x, 2).values[4] == -1.0
    expected = stats.spearmanr(x[6], x[5])[0]
    assert series.values[6] == pytest.approx(expected, abs=1e-12)


def test_bad_shapes_are_refused() -> None:
    with pytest.raises(DataError, match="values has shape"):
        average_ranks(np.ones(3))
