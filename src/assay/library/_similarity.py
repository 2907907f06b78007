from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.errors import DataError


class Similarity(NamedTuple):
    """How alike two factors rank the same stocks.

    ``correlation`` is the mean over ``days`` of the rank correlation of a day, NaN when no day counts.
    """

    correlation: float
    days: int


def similarity(
    values_a: npt.NDArray[np.floating], values_b: npt.NDArray[np.floating], *, minimum: int = 10
) -> Similarity:
    """Mean daily rank correlation of two panels of values.

    Parameters
    ----------
    values_a, values_b : (dates, instruments); NaN where missing.
    minimum : names that a day must have in both, to count. A day on which either factor does not vary
        has no correlation and does not count.

    Returns
    -------
    Spearman correlations (average ties) over the names present in both, averaged over the days.

    Raises
    ------
    DataError
        The shapes differ or are not two-dimensional.
    """
    if values_a.shape != values_b.shape or values_a.ndim != 2:
        raise DataError(
            f"the values have shapes {values_a.shape} and {values_b.shape}",
            where="similarity",
            fix="give two arrays of the same (dates, instruments)",
        )
    daily = [rank_correlation(a, b, max(minimum, 2)) for a, b in zip(values_a, values_b, strict=True)]
    valid = [value for value in daily if value is not None]
    return Similarity(float(np.mean(valid)) if valid else float("nan"), len(valid))


def rank_correlation(a: npt.NDArray[np.floating], b: npt.NDArray[np.floating], minimum: int) -> float | None:
    """Spearman correlation over the places known in both; None of fewer than ``minimum`` or a constant."""
    from scipy.stats import rankdata  # slow to import

    both = np.isfinite(a) & np.isfinite(b)
    if np.count_nonzero(both) < minimum:
        return None
    x, y = rankdata(a[both]), rankdata(b[both])
    x -= x.mean()
    y -= y.mean()
    norm = np.sqrt(np.dot(x, x) * np.dot(y, y))
    return float(np.clip(np.dot(x, y) / norm, -1.0, 1.0)) if norm > 0.0 else None
