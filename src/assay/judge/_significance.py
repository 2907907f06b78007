from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.judge._measure import Measured
from assay.judge._results import Significance
from assay.judge._settings import JudgeSettings
from assay.judge._verdict import BatchStatistics
from assay.metrics import adjust_p, deflated_sharpe, pbo_cscv, psr

BLOCKS = 16
NO_TRIALS = "no DSR: N unknown"
NO_VARIANCE = "N given by the caller; no DSR: V[SR] unknown, give sharpe_variance (--sharpe-variance)"


def p_value(t: float) -> float:
    """Two-sided p-value of a t statistic, by the normal distribution."""
    return math.nan if math.isnan(t) else math.erfc(abs(t) / math.sqrt(2.0))


def significance(measured: Measured, settings: JudgeSettings, batch_variance: float) -> Significance:
    """Significance of one factor; ``batch_variance`` stands in for V[SR] where the settings give none."""
    moments = measured.moments
    given = settings.sharpe_variance
    variance = batch_variance if given is None else given
    source, dsr = NO_TRIALS, math.nan
    if settings.trials is not None:
        spread = "V[SR] over this batch" if given is None else "V[SR] given"
        if math.isnan(variance):
            source = NO_VARIANCE
        else:
            source = f"N given by the caller, {spread}"
            if not math.isnan(moments.sharpe):
                dsr = deflated_sharpe(moments, settings.trials, variance).value
    known = not math.isnan(moments.sharpe)
    t = float(measured.summary["t"])
    return Significance(
        t=t,
        t_lags=int(measured.summary["t_lags"]),
        p_value=p_value(t),
        sharpe=moments.sharpe,
        skew=moments.skew,
        kurtosis=moments.kurtosis,
        psr=psr(moments.sharpe, moments.n, moments.skew, moments.kurtosis) if known else math.nan,
        dsr=dsr,
        trials=settings.trials,
        trials_source=source,
        sharpe_variance=variance if settings.trials is not None else math.nan,
        rank_ic_interval=measured.interval,
    )


def batch_variance(measured: Sequence[Measured]) -> float:
    """Variance of the per-bar Sharpe ratios over a batch; NaN with fewer than two."""
    ratios = np.array([m.moments.sharpe for m in measured])
    ratios = ratios[np.isfinite(ratios)]
    return float(np.var(ratios, ddof=1)) if len(ratios) >= 2 else math.nan


def batch_statistics(measured: Sequence[Measured]) -> BatchStatistics:
    """q-values and PBO over the factors judged together; N is their number."""
    p = np.array([p_value(float(m.summary["t"])) for m in measured])
    known = np.isfinite(p)
    q_bh, q_by = np.full(len(p), math.nan), np.full(len(p), math.nan)
    if known.any():
        q_bh[known] = adjust_p(p[known], "bh", tests=len(p)).values
        q_by[known] = adjust_p(p[known], "by", tests=len(p)).values
    pbo, splits, note = _overfitting([m.excess for m in measured if len(m.excess)])
    return BatchStatistics(
        judged=len(measured),
        q_bh=tuple(q_bh.tolist()),
        q_by=tuple(q_by.tolist()),
        pbo=pbo,
        pbo_splits=splits,
        note=f"N = {len(measured)}, the factors judged here; {note}",
    )


def _overfitting(series: Sequence[np.ndarray]) -> tuple[float, int, str]:
    if len(series) < 2:
        return math.nan, 0, "PBO needs two factors with a book"
    length = min(len(returns) for returns in series)
    if length < 2 * BLOCKS:
        return math.nan, 0, f"PBO needs {2 * BLOCKS} bars that all books share, there are {length}"
    found = pbo_cscv(np.stack([returns[-length:] for returns in series], axis=1), BLOCKS)
    note = f"PBO by CSCV over {found.splits} splits of {found.blocks} blocks of net excess returns"
    return found.pbo, found.splits, note
