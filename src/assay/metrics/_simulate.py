from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.metrics._arrays import AnyArray, Bools, Floats, Singles, mask2, panel64, require, series64
from assay.metrics._capacity import Capacity, capacity_of
from assay.metrics._conventions import COSTS_CN, ENTRY, PERIODS_PER_YEAR, Costs
from assay.metrics._labels import bar_returns
from assay.metrics._performance import (
    Drawdown,
    annual_ir,
    annual_return,
    annual_volatility,
    break_even_bp,
    max_drawdown,
    tracking_error,
)
from assay.metrics._portfolio import Curve
from assay.metrics._statistics import mean_of

REJECTS = (
    "buy_no_price",
    "sell_no_price",
    "buy_limit_up",
    "sell_limit_down",
    "sell_unsettled",
    "below_one_lot",
    "no_cash",
)
"""Why an order was not, or only partly, filled; the order of the simulation's counts."""


@dataclass(frozen=True, slots=True)
class Lots:
    """Whole lots of shares: ``size`` shares a lot, ``capital`` in money, ``price`` (T, N) unadjusted, in
    money.
    """

    size: int
    capital: float
    price: AnyArray


@dataclass(frozen=True)
class Tape:
    """What a market lets a book do: prices to value it, and which orders pass on each bar.

    Parameters
    ----------
    price : (T, N) adjusted prices of the fill; NaN where not traded (suspended, not listed).
    limit_up, limit_down : bool (T, N); a limit-up blocks purchases, a limit-down blocks sales.
    delisted_row : (N,) first row at which a name no longer exists, -1 = none.
    delisting_value : share of the last price that a delisted holding is paid.
    """

    price: AnyArray
    limit_up: AnyArray | None = None
    limit_down: AnyArray | None = None
    delisted_row: AnyArray | None = None
    delisting_value: float = 1.0
    bars: Floats = field(init=False, repr=False)
    priced: Bools = field(init=False, repr=False)
    no_buy: Bools = field(init=False, repr=False)
    no_sell: Bools = field(init=False, repr=False)
    delisted: AnyArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        price = panel64(self.price, "price")
        shape = (price.shape[0], price.shape[1])
        gone = np.full(shape[1], -1) if self.delisted_row is None else np.asarray(self.delisted_row)
        require(
            gone.shape == (shape[1],),
            f"delisted_row has shape {gone.shape}",
            "delisted_row",
            "give one per name",
        )
        alive = (gone < 0) | (np.arange(shape[0])[:, None] < gone)
        with np.errstate(invalid="ignore"):
            priced = np.isfinite(price) & (price > 0) & alive
        bars = bar_returns(price, delisted_row=gone, delisting_value=self.delisting_value)
        object.__setattr__(self, "bars", bars)
        object.__setattr__(self, "priced", priced)
        object.__setattr__(self, "no_buy", mask2(self.limit_up, "limit_up", shape, default=False))
        object.__setattr__(self, "no_sell", mask2(self.limit_down, "limit_down", shape, default=False))
        object.__setattr__(self, "delisted", gone.astype(np.int64))

    @property
    def shape(self) -> tuple[int, int]:
        """Dates and instruments."""
        return (self.bars.shape[0], self.bars.shape[1])

    def equal_weight(self, members: AnyArray | None = None) -> Floats:
        """Return per bar of all members of the day before, equally weighted, without cost: the usual
        benchmark.

        A member without a price counts with its accounting return; a bar without members returns 0.
        """
        T, _ = self.shape
        inside = mask2(members, "members", self.shape, default=True)
        listed = np.maximum.accumulate(self.priced, axis=0) & (
            (self.delisted < 0) | (np.arange(T)[:, None] < self.delisted)
        )
        held = np.zeros(self.shape, dtype=bool)
        held[1:] = (inside & listed)[:-1]
        size = held.sum(axis=1)
        return np.where(size > 0, np.where(held, self.bars, 0.0).sum(axis=1) / np.maximum(size, 1), 0.0)


