from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.market._data import FloatPanel, MarketData
from assay.market._limits import limit_ratios, round_to_tick

Fill = Literal["close", "open", "vwap"]

LISTED_BEFORE = 1_000_000
"""Added to the age of instruments listed before the data begins: unknown, but not young."""

_HALF_TICK = 0.005


@dataclass(frozen=True, slots=True)
class Trading:
    """What can be traded; bool and int32 arrays are ``(T, N)`` unless said otherwise.

    ``priced``: the bar has a close. ``limit_up`` blocks purchases and ``limit_down`` sales at the fill price.
    ``age_bars`` is 0 on the day of listing. ``delisted_row`` ``(N,)`` is the first row after the last
    record, -1 for instruments that do not end inside the dates. ``suspended``: listed, known not to trade.
    """

    priced: NDArray[np.bool_]
    limit_up: NDArray[np.bool_]
    limit_down: NDArray[np.bool_]
    st: NDArray[np.bool_]
    suspended: NDArray[np.bool_]
    age_bars: NDArray[np.int32]
    delisted_row: NDArray[np.int32]

    def between(self, start: int, stop: int) -> Trading:
        """Rows ``start`` to ``stop`` (exclusive), without copying the arrays."""
        inside = (self.delisted_row >= 0) & (self.delisted_row < stop)
        shifted = np.where(inside, np.maximum(self.delisted_row - start, 0), -1).astype(np.int32)
        return Trading(
            self.priced[start:stop],
            self.limit_up[start:stop],
            self.limit_down[start:stop],
            self.st[start:stop],
            self.suspended[start:stop],
            self.age_bars[start:stop],
            shifted,
        )


def _flag(data: MarketData, name: str) -> NDArray[np.bool_]:
    if name not in data.fields:
        return np.zeros(data.shape, dtype=np.bool_)
    return np.asarray(np.nan_to_num(data.fields[name]) > 0)


def previous_close(data: MarketData) -> NDArray[np.float64]:
    """The last traded close before each bar, in that bar's own (raw) units: float64 ``(T, N)``.

    The last close is carried over suspensions and converted by the ratio of the factors.
    """
    close = np.asarray(data.fields["close"], dtype=np.float64)
    if data.limits.rule != "none":
        close = np.round(close, 2)
    factor = data.fields.get("factor")
    adjusted = close if factor is None else close * np.asarray(factor, dtype=np.float64)
    filled = forward_fill(adjusted)
    out = np.full(data.shape, np.nan)
    out[1:] = filled[:-1]
    if factor is not None:
        own = forward_fill(np.asarray(factor, dtype=np.float64))
        out /= own
    return out


def forward_fill(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each column's last value that is not missing, carried down."""
    filled = values.copy()
    known = np.isfinite(values)
    # row by row: numpy's accumulate down the first axis is many times slower
    for row in range(1, len(filled)):
        np.copyto(filled[row], filled[row - 1], where=~known[row])
    filled[~np.isfinite(filled)] = np.nan
    return filled


def age_in_bars(data: MarketData) -> NDArray[np.int32]:
    """Bars since the first record, int32 ``(T, N)``; negative before it."""
    rows = np.arange(data.shape[0], dtype=np.int32)[:, None]
    start = np.where(data.first_row <= 0, -LISTED_BEFORE, data.first_row).astype(np.int32)
    return np.asarray(rows - start[None, :], dtype=np.int32)


def limit_prices(data: MarketData, st: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Highest and lowest price allowed that day in raw units, float64 ``(T, N)``, NaN: no limit."""
    if "limit_up_price" in data.fields and "limit_down_price" in data.fields:
        return (
            np.asarray(data.fields["limit_up_price"], dtype=np.float64),
            np.asarray(data.fields["limit_down_price"], dtype=np.float64),
        )
    if data.limits.rule == "none":
        nothing = np.full(data.shape, np.nan)
        return nothing, nothing
    reference = round_to_tick(previous_close(data))
    if data.limits.rule == "flat":
        up = down = np.full(data.shape, data.limits.ratio)
    else:
        up, down = limit_ratios(data.instruments, data.dates, st, age_in_bars(data))
    return round_to_tick(reference * (1 + up)), round_to_tick(reference * (1 - down))


def _touches(
    data: MarketData, fill: Fill, upper: NDArray[np.float64], lower: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    # a fill over the whole day is only impossible when the whole day stood at the limit
    highest: FloatPanel = data.fields[
        "low" if fill == "vwap" and "low" in data.fields else _price(data, fill)
    ]
    lowest: FloatPanel = data.fields[
        "high" if fill == "vwap" and "high" in data.fields else _price(data, fill)
    ]
    with np.errstate(invalid="ignore"):
        return highest >= upper - _HALF_TICK, lowest <= lower + _HALF_TICK


def _price(data: MarketData, fill: Fill) -> str:
    return "open" if fill == "open" and "open" in data.fields else "close"


def trading(data: MarketData, fill: Fill = "close") -> Trading:
    """What can be traded at the ``fill`` price of each bar, on all dates of ``data``."""
    rows = np.arange(data.shape[0])[:, None]
    listed = (rows >= data.first_row) & (rows <= data.last_row)
    priced = np.isfinite(data.fields["close"])
    st = _flag(data, "is_st")
    suspended = _flag(data, "suspended") & listed & ~priced
    upper, lower = limit_prices(data, st)
    up, down = _touches(data, fill, upper, lower)
    ended = (data.last_row >= 0) & (data.last_row < data.shape[0] - 1)
    return Trading(
        priced=priced,
        limit_up=np.asarray(up & priced),
        limit_down=np.asarray(down & priced),
        st=st,
        suspended=suspended,
        age_bars=age_in_bars(data),
        delisted_row=np.where(ended, data.last_row + 1, -1).astype(np.int32),
    )
