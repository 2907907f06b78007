from __future__ import annotations

import numpy as np

from assay.metrics._arrays import AnyArray, Singles, mask2, panel32
from assay.metrics._conventions import MIN_NAMES
from assay.metrics._ic import IcSeries
from assay.metrics._labels import lag_rows


def average_ranks(values: AnyArray, *, universe: AnyArray | None = None, scaled: bool = True) -> Singles:
    """Rank of each value within its date, equal values sharing the mean rank; lowest first.

    Parameters
    ----------
    values : (T, N); NaN and inf stay missing.
    universe : (T, N) bool, names that take part.
    scaled : divide by the number of names, giving (0, 1].
    """
    from assay.metrics._scorer import order_rows, sort_rows

    x = panel32(values, "values")
    allowed = mask2(universe, "universe", (x.shape[0], x.shape[1]), default=True).view(np.uint8)
    ranked = sort_rows(x, allowed)
    doubled = order_rows(x, ranked).doubled
    over = 2.0 * ranked.count[:, None] if scaled else 2.0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(ranked.state > 0, doubled / over, np.nan).astype(np.float32)


def rank_autocorrelation(
    signal: AnyArray, lag: int = 1, *, universe: AnyArray | None = None, min_names: int = MIN_NAMES
) -> IcSeries:
    """Spearman correlation of the signal with itself ``lag`` rows before, over the names that have both."""
    from assay.metrics._scorer import Scorer

    before = lag_rows(np.asarray(signal, dtype=np.float32), lag)
    return Scorer(before, universe=universe, min_names=min_names).score(signal).rank_ic
