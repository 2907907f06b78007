from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.judge._results import BookCurve, FloatArray
from assay.judge._setup import BoolArray, Setup
from assay.metrics import (
    Book,
    Lots,
    MeanSummary,
    Simulation,
    capacity_of,
    dollar_neutral_weights,
    long_short_weights,
    simulate,
    top_k_weights,
    top_quantile_weights,
)
from assay.metrics import Costs as MetricCosts

Signal = NDArray[np.float32]
LOT = 100


@dataclass(frozen=True, slots=True)
class BookResult:
    """The book's curve on the judged rows, its figures, and the net excess return from the first trade on.

    ``top`` is the top group of the signal ``(T, N)``, where the book holds just that.
    """

    curve: BookCurve
    figures: MeanSummary
    capacity: float
    capacity_unknown: float
    excess: FloatArray
    top: BoolArray | None


def trade(signal: Signal, setup: Setup, direction: int = 1) -> BookResult | None:
    """Form the book of the settings from a signal, trade it, and average over the rebalance offsets.

    Each offset is a book of its own. The curve's returns are the mean of theirs; figures are computed for
    each book that ever traded and then averaged. ``None`` when none did.
    """
    traded = signal if direction > 0 else -signal
    targets = None if setup.settings.book == "top_k" else _targets(traded, setup)
    simulation = _simulate(traded, targets, setup)
    live = [book for book in simulation.books if book.start < setup.view.shape[0]]
    if not live:
        return None
    figures = replace(simulation, books=tuple(live)).mean_summary()
    capacity, unknown = _capacity(live[0], setup)
    start = max(book.start for book in live)
    excess = np.mean([book.excess for book in live], axis=0)[start:]
    plain = setup.settings.book == "decile" and direction > 0 and not setup.filtered
    top = targets > 0 if targets is not None and plain else None
    curve = _curve(live, simulation, setup, direction)
    return BookResult(curve, figures, capacity, unknown, excess, top)


def _simulate(signal: Signal, targets: FloatArray | None, setup: Setup) -> Simulation:
    settings = setup.settings
    rules: dict[str, Any] = {
        "every": settings.rebalance,
        "costs": MetricCosts(setup.costs.buy_bp, setup.costs.sell_bp),
        "benchmark": setup.benchmark,
        "lots": _lots(setup),
        "stamp_duty": setup.duty,
        "keep_trades": True,
    }
    if targets is None:
        parts = [_top_k(signal, setup, offset, rules) for offset in setup.offsets]
        return Simulation(
            tuple(part.books[0] for part in parts),
            settings.rebalance,
            parts[0].costs,
            settings.delisting_value,
        )
    return simulate(targets, setup.tape, offsets=setup.offsets, **rules)


def _top_k(signal: Signal, setup: Setup, offset: int, rules: dict[str, Any]) -> Simulation:
    settings = setup.settings
    targets = top_k_weights(
        signal,
        settings.top_k,
        buffer=settings.buffer,
        allowed=setup.allowed,
        every=settings.rebalance,
        offset=offset,
        cap=settings.max_weight,
    )
    return simulate(targets, setup.tape, offsets=(offset,), **rules)


def _targets(signal: Signal, setup: Setup) -> FloatArray:
    settings = setup.settings
    names = settings.min_names
    if settings.book == "decile":
        return top_quantile_weights(
            signal,
            quantiles=settings.quantiles,
            allowed=setup.allowed,
            cap=settings.max_weight,
            min_names=names,
        )
    if settings.book == "long_short":
        return long_short_weights(
            signal, quantiles=settings.quantiles, allowed=setup.allowed, min_names=names
        )
    return dollar_neutral_weights(signal, by="rank", allowed=setup.allowed, min_names=names)


def _lots(setup: Setup) -> Lots | None:
    settings = setup.settings
    if settings.lots == "fractional":
        return None
    raw = f"raw_{settings.fill}"
    return Lots(LOT, settings.capital, setup.view.field(raw if raw in setup.view.fields else settings.fill))


def _capacity(book: Book, setup: Setup) -> tuple[float, float]:
    if setup.traded_value is None:
        return float("nan"), 1.0
    if book.trades is None:
        return float("nan"), 1.0
    rows = np.flatnonzero(book.curve.turnover > 0)
    found = capacity_of(book.trades[rows], setup.traded_value[rows], setup.settings.participation)
    return found.capital, found.unknown


def _curve(books: list[Book], simulation: Simulation, setup: Setup, direction: int) -> BookCurve:
    rows = setup.rows
    gross = np.mean([book.curve.gross for book in books], axis=0)[rows]
    cost = np.mean([book.curve.cost for book in books], axis=0)[rows]
    net = gross - cost
    benchmark = np.mean([book.benchmark for book in books], axis=0)[rows]
    value = np.cumprod(1.0 + net)
    peak = np.maximum.accumulate(np.concatenate([[1.0], value]))[1:]
    kind = setup.settings.book
    rejects = simulation.rejects
    note = f"mean of {len(books)} books, one for each rebalance offset; benchmark: {setup.benchmark_name}"
    if direction < 0:
        note += "; traded with the opposite sign, because the mean RankIC is negative"
    return BookCurve(
        dates=setup.dates[rows],
        gross=gross,
        cost=cost,
        net=net,
        benchmark=benchmark,
        turnover=np.mean([book.curve.turnover for book in books], axis=0)[rows],
        invested=np.mean([book.invested for book in books], axis=0)[rows],
        value_gross=np.cumprod(1.0 + gross),
        value_net=value,
        value_benchmark=np.cumprod(1.0 + benchmark),
        drawdown=value / peak - 1.0,
        kind=kind,
        theoretical=setup.market == "CN" and kind in ("long_short", "dollar_neutral"),
        blocked_buys=rejects["buy_no_price"] + rejects["buy_limit_up"],
        blocked_sells=rejects["sell_no_price"] + rejects["sell_limit_down"],
        delisted_closed=sum(_delisted_held(book, setup) for book in books),
        benchmark_name=setup.benchmark_name,
        note=note,
    )


def _delisted_held(book: Book, setup: Setup) -> int:
    """Names that the book still held on the row at which they ceased to exist."""
    gone = np.asarray(setup.tape.delisted)
    names = np.flatnonzero((gone > book.start) & (gone < setup.view.shape[0]))
    if book.trades is None or not len(names):
        return 0
    worth = np.concatenate([[1.0], book.curve.nav[:-1]]) * (1.0 + book.curve.gross)  # when the bar trades
    growth = np.cumprod(1.0 + setup.tape.bars[:, names], axis=0)
    held = 0
    for column, name in enumerate(names):
        rows = slice(0, int(gone[name]))
        units = book.trades[rows, name] * worth[rows] / growth[rows, column]
        most = float(np.max(np.abs(np.cumsum(units)), initial=0.0))
        held += most > 0 and abs(float(units.sum())) > 1e-3 * most
    return held
