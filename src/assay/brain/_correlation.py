"""The correlation that the platform's rule of self-correlation is about."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.brain._limits import BETTER_BY, SELF_CORRELATION, SELF_CORRELATION_YEARS

LEAST_COMMON_DAYS: Final = 60

Days = npt.NDArray[np.datetime64]
Dollars = npt.NDArray[np.floating[Any]]


def pnl_correlation(days: Days, pnl: Dollars, other_days: Days, other_pnl: Dollars) -> float | None:
    """Pearson correlation of daily PnL on common dates of the last four years of the first.

    None where it is undefined: fewer than 60 common dates, or a PnL that never changes.
    """
    since = years_before(days[-1], SELF_CORRELATION_YEARS)
    common, left, right = np.intersect1d(days, other_days, assume_unique=True, return_indices=True)
    kept = common > since
    x, y = pnl[left[kept]], other_pnl[right[kept]]
    if len(x) < LEAST_COMMON_DAYS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))


def may_follow(sharpe: float | None, other: float | None, correlation: float | None) -> bool:
    """Whether an alpha may be submitted where the other is already: below 0.7, or better by a tenth."""
    if correlation is None or correlation < SELF_CORRELATION:
        return True
    return sharpe is not None and (other is None or sharpe >= BETTER_BY * other)


def years_before(day: np.datetime64, years: int, months: int = 0) -> np.datetime64:
    """The same day of the month so long ago; the last of the month where it is shorter."""
    month = day.astype("datetime64[M]")
    target = month - np.timedelta64(12 * years + months, "M")
    longest = (target + np.timedelta64(1, "M")).astype("datetime64[D]") - np.timedelta64(1, "D")
    return min(target.astype("datetime64[D]") + (day - month.astype("datetime64[D]")), longest)
