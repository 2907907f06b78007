"""The reference engine held to pandas, scipy and values worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

from assay.engine import reference
from assay.expr import Call, Constant, Field, Node, op_table

from . import adversarial

NAN = np.nan
X, Y, G = Field("x"), Field("y"), Field("g")


def call(op: str, *args: Node, **params: object) -> Call:
    return Call(op, args, op_table()[op].fill(params))


def column(values: list[float]) -> NDArray[np.float32]:
    return np.array(values, dtype=np.float32)[:, None]


def along_time(node: Node, **fields: list[float]) -> list[float]:
    """The values of one instrument."""
    data = adversarial.from_arrays({name: column(v) for name, v in fields.items()})
    return reference.evaluate(node, data)[:, 0].tolist()


def across(node: Node, g: list[int] | None = None, **fields: list[float]) -> list[float]:
    """The values of one date."""
    rows = {name: np.array([v]) for name, v in fields.items()}
    data = adversarial.from_arrays(rows, {} if g is None else {"g": np.array([g])})
    return reference.evaluate(node, data)[0].tolist()


def same(got: object, want: object) -> None:
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-7)


@pytest.fixture(scope="module")
def walk() -> pd.DataFrame:
    """An ordinary panel with gaps, for comparison with pandas."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 4)).astype(np.float32)
    x[rng.random(x.shape) < 0.15] = np.nan
    return pd.DataFrame(x)


@pytest.mark.parametrize(("window", "min_periods"), [(1, 0), (5, 0), (5, 1), (7, 3), (100, 0), (100, 2)])
@pytest.mark.parametrize(
    ("op", "params", "by_pandas"),
    [
        ("ts_sum", {}, lambda r: r.sum()),
        ("ts_mean", {}, lambda r: r.mean()),
        ("ts_max", {}, lambda r: r.max()),
        ("ts_min", {}, lambda r: r.min()),
        ("ts_median", {}, lambda r: r.median()),
        ("ts_std", {"ddof": 0}, lambda r: r.std(ddof=0)),
        ("ts_std", {"ddof": 1}, lambda r: r.std(ddof=1)),
        ("ts_var", {"ddof": 1}, lambda r: r.var(ddof=1)),
        ("ts_skew", {"bias": False}, lambda r: r.skew()),
        ("ts_kurt", {"bias": False}, lambda r: r.kurt()),
        ("ts_rank", {}, lambda r: r.rank(pct=True)),
        ("ts_quantile", {"q": 0.3}, lambda r: r.quantile(0.3)),
        ("ts_product", {}, lambda r: r.apply(np.nanprod, raw=True)),
    ],
)
def test_window_ops_agree_with_pandas(walk, op, params, by_pandas, window, min_periods):
    data = adversarial.from_arrays({"x": walk.to_numpy()})
    got = reference.evaluate(call(op, X, window=window, min_periods=min_periods, **params), data)
    wide = walk.astype(float)
    want = by_pandas(wide.rolling(window, min_periods=min_periods or window)).to_numpy()
    np.testing.assert_allclose(got, want, rtol=3e-6, atol=1e-6)


def test_moments_agree_with_scipy(walk):
    full = walk.fillna(0.5)
    data = adversarial.from_arrays({"x": full.to_numpy()})
    last = full.to_numpy(dtype=float)[-20:]
    same(reference.evaluate(call("ts_skew", X, window=20), data)[-1], stats.skew(last))
    same(reference.evaluate(call("ts_kurt", X, window=20), data)[-1], stats.kurtosis(last))
    same(
        reference.evaluate(call("ts_kurt", X, window=20, bias=False), data)[-1],
        stats.kurtosis(last, bias=False),
    )
    same(reference.evaluate(call("ts_moment", X, window=20, k=3), data)[-1], stats.moment(last, 3))
    ranks = stats.rankdata(last, axis=0)[-1]
    for driver, law in (("gaussian", stats.norm), ("cauchy", stats.cauchy)):
        got = reference.evaluate(call("ts_rank_gaussian", X, window=20, driver=driver), data)[-1]
        same(got, law.ppf((ranks - 0.5) / 20))


