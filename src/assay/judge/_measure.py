"""One signal against the setup: every figure of a verdict except the leak checks and the decision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assay.judge._book import BookResult, Signal, trade
from assay.judge._results import (
    SUMMARY,
    DecayRow,
    FloatArray,
    Interval,
    MonthlyTable,
    QuantileRow,
    Quantiles,
    Robustness,
    ShuffleControl,
    SubPeriod,
)
from assay.judge._setup import Setup
from assay.metrics import (
    PERIODS_PER_YEAR,
    IcSeries,
    Moments,
    QuantileReturns,
    Score,
    bootstrap_interval,
    coverage,
    lag_rows,
    mean_of,
    moments_of,
    neutral_rank_ic,
    newey_west_t,
    quantile_membership,
    quantile_turnover,
    rank_autocorrelation,
    sub_periods,
)

BAND_LEVEL = 0.999
QUICK_RESAMPLES = 100
INTERVAL_LEVEL = 0.95
HIGH_RANK_IC = 0.06
NEUTRAL_DAYS = 0.5
"""Share of the days with a RankIC that must have a neutral one, or the neutral one is undefined."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one factor. ``excess`` is the book's net excess return from its first trade on."""

    summary: Mapping[str, float | int]
    series: Mapping[str, FloatArray]
    decay: tuple[DecayRow, ...]
    monthly: MonthlyTable
    quantiles: Quantiles | None
    book: BookResult | None
    robustness: Robustness
    interval: Interval | None
    moments: Moments
    excess: FloatArray
    last_label: date | None
    notes: tuple[str, ...]


def lagged_signal(values: NDArray[np.float32], setup: Setup) -> Signal:
    """The signal of each row: values known ``lag`` rows before, of the members of the row, on judged rows.

    What the settings ask to neutralise is taken out of it.
    """
    signal = lag_rows(values, setup.settings.lag)
    signal[~setup.judged | ~np.isfinite(signal)] = np.nan
    return signal if setup.exposures is None else setup.exposures.residual(signal)


def measure(signal: Signal, setup: Setup) -> Measured:
    """Compute everything that a verdict says about a signal ``(T, N)``, already lagged and masked."""
    settings, rows = setup.settings, setup.rows
    scores = {h: scorer.score(signal) for h, scorer in setup.scorers.items()}
    score = scores[settings.horizon]
    rank_ic = _judged(score.rank_ic, rows)
    neutral = _neutral(signal, rank_ic, setup)
    direction = -1 if settings.direction == "auto" and mean_of(rank_ic.values) < 0 else 1
    book = trade(signal, setup, direction)
    own = rank_autocorrelation(signal, universe=setup.judged, min_names=settings.min_names)
    share = coverage(signal[rows], setup.judged[rows])
    series = {
        "ic": score.ic.values[rows],
        "rank_ic": rank_ic.values,
        "names": rank_ic.names.astype(np.float64),
        "coverage": share.per_date,
        "turnover": _top_turnover(signal, book, setup)[rows],
        "rank_autocorrelation": own.values[rows],
    }
    if neutral is not None:
        series["neutral_rank_ic"] = neutral.values
    quantiles = _quantiles(score, scores.get(1), setup)
    excess = np.empty(0) if book is None else book.excess
    return Measured(
        summary=_summary(score, rank_ic, neutral, book, quantiles, series, setup),
        series=series,
        decay=tuple(_decay(h, scores[h], setup) for h in sorted(scores)),
        monthly=_monthly(rank_ic.values, setup),
        quantiles=quantiles,
        book=None if book is None else replace(book, top=None),  # as large as the panel
        robustness=_robustness(signal, score, book, setup),
        interval=_interval(rank_ic.values, setup),
        moments=moments_of(excess),
        excess=excess,
        last_label=_last_label(rank_ic, setup),
        notes=_notes(rank_ic, book, neutral, setup),
    )


def _judged(series: IcSeries, rows: slice) -> IcSeries:
    return series.between(rows.start, rows.stop)


def _neutral(signal: Signal, plain: IcSeries, setup: Setup) -> IcSeries | None:
    if setup.neutralizer is None:
        return None
    found = _judged(neutral_rank_ic(signal, setup.scorer, setup.neutralizer), setup.rows)
    usual = np.count_nonzero(np.isfinite(plain.values))
    if np.count_nonzero(np.isfinite(found.values)) < NEUTRAL_DAYS * usual:
        nothing = np.full(len(found.values), np.nan)  # a mean over the few odd days would be noise
        return IcSeries(found.method, nothing, found.names, found.min_names)
    return found


