"""The planted signals: each formula twice, as the text that users judge and as numpy code for one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.market._data import Planted
from assay.market._sim_world import DAILY_RISK

Floats = NDArray[np.float64]

DELAY = 3
"""Rows from the last bar that a signal reads to the first return that it moves.

Row s is read, the signal is that of s+1, traded at the close of s+2: the first return is that of s+3.
"""


@dataclass(frozen=True, slots=True)
class History:
    """The market so far, adjusted as an expression sees it; float64 ``(T, N)``, unset after the present."""

    close: Floats
    volume: Floats
    amount: Floats
    returns: Floats
    illiquidity: Floats
    close_to_vwap: Floats
    cap: Floats
    equity: Floats
    event: Floats

    @classmethod
    def blank(cls, equity: Floats, event: Floats) -> History:
        """No bars yet; book values and events do not depend on trading and are there whole."""
        bars = (np.full(equity.shape, np.nan) for _ in range(7))
        close, volume, amount, returns, illiquidity, close_to_vwap, cap = bars
        return cls(close, volume, amount, returns, illiquidity, close_to_vwap, cap, equity, event)


@dataclass(frozen=True, slots=True)
class Signal:
    """A planted formula; ``strength`` is the mean daily return of a score of one standard deviation."""

    planted: Planted
    bars: int
    strength: float
    compute: Callable[[History, int], Floats]


def _window(values: Floats, row: int, bars: int) -> Floats:
    return values[row - bars + 1 : row + 1]


def _reversal(past: History, row: int) -> Floats:
    return np.asarray(1.0 - past.close[row] / past.close[row - 5])


def _momentum(past: History, row: int) -> Floats:
    return np.asarray(past.close[row - 21] / past.close[row - 126])


def _low_volatility(past: History, row: int) -> Floats:
    return np.asarray(-_window(past.returns, row, 20).std(axis=0))


def _price_volume(past: History, row: int) -> Floats:
    price = _window(past.close, row, 10)
    volume = _window(past.volume, row, 10)
    price = price - price.mean(axis=0)
    volume = volume - volume.mean(axis=0)
    scale = np.sqrt((price**2).sum(axis=0) * (volume**2).sum(axis=0))
    return np.asarray(-(price * volume).sum(axis=0) / scale)


def _volume_shock(past: History, row: int) -> Floats:
    return np.asarray(-past.volume[row] / _window(past.volume, row, 20).mean(axis=0))


def _event_score(past: History, row: int) -> Floats:
    return np.asarray(_window(past.event, row, 10).mean(axis=0))


def _value(past: History, row: int) -> Floats:
    return np.asarray(past.equity[row] / past.cap[row])


def _closing_strength(past: History, row: int) -> Floats:
    return np.asarray(_window(past.close_to_vwap, row, 10).mean(axis=0))


def _illiquidity(past: History, row: int) -> Floats:
    return np.asarray(_window(past.illiquidity, row, 20).mean(axis=0))


def _skewness(past: History, row: int) -> Floats:
    values = _window(past.returns, row, 20)
    values = values - values.mean(axis=0)
    squares = values * values
    return np.asarray(-(squares * values).mean(axis=0) / squares.mean(axis=0) ** 1.5)


def _signal(
    name: str,
    text: str,
    ic: float,
    horizon: int,
    bars: int,
    tuned: float,
    compute: Callable[[History, int], Floats],
) -> Signal:
    # a mean shift of s on each of h days against risk that grows with sqrt(h) gives ic = s x sqrt(h) / risk;
    # `tuned` makes up for scores that change within the horizon, measured over seeds
    return Signal(Planted(name, text, ic, horizon), bars, tuned * ic / np.sqrt(horizon) * DAILY_RISK, compute)


SIGNALS: tuple[Signal, ...] = (
    _signal("reversal", "-ts_return(close, 5)", 0.045, 5, 6, 1.75, _reversal),
    _signal("momentum", "delay(close, 21) / delay(close, 126)", 0.035, 5, 127, 0.85, _momentum),
    _signal("low_volatility", "-ts_std(returns, 20)", 0.04, 5, 21, 0.8, _low_volatility),
    _signal("price_volume", "-ts_corr(close, volume, 10)", 0.05, 5, 10, 1.18, _price_volume),
    _signal("volume_shock", "-volume / ts_mean(volume, 20)", 0.035, 5, 20, 1.83, _volume_shock),
    _signal(
        "event_score", "ts_mean(fill_missing(vec_avg(event_score)), 10)", 0.04, 5, 10, 0.88, _event_score
    ),
    _signal("value", "equity / cap", 0.05, 20, 1, 1.0, _value),
    _signal("closing_strength", "ts_mean(close / vwap, 10)", 0.04, 5, 10, 1.1, _closing_strength),
    _signal("illiquidity", "ts_mean(abs(returns) / amount, 20)", 0.035, 10, 21, 0.93, _illiquidity),
    _signal("skewness", "-ts_skew(returns, 20)", 0.035, 5, 21, 0.92, _skewness),
)


class Planter:
    """Turns the past into the expected part of future returns.

    Scores are cross-sectional ranks with unit variance. Each signal moves returns only along the part of its
    score that no other signal shares, so that a stated strength holds for each signal by itself.
    """

    def __init__(self, signals: tuple[Signal, ...], days: int, count: int) -> None:
        self._signals = signals
        self._count = count
        self._shift = np.zeros((days + DELAY + 1, count))
        self._level = np.zeros(count)

    def expected(self, row: int) -> Floats:
        """The mean return of ``row`` that signals of rows up to ``row - DELAY`` have caused."""
        self._level = self._level + self._shift[row]
        return self._level

    def observe(self, past: History, row: int, listed: NDArray[np.bool_]) -> None:
        """Read the signals of ``row`` and schedule the returns that they will move."""
        if not self._signals or row + DELAY >= len(self._shift):
            return
        values = np.full((len(self._signals), self._count), np.nan)
        for place, signal in enumerate(self._signals):
            if row >= signal.bars - 1:
                values[place] = signal.compute(past, row)
        values[:, ~listed] = np.nan
        parts = self._parts(_scores(values))
        for place, signal in enumerate(self._signals):
            horizon = signal.planted.horizon
            share = parts[place] * (signal.strength / horizon)
            self._shift[row + DELAY] += share
            stop = row + DELAY + horizon
            if stop < len(self._shift):
                self._shift[stop] -= share

    @staticmethod
    def _parts(scores: Floats) -> Floats:
        gram = scores @ scores.T / max(int(np.count_nonzero(scores, axis=1).max()), 1)
        gram[np.diag_indices_from(gram)] = np.maximum(np.diag(gram), 0.5) + 0.02
        return np.asarray(np.linalg.solve(gram, scores))


def _scores(values: Floats) -> Floats:
    """Ranks of each row, ties averaged, with mean 0 and variance about 1; missing values score 0."""
    valid = np.isfinite(values)
    count = valid.sum(axis=1, keepdims=True)
    order = np.argsort(np.where(valid, values, np.inf), axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    place = np.broadcast_to(np.arange(values.shape[1], dtype=np.float64), values.shape)
    tied = np.zeros(values.shape, dtype=np.bool_)
    tied[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    first = np.maximum.accumulate(np.where(tied, 0.0, place), axis=1)
    last_seen = np.minimum.accumulate(
        np.where(np.roll(tied, -1, axis=1) & (place < values.shape[1] - 1), np.inf, place)[:, ::-1], axis=1
    )[:, ::-1]
    ranks = np.empty_like(values)
    np.put_along_axis(ranks, order, (first + last_seen) / 2, axis=1)
    scores = (ranks + 0.5) / np.maximum(count, 1) - 0.5
    return np.asarray(np.where(valid, scores * np.sqrt(12.0), 0.0))
