"""Time-series ops seldom used: numpy over windows, so that nothing has to be compiled for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.engine._ops._types import Params, Runner
from assay.engine._ops._windows import Values, drop_infinite, enough, per_window, window_blocks, windows_of

_EXPLAINED = 1e-12


def _product(x: Sequence[Any], params: Params, out: Any) -> None:
    window, least = params["window"], params["min_periods"]

    def product(w: Values) -> Values:
        valid = ~np.isnan(w)
        value = np.where(valid, w, 1.0).prod(axis=-1)
        return np.where(enough(valid, window, least), value, np.nan)

    per_window(product, x[0], window, out)


def _centred(w: Values) -> tuple[npt.NDArray[np.bool_], Values, Values]:
    """Valid values, how many, and the distance from their mean (0 where missing)."""
    valid = ~np.isnan(w)
    count = valid.sum(axis=-1).astype(np.float64)
    mean = np.where(valid, w, 0.0).sum(axis=-1) / count
    return valid, count, np.where(valid, w - mean[..., None], 0.0)


def _mean_power(distance: Values, k: int, n: Values) -> Values:
    """Mean of the k-th powers; multiplied out, since numpy's power takes 30 times as long."""
    power = distance if k else np.ones_like(distance)
    for _ in range(k - 1):
        power = power * distance
    total: Values = power.sum(axis=-1)
    return total / n


def _moment(x: Sequence[Any], params: Params, out: Any) -> None:
    window, k = params["window"], params["k"]

    def moment(w: Values) -> Values:
        valid, n, distance = _centred(w)
        return np.where(enough(valid, window, 0), _mean_power(distance, k, n), np.nan)

    per_window(moment, x[0], window, out)


def _decay_exp(x: Sequence[Any], params: Params, out: Any) -> None:
    weights = float(params["factor"]) ** np.arange(params["window"] - 1.0, -1.0, -1.0)
    per_window(lambda w: (w * weights).sum(axis=-1) / weights.sum(), x[0], params["window"], out)


