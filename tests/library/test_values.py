"""The factors on a small panel, against plain pandas in qlib's manner and against hand computation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from assay.engine import evaluate
from assay.library import factor, reference_factors, sets

DATES, NAMES = 90, 15


@dataclass(frozen=True)
class Bars:
    """A complete little panel: inputs of the engine, and the same as pandas frames."""

    arrays: dict[str, np.ndarray]

    @property
    def shape(self) -> tuple[int, int]:
        return DATES, NAMES

    def field(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def group(self, name: str) -> np.ndarray:
        size = {"sector": 3, "industry": 5}.get(name, 7)
        return np.ascontiguousarray(np.broadcast_to(np.arange(NAMES, dtype=np.int32) % size, self.shape))

    def vector(self, name: str) -> np.ndarray:
        raise KeyError(name)

    def frame(self, name: str) -> pd.DataFrame:
        return pd.DataFrame(self.arrays[name].astype(np.float64))


@pytest.fixture(scope="module")
def bars() -> Bars:
    rng = np.random.default_rng(20)
    close = 20.0 * np.exp(np.cumsum(rng.normal(0.0, 0.02, (DATES, NAMES)), axis=0))
    close[30] = close[29]  # a day on which no price moves
    open_ = close * np.exp(rng.normal(0.0, 0.01, close.shape))
    high = np.maximum(open_, close) * (1.0 + rng.uniform(0.0, 0.01, close.shape))
    low = np.minimum(open_, close) * (1.0 - rng.uniform(0.0, 0.01, close.shape))
    volume = np.exp(rng.normal(14.0, 0.5, close.shape))
    vwap = (high + low + close) / 3.0
    returns = np.full_like(close, np.nan)
    returns[1:] = close[1:] / close[:-1] - 1.0
    index = np.broadcast_to(close.mean(axis=1, keepdims=True), close.shape)
    arrays = {
        "open": open_, "high": high, "low": low, "close": close, "vwap": vwap, "volume": volume,
        "amount": vwap * volume, "returns": returns, "cap": close * 1e8,
        "benchmark_close": index, "benchmark_open": np.roll(index, 1, axis=0),
    }  # fmt: skip
    return Bars({name: np.ascontiguousarray(a, dtype=np.float32) for name, a in arrays.items()})


def value(bars: Bars, id: str) -> np.ndarray:
    return evaluate({id: factor(id).node}, bars)[id]


def by_window(frame: pd.DataFrame, days: int, function: Callable[[np.ndarray], float]) -> pd.DataFrame:
    return frame.rolling(days, min_periods=1).apply(function, raw=True)


def line(values: np.ndarray) -> tuple[float, float]:
    """Slope and last residual of the least-squares line."""
    x = np.arange(1.0, len(values) + 1.0)
    slope, intercept = np.polyfit(x, values, 1)
    return float(slope), float(values[-1] - slope * x[-1] - intercept)


def alpha158_by_pandas(bars: Bars) -> dict[str, tuple[pd.DataFrame, int]]:
    """Values in qlib's manner (``rolling(d, min_periods=1)``), and the first row from which to compare."""
    open_, high, low, close = (bars.frame(n) for n in ("open", "high", "low", "close"))
    volume = bars.frame("volume")

    def roll(frame: pd.DataFrame, days: int) -> pd.api.typing.Rolling:
        return frame.rolling(days, min_periods=1)

    def highest(days: int) -> pd.DataFrame:
        return by_window(high, days, lambda v: np.argmax(v) + 1.0)

    def lowest(days: int) -> pd.DataFrame:
        return by_window(low, days, lambda v: np.argmin(v) + 1.0)

    up = (close - close.shift(1)).clip(lower=0.0)
    moved = (close - close.shift(1)).abs()
    weighted = (close / close.shift(1) - 1).abs() * volume
    spread = roll(high, 20).max() - roll(low, 20).min() + 1e-12
    log_growth = np.log(volume / volume.shift(1) + 1)
    return {
        "kmid2": ((close - open_) / (high - low + 1e-12), 0),
        "klow": ((np.minimum(open_, close) - low) / open_, 0),
        "ksft": ((2 * close - high - low) / open_, 0),
        "roc10": (close.shift(10) / close, 0),
        "ma20": (roll(close, 20).mean() / close, 0),
        "std5": (roll(close, 5).std() / close, 0),
        "beta10": (by_window(close, 10, lambda v: line(v)[0] if len(v) > 1 else np.nan) / close, 9),
        "resi5": (by_window(close, 5, lambda v: line(v)[1] if len(v) > 1 else np.nan) / close, 4),
        "max30": (roll(high, 30).max() / close, 0),
        "qtlu20": (roll(close, 20).quantile(0.8) / close, 0),
        "rank10": (roll(close, 10).rank(pct=True), 0),
        "rsv20": ((close - roll(low, 20).min()) / spread, 0),
        "imax10": (highest(10) / 10, 0),
        "imxd5": ((highest(5) - lowest(5)) / 5, 0),
        "corr20": (roll(close, 20).corr(np.log(volume + 1)), 1),
        "cord10": (roll(close / close.shift(1), 10).corr(log_growth), 2),
        "sump10": (roll(up, 10).sum() / (roll(moved, 10).sum() + 1e-12), 0),
        "vma5": (roll(volume, 5).mean() / (volume + 1e-12), 0),
        "wvma20": (roll(weighted, 20).std() / (roll(weighted, 20).mean() + 1e-12), 0),
    }  # fmt: skip


