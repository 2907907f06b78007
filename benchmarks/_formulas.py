"""Formulas and panels for the engine's benchmark, the same on every run.

Two sources: templates of the kind of the 101 Formulaic Alphas (Kakushadze, 2016), filled by a seeded
generator; and Alpha158 (qlib) without its bars and without regression, quantile and position features: 21
rolling features over 5 windows and 4 price ratios, 109 in all. Every op can be written for both engines
compared.
"""

from __future__ import annotations

import random

import numpy as np

from assay.expr import Node, parse

PRICES = ("open", "high", "low", "close", "vwap")
FIELDS = (*PRICES, "volume", "returns")
DAYS = (1, 5, 10)
WINDOWS = (5, 10, 20, 60)

SERIES = (
    "{p}",
    "volume",
    "returns",
    "delta({p}, {d})",
    "close - open",
    "high - low",
    "{p} / delay({p}, {d})",
    "volume / ts_mean(volume, {w})",
    "({p} - vwap) / vwap",
)

TIME_SERIES = (
    "ts_mean({p}, {w}) / close",
    "ts_std({s}, {w}, ddof=1)",
    "ts_std(close, {w}, ddof=1) / close",
    "-ts_corr({p}, volume, {w})",
    "ts_corr(close, log(volume + 1), {w})",
    "ts_cov(returns, volume / ts_mean(volume, {w}), {v}, ddof=1)",
    "ts_rank({s}, {w})",
    "-ts_rank(abs(delta(close, {d})), {w}) * sign(delta(close, {d}))",
    "ts_decay_linear({s}, {w})",
    "ts_decay_linear(delta({p}, {d}), {w}) / ts_std({p}, {w}, ddof=1)",
    "(close - ts_min(low, {w})) / (ts_max(high, {w}) - ts_min(low, {w}) + 0.001)",
    "ts_max({s}, {w})",
    "ts_min({s}, {w})",
    "ts_mean({s}, {w})",
    "ts_sum({s}, {w})",
    "ts_std({s}, {v}, ddof=1)",
    "ts_argmax({p}, {w}, count_from=oldest) / {w}",
    "(ts_argmax(high, {w}, count_from=oldest) - ts_argmin(low, {w}, count_from=oldest)) / {w}",
    "sign(delta(volume, {d})) * (-delta(close, {d}))",
    "where(ts_mean(volume, {w}) < volume, -delta(close, {d}), 0 - 1)",
    "where(delta(close, 1) > 0, ts_std(returns, {w}, ddof=1), close)",
    "(close - open) / (high - low + 0.001)",
    "({p} - ts_mean({p}, {w})) / (ts_std({p}, {w}, ddof=1) + 0.001)",
    "ts_mean(abs(returns) * volume, {w}) / (ts_mean(volume, {w}) + 1)",
    "delta({p}, {d}) / delay({p}, {d})",
    "log(volume / ts_mean(volume, {w}))",
    "ts_sum(returns, {w}) * ts_mean(volume, {v}) / ts_mean(volume, {w})",
)

RANKED = (
    "rank(delta({p}, {d})) * -ts_std(returns, {w}, ddof=1)",
    "-ts_corr(rank({p}), rank(volume), {w})",
    "rank(ts_max(vwap - close, {w})) + ts_rank(volume, {w})",
    "rank(ts_corr({p}, volume, {w})) - 0.5 * ts_rank({s}, {w})",
    "-rank(ts_cov(rank(high), rank(volume), {w}, ddof=1))",
    "ts_rank(rank({p}), {w})",
    "rank(ts_decay_linear({s}, {w}))",
)


_CHANGE = "(close - delay(close, 1))"
_FLOW = "(volume - delay(volume, 1))"
_SHOCK = "(abs(close / delay(close, 1) - 1) * volume)"

ALPHA158_WINDOWS = (5, 10, 20, 30, 60)

