from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import DataError
from assay.metrics import (
    Costs,
    Scorer,
    Tape,
    average_ranks,
    bar_returns,
    forward_returns,
    information_coefficient,
    simulate,
    top_quantile_weights,
)


def reference(
    x: np.ndarray, y: np.ndarray, universe: np.ndarray, quantiles: int, min_names: int
) -> dict[str, np.ndarray]:
    """The same figures the plain way, date by date, with scipy."""
    T = len(x)
    ic, rank_ic, names = np.full(T, np.nan), np.full(T, np.nan), np.zeros(T, int)
    returns, sizes = np.full((T, quantiles), np.nan), np.zeros((T, quantiles), int)
    for t in range(T):
        has = np.isfinite(x[t]) & universe[t]
        both = has & np.isfinite(y[t])
        names[t] = both.sum()
        a, b = x[t, both].astype(float), y[t, both].astype(float)
        if names[t] >= min_names and np.ptp(a) > 0 and np.ptp(b) > 0:
            ic[t] = stats.pearsonr(a, b)[0]
            rank_ic[t] = stats.spearmanr(a, b)[0]
        if has.any():
            rank = stats.rankdata(x[t, has])
            number = np.ceil(np.round(rank * quantiles / has.sum(), 9)).astype(int) - 1
            label = y[t, has].astype(float)
            for q in range(quantiles):
                chosen = (number == q) & np.isfinite(label)
                sizes[t, q] = chosen.sum()
                if chosen.any():
                    returns[t, q] = label[chosen].mean()
    return {"ic": ic, "rank_ic": rank_ic, "names": names, "returns": returns, "sizes": sizes}


def assert_equal_to_reference(x, y, universe=None, quantiles=10, min_names=10) -> None:
    member = np.ones(x.shape, bool) if universe is None else universe
    expected = reference(x, y, member, quantiles, min_names)
    score = Scorer(y, universe=universe, quantiles=quantiles, min_names=min_names).score(x)
    np.testing.assert_array_equal(score.rank_ic.names, expected["names"])
    np.testing.assert_allclose(score.rank_ic.values, expected["rank_ic"], atol=1e-12, equal_nan=True)
    np.testing.assert_allclose(score.ic.values, expected["ic"], atol=1e-9, equal_nan=True)
    np.testing.assert_array_equal(score.quantiles.names, expected["sizes"])
    np.testing.assert_allclose(score.quantiles.values, expected["returns"], atol=1e-12, equal_nan=True)


def panel(seed: int, T: int = 40, N: int = 57, missing: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, T, N)).astype(np.float32)
    x[rng.random((T, N)) < missing] = np.nan
    y[rng.random((T, N)) < missing] = np.nan
    return x, y * np.float32(0.02)


@pytest.mark.parametrize("N", [2, 3, 10, 31, 32, 33, 64, 65, 200, 300])
def test_scores_equal_scipy_at_every_width(N: int) -> None:
    assert_equal_to_reference(*panel(N, T=12, N=N), quantiles=min(10, N), min_names=2)


@pytest.mark.parametrize("missing", [0.0, 0.02, 0.5, 0.95])
def test_scores_equal_scipy_with_gaps(missing: float) -> None:
    assert_equal_to_reference(*panel(1, missing=missing))


def adversaries() -> dict[str, np.ndarray]:
    x, _ = panel(5)
    rng = np.random.default_rng(6)
    few = np.where(np.isfinite(x), rng.integers(0, 5, x.shape), np.nan)
    spiked = x.copy()
    spiked[:, 3] = 1e7
    clustered = (1000 + 1e-4 * x).astype(np.float32)
    lone = clustered.copy()
    lone[:, 0] = -1e30  # one outlier costs the keys their low bits: everything else collides
    tiny = x * np.float32(1e-42)
    infinite = x.copy()
    infinite[::3, 1], infinite[1::3, 2] = np.inf, -np.inf
    zeros = np.where(rng.random(x.shape) < 0.5, np.float32(0.0), np.float32(-0.0))
    empty = x.copy()
    empty[5:9] = np.nan
    return {
        "five values": few,
        "two values": np.sign(x),
        "constant": np.ones_like(x),
        "a spike": spiked,
        "a far cluster": clustered,
        "a cluster and an outlier": lone,
        "denormal": tiny,
        "infinite": infinite,
        "signed zeros": zeros,
        "empty days": empty,
        "extremes": np.where(x > 0, np.finfo(np.float32).max, np.finfo(np.float32).min).astype(np.float32)
        * (x != 0),
        "ranks": average_ranks(x),
        "equal pairs": np.round(x, 1),
    }