@pytest.mark.parametrize("min_periods", [0, 1, 4])
def test_exponential_mean_agrees_with_pandas(walk, min_periods):
    data = adversarial.from_arrays({"x": walk.to_numpy()})
    got = reference.evaluate(call("ts_ema", X, span=5.0, min_periods=min_periods), data)
    want = walk.astype(float).ewm(span=5, min_periods=min_periods or 5).mean()
    np.testing.assert_allclose(got, want, rtol=3e-6, atol=1e-6)


def test_pairs_agree_with_pandas(walk):
    other = walk.shift(1) * 0.5 + walk.iloc[:, ::-1].to_numpy()
    data = adversarial.from_arrays({"x": walk.to_numpy(), "y": other.to_numpy()})
    wide, wide_other = walk.astype(float), other.astype(np.float32).astype(float)
    rolling = wide.rolling(6, min_periods=3)
    got = reference.evaluate(call("ts_corr", X, Y, window=6, min_periods=3), data)
    np.testing.assert_allclose(got, rolling.corr(wide_other), rtol=1e-5, atol=1e-6)
    got = reference.evaluate(call("ts_cov", X, Y, window=6, ddof=1, min_periods=3), data)
    np.testing.assert_allclose(got, rolling.cov(wide_other), rtol=1e-5, atol=1e-6)


def test_regression_agrees_with_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=12), rng.normal(size=12)
    x[3] = y[7] = np.nan
    pairs = ~np.isnan(x) & ~np.isnan(y)
    fit = stats.linregress(np.float32(x[pairs]).astype(float), np.float32(y[pairs]).astype(float))
    sst = float(np.sum((y[pairs] - y[pairs].mean()) ** 2))
    want = {
        "alpha": fit.intercept,
        "beta": fit.slope,
        "fitted": fit.intercept + fit.slope * x[-1],
        "residual": y[-1] - fit.intercept - fit.slope * x[-1],
        "sse": sst * (1 - fit.rvalue**2),
        "sst": sst,
        "r2": fit.rvalue**2,
        "mse": sst * (1 - fit.rvalue**2) / 8,
        "se_beta": fit.stderr,
        "se_alpha": fit.intercept_stderr,
    }
    for output, value in want.items():
        got = along_time(call("ts_regression", Y, X, window=12, output=output), x=x.tolist(), y=y.tolist())
        same(got[-1], value)
        assert np.isnan(got[-2])


def test_regression_shifts_x_back_by_its_lag():
    x = [1.0, 4.0, 9.0, 16.0, 25.0, 36.0]
    y = [NAN, *(2 * v + 1 for v in x[:-1])]
    got = along_time(call("ts_regression", Y, X, window=4, lag=1, output="beta"), x=x, y=y)
    same(got, [NAN, NAN, NAN, NAN, 2.0, 2.0])


