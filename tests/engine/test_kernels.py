"""Where running sums go wrong: spikes, constants, sizes far from one, long panels, blocks of instruments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay.engine import evaluate
from assay.expr import Call, Field, Node

from . import adversarial

DATES = 300
WEIGHTS = np.arange(1.0, 21.0)


def call(op: str, *fields: str, **params: object) -> Node:
    return Call(op, tuple(Field(name) for name in fields), tuple(params.items()))


def run(node: Node, **fields: np.ndarray) -> np.ndarray:
    return evaluate({"f": node}, adversarial.from_arrays(fields, {}, {}))["f"]


def walk(width: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.exp(np.cumsum(rng.normal(0, 0.02, (DATES, width)), axis=0)).astype(np.float32)


SINGLE = {
    "ts_sum": (lambda r: r.sum(), {}),
    "ts_mean": (lambda r: r.mean(), {}),
    "ts_std": (lambda r: r.std(ddof=1), {"ddof": 1}),
    "ts_var": (lambda r: r.var(ddof=0), {"ddof": 0}),
    "ts_wma": (
        lambda r: r.apply(lambda v: v @ WEIGHTS / WEIGHTS.sum(), raw=True),
        {},
    ),
}


@pytest.mark.parametrize("op", list(SINGLE))
@pytest.mark.parametrize("size", [1.0, 1e-20, 1e15])
def test_rolling_statistics_at_any_size(op: str, size: float) -> None:
    by_pandas, params = SINGLE[op]
    x = (walk(5) * size).astype(np.float32)
    got = run(call(op, "x", window=20, **params, min_periods=0), x=x)
    want = by_pandas(pd.DataFrame(x.astype(np.float64)).rolling(20))
    smallest = float(np.finfo(np.float32).smallest_subnormal)
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=smallest)


@pytest.mark.parametrize("op", list(SINGLE))
def test_a_spike_is_forgotten_when_it_leaves_the_window(op: str) -> None:
    _, params = SINGLE[op]
    x = walk(3)
    spiked = x.copy()
    spiked[100, 1] = 1e7
    node = call(op, "x", window=20, **params, min_periods=0)
    clean, after = run(node, x=x), run(node, x=spiked)
    np.testing.assert_allclose(after[120:], clean[120:], rtol=1e-6)


MOMENTS = {
    "ts_mad": lambda d: np.abs(d).mean(axis=-1),
    "ts_skew": lambda d: (d**3).mean(axis=-1) / (d**2).mean(axis=-1) ** 1.5,
    "ts_kurt": lambda d: (d**4).mean(axis=-1) / (d**2).mean(axis=-1) ** 2 - 3,
}
"""Of the distances of a window's values from their mean."""


def moment(op: str, window: int, min_periods: int = 0, *, bias: bool = True) -> Node:
    params = {"window": window, **({} if op == "ts_mad" else {"bias": bias}), "min_periods": min_periods}
    return call(op, "x", **params)


@pytest.mark.parametrize("op", list(MOMENTS))
@pytest.mark.parametrize("size", [1.0, 1e-20, 1e15])
@pytest.mark.parametrize("window", [2, 20, 130])
def test_moments_at_any_size_and_far_from_zero(op: str, size: float, window: int) -> None:
    # 1 + a thousandth: sums of powers that are not taken about the mean would keep no digit
    x = (np.float32(size) * (1 + 1e-3 * walk(5))).astype(np.float32)
    got = run(moment(op, window), x=x)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), window, axis=0)
    with np.errstate(invalid="ignore"):  # two equal values have no skewness
        want = MOMENTS[op](windows - windows.mean(axis=-1, keepdims=True))
    scale = size if op == "ts_mad" else 1.0
    np.testing.assert_allclose(got[window - 1 :], want, rtol=2e-6, atol=1e-9 * scale)
    assert np.isnan(got[: window - 1]).all()


