from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.judge._measure import Measured
from assay.judge._population import Population
from assay.judge._results import Significance
from assay.judge._verdict import BatchStatistics
from assay.metrics import adjust_p, deflated_sharpe, pbo_cscv, psr

BLOCKS = 16


def p_value(t: float) -> float:
    """Two-sided p-value of a t statistic, by the normal distribution."""
    return math.nan if math.isnan(t) else math.erfc(abs(t) / math.sqrt(2.0))


def significance(measured: Measured, population: Population) -> Significance:
    """Significance of one factor among the trials of the population."""
    moments = measured.moments
    known = not math.isnan(moments.sharpe)
    dsr = math.nan
    if population.trials is not None and known and not math.isnan(population.variance):
        dsr = deflated_sharpe(moments, population.trials, population.variance).value
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
        trials=population.trials,
        trials_source=population.source,
        sharpe_variance=population.variance if population.trials is not None else math.nan,
        rank_ic_interval=measured.interval,
    )


def batch_statistics(measured: Sequence[Measured], population: Population) -> BatchStatistics:
    """q-values and PBO of the factors judged together, over them and all other trials of the population."""
    own = np.array([p_value(float(m.summary["t"])) for m in measured])
    p = np.concatenate([own, population.p_values])
    known = np.isfinite(p)
    q_bh, q_by = np.full(len(p), math.nan), np.full(len(p), math.nan)
    if known.any():
        q_bh[known] = adjust_p(p[known], "bh", tests=len(p)).values
        q_by[known] = adjust_p(p[known], "by", tests=len(p)).values
    pbo, splits, note = _overfitting([*(m.excess for m in measured if len(m.excess)), *population.excess])
    return BatchStatistics(
        judged=len(measured),
        q_bh=tuple(q_bh[: len(measured)].tolist()),
        q_by=tuple(q_by[: len(measured)].tolist()),
        pbo=pbo,
        pbo_splits=splits,
        note=f"N = {len(p)}, {population.note}; {note}",
    )


def _overfitting(series: Sequence[np.ndarray]) -> tuple[float, int, str]:
    if len(series) < 2:
        return math.nan, 0, "PBO needs two factors with a book"
    length = min(len(returns) for returns in series)
    if length < 2 * BLOCKS:
        return math.nan, 0, f"PBO needs {2 * BLOCKS} bars that all books share, there are {length}"
    found = pbo_cscv(np.stack([returns[-length:] for returns in series], axis=1), BLOCKS)
    note = f"PBO by CSCV over {found.splits} splits of {found.blocks} blocks of net excess returns"
    return found.pbo, found.splits, f"{note} of {len(series)} trials"