@dataclass(frozen=True, slots=True)
class BookSummary:
    """A book in numbers, from its first trade on. Rates are shares, not per cent.

    ``annual_return`` compounds; ``annual_excess`` is the mean excess after cost times the periods of a
    year; ``ir`` is annualised; ``turnover`` is one way, a year; ``break_even_bp`` is the cost per traded
    value that eats the gross excess.
    """

    bars: int
    annual_return: float
    annual_volatility: float
    annual_excess: float
    tracking_error: float
    ir: float
    ir_gross: float
    drawdown: Drawdown
    excess_drawdown: Drawdown
    turnover: float
    annual_cost: float
    break_even_bp: float
    invested: float
    periods: int


@dataclass(frozen=True, slots=True)
class Book:
    """One simulated book per bar. ``start`` is the bar of the first trade; T if nothing was traded.

    The benchmark is 0 up to ``start``, because the book owned nothing before it. ``trades`` (T, N) are
    signed traded values as shares of the book, if kept.
    """

    curve: Curve
    benchmark: Floats
    invested: Floats
    start: int
    offset: int
    rejects: Mapping[str, int]
    trades: Singles | None = None

    @property
    def excess(self) -> Floats:
        """Net return less the benchmark."""
        return np.asarray(self.curve.net - self.benchmark, dtype=np.float64)

    @property
    def gross_excess(self) -> Floats:
        """Gross return less the benchmark."""
        return np.asarray(self.curve.gross - self.benchmark, dtype=np.float64)

    def summary(self, periods: int = PERIODS_PER_YEAR) -> BookSummary:
        """Performance from the first trade on."""
        live = slice(self.start, None)
        net, excess, gross_excess = self.curve.net[live], self.excess[live], self.gross_excess[live]
        return BookSummary(
            bars=len(net),
            annual_return=annual_return(net, periods),
            annual_volatility=annual_volatility(net, periods),
            annual_excess=mean_of(excess) * periods,
            tracking_error=tracking_error(excess, periods),
            ir=annual_ir(excess, periods),
            ir_gross=annual_ir(gross_excess, periods),
            drawdown=max_drawdown(net),
            excess_drawdown=max_drawdown(excess),
            turnover=mean_of(self.curve.turnover[live]) * periods,
            annual_cost=mean_of(self.curve.cost[live]) * periods,
            break_even_bp=break_even_bp(gross_excess, (self.curve.bought + self.curve.sold)[live]),
            invested=mean_of(self.invested[live]),
            periods=periods,
        )

    def capacity(self, traded_value: AnyArray, participation: float, share: float = 0.9) -> Capacity:
        """See :func:`capacity_of`; needs a simulation with ``keep_trades``."""
        require(
            self.trades is not None, "the trades were not kept", "trades", "simulate with keep_trades=True"
        )
        assert self.trades is not None
        return capacity_of(self.trades, traded_value, participation, share)


@dataclass(frozen=True, slots=True)
class MeanSummary:
    """Means over the books of several rebalance offsets."""

    books: int
    annual_return: float
    annual_volatility: float
    annual_excess: float
    tracking_error: float
    ir: float
    ir_gross: float
    drawdown: float
    excess_drawdown: float
    turnover: float
    annual_cost: float
    break_even_bp: float
    invested: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """Books that differ in their rebalance offset only."""

    books: tuple[Book, ...]
    every: int
    costs: Costs
    delisting_value: float

    @property
    def rejects(self) -> dict[str, int]:
        """Orders not filled, by reason, over all books."""
        return {name: sum(book.rejects[name] for book in self.books) for name in REJECTS}

    def mean_summary(self, periods: int = PERIODS_PER_YEAR) -> MeanSummary:
        """Each figure averaged over the offsets; NaN where one of them is undefined."""
        parts = [book.summary(periods) for book in self.books]
        plain = (
            "annual_return", "annual_volatility", "annual_excess", "tracking_error", "ir", "ir_gross",
            "turnover", "annual_cost", "break_even_bp", "invested",
        )  # fmt: skip
        figures = {name: float(np.mean([getattr(part, name) for part in parts])) for name in plain}
        return MeanSummary(
            books=len(parts),
            drawdown=float(np.mean([part.drawdown.depth for part in parts])),
            excess_drawdown=float(np.mean([part.excess_drawdown.depth for part in parts])),
            **figures,
        )