@pytest.mark.parametrize("op", list(MOMENTS))
def test_moments_do_not_remember_spikes_and_do_not_know_the_future(op: str) -> None:
    x = walk(3)
    spiked = x.copy()
    spiked[100, 1] = 1e12
    node = moment(op, 20)
    clean, after = run(node, x=x), run(node, x=spiked)
    np.testing.assert_array_equal(after[120:], clean[120:])
    for rows in (1, 19, 20, 21, 84, 101):
        np.testing.assert_array_equal(run(node, x=spiked[:rows]), after[:rows])


@pytest.mark.parametrize("op", list(MOMENTS))
def test_moments_of_windows_with_gaps_and_of_constants(op: str) -> None:
    x = walk(3)
    x[np.random.default_rng(2).random(x.shape) < 0.3] = np.nan
    x[50:90, 0] = np.float32(0.1)
    strict, loose = run(moment(op, 12), x=x), run(moment(op, 12, 5, bias=False), x=x)
    rolling = pd.DataFrame(x.astype(np.float64)).rolling(12, min_periods=5)
    counts = rolling.count().to_numpy()
    constant = (rolling.max() == rolling.min()).to_numpy() & (op != "ts_mad")
    assert constant[70, 0] == (op != "ts_mad")
    np.testing.assert_array_equal(np.isfinite(strict), (counts == 12) & ~constant)
    np.testing.assert_array_equal(np.isfinite(loose), (counts >= 5) & ~constant)
    if op == "ts_mad":
        np.testing.assert_array_equal(strict[61:90, 0], 0.0)
    else:
        want = rolling.skew() if op == "ts_skew" else rolling.kurt()
        np.testing.assert_allclose(loose[:, 1:], want.iloc[:, 1:], rtol=1e-5, atol=1e-7)


def test_a_spike_in_one_side_leaves_correlations_exact() -> None:
    x, y = walk(3), walk(3, 1)
    spiked = x.copy()
    spiked[100, 1] = 1e9
    node = call("ts_corr", "x", "y", window=20, min_periods=0)
    clean, after = run(node, x=x, y=y), run(node, x=spiked, y=y)
    np.testing.assert_allclose(after[120:], clean[120:], rtol=1e-5, atol=1e-6)
    assert np.nanmax(np.abs(after)) <= 1


def test_the_variance_of_values_that_settle_keeps_its_digits() -> None:
    # each window lies far closer to its mean than the one before, and the mean has more digits than float64
    x = (7.25 - 2.0 * 0.43 ** np.arange(DATES, dtype=np.float64)).astype(np.float32)[:, None]
    got = run(call("ts_var", "x", window=5, ddof=1, min_periods=3), x=x)
    windows = np.lib.stride_tricks.sliding_window_view(x[:, 0].astype(np.float64), 5)
    np.testing.assert_allclose(got[4:, 0], windows.var(axis=1, ddof=1), rtol=2e-7)


@pytest.mark.parametrize("window", [2, 9, 64, 65, 130])
def test_pairs_of_rows_do_not_depend_on_the_rows_that_follow(window: int) -> None:
    x, y = walk(3), walk(3, 1)
    x[np.random.default_rng(2).random(x.shape) < 0.002] = np.nan
    for op, params in (("ts_corr", {}), ("ts_cov", {"ddof": 1})):
        node = call(op, "x", "y", window=window, **params, min_periods=0)
        whole = run(node, x=x, y=y)
        by_pandas = pd.DataFrame(x.astype(np.float64)).rolling(window)
        other = pd.DataFrame(y.astype(np.float64))
        want = by_pandas.corr(other) if op == "ts_corr" else by_pandas.cov(other)
        np.testing.assert_allclose(whole, want, rtol=1e-5, atol=1e-7)
        for rows in (1, window - 1, window, window + 1, window + 63, window + 64, window + 65, window + 127):
            np.testing.assert_array_equal(run(node, x=x[:rows], y=y[:rows]), whole[:rows])


