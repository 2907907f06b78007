from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.engine.reference._storage import Values


def admitted(window: Values, length: int, min_periods: int) -> bool:
    """Whether a window may give a value: whole and without gaps (0), or with ``min_periods`` valid values."""
    valid = int(np.count_nonzero(~np.isnan(window)))
    if min_periods == 0:
        return window.size == length and valid == length
    return valid >= min_periods


def by_window(function: Callable[[Values], float], x: Values, length: int, min_periods: int) -> Values:
    """``function`` of the last ``length`` bars (oldest first, gaps included) at every date of
    every instrument.
    """
    result = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        for row in range(x.shape[0]):
            window = x[max(0, row - length + 1) : row + 1, column]
            if admitted(window, length, min_periods):
                result[row, column] = function(window)
    return result


def by_valid(function: Callable[[Values], float], x: Values, length: int, min_periods: int) -> Values:
    """As :func:`by_window`, but ``function`` sees the valid values of the window only."""
    return by_window(lambda window: function(window[~np.isnan(window)]), x, length, min_periods)


def cut_windows(function: Callable[[Values], float], x: Values, length: int) -> Values:
    """``function`` of every window, gaps included; the start of the data may cut it short."""
    return by_window(function, x, length, -1)


def by_pair(
    function: Callable[[Values, Values], float], x: Values, y: Values, length: int, min_periods: int
) -> Values:
    """``function`` of the dates of the window on which both sides are valid."""
    together = np.where(np.isnan(x) | np.isnan(y), np.nan, 1.0)
    result = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        for row in range(x.shape[0]):
            rows = slice(max(0, row - length + 1), row + 1)
            both = together[rows, column]
            if admitted(both, length, min_periods):
                keep = ~np.isnan(both)
                result[row, column] = function(x[rows, column][keep], y[rows, column][keep])
    return result


def bars_ago(x: Values, bars: int) -> Values:
    """``x`` of ``bars`` rows earlier; missing where the data has not begun."""
    result = np.full(x.shape, np.nan)
    if bars == 0:
        return x.copy()
    result[bars:] = x[:-bars]
    return result


def average_rank(values: Values, value: float) -> float:
    """The rank of ``value`` among ``values``, from 1; equal values share the mean of their places."""
    below = np.count_nonzero(values < value)
    equal = np.count_nonzero(values == value)
    return float(below + (equal + 1) / 2)