def _summary(
    score: Score,
    rank_ic: IcSeries,
    neutral: IcSeries | None,
    book: BookResult | None,
    quantiles: Quantiles | None,
    series: Mapping[str, FloatArray],
    setup: Setup,
) -> dict[str, float | int]:
    lags = setup.settings.t_lags
    ic, ranked = _judged(score.ic, setup.rows).summary(lags), rank_ic.summary(lags)
    labelled = setup.judged & np.isfinite(np.asarray(setup.scorer.label))
    with_labels = int(np.count_nonzero(labelled[setup.rows].any(axis=1)))
    nan = math.nan
    figures: dict[str, float | int] = {
        "ic": ic.mean,
        "rank_ic": ranked.mean,
        "neutral_rank_ic": nan if neutral is None else mean_of(neutral.values),
        "icir": ic.icir,
        "rank_icir": ranked.icir,
        "t": ranked.t,
        "t_lags": lags,
        "net_return": nan if book is None else book.figures.annual_return,
        "net_excess": nan if book is None else book.figures.annual_excess,
        "ir": nan if book is None else book.figures.ir,
        "max_drawdown": nan if book is None else book.figures.drawdown,
        "turnover": nan if book is None else book.figures.turnover,
        "break_even_bp": nan if book is None else book.figures.break_even_bp,
        "capacity": nan if book is None else book.capacity,
        "rank_autocorrelation": mean_of(series["rank_autocorrelation"]),
        "monotonicity": nan if quantiles is None else quantiles.monotonicity,
        "coverage": mean_of(_since_first(series["coverage"])),
        "names": ranked.mean_names,
        "days": ranked.days,
        "days_undefined": with_labels - ranked.days,
    }
    return {column.key: figures[column.key] for column in SUMMARY}


def _since_first(coverage: FloatArray) -> FloatArray:
    """From the first date with any value on: a lookback that fills up is no lack of data."""
    some = np.flatnonzero(coverage > 0)
    return coverage[some[0] :] if len(some) else coverage


def _top_turnover(signal: Signal, book: BookResult | None, setup: Setup) -> FloatArray:
    """Share of the top group's names that were not in it one bar before."""
    if book is not None and book.top is not None:
        return quantile_turnover(book.top, True)
    quantiles = setup.settings.quantiles
    return quantile_turnover(quantile_membership(signal, quantiles, setup.judged), quantiles - 1)


def _decay(horizon: int, score: Score, setup: Setup) -> DecayRow:
    lags = max(setup.settings.t_lags, horizon)
    ic = _judged(score.ic, setup.rows).summary(lags)
    ranked = _judged(score.rank_ic, setup.rows).summary(lags)
    return DecayRow(horizon, ic.mean, ranked.mean, ic.icir, ranked.icir, ranked.t, lags, ranked.days)


def _monthly(values: FloatArray, setup: Setup) -> MonthlyTable:
    months = setup.dates[setup.rows].astype("datetime64[M]").astype(np.int64)
    first, last = int(months[0]) // 12, int(months[-1]) // 12
    cells = 12 * (last - first + 1)
    known = np.isfinite(values)
    place = months[known] - 12 * first
    total = np.bincount(place, values[known], cells)
    days = np.bincount(place, minlength=cells)
    table = np.divide(total, days, out=np.full(cells, np.nan), where=days > 0).reshape(-1, 12)
    return MonthlyTable(tuple(range(first + 1970, last + 1971)), table)


def _quantiles(score: Score, daily: Score | None, setup: Setup) -> Quantiles | None:
    held = score.quantiles.between(setup.rows.start, setup.rows.stop)
    if not np.any(held.names > 0):
        return None
    found = held.summary(setup.settings.t_lags)
    steps = _daily(daily, held, setup)
    values = np.asarray(np.cumprod(1.0 + steps, axis=0), dtype=np.float64)
    known = np.isfinite(held.values)
    some = known.any(axis=1)
    base = mean_of(np.nansum(held.values[some], axis=1) / known[some].sum(axis=1))
    years = len(steps) / PERIODS_PER_YEAR
    rows = tuple(
        QuantileRow(
            quantile=q + 1,
            mean=found.mean[q],
            excess=found.mean[q] - base,
            std=found.std[q],
            t=found.t[q],
            yearly=float(values[-1, q]) ** (1.0 / years) - 1.0 if values[-1, q] > 0 else -1.0,
            days=int(np.count_nonzero(known[:, q])),
            mean_names=found.names[q],
        )
        for q in range(held.values.shape[1])
    )
    spread = np.asarray(np.cumprod(1.0 + steps[:, -1] - steps[:, 0]), dtype=np.float64)
    return Quantiles(rows, setup.dates[setup.rows], held.values, values, spread, found.monotonicity)


