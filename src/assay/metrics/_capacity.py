from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.metrics._arrays import AnyArray, panel64, require


@dataclass(frozen=True, slots=True)
class Capacity:
    """Largest ``capital`` (in the unit of traded value) whose trades stay within ``participation`` of the
    market's.

    ``share`` of the traded weight fits at that capital; ``unknown`` is the share of traded weight on bars
    whose traded value is missing, which the estimate leaves out.
    """

    capital: float
    participation: float
    share: float
    unknown: float
    orders: int


def capacity_of(
    trades: AnyArray, traded_value: AnyArray, participation: float, share: float = 0.9
) -> Capacity:
    """How much money a book can carry.

    An order of weight w in a name that trades V allows a capital of ``participation * V / |w|``. The
    capacity is the capital that lets ``share`` of the traded weight pass.

    Parameters
    ----------
    trades : (T, N) signed traded weights of a book.
    traded_value : (T, N) money traded on the same bars.
    participation : largest share of a bar's traded value that the book may be, such as 0.05.
    share : of the traded weight that must fit.
    """
    require(
        0 < participation <= 1,
        f"participation is {participation}",
        "participation",
        "give a share above 0, up to 1",
    )
    require(0 < share <= 1, f"share is {share}", "share", "give a share above 0, up to 1")
    weight = np.abs(panel64(trades, "trades"))
    value = panel64(traded_value, "traded_value", (weight.shape[0], weight.shape[1]))
    ordered = weight > 0
    known = ordered & np.isfinite(value)
    total = float(weight[ordered].sum())
    if not known.any():
        return Capacity(math.nan, participation, share, 1.0 if total > 0 else math.nan, int(ordered.sum()))
    size = weight[known]
    allows = participation * value[known] / size
    order = np.argsort(-allows, kind="stable")
    fits = np.cumsum(size[order]) / size.sum()
    last = min(int(np.searchsorted(fits, share - 1e-12)), len(fits) - 1)
    unknown = 1.0 - float(size.sum()) / total
    return Capacity(float(allows[order][last]), participation, share, unknown, int(ordered.sum()))
