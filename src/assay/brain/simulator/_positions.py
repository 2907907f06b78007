"""From the values of an expression to dollars: each stage is a function of whole panels, float64 ``(T, N)``.

NaN means no opinion and takes no weight; 0 is an opinion, which neutralisation may move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from assay.config import BrainStage

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Codes = NDArray[np.int32]

_BLOCK: Final = 128
_NOISE: Final = 1e-12
"""A residual below this part of its value is what rounding left of nothing."""


@dataclass(frozen=True, slots=True)
class Stages:
    """What the stages need; means are taken out by ``groups``, ``"market"`` is one group of all."""

    members: Mask
    groups: Codes | Literal["market"] | None
    decay: int
    truncation: float
    book: float


def positions(values: NDArray[np.float32], stages: Stages, order: Sequence[BrainStage]) -> Floats:
    """Dollars by date and instrument, float64 ``(T, N)``; NaN where there is no opinion, which holds nothing.

    Row t uses rows <= t of ``values``; the delay is the caller's to apply.
    """
    by_date: dict[BrainStage, Callable[[Floats, slice], Floats]] = {
        "pasteurize": lambda x, rows: pasteurize(x, stages.members[rows]),
        "truncate": lambda x, rows: truncate(x, stages.truncation),
        "neutralize": lambda x, rows: _neutral(x, stages.groups, rows),
        "scale": lambda x, rows: scale(x, stages.book),
    }
    out = values.astype(np.float64)
    for stage in order:
        if stage == "decay":
            out = decay(out, stages.decay)
            continue
        for rows in row_blocks(len(out)):
            out[rows] = by_date[stage](out[rows], rows)
    return out


def row_blocks(days: int) -> Iterator[slice]:
    """Dates worked on at a time: fetching memory for whole panels costs more than the work on them."""
    return (slice(start, min(start + _BLOCK, days)) for start in range(0, days, _BLOCK))


def pasteurize(x: Floats, members: Mask) -> Floats:
    """Missing outside the universe, and where infinite."""
    return np.where(members & np.isfinite(x), x, np.nan)


def decay(x: Floats, days: int) -> Floats:
    """``(n x[t] + (n-1) x[t-1] + ..) / (n + .. + 1)``; 0 and 1 leave x as it is.

    A missing value counts as 0 later on; where x[t] itself is missing, so is the result.
    """
    if days <= 1:
        return x
    missing = np.isnan(x)
    known = np.where(missing, 0.0, x)
    total, part = days * known, np.empty_like(known)
    for ago in range(1, min(days, len(x))):
        np.multiply(known[:-ago], days - ago, out=part[ago:])
        total[ago:] += part[ago:]
    total /= days * (days + 1) / 2
    return np.where(missing, np.nan, total)


def truncate(x: Floats, share: float) -> Floats:
    """Cut so that abs(x) <= share * (sum of abs(x) over the date), as the operator ``truncate``; 0: uncut."""
    if share == 0:
        return x
    cap = share * size_of(x)
    return np.clip(x, -cap, cap)


def _neutral(x: Floats, groups: Codes | Literal["market"] | None, rows: slice) -> Floats:
    if groups is None:
        return x
    return demean(x) if isinstance(groups, str) else neutralize(x, groups[rows])


def demean(x: Floats) -> Floats:
    """Less the mean of the date."""
    known = np.isfinite(x)
    total = np.where(known, x, 0.0).sum(axis=1, keepdims=True)
    rest = x - total / np.maximum(known.sum(axis=1, keepdims=True), 1)
    return np.where(_is_noise(rest, x), 0.0, rest)


def neutralize(x: Floats, groups: Codes) -> Floats:
    """Less the mean of its group on the date; without a group, missing."""
    days, names = x.shape
    valid = np.isfinite(x) & (groups >= 0)
    kinds = int(groups.max(initial=0)) + 1
    cell = (groups + kinds * np.arange(days, dtype=np.int64)[:, None])[valid]
    sums = np.bincount(cell, weights=x[valid], minlength=days * kinds)
    counts = np.bincount(cell, minlength=days * kinds)
    own = x[valid]
    rest = own - sums[cell] / counts[cell]
    out = np.full((days, names), np.nan)
    out[valid] = np.where(_is_noise(rest, own), 0.0, rest)
    return out


def _is_noise(rest: Floats, own: Floats) -> Mask:
    return np.abs(rest) <= _NOISE * np.abs(own)


def scale(x: Floats, book: float | Floats) -> Floats:
    """So that abs(x) adds up to ``book`` (one, or ``(T, 1)``) on each date; a date of zeros stays one."""
    total = size_of(x)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, x * (book / total), x)


def size_of(x: Floats) -> Floats:
    """Sum of abs(x) over each date, ``(T, 1)``."""
    size = np.abs(x)
    total: Floats = np.fmax(size, 0.0, out=size).sum(axis=1, keepdims=True)  # a missing value adds nothing
    return total