ALPHA158_ROLLING = (
    "delay(close, {w}) / close",
    "ts_mean(close, {w}) / close",
    "ts_std(close, {w}, ddof=1) / close",
    "ts_max(high, {w}) / close",
    "ts_min(low, {w}) / close",
    "ts_rank(close, {w})",
    "(close - ts_min(low, {w})) / (ts_max(high, {w}) - ts_min(low, {w}) + 1e-12)",
    "ts_corr(close, log(volume + 1), {w})",
    "ts_corr(close / delay(close, 1), log(volume / delay(volume, 1) + 1), {w})",
    "ts_mean(close > delay(close, 1), {w})",
    "ts_mean(close < delay(close, 1), {w})",
    "ts_mean(close > delay(close, 1), {w}) - ts_mean(close < delay(close, 1), {w})",
    f"ts_sum(maximum({_CHANGE}, 0), {{w}}) / (ts_sum(abs{_CHANGE}, {{w}}) + 1e-12)",
    f"ts_sum(maximum(-{_CHANGE}, 0), {{w}}) / (ts_sum(abs{_CHANGE}, {{w}}) + 1e-12)",
    f"(ts_sum(maximum({_CHANGE}, 0), {{w}}) - ts_sum(maximum(-{_CHANGE}, 0), {{w}}))"
    f" / (ts_sum(abs{_CHANGE}, {{w}}) + 1e-12)",
    "ts_mean(volume, {w}) / (volume + 1e-12)",
    "ts_std(volume, {w}, ddof=1) / (volume + 1e-12)",
    f"ts_std({_SHOCK}, {{w}}, ddof=1) / (ts_mean({_SHOCK}, {{w}}) + 1e-12)",
    f"ts_sum(maximum({_FLOW}, 0), {{w}}) / (ts_sum(abs{_FLOW}, {{w}}) + 1e-12)",
    f"ts_sum(maximum(-{_FLOW}, 0), {{w}}) / (ts_sum(abs{_FLOW}, {{w}}) + 1e-12)",
    f"(ts_sum(maximum({_FLOW}, 0), {{w}}) - ts_sum(maximum(-{_FLOW}, 0), {{w}}))"
    f" / (ts_sum(abs{_FLOW}, {{w}}) + 1e-12)",
)

ALPHA158_PRICES = ("open / close", "high / close", "low / close", "vwap / close")


def alpha158() -> list[str]:
    """109 time-series formulas."""
    rolling = [template.format(w=w) for template in ALPHA158_ROLLING for w in ALPHA158_WINDOWS]
    return [*ALPHA158_PRICES, *rolling]


def _fill(template: str, rng: random.Random) -> str:
    text = template.replace("{s}", rng.choice(SERIES))
    window = rng.choice(WINDOWS)
    return text.format(p=rng.choice(PRICES), d=rng.choice(DAYS), w=window, v=rng.choice(WINDOWS))


def from_templates(plain: int, ranked: int, seed: int) -> list[str]:
    """Different formulas, none of them in :func:`alpha158`, `ranked` of them with a cross-sectional rank."""
    rng = random.Random(seed)
    taken = set(alpha158())
    texts: list[str] = []
    for templates, number in ((RANKED, ranked), (TIME_SERIES, plain)):
        wanted = len(texts) + number
        turn = 0
        while len(texts) < wanted:
            text = _fill(templates[turn % len(templates)], rng)
            turn += 1
            if text not in taken:
                taken.add(text)
                texts.append(text)
    return texts


def parsed(texts: list[str]) -> dict[str, Node]:
    """Trees by name."""
    return {f"f{i:03d}": parse(text).node for i, text in enumerate(texts)}


class Data:
    """A panel in memory: random walks with gaps, late listings and heavy volumes."""

    def __init__(self, dates: int, instruments: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.shape = (dates, instruments)
        step = rng.standard_normal(self.shape, np.float32) * np.float32(0.02)
        close = np.exp(np.cumsum(step, axis=0, dtype=np.float64) + rng.normal(3, 0.8, instruments))
        del step
        gap = rng.random(self.shape, np.float32) < 0.01
        gap |= np.arange(dates)[:, None] < rng.integers(-3 * dates, dates // 2, instruments)
        close[gap] = np.nan

        def near(scale: float) -> np.ndarray:
            return rng.standard_normal(self.shape, np.float32) * np.float32(scale)

        self._fields = {"close": close.astype(np.float32)}
        del close
        base = self._fields["close"]
        self._fields["open"] = base * (1 + near(0.01))
        top = np.maximum(base, self._fields["open"])
        self._fields["high"] = top * (1 + np.abs(near(0.01)))
        np.minimum(base, self._fields["open"], out=top)
        self._fields["low"] = top * (1 - np.abs(near(0.01)))
        self._fields["vwap"] = (self._fields["high"] + self._fields["low"] + base) / np.float32(3)
        volume = np.exp(near(0.7)) * np.exp(rng.normal(13, 1, instruments).astype(np.float32))
        volume[gap] = np.nan
        self._fields["volume"] = volume
        returns = np.full(self.shape, np.nan, np.float32)
        returns[1:] = base[1:] / base[:-1] - 1
        self._fields["returns"] = returns

    def field(self, name: str) -> np.ndarray:
        return self._fields[name]

    def group(self, name: str) -> np.ndarray:
        raise KeyError(name)

    def vector(self, name: str) -> np.ndarray:
        raise KeyError(name)
