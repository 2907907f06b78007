from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.expr import FieldInfo
from assay.market._data import FloatPanel, MarketData, PriceLimits, Source
from assay.market._fields import BAR_FIELDS, field_info
from assay.market._limits import round_to_tick
from assay.market._panel import Panel
from assay.market._sim_minutes import simulate_minutes
from assay.market._sim_signals import SIGNALS, History, Planter, Signal
from assay.market._sim_world import World, draw_world
from assay.market._universe import Universe, universe_from_mask

Floats = NDArray[np.float64]

LIMIT = 0.10
REVIEW_BARS = 122
REVIEW_DELAY = 10
MAX_INSTRUMENTS = 10_000
MAX_DAYS = 5_000
MAX_CELLS = 15_000_000
FIRST_START = np.datetime64("1990-01-01")
LAST_START = np.datetime64("2100-12-31")
_LOWEST_PRICE = 0.05

RULES = (
    "all data is simulated: no instrument, price or event is real",
    "a suspended day has no prices, volume, amount or turnover",
    "prices move within 10% of the adjusted previous close, also under special treatment (is_st)",
    "a listing begins without a limit; the bar of the first row has none",
    "an event may be used from the first date whose close (15:00) is not before its knowledge time",
    "index membership is reviewed every 122 bars by market value 10 bars earlier, with a buffer",
)


@dataclass(slots=True)
class _Tape:
    """Bars as they are made: raw values float64 ``(T, N)``."""

    open: Floats
    high: Floats
    low: Floats
    close: Floats
    vwap: Floats
    volume: Floats
    amount: Floats
    turn: Floats
    cap: Floats


def simulate(
    seed: int = 7,
    instruments: int = 300,
    days: int = 1700,
    signal: bool = True,
    *,
    minutes: int = 0,
    start: str = "2018-01-02",
    name: str = "sim",
) -> Panel:
    """A simulated stock market with a known truth, in memory; equal arguments give equal bytes.

    Sectors, industries and a size style move returns together; risk clusters in time and has fat tails;
    instruments list, delist, pause, pay dividends and split; daily moves stop at 10%. Ten planted signals
    (``manifest.planted``) predict returns from the close of t+1 on with a stated RankIC; all draws are the
    same without them.

    Parameters
    ----------
    seed : of every draw.
    instruments, days : the shape, 20 to 10,000 and 60 to 5,000, and at most 15 million bars.
    signal : plant the signals; False makes the twin in which nothing predicts anything.
    minutes : how many of the last days also get 5-minute bars with bid and ask.
    start : the first trading day, ISO, from 1990 to 2100.

    Raises
    ------
    AssayError
        A size is outside its bounds, or ``start`` is no date or outside its own.
    """
    _check(instruments, days, minutes)
    world = draw_world(seed, days, instruments, _start_date(start))
    signals = SIGNALS if signal else ()
    tape = _trade(world, signals)
    fields = _fields(world, tape)
    data = MarketData(
        name=name,
        dates=world.dates,
        instruments=tuple(f"S{number + 1:04d}" for number in range(instruments)),
        fields=fields,
        infos=_infos(fields),
        first_row=world.first_row,
        last_row=world.last_row,
        source=Source(
            "simulated",
            {"seed": seed, "instruments": instruments, "days": days, "signal": signal, "start": start},
        ),
        groups=world.groups,
        universes=_indices(world, tape.cap),
        vectors={"event_score": world.event_values},
        events={"event_score": world.events},
        minutes=simulate_minutes(seed, world.dates, fields, minutes) if minutes else None,
        market="CN",
        limits=PriceLimits("flat", LIMIT),
        rules=RULES,
        planted=tuple(item.planted for item in signals),
    )
    return Panel(data)


def _check(instruments: int, days: int, minutes: int) -> None:
    bounds = (
        ("instruments", instruments, 20, MAX_INSTRUMENTS),
        ("days", days, 60, MAX_DAYS),
        ("minutes", minutes, 0, days),
    )
    if instruments * days > MAX_CELLS:
        raise AssayError(
            f"{instruments} instruments x {days} days are {instruments * days:,} bars",
            where="instruments, days",
            fix=f"stay within {MAX_CELLS:,} bars",
        )
    for what, value, low, high in bounds:
        if not low <= value <= high:
            raise AssayError(f"{what} is {value}", where=what, fix=f"give {low} to {high}")


def _start_date(text: str) -> str:
    try:
        day = np.datetime64(text, "D")
    except ValueError as error:
        raise AssayError(f"start is {text!r}", where="start", fix="give a date as YYYY-MM-DD") from error
    if not FIRST_START <= day <= LAST_START:
        raise AssayError(
            f"start is {text!r}", where="start", fix=f"give a date from {FIRST_START} to {LAST_START}"
        )
    return str(day)


def _trade(world: World, signals: tuple[Signal, ...]) -> _Tape:
    days, count = world.noise.shape
    tape = _Tape(*(np.full((days, count), np.nan) for _ in range(9)))
    past = History.blank(world.equity, _event_mean(world))
    planter = Planter(signals, days, count)
    # last traded close in adjusted units; the price at which a listing begins
    last_close = world.start_price.copy()
    fresh = np.ones(count, dtype=np.bool_)
    for row in range(days):
        active = world.listed[row] & ~world.suspended[row]
        expected = planter.expected(row)
        _make_bar(world, tape, row, active, last_close, fresh, expected)
        _remember(world, tape, past, row)
        if row:
            past.returns[row] = past.close[row] / past.close[row - 1] - 1
            past.illiquidity[row] = np.abs(past.returns[row]) / past.amount[row]
        with np.errstate(invalid="ignore", divide="ignore"):
            planter.observe(past, row, world.listed[row])
        last_close = np.where(active, past.close[row], last_close)
        fresh = fresh & ~active
    return tape


