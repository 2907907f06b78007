"""Ops over the instruments of one date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.engine._elements import inverse_distribution
from assay.engine._ops._types import Params, Runner
from assay.engine._ops._windows import drop_infinite
from assay.engine._ranking import rank_rows

_CELLS = 131072
_Values = npt.NDArray[np.float64]


def _blocks(shape: tuple[int, int]) -> Iterator[slice]:
    height = max(1, _CELLS // max(1, shape[1]))
    for start in range(0, shape[0], height):
        yield slice(start, min(shape[0], start + height))


def _by_rows(function: Callable[..., _Values]) -> Runner:
    """A runner that gives `function` float64 rows of a block of dates at a time."""

    def run(x: Sequence[Any], params: Params, out: Any) -> None:
        for rows in _blocks(out.shape):
            out[rows] = function(*(panel[rows].astype(np.float64) for panel in x), **params)
        drop_infinite(out)

    return run


def _sum(values: _Values) -> _Values:
    """Sum of each row's valid values, as a column."""
    total: _Values = np.where(np.isnan(values), 0.0, values).sum(axis=1, keepdims=True)
    return total


def _count(values: _Values) -> _Values:
    count: _Values = (~np.isnan(values)).sum(axis=1, keepdims=True).astype(np.float64)
    return count


def _mean(values: _Values) -> _Values:
    return _sum(values) / _count(values)


def _lowest(values: _Values) -> _Values:
    low: _Values = np.where(np.isnan(values), np.inf, values).min(axis=1, keepdims=True)
    return low


def _highest(values: _Values) -> _Values:
    high: _Values = np.where(np.isnan(values), -np.inf, values).max(axis=1, keepdims=True)
    return high


def _deviation(values: _Values, ddof: int) -> _Values:
    n = _count(values)
    spread = _sum((values - _mean(values)) ** 2)
    return np.where(n > ddof, np.sqrt(spread / np.maximum(n - ddof, 1.0)), np.nan)


def _zscore(x: Sequence[Any], params: Params, out: Any) -> None:
    from assay.engine._kernels._cross_section import ZSCORE, cross_section

    cross_section(ZSCORE, x[0], float(params["ddof"]), out)


def _demean(x: Sequence[Any], params: Params, out: Any) -> None:
    from assay.engine._kernels._cross_section import DEMEAN, cross_section

    cross_section(DEMEAN, x[0], 0.0, out)


def _scale(x: Sequence[Any], params: Params, out: Any) -> None:
    if params["longscale"] > 0 or params["shortscale"] > 0:
        _scale_sides(x, params, out)
        return
    from assay.engine._kernels._cross_section import SCALE, cross_section

    cross_section(SCALE, x[0], float(params["scale"]), out)


def _sides(x: _Values, *, scale: float, longscale: float, shortscale: float) -> _Values:
    longs = _sum(np.where(x > 0, x, 0.0))
    shorts = -_sum(np.where(x < 0, x, 0.0))
    return np.where(x > 0, x * longscale / longs, np.where(x < 0, x * shortscale / shorts, x))


_scale_sides = _by_rows(_sides)


def _rank(x: Sequence[Any], params: Params, out: Any) -> None:
    rank_rows(x[0], out, params["scale"])


def _rank_by_side(x: Sequence[Any], params: Params, out: Any) -> None:
    above, below = np.empty_like(out), np.empty_like(out)
    rank_rows(np.where(x[0] > 0, x[0], np.float32(np.nan)), above, "(r-1)/(n-1)")
    rank_rows(np.where(x[0] < 0, -x[0], np.float32(np.nan)), below, "(r-1)/(n-1)")
    for rows in _blocks(out.shape):
        row = x[0][rows]
        signed = np.where(row > 0, above[rows], np.where(row < 0, -below[rows], row)).astype(np.float64)
        out[rows] = signed * params["scale"] / _sum(np.abs(signed))
    drop_infinite(out)