@pytest.mark.parametrize("name", adversaries())
def test_scores_equal_scipy_on_hard_values(name: str) -> None:
    x = adversaries()[name].astype(np.float32)
    _, y = panel(5)
    if name == "a cluster and an outlier":
        x[np.isnan(x[:, 0]), 0] = np.nan
    assert_equal_to_reference(x, y)


def test_tied_labels_share_a_rank() -> None:
    x, y = panel(8)
    assert_equal_to_reference(x, np.round(y, 2))
    assert_equal_to_reference(x[:, :30], np.round(y[:, :30], 2), min_names=5)


@pytest.mark.parametrize("size", [2.0**-40, 2.0**-20, 2.0**20, 2.0**100])
def test_labels_of_any_size_keep_their_digits(size: float) -> None:
    x, y = panel(18)
    plain, scaled = Scorer(y).score(x), Scorer(y * np.float32(size)).score(x)
    np.testing.assert_allclose(scaled.quantiles.values, plain.quantiles.values * size, rtol=1e-12)
    np.testing.assert_allclose(scaled.ic.values, plain.ic.values, atol=1e-12)


def test_only_members_are_ranked() -> None:
    x, y = panel(9)
    universe = np.random.default_rng(1).random(x.shape) < 0.7
    assert_equal_to_reference(x, y, universe)


def test_quantiles_are_formed_without_looking_at_labels() -> None:
    x, y = panel(10, missing=0.0)
    holes = y.copy()
    holes[:, ::2] = np.nan
    whole, part = Scorer(y).score(x), Scorer(holes).score(x)
    np.testing.assert_array_equal(whole.signal_names, part.signal_names)
    number = np.ceil(average_ranks(x, scaled=False) * 10 / x.shape[1]) - 1
    mean = np.nanmean(np.where(number == 9, holes, np.nan), axis=1)
    np.testing.assert_allclose(part.quantiles.values[:, 9], mean, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(10, 40), st.sampled_from([0, 1, 2, 8]))
def test_property_equal_to_scipy(seed: int, N: int, digits: int) -> None:
    x, y = panel(seed, T=6, N=N)
    assert_equal_to_reference(np.round(x, digits), np.round(y, digits + 1), quantiles=5)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_property_order_of_columns_and_monotone_maps_do_not_matter(seed: int) -> None:
    x, y = panel(seed, T=8, N=33)
    order = np.random.default_rng(seed).permutation(33)
    plain, permuted = Scorer(y).score(x), Scorer(y[:, order]).score(x[:, order])
    np.testing.assert_array_equal(plain.rank_ic.values, permuted.rank_ic.values)
    np.testing.assert_array_equal(plain.quantiles.values, permuted.quantiles.values)
    mapped = Scorer(y).score(x * np.float32(8) + np.float32(0))
    np.testing.assert_array_equal(plain.rank_ic.values, mapped.rank_ic.values)
    flipped = Scorer(y).score(-x)
    np.testing.assert_array_equal(plain.rank_ic.values, -flipped.rank_ic.values)


def test_perfect_foresight_scores_one_and_never_more() -> None:
    _, y = panel(11)
    score = Scorer(y).score(y)
    np.testing.assert_array_equal(score.rank_ic.values, 1.0)
    assert np.all(score.ic.values <= 1.0)
    np.testing.assert_allclose(score.ic.values, 1.0)