@pytest.mark.parametrize(
    ("node", "x", "want"),
    [
        (call("delay", X, window=2), [1, 2, NAN, 4, 5], [NAN, NAN, 1, 2, NAN]),
        (call("delta", X, window=1), [1, 2, NAN, 4, 5], [NAN, 1, NAN, NAN, 1]),
        (call("ts_return", X, window=1), [2, 3, 0, 5], [NAN, 0.5, -1, NAN]),
        (call("ts_mad", X, window=4), [1, 2, 3, 6], [NAN, NAN, NAN, 1.5]),
        (call("ts_zscore", X, window=3), [5, 5, 5, 8], [NAN, NAN, NAN, np.sqrt(2)]),
        (call("ts_argmax", X, window=3), [3, 1, 3, 2, 1], [NAN, NAN, 0, 1, 2]),
        (call("ts_argmin", X, window=3), [1, 3, 1, 2, 3], [NAN, NAN, 0, 1, 2]),
        (call("ts_argmax", X, window=3, count_from="oldest", min_periods=1), [3, 1, 3, 2], [1, 1, 1, 2]),
        (call("ts_rank", X, window=3, scale="(r-1)/(n-1)"), [1, 2, 3, 3], [NAN, NAN, 1, 0.75]),
        (call("ts_decay_linear", X, window=3), [1, 2, 3, NAN], [NAN, NAN, 14 / 6, NAN]),
        (call("ts_decay_linear", X, window=3, missing="zero"), [1, 2, 3, NAN], [NAN, NAN, 14 / 6, 8 / 6]),
        (call("ts_decay_exp", X, window=2, factor=0.5), [1, 4], [NAN, 3]),
        (call("ts_sma", X, window=3, m=1), [NAN, 3, NAN, 6], [NAN, 3, NAN, 4]),
        (call("ts_wma", X, window=3), [1, 2, 4], [NAN, NAN, 17 / 6]),
        (call("ts_scale", X, window=3, constant=1), [1, 5, 3, 3, 3], [NAN, NAN, 1.5, 1, NAN]),
        (call("ts_mean_deviation", X, window=2), [1, NAN, 5, 7], [0, NAN, 0, 1]),
        (
            call("ts_kth", X, window=3, k=1, ignore="NaN 0"),
            [0.5, NAN, NAN, 0.7, 0],
            [0.5, 0.5, 0.5, 0.7, 0.7],
        ),
        (call("ts_kth", X, window=3, k=2), [1, NAN, 3, 4], [NAN, NAN, 1, 3]),
        (call("ts_kth", X, window=2, k=1, ignore=""), [1, NAN], [1, NAN]),
        (call("ts_backfill", X, window=3), [1, NAN, NAN, NAN, 5], [1, 1, 1, NAN, 5]),
        (call("ts_backfill", X, window=3, k=2), [1, 2, NAN, NAN], [1, 2, 1, NAN]),
        (call("ts_last_different", X, window=3), [1, 2, 2, 2, NAN], [NAN, 1, 1, NAN, NAN]),
        (call("bars_since_change", X), [NAN, 1, 1, 2, NAN, 2, 3], [NAN, 0, 0, 0, NAN, 2, 0]),
        (call("ts_slope", X, window=3), [1, 3, 5], [NAN, NAN, 2]),
        (call("ts_rsquare", X, window=3), [1, 3, 5, 5, 5], [NAN, NAN, 1, 0.75, NAN]),
        (call("ts_resid", X, window=3), [0, 0, 3], [NAN, NAN, 0.5]),
        (call("ts_entropy", X, window=4, buckets=2), [0, 0, 1, 1], [NAN, NAN, NAN, np.log(2)]),
        (call("ts_percentage", X, window=4, q=0.5), [4, 1, 3, 2], [NAN, NAN, NAN, 2]),
        (call("ts_ir", X, window=2), [1, 3, 3], [NAN, 2, NAN]),
        (call("cumulative_sum", X), [NAN, 1, NAN, 2], [NAN, 1, 1, 3]),
        (call("ts_count", call("gt", X, Constant(1)), window=2), [1, 2, 3, NAN], [NAN, 1, 2, NAN]),
        (call("ts_sum_if", X, call("gt", X, Constant(1)), window=2), [1, 2, 3, NAN], [NAN, 2, 5, NAN]),
        (call("jump_decay", X, window=2, sensitivity=1.0, force=0.1), [4, 2, 2], [NAN, 3.8, 2]),
    ],
)
def test_time_series_by_hand(node, x, want):
    same(along_time(node, x=x), want)


def test_missing_values_are_counted_over_whole_windows():
    got = along_time(call("ts_count_missing", X, window=3), x=[NAN, 1, NAN, NAN])
    assert got[2:] == [2, 2]


def test_step_counts_bars():
    data = adversarial.from_arrays({"x": np.zeros((3, 2))})
    same(reference.evaluate(call("ts_step", start=5), data), [[5, 5], [6, 6], [7, 7]])


def test_partial_correlation_removes_the_common_driver():
    rng = np.random.default_rng(5)
    a, b, c = rng.normal(size=(3, 8)).astype(np.float32).astype(float)
    z = c
    rest = [v - np.polyval(np.polyfit(z, v, 1), z) for v in (a, b)]
    got = along_time(
        call("ts_partial_corr", X, Y, Field("z"), window=8), x=a.tolist(), y=b.tolist(), z=z.tolist()
    )
    same(got[-1], np.corrcoef(*rest)[0, 1])


def test_constant_sides_have_no_correlation():
    got = along_time(call("ts_corr", X, Y, window=3), x=[1, 2, 3, 5], y=[0.1, 0.1, 0.1, 0.3])
    assert np.isnan(got[2])
    same(got[3], np.corrcoef([2, 3, 5], [0.1, 0.1, 0.3])[0, 1])


