"""What the simulated market does not decide itself: its people, its weather, its corporate actions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.base import generator
from assay.market._data import EVENT_DTYPE, Group, event_vector
from assay.market._universe import Dates

Floats = NDArray[np.float64]

SECTORS = 10
INDUSTRIES = 24
SUBINDUSTRIES = 60
YEAR = 244
QUARTER = 61
DAILY_RISK = 0.0235
"""Typical cross-sectional standard deviation of one day's returns; planted strengths are stated in it."""

_CLOSE_OF_DAY = np.timedelta64(15 * 3600, "s")
_HOLIDAYS = ("01-01", "05-01", "05-02", "05-03", *(f"10-0{day}" for day in range(1, 8)))
_WINTER_BREAK = tuple(f"02-{day:02d}" for day in range(8, 15))


@dataclass(frozen=True, slots=True)
class World:
    """All draws of one seed; arrays are float64 ``(T, N)`` unless said otherwise."""

    dates: Dates
    first_row: NDArray[np.int32]
    last_row: NDArray[np.int32]
    listed: NDArray[np.bool_]
    suspended: NDArray[np.bool_]
    st: NDArray[np.bool_]
    noise: Floats
    bar_risk: Floats
    factor: Floats
    shares: Floats
    equity: Floats
    base_turn: Floats
    turn_noise: Floats
    gap: Floats
    up_wick: Floats
    down_wick: Floats
    vwap_tilt: Floats
    start_price: Floats
    groups: dict[str, Group]
    events: NDArray[np.void]
    event_values: NDArray[np.float32]


def trading_days(start: str, count: int) -> Dates:
    """Weekdays from ``start`` without a fixed list of holidays."""
    first = np.datetime64(start, "D")
    days = first + np.arange(int(count * 1.6) + 40)
    month_day = np.char.partition(days.astype(str), "-")[:, 2]
    closed = np.isin(month_day, _HOLIDAYS + _WINTER_BREAK)
    return np.asarray(days[np.is_busday(days) & ~closed][:count])