def simulate(
    targets: AnyArray,
    tape: Tape,
    *,
    every: int = 1,
    offsets: Sequence[int] = (0,),
    entry: int = ENTRY,
    costs: Costs = COSTS_CN,
    stamp_duty: AnyArray | None = None,
    lots: Lots | None = None,
    settlement: int = 1,
    benchmark: AnyArray | None = None,
    keep_trades: bool = False,
) -> Simulation:
    """Trade target weights on a tape.

    On bar s a book first earns the bar's return on what it held; then, if row ``s - entry`` is one of its
    rebalance rows (``t % every == offset``) and holds a target, it sells, then buys, at the price of bar
    s. Between rebalances weights drift. An order that the tape blocks is dropped and counted, not retried
    before the next rebalance. A book of weights >= 0 spends no more than its cash: all purchases are cut
    alike, which also pays the costs. A book with short weights is not limited by cash.

    Parameters
    ----------
    targets : (T, N) weights as shares of the book; NaN in a row with a number means 0, a row of NaN means
        no trade.
    tape : prices and permissions.
    every, offsets : rebalance interval in rows, and one book per offset.
    entry : rows between signal and trade.
    costs : proportional costs; ``stamp_duty`` (T,) is a dated rate of sales added to them (0.001 = 10 bp).
    lots : whole lots, for purchases and partial sales; a closing sale may be odd.
    settlement : bars before a purchase can be sold again (1 = T+1).
    benchmark : (T,) returns per bar; 0 without.
    keep_trades : keep the (T, N) trades, which the capacity needs.

    Raises
    ------
    DataError
        Shapes, offsets or rates do not fit.
    """
    from assay.metrics._kernels import _simulate

    weights = panel64(targets, "targets", tape.shape)
    T, N = tape.shape
    require(every >= 1, f"every is {every}", "every", "give at least 1")
    require(
        entry >= 1,
        f"entry is {entry}",
        "entry",
        "a signal trades at the next bar at the earliest: give 1 or more",
    )
    inside = len(offsets) > 0 and all(0 <= offset < every for offset in offsets)
    require(inside, f"offsets are {tuple(offsets)}", "offsets", "give numbers from 0 to every-1")
    require(settlement >= 0, f"settlement is {settlement}", "settlement", "give 0 or more bars")
    duty = np.zeros(T) if stamp_duty is None else series64(stamp_duty, "stamp_duty")
    reference = np.zeros(T) if benchmark is None else series64(benchmark, "benchmark")
    for what, series in (("stamp_duty", duty), ("benchmark", reference)):
        require(len(series) == T, f"{what} has {len(series)} values for {T} dates", what, "give one per date")
        require(
            bool(np.isfinite(series).all()),
            f"{what} has missing values",
            what,
            "fill or drop these dates first",
        )
    wanted = np.isfinite(weights).any(axis=1)
    clean = np.nan_to_num(weights, nan=0.0, posinf=0.0, neginf=0.0)
    funded = bool((clean >= 0).all())
    price = tape.bars if lots is None else panel64(lots.price, "lots.price", tape.shape)
    books = []
    for offset in offsets:
        gross, cost, bought, sold, invested = (np.zeros(T) for _ in range(5))
        moved = np.zeros((T, N) if keep_trades else (0, 0), dtype=np.float32)
        rejects = np.zeros(len(REJECTS), dtype=np.int64)
        start = _simulate.execute(
            clean, wanted, tape.bars, tape.priced, tape.no_buy, tape.no_sell, tape.delisted, price,
            0.0 if lots is None else float(lots.size), costs.sell + duty, costs.buy, settlement,
            1.0 if lots is None else float(lots.capital), funded, entry, every, offset,
            gross, cost, bought, sold, invested, moved, rejects,
        )  # fmt: skip
        against = np.where(np.arange(T) > start, reference, 0.0)
        counts = dict(zip(REJECTS, (int(n) for n in rejects), strict=True))
        curve = Curve(gross, cost, gross - cost, bought, sold)
        books.append(
            Book(curve, against, invested, int(start), offset, counts, moved if keep_trades else None)
        )
    return Simulation(tuple(books), every, costs, tape.delisting_value)