def test_trade_when_holds_and_closes():
    node = call("trade_when", Field("t"), X, Field("e"))
    t, e = [0, 1, 0, NAN, 0, 1], [0, 0, NAN, 0, 1, 1]
    same(along_time(node, t=t, x=[1, 2, 3, 4, 5, 6], e=e), [NAN, 2, 2, 2, NAN, NAN])


def test_hump_moves_by_its_limit_only():
    data = adversarial.from_arrays({"x": [[5.0, 10.0], [2.0, 10.0], [NAN, 10.0], [2.0, 13.0]]})
    got = reference.evaluate(call("hump", X, hump=0.125), data)
    # limits 1.875, 1.5, 1.25, 1.875: 5 -> 3.5, kept over the gap, then 2 is within 1.875; 13 -> 10 + 1.875
    same(got, [[5, 10], [3.5, 10], [NAN, 10], [3.5, 11.875]])


@pytest.mark.parametrize(
    ("node", "x", "want"),
    [
        (call("rank", X), [4, NAN, 6, 4], [0.5, NAN, 1, 0.5]),
        (call("rank", X, scale="(r-1)/(n-1)"), [4, 3, 6, 10, 2], [0.5, 0.25, 0.75, 1, 0]),
        (call("rank", X, scale="(r-1)/(n-1)"), [NAN, 3], [NAN, 0.5]),
        (call("zscore", X), [1, 3, NAN], [-1, 1, NAN]),
        (call("zscore", X, ddof=1), [1, NAN], [NAN, NAN]),
        (call("zscore", X), [7, 7], [NAN, NAN]),
        (call("demean", X), [1, 3, NAN], [-1, 1, NAN]),
        (call("scale", X, scale=4), [2, -3, 5], [0.8, -1.2, 2]),
        (call("scale", X, longscale=2, shortscale=3), [1, -3, 3, 0], [0.5, -3, 1.5, 0]),
        (call("scale", X), [0, 0], [NAN, NAN]),
        (call("normalize", X, limit=1.5), [3, 5, 6, 2], [-1, 1, 1.5, -1.5]),
        (call("rank_gaussian", X, driver="uniform", sigma=2), [3, 1, 2], [1 / 3, -1 / 3, 0]),
        (call("rank_gaussian", X), [3, 1, 2], stats.norm.ppf([2 / 3, 1 / 3, 0.5]).tolist()),
        (call("rank_gaussian", X), [3, 1], [NAN, NAN]),
        (call("winsorize", X, std=1), [2, 3, 4, 5, 100], [2, 3, 4, 5, 22.8 + np.sqrt(1490.96)]),
        (call("truncate", X, max_percent=0.25), [1, -1, 6, -8], [1, -1, 4, -4]),
        (call("scale_down", X, constant=1), [15, 7, 0, 20], [-0.25, -0.65, -1, 0]),
        (call("left_tail", X, limit=3), [1, 3, 4], [1, 3, NAN]),
        (call("right_tail", X, limit=3), [1, 3, 4], [NAN, 3, 4]),
        (call("bucket", X, edges="2,5,6,7,10"), [-1, 3, 6, 8, 12, NAN], [0, 1, 2, 4, 5, NAN]),
        (call("bucket", X, edges="2,5", skip_both=True), [1, 2, 3, 5, 6], [NAN, NAN, 1, 1, NAN]),
        (call("bucket", X, edges="2", missing_group=True), [1, NAN, 3], [0, 2, 1]),
        (call("bucket", X, edges="0.3"), [np.float32(0.3)], [0]),
    ],
)
def test_cross_section_by_hand(node, x, want):
    same(across(node, x=x), want)


def test_neutralized_vectors_are_orthogonal():
    same(across(call("vector_neutralize", X, Y), x=[1, 2, 3], y=[3, 4, 5]), [-0.56, -0.08, 0.4])
    got = across(call("regression_neutralize", X, Y), x=[1, 5, 2, 7], y=[1, 2, 3, NAN])
    same(got, [-7 / 6, 7 / 3, -7 / 6, NAN])


