"""From the values of an expression to dollars: each stage is a function of whole panels, float64 ``(T, N)``.

NaN means no opinion and takes no weight; 0 is an opinion, which neutralisation may move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assay.config import BrainStage

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Codes = NDArray[np.int32]

_NOISE: Final = 1e-12
"""A residual below this part of its value is what rounding left of nothing."""


@dataclass(frozen=True, slots=True)
class Stages:
    """What the stages need; ``groups`` is None where nothing is neutralised."""

    members: Mask
    groups: Codes | None
    decay: int
    truncation: float
    book: float


def positions(values: NDArray[np.float32], stages: Stages, order: Sequence[BrainStage]) -> Floats:
    """Dollars by date and instrument, float64 ``(T, N)``; NaN where there is no opinion, which holds nothing.

    Row t uses rows <= t of ``values``; the delay is the caller's to apply.
    """
    work: dict[BrainStage, Callable[[Floats], Floats]] = {
        "pasteurize": lambda x: pasteurize(x, stages.members),
        "decay": lambda x: decay(x, stages.decay),
        "truncate": lambda x: truncate(x, stages.truncation),
        "neutralize": lambda x: x if stages.groups is None else neutralize(x, stages.groups),
        "scale": lambda x: scale(x, stages.book),
    }
    out = values.astype(np.float64)
    for stage in order:
        out = work[stage](out)
    return out


def pasteurize(x: Floats, members: Mask) -> Floats:
    """Missing outside the universe, and where infinite."""
    return np.where(members & np.isfinite(x), x, np.nan)


def decay(x: Floats, days: int) -> Floats:
    """``(n x[t] + (n-1) x[t-1] + ..) / (n + .. + 1)``; 0 and 1 leave x as it is.

    A missing value counts as 0 later on; where x[t] itself is missing, so is the result.
    """
    if days <= 1:
        return x
    known = np.nan_to_num(x, nan=0.0)
    total = days * known
    for ago in range(1, min(days, len(x))):
        total[ago:] += (days - ago) * known[:-ago]
    total /= days * (days + 1) / 2
    total[np.isnan(x)] = np.nan
    return total


def truncate(x: Floats, share: float) -> Floats:
    """Cut so that abs(x) <= share * (sum of abs(x) over the date), as the operator ``truncate``; 0: uncut."""
    if share == 0:
        return x
    cap = share * np.nansum(np.abs(x), axis=1, keepdims=True)
    return np.clip(x, -cap, cap)


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
    rest[np.abs(rest) <= _NOISE * np.abs(own)] = 0.0
    out = np.full((days, names), np.nan)
    out[valid] = rest
    return out


def scale(x: Floats, book: float | Floats) -> Floats:
    """So that abs(x) adds up to ``book`` (one, or ``(T, 1)``) on each date; a date of zeros stays one."""
    total = np.nansum(np.abs(x), axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, x * (book / total), x)
