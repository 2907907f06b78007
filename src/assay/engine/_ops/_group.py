"""Ops over the instruments of one date that share a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.engine._ops._types import Params, Runner
from assay.engine._ranking import grouped_order

_STATISTICS = (
    "group_neutralize", "group_zscore", "group_scale", "group_normalize", "group_sum", "group_max",
    "group_min", "group_std", "group_count",
)  # fmt: skip


def _number(groups: Any) -> int:
    return int(groups.max(initial=0)) + 1


def _statistic(operation: int) -> Runner:
    def run(x: Sequence[Any], params: Params, out: Any) -> None:
        from assay.engine._kernels._group import group_statistic

        values, groups = x
        least = float(params["tolerance"]) if params.get("constant_check") else 0.0
        factor = float(params.get("scale", 1.0))
        group_statistic(operation, values, values, groups, _number(groups), least, factor, out)

    return run


def _mean(x: Sequence[Any], params: Params, out: Any) -> None:
    from assay.engine._kernels._group import HARMONIC, MEAN, group_statistic

    values, weight, groups = x
    operation = HARMONIC if params["mean"] == "harmonic" else MEAN
    group_statistic(operation, values, weight, groups, _number(groups), 0.0, 1.0, out)


def _rank(x: Sequence[Any], params: Params, out: Any) -> None:
    from assay.engine._kernels._row_rank import ranks_in_groups

    values, groups = x
    out[...] = np.nan
    for rows, order, counts in grouped_order(values, groups):
        ranks_in_groups(values[rows], groups[rows], order, counts, params["scale"] != "r/n", out[rows])


def _median(x: Sequence[Any], params: Params, out: Any) -> None:
    from assay.engine._kernels._row_rank import medians_in_groups

    values, groups = x
    for rows, order, counts in grouped_order(values, groups):
        code = groups[rows]
        medians = np.full((code.shape[0], _number(groups)), np.nan, np.float32)
        medians_in_groups(values[rows], code, order, counts, medians)
        found = np.take_along_axis(medians, np.maximum(code, 0), axis=1)
        out[rows] = np.where(code >= 0, found, np.nan)


def _quantile(x: Sequence[Any], params: Params, out: Any) -> None:
    values, groups = x
    for t, (row, code) in enumerate(zip(values, groups, strict=True)):
        valid = ~np.isnan(row) & (code >= 0)
        order = np.lexsort((row[valid], code[valid]))
        ordered = row[valid][order].astype(np.float64)
        found, start, size = np.unique(code[valid][order], return_index=True, return_counts=True)
        place = params["q"] * (size - 1)
        below = np.floor(place).astype(np.int64)
        low, high = ordered[start + below], ordered[start + np.minimum(below + 1, size - 1)]
        by_code = np.full(int(code.max(initial=0)) + 1, np.nan)
        by_code[found] = low + (place - below) * (high - low)
        out[t] = np.where(code >= 0, by_code[np.maximum(code, 0)], np.nan)


def _backfill(x: Sequence[Any], params: Params, out: Any) -> None:
    values, groups = x
    window, std = params["window"], float(params["std"])
    for t in range(out.shape[0]):
        row = values[t].astype(np.float64)
        code = groups[t]
        missing = np.isnan(row) & (code >= 0)
        for group in np.unique(code[missing]):
            past = values[max(0, t - window + 1) : t + 1, code == group].astype(np.float64)
            row[missing & (code == group)] = _cut_mean(past[~np.isnan(past)], std)
        out[t] = np.where(code >= 0, row, np.nan)


def _cut_mean(valid: Any, std: float) -> float:
    """Mean of the values cut to their mean +- `std` standard deviations, divisor n - 1."""
    if valid.size == 0:
        return float("nan")
    mean = valid.sum() / valid.size
    reach = std * float(valid.std(ddof=1)) if valid.size > 1 else 0.0
    return float(np.clip(valid, mean - reach, mean + reach).mean())


RUNNERS: dict[str, Runner] = {
    **{name: _statistic(operation) for operation, name in enumerate(_STATISTICS)},
    "group_mean": _mean,
    "group_rank": _rank,
    "group_median": _median,
    "group_quantile": _quantile,
    "group_backfill": _backfill,
}