def test_days_below_the_minimum_are_undefined_and_counted() -> None:
    x, y = panel(12, missing=0.0)
    x[3, 9:] = np.nan
    x[4, 10:] = np.nan
    x[7] = 1.0
    series = information_coefficient(x, y)
    assert np.isnan(series.values[[3, 7]]).all()
    assert np.isfinite(series.values[4])
    assert series.summary().undefined_days == 2
    assert series.summary().days == len(x) - 2
    assert np.isnan(series.admissible(30).values[4])


def test_a_large_level_costs_the_pearson_ic_no_digits() -> None:
    rng = np.random.default_rng(2)
    x = (1e6 + rng.integers(0, 16, (5, 200))).astype(np.float32)
    y = rng.normal(size=(5, 200)).astype(np.float32)
    ic = Scorer(y).score(x).ic.values
    expected = [stats.pearsonr(a.astype(float) - 1e6, b.astype(float))[0] for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(ic, expected, atol=1e-13)


@pytest.mark.parametrize(("every", "offset"), [(1, 0), (5, 0), (5, 3)])
def test_the_curve_is_the_simulation_without_obstacles(every: int, offset: int) -> None:
    rng = np.random.default_rng(13)
    price = np.exp(0.02 * rng.normal(size=(80, 60)).cumsum(axis=0))
    price[10:14, 7] = np.nan
    x = rng.normal(size=(80, 60)).astype(np.float32)
    free = Costs(0.0, 0.0)
    scorer = Scorer(
        forward_returns(price, 5),
        bars=bar_returns(price),
        every=every,
        offset=offset,
        costs=free,
        min_names=10,
    )
    curve = scorer.score(x).curve
    tape = Tape(np.where(np.isnan(price), 1.0, price))
    object.__setattr__(tape, "bars", bar_returns(price))  # every order fills, as in the ideal curve
    book = simulate(top_quantile_weights(x), tape, every=every, offsets=(offset,), costs=free).books[0].curve
    np.testing.assert_allclose(curve.gross, book.gross, atol=1e-14)
    np.testing.assert_allclose(curve.bought, book.bought, atol=1e-13)
    np.testing.assert_allclose(curve.sold, book.sold, atol=1e-13)


def test_net_is_gross_less_cost_and_idle_days_are_free() -> None:
    x, y = panel(14)
    curve = Scorer(y, bars=np.nan_to_num(y), every=5).score(x).curve
    assert (curve.net == curve.gross - curve.cost).all()
    idle = (curve.bought == 0) & (curve.sold == 0)
    assert idle.sum() == len(x) - 8
    assert (curve.cost[idle] == 0).all()


def test_few_names_leave_the_rest_in_cash() -> None:
    x, y = panel(15, N=12, missing=0.0)
    curve = Scorer(y, bars=np.nan_to_num(y)).score(x).curve
    assert curve.bought[1] == pytest.approx(0.4)  # the top decile of 12 names holds 2, at most 20% each


def test_a_repeated_score_is_the_same_to_the_bit() -> None:
    x, y = panel(16)
    scorer = Scorer(y, bars=np.nan_to_num(y))
    first, second = scorer.score(x), scorer.score(x.copy())
    np.testing.assert_array_equal(first.ic.values, second.ic.values)
    np.testing.assert_array_equal(first.curve.net, second.curve.net)


def test_bad_shapes_and_settings_say_what_to_do() -> None:
    x, y = panel(17)
    scorer = Scorer(y)
    with pytest.raises(DataError, match="signal has shape"):
        scorer.score(x[:-1])
    with pytest.raises(DataError, match="label has shape"):
        Scorer(y[0])
    with pytest.raises(DataError, match="universe"):
        Scorer(y, universe=np.ones(y.shape))
    with pytest.raises(DataError, match="bars"):
        Scorer(y, bars=y)
    for wrong in ({"quantiles": 1}, {"entry": 0}, {"every": 0}, {"offset": 1}, {"min_names": 1}):
        with pytest.raises(DataError):
            Scorer(y, **wrong)