def _heavy_tailed(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    # Student's t with 5 degrees of freedom, scaled to variance 1
    return np.asarray(random.standard_t(5, shape) * np.sqrt(3 / 5))


def _autoregressive(shocks: Floats, persistence: float) -> Floats:
    """Stationary AR(1) paths with unit variance, down the first axis."""
    out = np.empty_like(shocks)
    out[0] = shocks[0]
    scale = np.sqrt(1 - persistence**2)
    for row in range(1, len(shocks)):
        out[row] = persistence * out[row - 1] + scale * shocks[row]
    return out


def _lives(seed: int, days: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    random = generator(seed, "simulate", "lives")
    first = np.zeros(count, dtype=np.int32)
    last = np.full(count, days - 1, dtype=np.int32)
    order = random.permutation(count)
    late = order[: count // 8]
    ended = order[count // 8 : count // 8 + count // 16]
    first[late] = random.integers(days // 20 + 1, max(days * 4 // 5, days // 20 + 2), late.size)
    last[ended] = random.integers(days // 3, max(days - 2, days // 3 + 1), ended.size)
    return first, last


def _suspensions(seed: int, listed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    random = generator(seed, "simulate", "suspensions")
    days, count = listed.shape
    starts = np.argwhere(random.random((days, count)) < 0.0007)
    lengths = np.minimum(random.geometric(0.12, len(starts)), 60)
    out = np.zeros_like(listed)
    for (row, column), length in zip(starts, lengths, strict=True):
        out[row : row + length, column] = True
    return out & listed


def _corporate_actions(seed: int, days: int, count: int) -> tuple[Floats, Floats]:
    """The adjustment factor and the number of shares relative to the first day."""
    random = generator(seed, "simulate", "corporate")
    factor_step: Floats = np.ones((days, count), dtype=np.float64)
    share_step: Floats = np.ones((days, count), dtype=np.float64)
    years = days // YEAR + 1
    offset = random.integers(20, YEAR - 20, count)
    for year in range(years):
        row = offset + year * YEAR
        pays = (random.random(count) < 0.7) & (row < days)
        splits = (random.random(count) < 0.08) & (row < days)
        yields = random.uniform(0.004, 0.035, count)
        bonus = random.choice([0.2, 0.3, 0.5, 1.0], count)
        columns = np.flatnonzero(pays)
        factor_step[row[columns], columns] *= 1 / (1 - yields[columns])
        columns = np.flatnonzero(splits)
        factor_step[row[columns], columns] *= 1 + bonus[columns]
        share_step[row[columns], columns] *= 1 + bonus[columns]
    return np.multiply.accumulate(factor_step, axis=0), np.multiply.accumulate(share_step, axis=0)


def _classification(seed: int, count: int) -> dict[str, Group]:
    random = generator(seed, "simulate", "groups")
    sub = random.permutation(np.arange(count) % SUBINDUSTRIES).astype(np.int32)
    industry = (sub * INDUSTRIES // SUBINDUSTRIES).astype(np.int32)
    sector = (industry * SECTORS // INDUSTRIES).astype(np.int32)
    return {
        "sector": Group(sector, tuple(f"sector_{i + 1:02d}" for i in range(SECTORS)), "economic sector"),
        "industry": Group(industry, tuple(f"industry_{i + 1:02d}" for i in range(INDUSTRIES)), "industry"),
        "subindustry": Group(
            sub, tuple(f"subindustry_{i + 1:02d}" for i in range(SUBINDUSTRIES)), "part of an industry"
        ),
    }


def _noise(seed: int, days: int, count: int, groups: dict[str, Group], size: Floats) -> tuple[Floats, Floats]:
    """Unpredictable returns and each bar's own risk."""
    random = generator(seed, "simulate", "returns")
    climate = np.exp(0.35 * _autoregressive(random.standard_normal((days, 1)), 0.98))
    market = 0.010 * climate * _heavy_tailed(random, (days, 1)) + 0.0003
    sector = 0.005 * climate * _heavy_tailed(random, (days, SECTORS))
    industry = 0.004 * climate * _heavy_tailed(random, (days, INDUSTRIES))
    style = 0.0015 * climate * _heavy_tailed(random, (days, 1))
    beta = np.clip(random.normal(1.0, 0.25, count), 0.3, 1.8)
    own_level = 0.018 * np.exp(0.3 * random.standard_normal(count))
    own_risk = (
        own_level * np.exp(0.3 * _autoregressive(random.standard_normal((days, count)), 0.97)) * climate
    )
    own = own_risk * _heavy_tailed(random, (days, count))
    # the drift is the same for all, so that no exposure predicts a return
    common = beta * (market - 0.0003) + 0.0003
    noise = (
        common
        + sector[:, groups["sector"].codes]
        + industry[:, groups["industry"].codes]
        + style * size
        + own
    )
    return np.asarray(noise, dtype=np.float64), np.asarray(own_risk, dtype=np.float64)


def _events(
    seed: int, dates: Dates, listed: NDArray[np.bool_]
) -> tuple[NDArray[np.void], NDArray[np.float32]]:
    """Events by the first row that may use them, as a table and as scores ``(K, T, N)``."""
    random = generator(seed, "simulate", "events")
    days, count = listed.shape
    cells = np.argwhere(random.random((days, count)) < 0.05)
    second = random.integers(0, 86_400, len(cells))
    delay = np.minimum(random.exponential(0.4 * 86_400, len(cells)), 5 * 86_400).astype(np.int64)
    happened = dates[cells[:, 0]].astype("datetime64[s]") + second
    known = happened + delay
    closes = dates.astype("datetime64[s]") + _CLOSE_OF_DAY
    row = np.searchsorted(closes, known)
    score = random.standard_normal(len(cells)).astype(np.float32)
    kept = row < days
    kept[kept] &= listed[row[kept], cells[kept, 1]]
    table = np.zeros(int(kept.sum()), dtype=EVENT_DTYPE)
    table["instrument"] = cells[kept, 1]
    table["event_time"] = happened[kept]
    table["known_time"] = known[kept]
    table["row"] = row[kept]
    table["score"] = score[kept]
    table = table[np.lexsort((table["event_time"], table["instrument"], table["row"]))]
    return table, event_vector(table, listed.shape)


def _book_value(seed: int, days: int, count: int, start_cap: Floats) -> Floats:
    """Book equity, known from the row on: it changes once a quarter, on a day of each company's own."""
    random = generator(seed, "simulate", "equity")
    value = start_cap * np.exp(-0.7 + 0.5 * random.standard_normal(count))
    offset = random.integers(0, QUARTER, count)
    reports = (np.arange(days)[:, None] - offset) % QUARTER == 0
    growth = np.where(reports, 0.015 + 0.06 * random.standard_normal((days, count)), 0.0)
    return np.asarray(value * np.exp(np.cumsum(growth, axis=0)))


def draw_world(seed: int, days: int, count: int, start: str) -> World:
    """Every random draw of a market; nothing here depends on whether signals are planted."""
    dates = trading_days(start, days)
    first, last = _lives(seed, days, count)
    rows = np.arange(days)[:, None]
    listed = (rows >= first) & (rows <= last)
    suspended = _suspensions(seed, listed)
    # an instrument trades on its first and its last day
    suspended[first, np.arange(count)] = False
    suspended[last, np.arange(count)] = False
    factor, share_growth = _corporate_actions(seed, days, count)
    groups = _classification(seed, count)
    random = generator(seed, "simulate", "companies")
    size = random.standard_normal(count)
    start_price = np.asarray(np.round(np.exp(random.normal(3.0, 0.45, count)), 2), dtype=np.float64)
    start_shares = np.round(np.exp(20.5 + 1.0 * size) / start_price / 1e4) * 1e4 + 1e6
    noise, own_risk = _noise(seed, days, count, groups, size)
    events, event_values = _events(seed, dates, listed)
    bars = generator(seed, "simulate", "bars")
    return World(
        dates=dates,
        first_row=first,
        last_row=last,
        listed=listed,
        suspended=suspended,
        st=listed & (last < days - 1) & (rows > last - 40),
        noise=noise,
        bar_risk=own_risk,
        factor=factor.astype(np.float32).astype(np.float64),
        shares=np.round(start_shares * share_growth),
        equity=_book_value(seed, days, count, start_price * start_shares),
        base_turn=0.012 * np.exp(0.5 * random.standard_normal(count) - 0.25 * size),
        turn_noise=0.45 * _autoregressive(bars.standard_normal((days, count)), 0.7),
        gap=bars.normal(0.0, 0.35, (days, count)),
        up_wick=np.abs(bars.standard_normal((days, count))) * 0.5,
        down_wick=np.abs(bars.standard_normal((days, count))) * 0.5,
        vwap_tilt=np.clip(bars.normal(0.0, 0.12, (days, count)), -0.4, 0.4),
        start_price=start_price,
        groups=groups,
        events=events,
        event_values=event_values,
    )
