"""The second engine's word on an accepted factor, on a sample of its data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from assay.base import generator
from assay.expr import Expression

if TYPE_CHECKING:
    from assay.market import Panel

SAMPLES: Final = 2
COMPARED: Final = 5
"""Bars that are compared at the end of each sample; the bars before them feed the lookback."""

NEAR: Final = 1e-3
"""A value differs when it is off by more than this share of its date's spread."""

MOST_APART: Final = 0.01
"""Share of cells that may differ: near-ties may rank in another order."""


@dataclass(frozen=True, slots=True)
class SecondEngine:
    """How far the fast engine and the slow one agree on the same bars.

    Parameters
    ----------
    agreed : they do.
    dates : last days of the samples.
    cells : that were compared: a member with a value by either engine.
    apart : share of them that differ, or are missing by one engine alone.
    largest : greatest difference, as a share of its date's spread.
    """

    agreed: bool
    dates: tuple[str, ...]
    cells: int
    apart: float
    largest: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**asdict(self), "dates": list(self.dates)}


def second_engine(
    expression: Expression, view: Panel, members: npt.NDArray[np.bool_], seed: int
) -> SecondEngine:
    """Evaluate a formula by both engines on a few stretches of ``view`` and compare their last bars.

    Both see the same rows, so that an op that never forgets begins at the same one.

    Parameters
    ----------
    members : universe by date, of the rows of ``view``.
    seed : of the draw of the stretches.
    """
    from assay.engine import evaluate, reference

    reach = min(expression.lookback + COMPARED - 1, view.shape[0])
    ends = np.arange(reach - 1, view.shape[0])
    chosen = generator(seed, "second engine", expression.fingerprint).choice(
        ends, min(SAMPLES, len(ends)), replace=False
    )
    cells, apart, largest = 0, 0, 0.0
    for end in np.sort(chosen):
        rows = view.between(view.dates[end - reach + 1], view.dates[end])
        inside = members[end - reach + 1 : end + 1]
        fast = evaluate({"factor": expression.node}, rows, universe=inside)["factor"]
        slow = reference.evaluate(expression.node, rows, universe=inside)
        count, differing, gap = _compared(fast[-COMPARED:], slow[-COMPARED:], inside[-COMPARED:])
        cells, apart, largest = cells + count, apart + differing, max(largest, gap)
    share = apart / cells if cells else 1.0
    dates = tuple(str(view.dates[end]) for end in np.sort(chosen))
    return SecondEngine(cells > 0 and share <= MOST_APART, dates, cells, share, largest)


def _compared(
    fast: npt.NDArray[np.float32], slow: npt.NDArray[np.float32], members: npt.NDArray[np.bool_]
) -> tuple[int, int, float]:
    """Cells compared, cells that differ, and the greatest difference."""
    one, other = np.isfinite(fast) & members, np.isfinite(slow) & members
    both = one & other
    left, right = (np.where(both, values, 0.0).astype(np.float64) for values in (fast, slow))
    high = np.where(both, right, -np.inf).max(axis=1, keepdims=True)
    low = np.where(both, right, np.inf).min(axis=1, keepdims=True)
    spread = np.where(high > low, high - low, 1.0)
    gap = np.abs(left - right) / spread
    return (
        int((one | other).sum()),
        int((gap > NEAR).sum() + (one ^ other).sum()),
        float(gap.max(initial=0.0)),
    )
