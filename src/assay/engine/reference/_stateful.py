"""Ops whose value today depends on their own value yesterday, date by date."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.engine.reference._storage import Values
from assay.engine.reference._time_series import ts_std
from assay.engine.reference._windows import bars_ago


def trade_when(trigger: Values, value: Values, exit_: Values) -> Values:
    """Missing where exit > 0; else ``value`` where trigger > 0; else the result of the bar before.

    A missing trigger or exit counts as not > 0.
    """
    result = np.full(value.shape, np.nan)
    for row in range(value.shape[0]):
        before = result[row - 1] if row else np.full(value.shape[1], np.nan)
        result[row] = np.where(exit_[row] > 0, np.nan, np.where(trigger[row] > 0, value[row], before))
    return result


def hump(x: Values, *, hump: float = 0.01) -> Values:
    """x held at its last value y while it is within hump times the date's sum of |x| of y, else y
    moved by that limit.

    The first valid x starts it; a missing x gives missing and keeps y.
    """
    result = np.full(x.shape, np.nan)
    y = np.full(x.shape[1], np.nan)
    for row in range(x.shape[0]):
        limit = hump * np.nansum(np.abs(x[row]))
        step = x[row] - y
        moved = np.where(np.abs(step) <= limit, y, y + np.sign(step) * limit)
        now = np.where(np.isnan(y), x[row], moved)
        result[row] = np.where(np.isnan(x[row]), np.nan, now)
        y = np.where(np.isnan(x[row]), y, now)
    return result


def jump_decay(x: Values, *, window: int, sensitivity: float = 0.5, force: float = 0.1) -> Values:
    """x, or x[t-1] + force (x - x[t-1]) where |x - x[t-1]| exceeds sensitivity standard deviations
    of the window.
    """
    before = bars_ago(x, 1)
    spread = ts_std(x, window=window)
    jumps = np.abs(x - before) > sensitivity * spread
    result = np.where(jumps, before + force * (x - before), x)
    return np.where(np.isnan(spread) | np.isnan(before), np.nan, result)


def hump_decay(x: Values, *, window: int = 1, p: float = 0.0, relative: bool = False) -> Values:
    """x where it lies more than p, or p |x + y|, from y, the x of ``window`` bars ago; else y."""
    y = bars_ago(x, window)
    bound = p * np.abs(x + y) if relative else np.full(x.shape, p)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(np.abs(x - y) > bound, x, y))


def ts_delta_limit(x: Values, y: Values, *, limit: float = 0.1) -> Values:
    """x, held within limit |y| of its own last value; the first x with a y starts it.

    Where x or y is missing the result is missing and the last value stays.
    """
    result = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        last = np.nan
        for row in range(x.shape[0]):
            now, reach = x[row, column], limit * abs(y[row, column])
            if np.isnan(now) or np.isnan(reach):
                continue
            if now > last + reach:
                now = last + reach
            elif now < last - reach:
                now = last - reach
            result[row, column] = last = now
    return result


STATEFUL: dict[str, Callable[..., Values]] = {
    "trade_when": trade_when,
    "hump": hump,
    "jump_decay": jump_decay,
    "hump_decay": hump_decay,
    "ts_delta_limit": ts_delta_limit,
}