@pytest.mark.parametrize(
    ("op", "params", "want"),
    [
        ("group_neutralize", {}, [-1, 1, NAN, 0, NAN]),
        ("group_zscore", {}, [-1, 1, NAN, NAN, NAN]),
        ("group_rank", {}, [0.5, 1, NAN, 1, NAN]),
        ("group_rank", {"scale": "(r-1)/(n-1)"}, [0, 1, NAN, 0.5, NAN]),
        ("group_scale", {}, [0, 1, NAN, NAN, NAN]),
        ("group_sum", {}, [4, 4, 4, 8, NAN]),
        ("group_max", {}, [3, 3, 3, 8, NAN]),
        ("group_min", {}, [1, 1, 1, 8, NAN]),
        ("group_median", {}, [2, 2, 2, 8, NAN]),
        ("group_quantile", {"q": 0.25}, [1.5, 1.5, 1.5, 8, NAN]),
        ("group_std", {}, [1, 1, 1, 0, NAN]),
        ("group_count", {}, [2, 2, 2, 1, NAN]),
        ("group_normalize", {"scale": 2.0}, [0.5, 1.5, NAN, 2, NAN]),
        ("group_normalize", {"constant_check": True, "tolerance": 5.0}, [NAN, NAN, NAN, 1, NAN]),
    ],
)
def test_groups_by_hand(op, params, want):
    same(across(call(op, X, G, **params), x=[1, 3, NAN, 8, 9], g=[0, 0, 0, 1, -1]), want)


def test_group_means():
    mean = call("group_mean", X, Y, G)
    same(across(mean, x=[1, 3, NAN], y=[1, 3, 5], g=[0, 0, 0]), [2.5, 2.5, 2.5])
    harmonic = call("group_mean", X, Y, G, mean="harmonic")
    same(across(harmonic, x=[10, 15, 20], y=[1, 1, 1], g=[0, 0, 0]), [180 / 13] * 3)


def test_group_backfill_cuts_outliers_of_the_window():
    x = [[1.0, 99.0, 0.0], [2.0, NAN, 0.0], [3.0, 1.0, NAN], [4.0, NAN, 7.0]]
    data = adversarial.from_arrays({"x": x}, {"g": np.zeros((4, 3))})
    got = reference.evaluate(call("group_backfill", X, G, window=2, std=1.0), data)
    pool = np.array([3.0, 4.0, 1.0, 7.0])
    cut = np.clip(pool, pool.mean() - pool.std(ddof=1), pool.mean() + pool.std(ddof=1))
    same(got[3], [4, cut.mean(), 7])


def test_groups_are_crossed_and_numbered_densely():
    data = adversarial.from_arrays({}, {"g": [[7, 7, 9, -1]], "h": [[0, 4, 4, 4]]})
    assert reference.evaluate(call("densify", G), data)[0, :3].tolist() == [0, 0, 1]
    crossed = reference.evaluate(call("group_cross", G, Field("h")), data)[0]
    assert crossed[:3].tolist() == [0, 1, 2]
    assert np.isnan(crossed[3])


@pytest.mark.parametrize(
    ("op", "want"),
    [
        ("vec_sum", [10, NAN]),
        ("vec_avg", [10 / 3, NAN]),
        ("vec_min", [2, NAN]),
        ("vec_max", [5, NAN]),
        ("vec_count", [3, NAN]),
        ("vec_std", [np.std([2, 3, 5]), NAN]),
        ("vec_median", [3, NAN]),
        ("vec_range", [3, NAN]),
        ("vec_norm", [10, NAN]),
        ("vec_powersum", [38, NAN]),
        ("vec_percentage", [3, NAN]),
        ("vec_skew", [stats.skew([2, 3, 5]), NAN]),
        ("vec_kurt", [stats.kurtosis([2, 3, 5]), NAN]),
    ],
)
def test_vectors_by_hand(op, want):
    lists = np.array([[[2.0, NAN]], [[NAN, np.inf]], [[3.0, NAN]], [[5.0, NAN]]])
    data = adversarial.from_arrays({}, {}, {"v": lists})
    same(reference.evaluate(call(op, Field("v")), data)[0], want)


