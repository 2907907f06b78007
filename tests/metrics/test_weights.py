from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError
from assay.metrics import (
    dollar_neutral_weights,
    eligible,
    long_short_weights,
    top_k_weights,
    top_quantile_weights,
)


def signal(T: int = 6, N: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(T, N)).astype(np.float32)


def test_top_decile_holds_a_tenth_equally() -> None:
    x = signal()
    weights = top_quantile_weights(x)
    assert ((weights > 0).sum(axis=1) == 4).all()
    np.testing.assert_allclose(weights.max(axis=1), 0.2)  # four names would be 25% each: the cap binds
    best = np.argsort(-x, axis=1)[:, :4]
    assert (np.take_along_axis(weights, best, axis=1) > 0).all()


def test_without_the_cap_the_book_is_full() -> None:
    np.testing.assert_allclose(top_quantile_weights(signal(), cap=1.0).sum(axis=1), 1.0)
    np.testing.assert_allclose(top_quantile_weights(signal(N=300)).sum(axis=1), 1.0)


def test_too_few_names_or_an_empty_top_mean_no_trade() -> None:
    x = signal()
    x[0, 9:] = np.nan
    x[1] = 3.0
    weights = top_quantile_weights(x)
    assert np.isnan(weights[:2]).all()
    assert np.isfinite(weights[2:]).all()


def test_names_that_are_not_allowed_are_not_chosen() -> None:
    x = signal()
    allowed = np.random.default_rng(1).random(x.shape) < 0.6
    assert (top_quantile_weights(x, allowed=allowed)[~allowed] == 0).all()


def test_top_k_keeps_a_name_within_the_buffer() -> None:
    x = np.array([[5, 4, 3, 2, 1, 0], [5, 2.5, 4, 3, 1, 0], [5, 1.5, 4, 3, 2, 0]], dtype=np.float32)
    plain = top_k_weights(x, 2, cap=1.0) > 0
    assert plain[0].tolist() == [True, True, False, False, False, False]
    assert plain[1].tolist() == [True, False, True, False, False, False]
    held = top_k_weights(x, 2, buffer=2, cap=1.0) > 0
    assert held[1].tolist() == [True, True] + [False] * 4  # fourth of four: stays
    assert held[2].tolist() == [True, False, True] + [False] * 3  # fifth: goes


def test_top_k_fills_only_rebalance_rows() -> None:
    weights = top_k_weights(signal(T=7), 3, every=3, offset=1)
    assert np.isfinite(weights).all(axis=1).tolist() == [False, True, False, False, True, False, False]
    np.testing.assert_allclose(weights[1].sum(), 0.6)  # three names at the cap of 20%


def test_names_tied_at_the_edge_share_the_last_places() -> None:
    x = np.array([[3, 2, 2, 2, 1, 0]], dtype=np.float32)
    np.testing.assert_allclose(top_k_weights(x, 2, cap=1.0)[0], [1 / 2, 1 / 6, 1 / 6, 1 / 6, 0, 0])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 4))
def test_property_top_k_does_not_depend_on_the_order_of_columns(seed: int, k: int, buffer: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, (5, 14)).astype(np.float32)
    order = rng.permutation(14)
    plain, permuted = top_k_weights(x, k, buffer=buffer), top_k_weights(x[:, order], k, buffer=buffer)
    np.testing.assert_allclose(plain[:, order], permuted, atol=1e-12)
    np.testing.assert_allclose(top_k_weights(x, k, buffer=buffer, cap=1.0).sum(axis=1), 1.0)


def test_long_short_has_two_equal_legs() -> None:
    x = signal(N=50)
    weights = long_short_weights(x)
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose(np.clip(weights, 0, None).sum(axis=1), 1.0)
    np.testing.assert_array_equal(weights, -long_short_weights(-x))


@pytest.mark.parametrize("by", ["value", "rank"])
def test_dollar_neutral_weights_balance_and_have_size_one(by: str) -> None:
    x = signal()
    x[:, 3] = np.nan
    weights = dollar_neutral_weights(x, by=by)
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose(np.abs(weights).sum(axis=1), 1.0)
    assert (weights[:, 3] == 0).all()
    if by == "value":
        gap = x - np.nanmean(x.astype(float), axis=1, keepdims=True)
        np.testing.assert_allclose(
            weights, np.nan_to_num(gap / np.nansum(np.abs(gap), axis=1, keepdims=True))
        )


def test_dollar_neutral_weights_of_a_constant_are_no_trade() -> None:
    x = signal()
    x[2] = 0.1
    assert np.isnan(dollar_neutral_weights(x)[2]).all()
    with pytest.raises(DataError, match="by is"):
        dollar_neutral_weights(x, by="colour")


def test_each_filter_excludes_and_a_missing_value_fails_its_minimum() -> None:
    shape = (1, 7)
    row = lambda *v: np.array([v])  # noqa: E731
    allowed = eligible(
        shape,
        universe=row(True, False, True, True, True, True, True),
        st=row(False, False, True, False, False, False, False),
        age_bars=row(500, 500, 500, 10, 500, 500, 500),
        min_age=60,
        priced=row(True, True, True, True, False, True, True),
        price=row(9.0, 9.0, 9.0, 9.0, 9.0, 0.8, 9.0),
        min_price=1.0,
        traded_value=row(1e8, 1e8, 1e8, 1e8, 1e8, 1e8, np.nan),
        min_traded_value=1e7,
    )
    assert allowed.tolist() == [[True] + [False] * 6]


def test_a_minimum_without_its_data_is_refused() -> None:
    with pytest.raises(DataError, match="price"):
        eligible((1, 2), min_price=1.0)
    with pytest.raises(DataError, match="universe"):
        eligible((1, 2), universe=np.ones((2, 2), bool))