def test_alpha158_equals_plain_pandas(bars: Bars) -> None:
    for key, (expected, first) in alpha158_by_pandas(bars).items():
        got = value(bars, f"alpha158-{key}")[first:]
        want = expected.to_numpy()[first:]
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5, err_msg=key, equal_nan=True)


def test_counts_of_days_up_and_down(bars: Bars) -> None:
    close = bars.frame("close")
    # a comparison with the missing day before the first is missing here and false in qlib: not compared
    up = (close > close.shift(1)).astype(float).where(close.shift(1).notna())
    want = up.rolling(5, min_periods=1).mean().to_numpy()
    np.testing.assert_allclose(value(bars, "alpha158-cntp5"), want, rtol=1e-6)


def test_alpha360_is_a_past_price_over_the_last(bars: Bars) -> None:
    close, open_ = bars.field("close"), bars.field("open")
    got = value(bars, "alpha360-open7")
    assert np.isnan(got[:7]).all()
    np.testing.assert_allclose(got[7:], open_[:-7] / close[7:], rtol=1e-6)
    assert (value(bars, "alpha360-close0") == 1.0).all()


def alpha101_by_pandas(bars: Bars) -> dict[str, pd.DataFrame]:
    f = {name: bars.frame(name) for name in bars.arrays}
    close, open_, high, low, volume, vwap = (f[n] for n in ("close", "open", "high", "low", "volume", "vwap"))

    def rank(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.rank(axis=1, pct=True)

    decay = np.arange(1.0, 10.0) / 45.0
    relative = volume / f["amount"].rolling(20).mean()
    slow = relative.rolling(9).apply(lambda v: float(v @ decay), raw=True)
    trend = (close.shift(20) - close.shift(10)) / 10 - (close.shift(10) - close) / 10
    fade = -close.diff(1)
    return {
        "004": -rank(low).rolling(9).rank(pct=True),
        "006": -open_.rolling(10).corr(volume),
        "012": np.sign(volume.diff(1)) * -close.diff(1),
        "014": -rank(f["returns"].diff(3)) * open_.rolling(10).corr(volume),
        "033": rank(open_ / close - 1),
        "039": -rank(close.diff(7) * (1 - rank(slow))) * (1 + rank(f["returns"].rolling(250).sum())),
        "041": np.sqrt(high * low) - vwap,
        "042": rank(vwap - close) / rank(vwap + close),
        "046": fade.mask(trend < 0, 1.0).mask(trend > 0.25, -1.0).where(trend.notna()),
        "049": fade.mask(trend < -0.1, 1.0).where(trend.notna()),
        "053": -((2 * close - low - high) / (close - low)).diff(9),
        "054": -((low - close) * open_**5) / ((low - high) * close**5),
        "101": (close - open_) / (high - low + 0.001),
    }


def test_alpha101_equals_plain_pandas(bars: Bars) -> None:
    for number, expected in alpha101_by_pandas(bars).items():
        got = value(bars, f"alpha101-{number}")
        np.testing.assert_allclose(got, expected.to_numpy(), rtol=1e-3, atol=1e-5, err_msg=number)


@dataclass(frozen=True)
class OneBar:
    """One stock on one day: open 9.5, high 11, low 9, close 10, vwap 9.8."""

    shape: tuple[int, int] = (1, 1)

    def field(self, name: str) -> np.ndarray:
        bar = {"open": 9.5, "high": 11.0, "low": 9.0, "close": 10.0, "vwap": 9.8}
        return np.array([[bar[name]]], dtype=np.float32)

    def group(self, name: str) -> np.ndarray:
        raise KeyError(name)

    def vector(self, name: str) -> np.ndarray:
        raise KeyError(name)


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("alpha101-041", math.sqrt(99.0) - 9.8),
        ("alpha101-054", -((9.0 - 10.0) * 9.5**5) / ((9.0 - 11.0) * 10.0**5)),
        ("alpha101-101", 0.5 / 2.001),
        ("alpha158-kup", 1.0 / 9.5),
        ("alpha158-ksft2", 0.0),
        ("alpha191-126", 10.0),
        ("alpha191-171", ((9.0 - 10.0) * 9.5**5) / ((11.0 - 10.0) * 10.0**5)),
        ("classic-vwap-gap", -0.02),
    ],
)
def test_one_bar_by_hand(id: str, expected: float) -> None:
    (result,) = evaluate({id: factor(id).node}, OneBar()).values()
    assert result.item() == pytest.approx(expected, rel=2e-5, abs=1e-6)


@pytest.mark.parametrize("name", sets())
def test_every_factor_runs(bars: Bars, name: str) -> None:
    factors = reference_factors(name)
    values = evaluate({f.id: f.node for f in factors}, bars)
    assert set(values) == {f.id for f in factors}
    short = [f for f in factors if f.expression.lookback <= DATES // 2]
    alive = [f.id for f in short if np.isfinite(values[f.id][-1]).any()]
    assert all(a.shape == bars.shape and a.dtype == np.float32 for a in values.values())
    assert len(alive) >= 0.95 * len(short), sorted({f.id for f in short} - set(alive))
