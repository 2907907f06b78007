from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from assay.brain._limits import LADDER, MAX_WEIGHT, SUB_UNIVERSE, ladder_limits, limits
from assay.brain._wire import Check, Stats
from assay.brain.simulator._outcome import Daily
from assay.brain.simulator._statistics import sharpe_of
from assay.brain.simulator._window import years_before
from assay.config import BrainLevel

LEAST_HELD: Final = 10
"""Names that must carry weight on the usual day; the platform's own number is not published."""


@dataclass(frozen=True, slots=True)
class SubUniverse:
    """The alpha in the next smaller universe, and that universe's size as a part of the larger one's."""

    daily: Daily
    ratio: float


def checks_of(
    stats: Stats, daily: Daily, sub: SubUniverse, *, level: BrainLevel, delay: int, book: float
) -> tuple[Check, ...]:
    """The in-sample checks of a fresh alpha, in the platform's order; correlations wait to be asked for."""
    least = limits(level, delay)
    found = [
        _at_least("LOW_SHARPE", stats.sharpe, least.sharpe),
        _at_least("LOW_FITNESS", stats.fitness, least.fitness),
        _at_least("LOW_TURNOVER", stats.turnover, least.min_turnover),
        _at_most("HIGH_TURNOVER", stats.turnover, least.max_turnover),
        concentrated_weight(daily, book),
        low_sub_universe(stats.sharpe, sub),
    ]
    if level == "consultant":
        found += [low_two_years(daily, least.sharpe), ladder(daily, stats.turnover, delay)]
    found.append(Check(name="SELF_CORRELATION", result="PENDING"))
    if level == "consultant":
        found.append(Check(name="PROD_CORRELATION", result="PENDING"))
    return tuple(found)


def _at_least(name: str, value: float | None, limit: float, **more: object) -> Check:
    passes = value is not None and value >= limit
    return Check(name=name, result="PASS" if passes else "FAIL", limit=limit, value=value, **more)


def _at_most(name: str, value: float | None, limit: float) -> Check:
    passes = value is not None and value <= limit
    return Check(name=name, result="PASS" if passes else "FAIL", limit=limit, value=value)


def concentrated_weight(daily: Daily, book: float) -> Check:
    """Fails where one name has more than a tenth of the book on a date, or too few names carry weight.

    When it fails, ``value`` and ``date`` are those of the largest weight.
    """
    names = daily.long_count + daily.short_count
    worst = int(np.argmax(daily.largest))
    weight = float(daily.largest[worst]) / book
    if weight <= MAX_WEIGHT and np.median(names) >= LEAST_HELD:
        return Check(name="CONCENTRATED_WEIGHT", result="PASS", limit=MAX_WEIGHT)
    return Check(
        name="CONCENTRATED_WEIGHT", result="FAIL", limit=MAX_WEIGHT, value=round(weight, 6),
        date=str(daily.dates[worst]),
    )  # fmt: skip


def low_sub_universe(sharpe: float | None, sub: SubUniverse) -> Check:
    """Sharpe in the next smaller universe against 0.75 sqrt(its size / that of the universe) x Sharpe."""
    if sharpe is None:
        return Check(name="LOW_SUB_UNIVERSE_SHARPE", result="FAIL")
    limit = round(SUB_UNIVERSE * sqrt(sub.ratio) * sharpe, 2) + 0.0
    return _at_least("LOW_SUB_UNIVERSE_SHARPE", _sharpe(sub.daily), limit)


def low_two_years(daily: Daily, limit: float) -> Check:
    """Sharpe of the last two years."""
    return _at_least("LOW_2Y_SHARPE", _sharpe(_last_years(daily, 2)), limit)


def ladder(daily: Daily, turnover: float | None, delay: int) -> Check:
    """The ladder of Sharpe ratios: the last two years, then three, .. until one passes or fails.

    A stretch that does neither when there are no more years is a WARNING.
    """
    last = Check(name="IS_LADDER_SHARPE", result="FAIL")
    for years in LADDER:
        part = _last_years(daily, years)
        if years > 2 and years_before(daily.dates[-1], years - 1) < daily.dates[0]:
            break
        value = _sharpe(part)
        passing, failing = ladder_limits(years, delay, turnover)
        passes, fails = value is not None and value >= passing, value is None or value < failing
        last = Check(
            name="IS_LADDER_SHARPE", result="PASS" if passes else "FAIL" if fails else "WARNING",
            limit=passing, value=value, year=years, startDate=str(part.dates[0]), endDate=str(part.dates[-1]),
        )  # fmt: skip
        if passes or fails:
            break
    return last


def _last_years(daily: Daily, years: int) -> Daily:
    first = int(np.searchsorted(daily.dates, years_before(daily.dates[-1], years), side="right"))
    return daily.between(first, len(daily.dates))


def _sharpe(daily: Daily) -> float | None:
    value = sharpe_of(daily.pnl)
    return None if value is None else round(value, 2) + 0.0
