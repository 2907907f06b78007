from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.judge._bench import Bench, BoolArray
from assay.judge._results import BookCurve, FloatArray
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


def trade(signal: Signal, bench: Bench, direction: int = 1) -> BookResult | None:
    """Form the book of the settings from a signal, trade it, and average over the rebalance offsets.

    Each offset is a book of its own. The curve's returns are the mean of theirs; figures are computed for
    each book that ever traded and then averaged. ``None`` when none did.
    """
    traded = signal if direction > 0 else -signal
    targets = None if bench.settings.book == "top_k" else _targets(traded, bench)
    simulation = _simulate(traded, targets, bench)
    live = [book for book in simulation.books if book.start < bench.view.shape[0]]
    if not live:
        return None
    figures = replace(simulation, books=tuple(live)).mean_summary()
    capacity, unknown = _capacity(live[0], bench)
    start = max(book.start for book in live)
    excess = np.mean([book.excess for book in live], axis=0)[start:]
    plain = bench.settings.book == "decile" and direction > 0 and not bench.filtered
    top = targets > 0 if targets is not None and plain else None
    curve = _curve(live, simulation, bench, direction)
    return BookResult(curve, figures, capacity, unknown, excess, top)


def _simulate(signal: Signal, targets: FloatArray | None, bench: Bench) -> Simulation:
    settings = bench.settings
    rules: dict[str, Any] = {
        "every": settings.rebalance,
        "costs": MetricCosts(bench.costs.buy_bp, bench.costs.sell_bp),
        "benchmark": bench.benchmark,
        "lots": _lots(bench),
        "stamp_duty": bench.duty,
        "keep_trades": True,
    }
    if targets is None:
        parts = [_top_k(signal, bench, offset, rules) for offset in bench.offsets]
        return Simulation(
            tuple(part.books[0] for part in parts),
            settings.rebalance,
            parts[0].costs,
            settings.delisting_value,
        )
    return simulate(targets, bench.tape, offsets=bench.offsets, **rules)


def _top_k(signal: Signal, bench: Bench, offset: int, rules: dict[str, Any]) -> Simulation:
    settings = bench.settings
    targets = top_k_weights(
        signal,
        settings.top_k,
        buffer=settings.buffer,
        allowed=bench.allowed,
        every=settings.rebalance,
        offset=offset,
        cap=settings.max_weight,
    )
    return simulate(targets, bench.tape, offsets=(offset,), **rules)


def _targets(signal: Signal, bench: Bench) -> FloatArray:
    settings = bench.settings
    names = settings.min_names
    if settings.book == "decile":
        return top_quantile_weights(
            signal,
            quantiles=settings.quantiles,
            allowed=bench.allowed,
            cap=settings.max_weight,
            min_names=names,
        )
    if settings.book == "long_short":
        return long_short_weights(
            signal, quantiles=settings.quantiles, allowed=bench.allowed, min_names=names
        )
    return dollar_neutral_weights(signal, by="rank", allowed=bench.allowed, min_names=names)


def _lots(bench: Bench) -> Lots | None:
    settings = bench.settings
    if settings.lots == "fractional":
        return None
    raw = f"raw_{settings.fill}"
    return Lots(LOT, settings.capital, bench.view.field(raw if raw in bench.view.fields else settings.fill))


def _capacity(book: Book, bench: Bench) -> tuple[float, float]:
    if bench.traded_value is None:
        return float("nan"), 1.0
    if book.trades is None:
        return float("nan"), 1.0
    rows = np.flatnonzero(book.curve.turnover > 0)
    found = capacity_of(book.trades[rows], bench.traded_value[rows], bench.settings.participation)
    return found.capital, found.unknown


def _curve(books: list[Book], simulation: Simulation, bench: Bench, direction: int) -> BookCurve:
    rows = bench.rows
    gross = np.mean([book.curve.gross for book in books], axis=0)[rows]
    cost = np.mean([book.curve.cost for book in books], axis=0)[rows]
    net = gross - cost
    benchmark = np.mean([book.benchmark for book in books], axis=0)[rows]
    value = np.cumprod(1.0 + net)
    peak = np.maximum.accumulate(np.concatenate([[1.0], value]))[1:]
    kind = bench.settings.book
    rejects = simulation.rejects
    note = f"mean of {len(books)} books, one for each rebalance offset; benchmark: {bench.benchmark_name}"
    if direction < 0:
        note += "; traded with the opposite sign, because the mean RankIC is negative"
    return BookCurve(
        dates=bench.dates[rows],
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
        theoretical=bench.market == "CN" and kind in ("long_short", "dollar_neutral"),
        blocked_buys=rejects["buy_no_price"] + rejects["buy_limit_up"],
        blocked_sells=rejects["sell_no_price"] + rejects["sell_limit_down"],
        delisted_closed=sum(_delisted_held(book, bench) for book in books),
        benchmark_name=bench.benchmark_name,
        note=note,
    )


def _delisted_held(book: Book, bench: Bench) -> int:
    """Names that the book still held on the row at which they ceased to exist."""
    gone = np.asarray(bench.tape.delisted)
    names = np.flatnonzero((gone > book.start) & (gone < bench.view.shape[0]))
    if book.trades is None or not len(names):
        return 0
    worth = np.concatenate([[1.0], book.curve.nav[:-1]]) * (1.0 + book.curve.gross)  # when the bar trades
    growth = np.cumprod(1.0 + bench.tape.bars[:, names], axis=0)
    held = 0
    for column, name in enumerate(names):
        rows = slice(0, int(gone[name]))
        units = book.trades[rows, name] * worth[rows] / growth[rows, column]
        most = float(np.max(np.abs(np.cumsum(units)), initial=0.0))
        held += most > 0 and abs(float(units.sum())) > 1e-3 * most
    return held
