from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import DataError
from assay.metrics import Neutralizer, Scorer, Styles, average_ranks, neutral_rank_ic, styles_of


def data(seed: int, T: int = 5, N: int = 60, missing: float = 0.1) -> tuple[np.ndarray, Styles, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, a, b, c = rng.normal(size=(4, T, N)).astype(np.float32)
    for array in (x, a, b, c):
        array[rng.random((T, N)) < missing] = np.nan
    return x, Styles(a, b, c), rng.integers(-1, 6, (T, N)).astype(np.int32)


def ranked(row: np.ndarray) -> np.ndarray:
    out = np.full(len(row), np.nan)
    has = np.isfinite(row)
    out[has] = stats.rankdata(row[has])
    return out


def least_squares(x: np.ndarray, styles: Styles, groups: np.ndarray) -> np.ndarray:
    out = np.full(x.shape, np.nan)
    for t in range(len(x)):
        parts = [ranked(v[t]) for v in (x, styles.volatility, styles.traded_value, styles.momentum)]
        used = np.isfinite(parts).all(axis=0)
        dummies = np.equal.outer(groups[t, used], np.unique(groups[t, used])).astype(float)
        design = np.column_stack([dummies, *(part[used] for part in parts[1:])])
        fit = np.linalg.lstsq(design, parts[0][used], rcond=None)[0]
        out[t, used] = (parts[0][used] - design @ fit) / used.sum()
    return out


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_property_equal_to_least_squares(seed: int) -> None:
    x, styles, groups = data(seed)
    np.testing.assert_allclose(
        Neutralizer(styles, groups).residual(x), least_squares(x, styles, groups), atol=1e-6, equal_nan=True
    )


def test_a_style_has_nothing_left_beside_itself_in_either_direction() -> None:
    _, styles, groups = data(1, missing=0.05)
    for sign in (1, -1):
        for style in (styles.volatility, styles.momentum):
            whole = Styles(style, style * 2, style)  # repeated columns are harmless
            assert np.isnan(Neutralizer(whole, groups).residual(sign * style)).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_property_order_of_names_does_not_matter(seed: int) -> None:
    # few names in many groups: whole groups of one leave residuals of exactly 0, which must tie
    x, styles, groups = data(seed, N=16)
    order = np.random.default_rng(seed).permutation(16)
    moved = Styles(styles.volatility[:, order], styles.traded_value[:, order], styles.momentum[:, order])
    plain = Neutralizer(styles, groups, min_names=5).residual(x)
    permuted = Neutralizer(moved, groups[:, order], min_names=5).residual(x[:, order])
    np.testing.assert_array_equal(average_ranks(plain)[:, order], average_ranks(permuted))


def test_an_industry_bet_has_nothing_left() -> None:
    _, styles, groups = data(2, missing=0.0)
    assert np.isnan(Neutralizer(styles, groups).residual(groups.astype(np.float32))).all()


def test_the_neutral_ic_of_a_style_bet_vanishes_and_of_an_own_idea_stays() -> None:
    rng = np.random.default_rng(3)
    T, N = 150, 120
    volatility, idea, noise, value, momentum = rng.normal(size=(5, T, N)).astype(np.float32)
    label = -volatility + idea + noise
    groups = rng.integers(0, 8, N)
    neutralizer = Neutralizer(Styles(volatility, value, momentum), groups)
    scorer = Scorer(label)
    bet = -volatility + 0.3 * rng.normal(size=(T, N)).astype(np.float32)
    raw = scorer.score(bet).rank_ic.summary().mean
    assert raw > 0.4
    # not quite 0: the residual of a straight line through ranks is ranked once more
    assert abs(neutral_rank_ic(bet, scorer, neutralizer).summary().mean) < 0.1 * raw
    assert neutral_rank_ic(idea, scorer, neutralizer).summary().mean > 0.5


def test_one_group_vector_serves_every_date() -> None:
    x, styles, _ = data(4)
    codes = np.arange(60) % 4
    broad = np.tile(codes, (5, 1))
    np.testing.assert_array_equal(
        Neutralizer(styles, codes).residual(x), Neutralizer(styles, broad).residual(x)
    )


def test_dates_with_few_complete_names_are_undefined() -> None:
    x, styles, groups = data(5, missing=0.0)
    x[2, 9:] = np.nan
    residual = Neutralizer(styles, groups).residual(x)
    assert np.isnan(residual[2]).all()
    assert np.isfinite(residual[3]).all()


def test_styles_are_strict_windows_of_the_past() -> None:
    rng = np.random.default_rng(6)
    price = np.exp(0.01 * rng.normal(size=(60, 3)).cumsum(axis=0))
    amount = rng.lognormal(size=(60, 3))
    price[40, 1] = np.nan
    styles = styles_of(price, amount, 20)
    returns = price[1:, 0] / price[:-1, 0] - 1
    assert styles.volatility[30, 0] == pytest.approx(returns[10:30].std(), rel=1e-6)
    assert styles.traded_value[30, 0] == pytest.approx(amount[11:31, 0].mean(), rel=1e-6)
    assert styles.momentum[30, 0] == pytest.approx(price[30, 0] / price[10, 0] - 1, rel=1e-5)
    assert np.isnan(styles.volatility[:20]).all()
    assert np.isnan(styles.traded_value[:19]).all()
    assert np.isnan(styles.volatility[40:60, 1]).all()
    again = styles_of(price[:35], amount[:35], 20)
    np.testing.assert_array_equal(again.volatility, styles.volatility[:35])


def test_short_panels_and_bad_windows() -> None:
    assert np.isnan(styles_of(np.ones((5, 2)), np.ones((5, 2)), 20).volatility).all()
    with pytest.raises(DataError, match="window"):
        styles_of(np.ones((5, 2)), np.ones((5, 2)), 1)
