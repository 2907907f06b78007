from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.metrics._arrays import AnyArray, Floats, panel64, require
from assay.metrics._conventions import UNDEFINED_TOLERANCE


@dataclass(frozen=True, slots=True)
class Overfitting:
    """Probability of backtest overfitting by CSCV.

    ``pbo`` is the share of splits in which the best in sample falls to the median or below out of sample;
    ``logits`` are those of its relative rank out of sample; ``loss`` is the share with a Sharpe ratio below 0
    there; ``slope`` regresses the out-of-sample ratio of the chosen one on its in-sample ratio.
    """

    pbo: float
    logits: Floats
    loss: float
    slope: float
    splits: int
    blocks: int
    trials: int


def pbo_cscv(returns: AnyArray, blocks: int = 16) -> Overfitting:
    """Combinatorially symmetric cross-validation of a choice among trials.

    Parameters
    ----------
    returns : (T, M) returns of all M trials on the same dates, none missing.
    blocks : even number of equal blocks of dates; the last ``T % blocks`` rows are left out.

    Notes
    -----
    Bailey, Borwein, López de Prado and Zhu (2017). Sharpe ratios come from block sums about each trial's
    mean, in float64. A trial that is constant in a split ranks lowest there.
    """
    values = panel64(returns, "returns")
    T, M = values.shape
    require(bool(np.isfinite(values).all()), "returns has missing values", "returns", "give complete trials")
    require(M >= 2, f"{M} trial", "returns", "give at least 2")
    require(
        blocks >= 2 and blocks % 2 == 0, f"blocks is {blocks}", "blocks", "give an even number of at least 2"
    )
    require(
        blocks <= 20,
        f"blocks is {blocks}",
        "blocks",
        "give at most 20: the splits number C(blocks, blocks/2)",
    )
    size = T // blocks
    require(size >= 2, f"{T} dates in {blocks} blocks", "blocks", "give at least 2 dates a block")
    center = values.mean(axis=0)
    shaped = (values[: size * blocks] - center).reshape(blocks, size, M)
    sums, squares = shaped.sum(axis=1), (shaped**2).sum(axis=1)
    chosen = np.array(list(combinations(range(blocks), blocks // 2)))
    inside = np.zeros((len(chosen), blocks))
    np.put_along_axis(inside, chosen, 1.0, axis=1)
    n = size * blocks // 2
    logits, fitted, tested = np.empty(len(chosen)), np.empty(len(chosen)), np.empty(len(chosen))
    for first in range(0, len(chosen), 1024):  # bounds the memory: (1024, M) at a time
        part = slice(first, first + 1024)
        seen = _sharpe(inside[part] @ sums, inside[part] @ squares, center, n)
        unseen = _sharpe((1 - inside[part]) @ sums, (1 - inside[part]) @ squares, center, n)
        rows = np.arange(len(seen))
        best = np.argmax(seen, axis=1)
        own = unseen[rows, best][:, None]
        rank = (unseen < own).sum(axis=1) + 0.5 * ((unseen == own).sum(axis=1) + 1)
        relative = rank / (M + 1)
        logits[part] = np.log(relative / (1 - relative))
        fitted[part], tested[part] = seen[rows, best], own[:, 0]
    usable = np.isfinite(fitted) & np.isfinite(tested)
    slope = float("nan")
    if usable.sum() > 2 and np.std(fitted[usable]) > UNDEFINED_TOLERANCE:
        gap = fitted[usable] - fitted[usable].mean()
        slope = float(gap @ tested[usable] / (gap @ gap))
    return Overfitting(
        float(np.mean(logits <= 0)), logits, float(np.mean(tested < 0)), slope, len(chosen), blocks, M
    )


def _sharpe(sums: Floats, squares: Floats, center: Floats, n: int) -> Floats:
    gap = sums / n
    variance = np.maximum(squares / n - gap * gap, 0.0) * n / (n - 1)
    mean, std = gap + center, np.sqrt(variance)
    fine = std > UNDEFINED_TOLERANCE * np.maximum(1.0, np.abs(mean))
    return np.where(fine, mean / np.where(fine, std, 1.0), -np.inf)
