"""What luck alone reaches: the best alpha held against all trials on its data that the ledger has."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from assay.brain._result import JobResult
from assay.brain.agent._types import Luck
from assay.errors import Refusal
from assay.ledger import Run, Scope, decode_series
from assay.metrics import deflated_sharpe, moments_of

_YEAR: Final = math.sqrt(252.0)


def luck_of(run: Run, best: JobResult | None, series: str | None) -> Luck | None:
    """N, the Sharpe ratio that the best of so many worthless trials is expected to show, and the DSR.

    Parameters
    ----------
    series : name of the object with the best alpha's daily returns.

    Returns
    -------
    None without a trial. N is that of the data set, whatever desk made a trial, as it is now; where the
    ledger cannot give it, ``note`` says why, and figures are None.

    Notes
    -----
    Bailey and Lopez de Prado (2014), as the judge has it.
    """
    own = next(run.entries(kind="trial"), None)
    if own is None:
        return None
    try:
        trials = run.ledger.trials(Scope(data=own.body["data"]), within=run.id)
    except Refusal as refusal:
        return Luck(None, None, None, refusal.message)
    variance = trials.sharpe_variance
    if best is None or series is None or math.isnan(variance):
        return Luck(trials.n, None, None, "the spread of Sharpe ratios is not known of fewer than two trials")
    moments = moments_of(np.asarray(decode_series(run.ledger.get(series)).values))
    found = deflated_sharpe(moments, trials.n, variance)
    return Luck(trials.n, _finite(found.threshold * _YEAR), _finite(found.value))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