def _daily(daily: Score | None, held: QuantileReturns, setup: Setup) -> FloatArray:
    """Returns by group over the one bar that follows the fill; 0 where a group is empty."""
    if daily is None:
        return np.nan_to_num((1.0 + held.values) ** (1.0 / setup.settings.horizon) - 1.0)
    return np.nan_to_num(daily.quantiles.between(setup.rows.start, setup.rows.stop).values)


def _robustness(signal: Signal, score: Score, book: BookResult | None, setup: Setup) -> Robustness:
    if setup.settings.robustness == "off":
        return Robustness()
    now = mean_of(score.rank_ic.values)
    late = mean_of(setup.scorer.score(lag_rows(signal, 1)).rank_ic.values)
    kept = late / now if math.isfinite(now) and now != 0 else math.nan
    return Robustness(late, kept, _shuffle(signal, now, setup), _sub_periods(score, book, setup))


def _shuffle(signal: Signal, observed: float, setup: Setup) -> ShuffleControl:
    """Score the signal with each date's values dealt out anew among the members.

    Under the null a date's RankIC over n names has variance 1/(n-1), and dates are independent given the
    labels; the band holds all shuffles together with probability 0.999.
    """
    means: list[float] = []
    deviation = math.nan
    for order in setup.shuffles:
        shuffled = setup.scorer.score(np.take(signal, order)).rank_ic
        defined = np.isfinite(shuffled.values)
        means.append(mean_of(shuffled.values))
        if defined.any():
            variance = float(np.sum(1.0 / (shuffled.names[defined] - 1.0)))
            deviation = math.sqrt(variance) / int(defined.sum())
    tail = (1.0 - BAND_LEVEL) / 2.0 / len(setup.shuffles)
    band = NormalDist().inv_cdf(1.0 - tail) * deviation
    return ShuffleControl(
        observed=observed,
        low=-band,
        high=band,
        means=tuple(means),
        observed_outside=abs(observed) > band,
        shuffled_inside=all(abs(mean) <= band for mean in means),
    )


def _sub_periods(score: Score, book: BookResult | None, setup: Setup) -> tuple[SubPeriod, ...]:
    rows, lags = setup.rows, setup.settings.t_lags
    dates = setup.dates[rows]
    rank_ic, ic = _judged(score.rank_ic, rows), _judged(score.ic, rows)
    found = []
    for part in sub_periods(rank_ic, setup.settings.sub_periods, lags).parts:
        inside = slice(part.start, part.stop)
        excess = math.nan
        if book is not None:
            excess = mean_of(book.curve.net[inside] - book.curve.benchmark[inside]) * PERIODS_PER_YEAR
        found.append(
            SubPeriod(
                start=dates[part.start].item(),
                end=dates[part.stop - 1].item(),
                days=part.summary.days,
                ic=mean_of(ic.values[inside]),
                rank_ic=part.summary.mean,
                rank_icir=part.summary.icir,
                t=newey_west_t(rank_ic.values[inside], lags),
                net_excess=excess,
            )
        )
    return tuple(found)


def _interval(values: FloatArray, setup: Setup) -> Interval | None:
    settings = setup.settings
    resamples = settings.bootstrap
    if settings.robustness == "quick":
        resamples = min(resamples, QUICK_RESAMPLES)
    if resamples < 10 or settings.robustness == "off":
        return None
    found = bootstrap_interval(values, resamples=resamples, level=INTERVAL_LEVEL, seed=settings.seed)
    return Interval(found.low, found.high, found.level, found.resamples, found.block)


def _last_label(rank_ic: IcSeries, setup: Setup) -> date | None:
    defined = np.flatnonzero(np.isfinite(rank_ic.values))
    if not len(defined):
        return None
    day: date = setup.dates[setup.rows][defined[-1]].item()
    return day


def _notes(
    rank_ic: IcSeries, book: BookResult | None, neutral: IcSeries | None, setup: Setup
) -> tuple[str, ...]:
    notes: list[str] = []
    mean = mean_of(rank_ic.values)
    days = np.count_nonzero(np.isfinite(rank_ic.values))
    if abs(mean) > HIGH_RANK_IC and setup.settings.lag > 0 and days >= setup.settings.thresholds.min_days:
        notes.append(f"a RankIC of {mean:.3f} is unusually high for one formula: suspect a leak first")
    if mean < 0 and setup.settings.direction == "given":
        notes.append("the mean RankIC is negative; quantiles and book follow the factor as it is written")
    if book is None:
        notes.append("no book was ever formed: too few names had a value, or too many the same one")
    elif book.capacity_unknown > 0.5:
        notes.append("capacity rests on less than half of the trades: traded value is missing for the others")
    if neutral is not None and np.isfinite(mean) and not np.isfinite(neutral.values).any():
        notes.append(
            "the neutral RankIC is undefined: industry and styles explain the factor, or data is missing"
        )
    return tuple(notes)
