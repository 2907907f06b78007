from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.base import generator
from assay.market._data import FloatPanel, Minutes
from assay.market._universe import Dates

BARS = 48
BAR_MINUTES = 5
_MORNING_END = 24
_LUNCH = 90
_OPENING = 9 * 60 + 30


def bar_times(dates: Dates) -> Dates:
    """When each 5-minute bar ends, which is when it may be known: 09:35 to 11:30 and 13:05 to 15:00."""
    number = np.arange(BARS)
    minute = _OPENING + (number + 1) * BAR_MINUTES + np.where(number >= _MORNING_END, _LUNCH, 0)
    ends = dates.astype("datetime64[s]")[:, None] + (minute * 60).astype("timedelta64[s]")
    return np.asarray(ends.reshape(-1))


def simulate_minutes(seed: int, dates: Dates, fields: Mapping[str, FloatPanel], days: int) -> Minutes:
    """5-minute bars of the last ``days`` (raw prices), with bid and ask at each bar's end.

    They agree with the daily bars: the first opens at the daily open, the last closes at the daily close,
    none leaves the daily range, and the volumes of a day add up to the daily volume.
    """
    random = generator(seed, "simulate", "minutes")
    rows = slice(len(dates) - days, len(dates))
    day = {name: fields[name][rows].astype(np.float64) for name in ("open", "high", "low", "close", "volume")}
    count = day["open"].shape[1]
    steps = random.standard_normal((days, BARS, count))
    walk = np.cumsum(steps, axis=1)
    along = (np.arange(1, BARS + 1) / BARS)[None, :, None]
    bridge = (walk - along * walk[:, -1:]) / np.sqrt(BARS)
    span = (day["high"] - day["low"])[:, None]
    path = day["open"][:, None] * (1 - along) + day["close"][:, None] * along + bridge * span * 0.8
    path = np.clip(path, day["low"][:, None], day["high"][:, None])
    path = np.round(path, 2)
    path[:, -1] = day["close"]
    opened = np.concatenate([day["open"][:, None], path[:, :-1]], axis=1)
    wick = np.abs(random.standard_normal((2, days, BARS, count))) * span * 0.05
    high = np.minimum(np.round(np.maximum(opened, path) + wick[0], 2), day["high"][:, None])
    low = np.maximum(np.round(np.minimum(opened, path) - wick[1], 2), day["low"][:, None])
    busy = 1 + 1.5 * (2 * along - 1) ** 2
    weight = busy * random.gamma(2.0, 0.5, (days, BARS, count))
    volume = np.floor(day["volume"][:, None] * weight / weight.sum(axis=1, keepdims=True))
    volume[:, -1] += day["volume"] - volume.sum(axis=1)
    half = np.maximum(np.round(path * 0.0003 * random.gamma(4.0, 0.25, (days, BARS, count)), 2), 0.01)
    values = {
        "open": opened,
        "high": high,
        "low": low,
        "close": path,
        "volume": volume,
        "bid": np.maximum(path - half, 0.01),
        "ask": path + half,
    }
    flat = {name: array.reshape(days * BARS, count).astype(np.float32) for name, array in values.items()}
    return Minutes(bar_times(dates[rows]), flat, BAR_MINUTES)