@pytest.mark.parametrize(
    ("node", "want"),
    [
        (call("add", X, Y), [4, NAN, -5, 0]),
        (call("sub", X, Y), [0, NAN, 1, 0]),
        (call("mul", X, Y), [4, NAN, 6, 0]),
        (call("div", X, Y), [1, NAN, 2 / 3, NAN]),
        (call("neg", X), [-2, NAN, 2, 0]),
        (call("abs", X), [2, NAN, 2, 0]),
        (call("sign", X), [1, NAN, -1, 0]),
        (call("log", X), [np.log(2), NAN, NAN, NAN]),
        (call("exp", X), [np.exp(2), NAN, np.exp(-2), 1]),
        (call("exp", call("mul", X, Constant(400))), [NAN, NAN, 0, 1]),
        (call("sqrt", X), [np.sqrt(2), NAN, NAN, 0]),
        (call("round", call("div", X, Constant(4))), [0, NAN, 0, 0]),
        (call("power", X, Y), [4, NAN, -0.125, 1]),
        (call("power", X, Constant(0.5)), [np.sqrt(2), NAN, NAN, 0]),
        (call("signed_power", X, Constant(2)), [4, NAN, -4, 0]),
        (call("signed_log1p", X), [np.log(3), NAN, -np.log(3), 0]),
        (call("maximum", X, Y), [2, NAN, -2, 0]),
        (call("minimum", X, Y), [2, NAN, -3, 0]),
        (call("clip", X, low=-1, high=1), [1, NAN, -1, 0]),
        (call("fill_missing", X, value=9), [2, 9, -2, 0]),
        (call("fraction", call("div", X, Constant(4))), [0.5, NAN, -0.5, 0]),
        (call("gt", X, Y), [0, NAN, 1, 0]),
        (call("ge", X, Y), [1, NAN, 1, 1]),
        (call("lt", X, Y), [0, NAN, 0, 0]),
        (call("le", X, Y), [1, NAN, 0, 1]),
        (call("eq", X, Y), [1, NAN, 0, 1]),
        (call("ne", X, Y), [0, NAN, 1, 0]),
        (call("and", X, Y), [1, NAN, 1, 0]),
        (call("or", X, Y), [1, NAN, 1, 0]),
        (call("not", X), [0, NAN, 0, 1]),
        (call("is_missing", X), [0, 1, 0, 0]),
        (call("where", call("gt", X, Constant(0)), Y, Constant(NAN)), [2, NAN, NAN, NAN]),
        (call("where", X, Constant(1), Constant(2)), [1, NAN, 1, 2]),
        (call("div", Constant(1), Constant(0)), [NAN] * 4),
        (call("eq", Constant(0.1), Constant(np.float32(0.1))), [1] * 4),
    ],
)
def test_arithmetic_and_logic_by_hand(node, want):
    same(across(node, x=[2, NAN, -2, 0], y=[2, 1, -3, 0]), want)


def test_infinities_are_missing_from_the_field_on():
    same(across(call("is_missing", X), x=[np.inf, -np.inf, 1]), [1, 1, 0])


def test_values_are_stored_as_float32_at_every_node():
    # 2^24 + 1 does not fit into float32, so adding and taking away again loses it
    node = call("sub", call("add", Constant(2**24), X), Constant(2**24))
    same(across(node, x=[1.0]), [0.0])


def test_universe_masks_cross_sections_and_groups_only():
    data = adversarial.from_arrays({"x": [[1.0, 2.0, 30.0]]}, {"g": [[0, 0, 0]]})
    universe = np.array([[True, True, False]])
    same(reference.evaluate(call("rank", X), data, universe=universe), [[0.5, 1, NAN]])
    same(reference.evaluate(call("group_sum", X, G), data, universe=universe), [[3, 3, NAN]])
    same(reference.evaluate(call("neg", X), data, universe=universe), [[-1, -2, -30]])
    same(reference.evaluate(call("ts_sum", X, window=1), data, universe=universe), [[1, 2, 30]])


def test_every_op_of_the_table_is_evaluated():
    from .trees import examples  # the systematic calls of the differential tests

    panel = adversarial.panel(dates=30, names=12)
    seen = set()
    for node in examples():
        result = reference.evaluate(node, panel)
        assert result.shape == panel.shape
        assert result.dtype == np.float32
        assert not np.isinf(result).any()
        seen.add(node.op)
    assert seen == set(op_table())
