"""Ops whose value depends on their own value of the bar before: a row at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.engine._ops._types import Params, Runner
from assay.engine._program import place_of


def _cumulative_sum(x: Sequence[Any], params: Params, out: Any) -> None:
    total = np.zeros(out.shape[1])
    begun = np.zeros(out.shape[1], np.bool_)
    for t, row in enumerate(x[0]):
        valid = ~np.isnan(row)
        total += np.where(valid, row, 0.0)
        begun |= valid
        out[t] = np.where(begun, total, np.nan)
    np.copyto(out, np.float32(np.nan), where=np.isinf(out))


def _bars_since_change(x: Sequence[Any], params: Params, out: Any) -> None:
    width = out.shape[1]
    before = np.full(width, np.nan, np.float32)
    changed = np.full(width, -1)
    for t, row in enumerate(x[0]):
        valid = ~np.isnan(row)
        changed[valid & ~np.isnan(before) & (row != before)] = t
        before = np.where(valid, row, before)
        out[t] = np.where(valid, np.where(changed >= 0, t - changed, 0), np.nan)


def _step(x: Sequence[Any], params: Params, out: Any) -> None:
    out[...] = (params["start"] + np.arange(out.shape[0], dtype=np.float64))[:, None]


def _trade_when(x: Sequence[Any], params: Params, out: Any) -> None:
    held = np.full(out.shape[1], np.nan, np.float32)
    for t, (trigger, value, leave) in enumerate(zip(*x, strict=True)):
        held = np.where(leave > 0, np.float32(np.nan), np.where(trigger > 0, value, held))
        out[t] = held


def _hump(x: Sequence[Any], params: Params, out: Any) -> None:
    held = np.full(out.shape[1], np.nan)
    for t, row in enumerate(x[0]):
        now = row.astype(np.float64)
        valid = ~np.isnan(now)
        limit = params["hump"] * float(np.abs(now[valid]).sum())
        step = now - held
        moved = np.where(np.abs(step) <= limit, held, held + np.sign(step) * limit)
        moved = np.where(np.isnan(held), now, moved)
        out[t] = np.where(valid, moved, np.nan)
        held = np.where(valid, moved, held)


def _jump_decay(x: Sequence[Any], params: Params, out: Any) -> None:
    from assay.engine._kernels._variance import DEVIATION, rolling_variance

    spread = np.empty_like(out)
    window = params["window"]
    rolling_variance(DEVIATION, *place_of(x[0]), window, window, 0, *out.shape, *place_of(spread))
    sensitivity, force = params["sensitivity"], params["force"]
    out[:1] = np.nan
    for t in range(1, out.shape[0]):
        now = x[0][t].astype(np.float64)
        before = x[0][t - 1].astype(np.float64)
        jump = np.abs(now - before) > sensitivity * spread[t].astype(np.float64)
        value = np.where(jump, before + force * (now - before), now)
        out[t] = np.where(np.isnan(spread[t]) | np.isnan(before), np.nan, value)


def _hump_decay(x: Sequence[Any], params: Params, out: Any) -> None:
    window, p, relative = params["window"], params["p"], params["relative"]
    out[:window] = np.nan
    for t in range(window, out.shape[0]):
        now = x[0][t].astype(np.float64)
        before = x[0][t - window].astype(np.float64)
        bound = p * np.abs(now + before) if relative else p
        value = np.where(np.abs(now - before) > bound, now, before)
        out[t] = np.where(np.isnan(now), np.nan, value)


def _delta_limit(x: Sequence[Any], params: Params, out: Any) -> None:
    held = np.full(out.shape[1], np.nan)
    for t, (row, size) in enumerate(zip(*x, strict=True)):
        now = row.astype(np.float64)
        reach = params["limit"] * np.abs(size.astype(np.float64))
        valid = ~np.isnan(now) & ~np.isnan(reach)
        moved = np.where(np.isnan(held), now, np.clip(now, held - reach, held + reach))
        out[t] = np.where(valid, moved, np.nan)
        held = np.where(valid, moved, held)


RUNNERS: dict[str, Runner] = {
    "cumulative_sum": _cumulative_sum,
    "bars_since_change": _bars_since_change,
    "ts_step": _step,
    "trade_when": _trade_when,
    "hump": _hump,
    "jump_decay": _jump_decay,
    "hump_decay": _hump_decay,
    "ts_delta_limit": _delta_limit,
}
