"""Checks of how prices and factors move from one bar to the next."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from assay.market._data import MarketData
from assay.market._findings import Mask
from assay.market._trading import age_in_bars, forward_fill, limit_prices

LARGE_MOVE: Final = 0.4
"""Without price limits: a move of the adjusted close in one bar that is worth a look."""
_SPLITS: Final = (2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 50, 100)
_SPLIT_TOLERANCE: Final = 0.02
_LARGE_STEP: Final = 0.18
_SETTLING_BARS: Final = 6


def _adjusted_moves(data: MarketData) -> NDArray[np.float64]:
    """Adjusted close over the adjusted close of the bar before, less 1; only where both bars traded."""
    close = np.asarray(data.fields["close"], dtype=np.float64)
    close = np.where(close > 0, close, np.nan)
    factor = data.fields.get("factor")
    if factor is not None:
        close = close * factor
    out = np.full(data.shape, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        out[1:] = close[1:] / close[:-1] - 1
    return out


def jumps(data: MarketData) -> Mask | None:
    moves = _adjusted_moves(data)
    with np.errstate(invalid="ignore"):
        if data.limits.rule == "none":
            return _looks_like_split(moves) | _unanswered_steps(data, moves)
        st = np.nan_to_num(data.fields["is_st"]) > 0 if "is_st" in data.fields else np.zeros(data.shape, bool)
        upper, lower = limit_prices(data, np.asarray(st))
        # beyond the limit by more than rounding and by more than small corrections of the reference price
        close = data.fields["close"]
        beyond = (close > upper * 1.05) | (close < lower * 0.95)
        # the first days after a listing, and what the age does not tell, move freely
        return np.asarray(beyond & np.isfinite(moves) & (age_in_bars(data) >= _SETTLING_BARS))


def _looks_like_split(moves: NDArray[np.float64]) -> Mask:
    """Moves within 2% of a whole ratio, 2 for 1 and beyond: a split without a step of the factor."""
    ratio = np.exp(np.abs(np.log(np.maximum(1 + moves, 1e-12))))
    out = np.zeros(moves.shape, dtype=np.bool_)
    for split in _SPLITS:
        out |= np.abs(ratio / split - 1) < _SPLIT_TOLERANCE
    return out


def _unanswered_steps(data: MarketData, moves: NDArray[np.float64]) -> Mask:
    """A large step of the factor without a move of the traded price: adjusted twice, or on the wrong day."""
    out = np.zeros(data.shape, dtype=np.bool_)
    if "factor" not in data.fields:
        return out
    factor = np.asarray(data.fields["factor"], dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        step = np.log(factor[1:] / factor[:-1])
        adjusted = np.log1p(moves[1:])
        out[1:] = (np.abs(step) > _LARGE_STEP) & (np.abs(adjusted - step) < np.abs(step) / 2)
    return out


def large_moves(data: MarketData) -> Mask | None:
    if data.limits.rule != "none":
        return None
    moves = _adjusted_moves(data)
    with np.errstate(invalid="ignore"):
        faulty = _looks_like_split(moves) | _unanswered_steps(data, moves)
        return np.asarray((np.abs(moves) > LARGE_MOVE) & ~faulty)


def factor_falls(data: MarketData) -> Mask | None:
    if "factor" not in data.fields:
        return None
    factor = forward_fill(np.asarray(data.fields["factor"], dtype=np.float64))
    out = np.zeros(data.shape, dtype=np.bool_)
    with np.errstate(invalid="ignore"):
        out[1:] = factor[1:] < factor[:-1] * (1 - 1e-6)
    return out