def _entropy(x: Sequence[Any], params: Params, out: Any) -> None:
    window, buckets = params["window"], params["buckets"]

    def entropy(w: Values) -> Values:
        low = w.min(axis=-1)
        high = w.max(axis=-1)
        width = np.where(high > low, high - low, 1.0)
        places = np.minimum((w - low[..., None]) / width[..., None] * buckets, buckets - 1)
        known = ~np.isnan(low)
        cells = int(np.prod(known.shape))
        flat = np.where(known[..., None], places, 0.0).astype(np.int64).reshape(cells, window)
        result = np.empty(cells)
        step = max(1, 2_000_000 // buckets)
        for start in range(0, cells, step):
            part = flat[start : start + step]
            bins = part + buckets * np.arange(part.shape[0])[:, None]
            share = np.bincount(bins.ravel(), minlength=buckets * part.shape[0]).reshape(-1, buckets) / window
            result[start : start + step] = -np.where(share > 0, share * np.log(share), 0.0).sum(axis=-1)
        return np.where(known, result.reshape(known.shape), np.nan)

    per_window(entropy, x[0], window, out)


def _kth_newest(x: Values, counted: npt.NDArray[np.bool_], window: int, k: int) -> Values:
    """The k-th newest counted value of each window; missing where there are fewer."""
    days, names = x.shape
    if not counted.any():
        return np.full(x.shape, np.nan)
    so_far = np.cumsum(counted, axis=0)
    # rows of counted values, instrument by instrument, and where those of each instrument begin
    rows = np.flatnonzero(counted.T) % days
    first = np.cumsum(so_far[-1]) - so_far[-1]
    enough_so_far = so_far >= k
    row = rows[np.where(enough_so_far, first + so_far - k, 0)]
    inside = np.arange(days)[:, None] - row < window
    return np.where(enough_so_far & inside, x[row, np.arange(names)], np.nan)


def _kth(x: Sequence[Any], params: Params, out: Any) -> None:
    words = str(params["ignore"]).split()
    skipped = [float(np.float32(word)) for word in words if word.lower() != "nan"]
    counted = ~np.isin(x[0], skipped)
    if any(word.lower() == "nan" for word in words):
        counted &= ~np.isnan(x[0])
    out[...] = _kth_newest(x[0], counted, params["window"], params["k"])


def _backfill(x: Sequence[Any], params: Params, out: Any) -> None:
    valid = ~np.isnan(x[0])
    out[...] = np.where(valid, x[0], _kth_newest(x[0], valid, params["window"], params["k"]))


def _last_different(x: Sequence[Any], params: Params, out: Any) -> None:
    valid = ~np.isnan(x[0].T)
    instrument, row = np.nonzero(valid)
    values = x[0].T[valid]
    place = np.arange(values.size)
    # a run of equal values of one instrument; the value before it is the last different one
    begins = np.r_[True, (values[1:] != values[:-1]) | (instrument[1:] != instrument[:-1])][: values.size]
    before = np.maximum.accumulate(np.where(begins, place, 0)) - 1
    known = (before >= 0) & (instrument[before] == instrument) & (row - row[before] < params["window"])
    out[...] = np.nan
    out.T[valid] = np.where(known, values[before], np.nan)


def _partial_corr(x: Sequence[Any], params: Params, out: Any) -> None:
    window = params["window"]
    for rows in window_blocks(x[0].shape, 3 * window):
        a, b, c = (windows_of(panel, rows, window) for panel in x)
        ab, ac, bc = _correlation(a, b), _correlation(a, c), _correlation(b, c)
        free_a, free_b = 1.0 - ac**2, 1.0 - bc**2
        # where z explains a side entirely only rounding noise is left
        known = (free_a > _EXPLAINED) & (free_b > _EXPLAINED)
        out[rows] = np.where(known, (ab - ac * bc) / np.sqrt(free_a * free_b), np.nan)
    drop_infinite(out)


def _correlation(a: Values, b: Values) -> Values:
    """Correlation of whole windows; missing where either side is constant or has a gap."""
    da = a - a.mean(axis=-1, keepdims=True)
    db = b - b.mean(axis=-1, keepdims=True)
    varies = (a.min(axis=-1) < a.max(axis=-1)) & (b.min(axis=-1) < b.max(axis=-1))
    r = (da * db).sum(axis=-1) / (np.sqrt((da**2).sum(axis=-1)) * np.sqrt((db**2).sum(axis=-1)))
    return np.where(varies, np.clip(r, -1.0, 1.0), np.nan)


def _scores(w: Values) -> Values:
    """Distance from the mean in standard deviations; missing where a window is constant or has a gap."""
    distance = w - w.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((distance * distance).mean(axis=-1, keepdims=True))
    varies = w.min(axis=-1, keepdims=True) < w.max(axis=-1, keepdims=True)
    return np.where(varies, distance / deviation, np.nan)


def _triple_corr(x: Sequence[Any], params: Params, out: Any) -> None:
    window = params["window"]
    for rows in window_blocks(x[0].shape, 3 * window):
        a, b, c = (_scores(windows_of(panel, rows, window)) for panel in x)
        out[rows] = (a * b * c).mean(axis=-1)
    drop_infinite(out)


def _co_kurt(x: Sequence[Any], params: Params, out: Any) -> None:
    window = params["window"]
    for rows in window_blocks(x[0].shape, 2 * window):
        a, b = (_scores(windows_of(panel, rows, window)) for panel in x)
        out[rows] = (a * b * b * b).mean(axis=-1)
    drop_infinite(out)


def _theil_sen(x: Sequence[Any], params: Params, out: Any) -> None:
    window = params["window"]
    first, second = np.triu_indices(window, 1)
    pairs = max(1, first.size)
    width = max(1, 2_000_000 // pairs)
    for start in range(0, out.shape[1], width):
        columns = slice(start, start + width)
        y, other = x[0][:, columns], x[1][:, columns]
        for rows in window_blocks(y.shape, pairs):
            a, b = windows_of(y, rows, window), windows_of(other, rows, window)
            rise, run = a[..., second] - a[..., first], b[..., second] - b[..., first]
            slopes = np.where(run != 0, rise / run, np.nan)
            complete = ~np.isnan(a).any(axis=-1) & ~np.isnan(b).any(axis=-1)
            out[rows, columns] = np.where(complete, _median_of_known(slopes), np.nan)
    drop_infinite(out)


def _median_of_known(values: Values) -> Values:
    if not values.shape[-1]:
        return np.full(values.shape[:-1], np.nan)
    ordered = np.sort(values, axis=-1)  # missing values come last
    n = np.count_nonzero(~np.isnan(values), axis=-1)[..., None]
    low = np.take_along_axis(ordered, np.maximum(n - 1, 0) // 2, axis=-1)[..., 0]
    high = np.take_along_axis(ordered, n // 2, axis=-1)[..., 0]
    return 0.5 * (low + high)


RUNNERS: dict[str, Runner] = {
    "ts_product": _product,
    "ts_moment": _moment,
    "ts_decay_exp": _decay_exp,
    "ts_entropy": _entropy,
    "ts_kth": _kth,
    "ts_backfill": _backfill,
    "ts_last_different": _last_different,
    "ts_partial_corr": _partial_corr,
    "ts_triple_corr": _triple_corr,
    "ts_co_kurt": _co_kurt,
    "ts_theilsen": _theil_sen,
}
