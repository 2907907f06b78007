"""The trials that a judgement is held against: where N, V[SR], q-values and PBO come from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.judge._measure import Measured
from assay.judge._results import FloatArray
from assay.judge._settings import JudgeSettings

NO_TRIALS = "no DSR: N unknown"
NO_VARIANCE = "N given by the caller; no DSR: V[SR] unknown, give sharpe_variance (--sharpe-variance)"
ONE_TRIAL = "N from the ledger; no DSR: V[SR] needs two trials with a book"
MOST_SERIES = 1000


@dataclass(frozen=True, slots=True)
class Population:
    """Trials among which a factor was found.

    Parameters
    ----------
    trials : N; ``None`` when it is not known, which leaves the DSR out.
    variance : V[SR] of the per-bar Sharpe ratios; NaN when unknown.
    source : where both come from, or why they are missing.
    p_values : those of the other trials, NaN for one without; q-values are over these and the judged ones.
    excess : daily net excess returns of the other trials on the judged dates.
    note : what q-values and PBO are over.
    """

    trials: int | None
    variance: float
    source: str
    p_values: FloatArray = field(default_factory=lambda: np.empty(0))
    excess: tuple[FloatArray, ...] = ()
    note: str = "the factors judged here"


def without_ledger(measured: Sequence[Measured], settings: JudgeSettings) -> Population:
    """The population of a judgement that no ledger records: N is what the caller gives, or unknown."""
    if settings.trials is None:
        return Population(None, math.nan, NO_TRIALS)
    given = settings.sharpe_variance
    variance = _batch_variance(measured) if given is None else given
    spread = "V[SR] over this batch" if given is None else "V[SR] given"
    source = NO_VARIANCE if math.isnan(variance) else f"N given by the caller, {spread}"
    return Population(settings.trials, variance, source)


def refused(reason: str) -> Population:
    """No figure may be had from an incomplete scope; ``reason`` says what is missing."""
    return Population(None, math.nan, f"no DSR: {reason}")


def _batch_variance(measured: Sequence[Measured]) -> float:
    """Variance of the per-bar Sharpe ratios over a batch; NaN with fewer than two."""
    ratios = np.array([m.moments.sharpe for m in measured])
    ratios = ratios[np.isfinite(ratios)]
    return float(np.var(ratios, ddof=1)) if len(ratios) >= 2 else math.nan