def test_constant_stretches_have_no_spread_and_no_correlation() -> None:
    x = walk(2)
    x[50:120, 0] = np.float32(0.1)
    std = run(call("ts_std", "x", window=20, ddof=0, min_periods=0), x=x)
    score = run(call("ts_zscore", "x", window=20, ddof=0, min_periods=0), x=x)
    corr = run(call("ts_corr", "x", "y", window=20, min_periods=0), x=x, y=walk(2, 1))
    assert np.all(std[69:120, 0] == 0)
    assert np.isnan(score[69:120, 0]).all()
    assert np.isnan(corr[69:120, 0]).all()
    assert np.isfinite(corr[69:120, 1]).all()


@pytest.mark.parametrize("window", [2, 7, 64, 130])
def test_extremes_and_their_places(window: int) -> None:
    x = np.random.default_rng(1).integers(0, 9, (DATES, 4)).astype(np.float32)
    rolling = pd.DataFrame(x.astype(np.float64)).rolling(window)
    np.testing.assert_array_equal(run(call("ts_max", "x", window=window, min_periods=0), x=x), rolling.max())
    np.testing.assert_array_equal(run(call("ts_min", "x", window=window, min_periods=0), x=x), rolling.min())
    newest = run(call("ts_argmax", "x", window=window, min_periods=0, count_from="newest"), x=x)
    oldest = run(call("ts_argmin", "x", window=window, min_periods=0, count_from="oldest"), x=x)
    np.testing.assert_array_equal(newest, rolling.apply(lambda v: np.argmax(v[::-1]), raw=True))
    np.testing.assert_array_equal(oldest, rolling.apply(lambda v: np.argmin(v) + 1, raw=True))


@pytest.mark.parametrize("min_periods", [1, 5])
def test_quantiles_and_ranks_of_windows_with_gaps(min_periods: int) -> None:
    x = walk(4)
    x[np.random.default_rng(2).random(x.shape) < 0.3] = np.nan
    rolling = pd.DataFrame(x.astype(np.float64)).rolling(12, min_periods=min_periods)
    params = {"window": 12, "min_periods": min_periods}
    quantile = run(call("ts_quantile", "x", window=12, q=0.8, min_periods=min_periods), x=x)
    np.testing.assert_allclose(quantile, rolling.quantile(0.8), rtol=1e-6)
    rank = run(call("ts_rank", "x", **params, scale="r/n"), x=x)
    np.testing.assert_allclose(rank, rolling.rank(pct=True), rtol=1e-6)


def test_lines_through_windows() -> None:
    x = walk(3)
    slope = run(call("ts_slope", "x", window=10, min_periods=0), x=x)
    resid = run(call("ts_resid", "x", window=10, min_periods=0), x=x)
    bars = np.arange(1.0, 11.0)
    for t in (9, 150, DATES - 1):
        for s in range(3):
            a, b = np.polyfit(bars, x[t - 9 : t + 1, s].astype(np.float64), 1)
            assert slope[t, s] == pytest.approx(a, rel=1e-4, abs=1e-8)
            assert resid[t, s] == pytest.approx(x[t, s] - a * 10 - b, abs=1e-6)


def test_a_block_of_instruments_does_not_change_its_neighbours() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(80, 1100)).astype(np.float32)
    y = rng.normal(size=(80, 1100)).astype(np.float32)
    x[rng.random(x.shape) < 0.02] = np.nan
    for node in (
        call("ts_corr", "x", "y", window=9, min_periods=0),
        call("ts_std", "x", window=9, ddof=1, min_periods=0),
        call("ts_argmax", "x", window=9, min_periods=0, count_from="newest"),
        call("ts_quantile", "x", window=9, q=0.3, min_periods=2),
        call("add", "x", "y"),
    ):
        whole = run(node, x=x, y=y)
        for columns in (slice(0, 1), slice(500, 530), slice(1095, 1100)):
            part = run(node, x=np.ascontiguousarray(x[:, columns]), y=np.ascontiguousarray(y[:, columns]))
            np.testing.assert_array_equal(whole[:, columns], part)
