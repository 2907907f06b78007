"""Ops over the several values of one instrument on one date; missing where it has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.engine._ops._types import Params, Runner
from assay.engine._ops._windows import drop_infinite


def _reduce(function: Callable[[Any, Any], Any]) -> Runner:
    """A runner over (K, dates, instruments): `function` of the values (0 where missing) and of which are
    valid.
    """

    def run(x: Sequence[Any], params: Params, out: Any) -> None:
        for t in range(out.shape[0]):
            values = x[0][:, t].astype(np.float64)
            valid = ~np.isnan(values) & ~np.isinf(values)
            out[t] = np.where(valid.any(axis=0), function(np.where(valid, values, 0.0), valid), np.nan)
        drop_infinite(out)

    return run


def _sum(values: Any, valid: Any) -> Any:
    return values.sum(axis=0)


def _mean(values: Any, valid: Any) -> Any:
    return values.sum(axis=0) / valid.sum(axis=0)


def _std(values: Any, valid: Any) -> Any:
    distance = np.where(valid, values - _mean(values, valid), 0.0)
    return np.sqrt((distance**2).sum(axis=0) / valid.sum(axis=0))


def _least(values: Any, valid: Any) -> Any:
    return np.where(valid, values, np.inf).min(axis=0)


def _largest(values: Any, valid: Any) -> Any:
    return np.where(valid, values, -np.inf).max(axis=0)


def _median(values: Any, valid: Any) -> Any:
    ordered = np.sort(np.where(valid, values, np.inf), axis=0)
    n = np.maximum(valid.sum(axis=0), 1)
    low = np.take_along_axis(ordered, ((n - 1) // 2)[None], axis=0)[0]
    high = np.take_along_axis(ordered, (n // 2)[None], axis=0)[0]
    return 0.5 * (low + high)


def _with_params(function: Callable[..., Any]) -> Runner:
    """As `_reduce`, with a function that takes the op's parameters, too."""

    def run(x: Sequence[Any], params: Params, out: Any) -> None:
        _reduce(lambda values, valid: function(values, valid, **params))(x, params, out)

    return run


def _power_sum(values: Any, valid: Any, k: float) -> Any:
    return np.where(valid, np.power(values, k), 0.0).sum(axis=0)


def _choose(values: Any, valid: Any, nth: int) -> Any:
    chosen = valid & (valid.cumsum(axis=0) == nth + 1)
    return np.where(chosen.any(axis=0), np.where(chosen, values, 0.0).sum(axis=0), np.nan)


def _lower_quantile(values: Any, valid: Any, q: float) -> Any:
    ordered = np.sort(np.where(valid, values, np.inf), axis=0)
    places = np.floor(q * (np.maximum(valid.sum(axis=0), 1) - 1)).astype(np.int64)
    return np.take_along_axis(ordered, places[None], axis=0)[0]


def _standardised(values: Any, valid: Any, order: int) -> Any:
    """Mean of the powers of the distance from the mean in standard deviations; missing when these are 0."""
    distance = np.where(valid, values - _mean(values, valid), 0.0)
    deviation = _std(values, valid)
    score = distance / np.where(deviation > 0, deviation, np.nan)
    return np.where(valid, score**order, 0.0).sum(axis=0) / valid.sum(axis=0)


RUNNERS: dict[str, Runner] = {
    "vec_sum": _reduce(_sum),
    "vec_avg": _reduce(_mean),
    "vec_min": _reduce(_least),
    "vec_max": _reduce(_largest),
    "vec_count": _reduce(lambda values, valid: valid.sum(axis=0)),
    "vec_std": _reduce(_std),
    "vec_median": _reduce(_median),
    "vec_range": _reduce(lambda values, valid: _largest(values, valid) - _least(values, valid)),
    "vec_norm": _reduce(lambda values, valid: np.abs(values).sum(axis=0)),
    "vec_powersum": _with_params(_power_sum),
    "vec_choose": _with_params(_choose),
    "vec_percentage": _with_params(_lower_quantile),
    "vec_skew": _reduce(lambda values, valid: _standardised(values, valid, 3)),
    "vec_kurt": _reduce(lambda values, valid: _standardised(values, valid, 4) - 3.0),
}