def _rank_gaussian(x: Sequence[Any], params: Params, out: Any) -> None:
    rank_rows(x[0], out, "(r-1)/(n-1)")
    driver, sigma = params["driver"], params["sigma"]
    for rows in _blocks(out.shape):
        place = out[rows].astype(np.float64)
        n = _count(place)
        # a rank is a multiple of one half: taking it back undoes the rounding to float32
        place = np.rint(2.0 * (n - 1.0) * place) / 2.0 / (n - 1.0)
        p = 1.0 / n + place * (1.0 - 2.0 / n)
        value = p - _mean(p) if driver == "uniform" else inverse_distribution(p, driver)
        out[rows] = np.where(n > 2, value * sigma, np.nan)
    drop_infinite(out)


def _normalize(x: _Values, *, use_std: bool, limit: float) -> _Values:
    centred = x - _mean(x)
    if use_std:
        centred = centred / _deviation(x, 1)
    return np.clip(centred, -limit, limit) if limit > 0 else centred


def _winsorize(x: _Values, *, std: float) -> _Values:
    mean = _mean(x)
    reach = std * _deviation(x, 0)
    return np.clip(x, mean - reach, mean + reach)


def _truncate(x: _Values, *, max_percent: float) -> _Values:
    limit = max_percent * _sum(np.abs(x))
    return np.clip(x, -limit, limit)


def _vector_neutralize(x: _Values, y: _Values) -> _Values:
    both = np.isnan(x) | np.isnan(y)
    shared = np.where(both, np.nan, y)
    return x - _sum(x * shared) / _sum(shared * shared) * y


def _regression_neutralize(y: _Values, x: _Values) -> _Values:
    missing = np.isnan(x) | np.isnan(y)
    a = np.where(missing, np.nan, x)
    b = np.where(missing, np.nan, y)
    da = a - _mean(a)
    db = b - _mean(b)
    varies = _highest(a) > _lowest(a)
    return np.where(varies, db - _sum(da * db) / _sum(da * da) * da, np.nan)


def _scale_down(x: _Values, *, constant: float) -> _Values:
    low = _lowest(x)
    return (x - low) / (_highest(x) - low) - constant


def _bucket(x: Sequence[Any], params: Params, out: Any) -> None:
    edges = np.array([float(edge) for edge in params["edges"].split(",")], np.float32)
    codes = np.searchsorted(edges, x[0], side="left")
    if params["skip_both"]:
        codes = np.where((codes == 0) | (codes == edges.size), -1, codes)
    missing = edges.size + 1 if params["missing_group"] else -1
    out[...] = np.where(np.isnan(x[0]), missing, codes)


def _dense(codes: npt.NDArray[np.int64], out: Any) -> None:
    """Number the codes of each row without gaps, in their order; negative codes are no group."""
    for t, row in enumerate(codes):
        member = row >= 0
        out[t] = -1
        out[t, member] = np.unique(row[member], return_inverse=True)[1]


def _densify(x: Sequence[Any], params: Params, out: Any) -> None:
    _dense(x[0].astype(np.int64), out)


def _group_cross(x: Sequence[Any], params: Params, out: Any) -> None:
    first, second = (groups.astype(np.int64) for groups in x)
    width = int(second.max(initial=0)) + 1
    _dense(np.where((first >= 0) & (second >= 0), first * width + second, -1), out)


def _group_coalesce(x: Sequence[Any], params: Params, out: Any) -> None:
    first, second = x
    after = first.max(axis=1, keepdims=True, initial=-1) + 1
    out[...] = np.where(first >= 0, first, np.where(second >= 0, after + second, -1))


RUNNERS: dict[str, Runner] = {
    "rank": _rank,
    "zscore": _zscore,
    "demean": _demean,
    "scale": _scale,
    "normalize": _by_rows(_normalize),
    "rank_gaussian": _rank_gaussian,
    "rank_by_side": _rank_by_side,
    "winsorize": _by_rows(_winsorize),
    "truncate": _by_rows(_truncate),
    "vector_neutralize": _by_rows(_vector_neutralize),
    "regression_neutralize": _by_rows(_regression_neutralize),
    "scale_down": _by_rows(_scale_down),
    "bucket": _bucket,
    "densify": _densify,
    "group_cross": _group_cross,
    "group_coalesce": _group_coalesce,
}
