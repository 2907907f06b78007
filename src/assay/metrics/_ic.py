from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.metrics._arrays import AnyArray, Floats
from assay.metrics._conventions import DDOF, NEWEY_WEST_LAGS
from assay.metrics._statistics import autocorrelation, mean_of, newey_west_t, ratio_of, std_of

Method = Literal["pearson", "spearman"]


@dataclass(frozen=True, slots=True)
class IcSummary:
    """A series of ICs in numbers. ``icir`` = mean/std, daily, not annualised; ``t`` is Newey-West over
    ``lags``.
    """

    method: Method
    mean: float
    std: float
    icir: float
    t: float
    lags: int
    days: int
    undefined_days: int
    positive_share: float
    autocorrelation: float
    mean_names: float


@dataclass(frozen=True, slots=True)
class IcSeries:
    """One correlation a date between signal and label over ``names`` names; NaN where undefined.

    A date is undefined when it has fewer than ``min_names`` names with both, or when either side is constant.
    """

    method: Method
    values: Floats
    names: NDArray[np.int64]
    min_names: int

    def __post_init__(self) -> None:
        if bool((np.abs(self.values) > 1.0).any()):
            raise AssertionError("a correlation left [-1, 1]")

    @property
    def undefined(self) -> int:
        """Dates on which some name had both a signal and a label, yet no IC is defined."""
        return int(np.sum(np.isnan(self.values) & (self.names > 0)))

    def between(self, start: int, stop: int) -> IcSeries:
        """The dates of rows ``start`` to ``stop``, half-open."""
        return IcSeries(self.method, self.values[start:stop], self.names[start:stop], self.min_names)

    def admissible(self, min_names: int) -> IcSeries:
        """The same series with dates of fewer than ``min_names`` names undefined."""
        kept = np.where(self.names >= min_names, self.values, np.nan)
        return IcSeries(self.method, kept, self.names, max(min_names, self.min_names))

    def summary(self, lags: int = NEWEY_WEST_LAGS) -> IcSummary:
        """Mean, ICIR and Newey-West t over the defined dates."""
        defined = self.values[np.isfinite(self.values)]
        days = len(defined)
        return IcSummary(
            method=self.method,
            mean=mean_of(defined),
            std=std_of(defined, DDOF),
            icir=ratio_of(defined, DDOF),
            t=newey_west_t(defined, lags),
            lags=lags,
            days=days,
            undefined_days=self.undefined,
            positive_share=float(np.mean(defined > 0)) if days else math.nan,
            autocorrelation=autocorrelation(defined),
            mean_names=float(self.names[np.isfinite(self.values)].mean()) if days else math.nan,
        )


def ic_from(method: Method, values: AnyArray, names: AnyArray, min_names: int) -> IcSeries:
    """An :class:`IcSeries` of arrays of any numeric type."""
    return IcSeries(
        method, np.asarray(values, dtype=np.float64), np.asarray(names, dtype=np.int64), min_names
    )
