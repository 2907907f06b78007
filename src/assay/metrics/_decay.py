from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.config import DEFAULT_HORIZONS
from assay.metrics._arrays import AnyArray, require
from assay.metrics._conventions import ENTRY, MIN_NAMES, NEWEY_WEST_LAGS
from assay.metrics._ic import IcSeries, IcSummary, Method
from assay.metrics._labels import forward_returns
from assay.metrics._scorer import Scorer

HORIZONS = DEFAULT_HORIZONS
"""Default horizons of the decay, in bars."""


@dataclass(frozen=True, slots=True)
class DecayPoint:
    """ICs on the label of one horizon; the t statistics use at least as many lags as the label has bars."""

    horizon: int
    ic: IcSummary
    rank_ic: IcSummary


@dataclass(frozen=True, slots=True)
class IcDecay:
    """ICs by horizon, shortest first."""

    points: tuple[DecayPoint, ...]


def horizon_scorers(
    price: AnyArray,
    horizons: Sequence[int] = HORIZONS,
    *,
    entry: int = ENTRY,
    delisted_row: AnyArray | None = None,
    universe: AnyArray | None = None,
    min_names: int = MIN_NAMES,
) -> dict[int, Scorer]:
    """One scorer per horizon, to be shared by many factors."""
    require(len(horizons) > 0, "no horizon", "horizons", "give at least one")
    return {
        h: Scorer(
            forward_returns(price, h, entry=entry, delisted_row=delisted_row),
            universe=universe,
            min_names=min_names,
        )
        for h in sorted(set(horizons))
    }


def ic_decay(signal: AnyArray, scorers: Mapping[int, Scorer], lags: int = NEWEY_WEST_LAGS) -> IcDecay:
    """How the ICs of a signal change with the horizon of the label."""
    points = []
    for horizon in sorted(scorers):
        score = scorers[horizon].score(signal)
        used = max(lags, horizon)
        points.append(DecayPoint(horizon, score.ic.summary(used), score.rank_ic.summary(used)))
    return IcDecay(tuple(points))


def information_coefficient(
    signal: AnyArray,
    label: AnyArray,
    method: Method = "spearman",
    *,
    universe: AnyArray | None = None,
    min_names: int = MIN_NAMES,
) -> IcSeries:
    """The IC of one signal on one label; to score many signals, keep a :class:`Scorer`.

    Examples
    --------
    >>> import numpy as np
    >>> signal = np.arange(12.0).reshape(1, 12)
    >>> information_coefficient(signal, signal**2).values
    array([1.])
    """
    require(
        method in ("pearson", "spearman"),
        f"no method is named {method!r}",
        "method",
        "give pearson or spearman",
    )
    score = Scorer(label, universe=universe, min_names=min_names).score(signal)
    return score.ic if method == "pearson" else score.rank_ic