def _event_mean(world: World) -> Floats:
    with np.errstate(invalid="ignore"):
        total = np.nansum(world.event_values, axis=0, dtype=np.float64)
        return np.asarray(total / np.maximum(np.isfinite(world.event_values).sum(axis=0), 1))


def _make_bar(
    world: World,
    tape: _Tape,
    row: int,
    active: NDArray[np.bool_],
    last_close: Floats,
    fresh: NDArray[np.bool_],
    expected: Floats,
) -> None:
    factor = world.factor[row]
    # a listing begins at its start price in the units of its own day
    reference = np.where(fresh, world.start_price, last_close / factor)
    official = round_to_tick(reference)
    upper = round_to_tick(official * (1 + LIMIT))
    lower = np.maximum(round_to_tick(official * (1 - LIMIT)), _LOWEST_PRICE)
    shock = world.noise[row] + expected

    def tick(price: Floats) -> Floats:
        return np.clip(round_to_tick(price), lower, upper)

    close = tick(reference * (1 + shock))
    risk = world.bar_risk[row]
    opened = tick(reference * (1 + 0.3 * shock + world.gap[row] * risk))
    high = tick(np.maximum(opened, close) * (1 + world.up_wick[row] * risk))
    low = tick(np.minimum(opened, close) * (1 - world.down_wick[row] * risk))
    middle = (opened + high + low + close) / 4
    turn = world.base_turn * np.exp(world.turn_noise[row] + 0.3 * np.minimum(np.abs(shock) / risk, 4) - 0.3)
    turn = np.minimum(turn, 0.5)
    shares = world.shares[row]
    volume = np.maximum(np.round(turn * shares / 100) * 100, 100)
    vwap = np.clip(middle + world.vwap_tilt[row] * (high - low), low, high)
    for target, value in (
        (tape.open, opened),
        (tape.high, high),
        (tape.low, low),
        (tape.close, close),
        (tape.vwap, vwap),
        (tape.volume, volume),
        (tape.amount, vwap * volume),
        (tape.turn, volume / shares),
    ):
        target[row] = np.where(active, value, np.nan)
    standing = np.where(active, close, reference)
    tape.cap[row] = np.where(world.listed[row], standing * shares, np.nan)


def _remember(world: World, tape: _Tape, past: History, row: int) -> None:
    """What an expression will see of this row: stored as float32, adjusted."""
    factor = world.factor[row]
    past.close[row] = tape.close[row].astype(np.float32) * factor
    past.close_to_vwap[row] = tape.close[row] / tape.vwap[row]
    past.volume[row] = tape.volume[row] / factor
    past.amount[row] = tape.amount[row]
    past.cap[row] = tape.cap[row]


def _fields(world: World, tape: _Tape) -> dict[str, FloatPanel]:
    values = {name: getattr(tape, name) for name in BAR_FIELDS}
    values["cap"] = tape.cap
    values["shares"] = np.where(world.listed, world.shares, np.nan)
    values["equity"] = np.where(world.listed, world.equity, np.nan)
    values["factor"] = np.where(world.listed, world.factor, np.nan)
    values["suspended"] = np.where(world.listed, world.suspended, np.nan)
    values["is_st"] = np.where(world.listed, world.st, np.nan)
    return {name: array.astype(np.float32) for name, array in values.items()}


def _infos(fields: dict[str, FloatPanel]) -> dict[str, FieldInfo]:
    infos = {name: field_info(name) for name in fields}
    infos["event_score"] = FieldInfo("event_score", "vector", 0.0, "1", "scores of the day's events")
    return infos


def _indices(world: World, cap: Floats) -> dict[str, Universe]:
    """Two indices by market value: the largest 40% and the next 40% of what has been listed for 60 bars."""
    days, count = cap.shape
    large = np.zeros((days, count), dtype=np.bool_)
    middle = np.zeros((days, count), dtype=np.bool_)
    in_large = np.zeros(count, dtype=np.bool_)
    in_middle = np.zeros(count, dtype=np.bool_)
    for row in range(0, days, REVIEW_BARS):
        known = max(row - REVIEW_DELAY, 0)
        seasoned = world.listed[known] & ((world.first_row == 0) | (known - world.first_row >= 60))
        rank = np.full(count, np.inf)
        order = np.argsort(np.where(seasoned, -cap[known], np.inf), kind="stable")
        total = int(seasoned.sum())
        rank[order[:total]] = np.arange(total) / max(total, 1)
        # a member stays while it is not more than 5 points beyond the boundary
        in_large = rank < np.where(in_large, 0.45, np.where(row == 0, 0.40, 0.35))
        in_middle = ~in_large & (rank < np.where(in_middle | in_large, 0.85, np.where(row == 0, 0.80, 0.75)))
        stop = min(row + REVIEW_BARS, days)
        large[row:stop] = in_large
        middle[row:stop] = in_middle
    last = world.dates[-1]
    return {
        "index_a": universe_from_mask(
            large & world.listed,
            known_until=last,
            aliases=("sim300",),
            description="the largest 40% by market value",
        ),
        "index_b": universe_from_mask(
            middle & world.listed,
            known_until=last,
            aliases=("sim500",),
            description="the next 40% by market value",
        ),
    }
