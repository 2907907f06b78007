from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from assay.base import generator
from assay.metrics._arrays import AnyArray, Singles, mask2, panel32, require
from assay.metrics._conventions import NEWEY_WEST_LAGS
from assay.metrics._ic import IcSeries, IcSummary
from assay.metrics._labels import lag_rows
from assay.metrics._scorer import Scorer


@dataclass(frozen=True, slots=True)
class LateSignal:
    """RankIC in time and ``bars`` bars late; ``kept`` is the late mean over the mean in time."""

    bars: int
    in_time: IcSummary
    late: IcSummary
    kept: float


def late_signal(signal: AnyArray, scorer: Scorer, bars: int = 1, lags: int = NEWEY_WEST_LAGS) -> LateSignal:
    """What is left of the RankIC when the signal arrives ``bars`` bars late.

    A signal that loses everything by one bar lives on the fill itself, or knows what it should not.
    """
    require(bars >= 1, f"bars is {bars}", "bars", "give at least 1")
    in_time = scorer.score(signal).rank_ic.summary(lags)
    late = scorer.score(lag_rows(np.asarray(signal, dtype=np.float32), bars)).rank_ic.summary(lags)
    fine = math.isfinite(in_time.mean) and in_time.mean != 0
    return LateSignal(bars, in_time, late, late.mean / in_time.mean if fine else math.nan)


def shuffle_rows(values: AnyArray, seed: int, universe: AnyArray | None = None) -> Singles:
    """Each date's values dealt out anew among the names that have one; who has a value stays the same."""
    x = panel32(values, "values")
    has = mask2(universe, "universe", (x.shape[0], x.shape[1]), default=True) & np.isfinite(x)
    draw = generator(seed, "shuffle").random(x.shape)
    source = np.argsort(np.where(has, draw, 2.0), axis=1, kind="stable")
    target = np.argsort(~has, axis=1, kind="stable")
    out = np.full(x.shape, np.nan, dtype=np.float32)
    np.put_along_axis(out, target, np.take_along_axis(np.where(has, x, np.nan), source, axis=1), axis=1)
    return out


@dataclass(frozen=True, slots=True)
class ShuffleTest:
    """Mean RankIC of shuffled cross-sections, one per seed.

    Under the null a date's RankIC has variance 1/(n-1), so the mean stays within ``band`` of 0 for all
    seeds together with probability ``level``. Outside it, something in the evaluation favours the signal.
    """

    seeds: tuple[int, ...]
    means: tuple[float, ...]
    band: float
    level: float
    inside: bool


def shuffle_test(
    signal: AnyArray, scorer: Scorer, seeds: Sequence[int] = (0, 1, 2, 3, 4), level: float = 0.999
) -> ShuffleTest:
    """Score the signal with each cross-section shuffled; see :class:`ShuffleTest`."""
    require(len(seeds) > 0, "no seed", "seeds", "give at least one")
    require(0 < level < 1, f"level is {level}", "level", "give a share between 0 and 1")
    means: list[float] = []
    variance = math.nan
    for seed in seeds:
        series = scorer.score(shuffle_rows(signal, seed, scorer.universe)).rank_ic
        defined = np.isfinite(series.values)
        days = int(defined.sum())
        if days == 0:
            means.append(math.nan)
            continue
        means.append(float(series.values[defined].mean()))
        variance = float(np.sum(1.0 / (series.names[defined] - 1))) / days**2
    tail = (1.0 - level) / 2.0 / len(seeds)
    band = NormalDist().inv_cdf(1.0 - tail) * math.sqrt(variance) if math.isfinite(variance) else math.nan
    return ShuffleTest(tuple(seeds), tuple(means), band, level, all(abs(mean) <= band for mean in means))


@dataclass(frozen=True, slots=True)
class SubPeriod:
    """One part of the dates: rows ``start`` to ``stop``, half-open."""

    start: int
    stop: int
    summary: IcSummary


@dataclass(frozen=True, slots=True)
class SubPeriods:
    """ICs by part; ``same_sign`` is the share of parts whose mean has the sign of the whole."""

    parts: tuple[SubPeriod, ...]
    same_sign: float
    weakest: float


def sub_periods(series: IcSeries, parts: int = 4, lags: int = NEWEY_WEST_LAGS) -> SubPeriods:
    """Split the dates that have a defined IC, first to last, into ``parts`` equal stretches."""
    require(parts >= 1, f"parts is {parts}", "parts", "give at least 1")
    defined = np.flatnonzero(np.isfinite(series.values))
    if len(defined) == 0:
        return SubPeriods((), math.nan, math.nan)
    edges = np.linspace(defined[0], defined[-1] + 1, parts + 1).round().astype(int)
    found = tuple(SubPeriod(a, b, series.between(a, b).summary(lags)) for a, b in pairwise(edges.tolist()))
    sign = np.sign(series.summary(lags).mean)
    means = np.array([part.summary.mean for part in found])
    return SubPeriods(found, float(np.mean(np.sign(means) == sign)), float(np.nanmin(sign * means)))
