"""The published statistics. Sources: the platform's help pages, held against captured replies."""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from assay.brain._limits import TURNOVER_FLOOR
from assay.brain._wire import Stats
from assay.brain.simulator._outcome import Daily, Floats

YEAR: Final = 252
_CONSTANT: Final = 1e-12


def stats_of(daily: Daily, book: float) -> Stats:
    """Figures of a stretch of days, rounded as the platform does; a figure that is not defined is None."""
    turnover = turnover_of(daily, book)
    returns = returns_of(daily.pnl, book)
    sharpe = sharpe_of(daily.pnl)
    traded = float(daily.traded.sum())
    pnl = float(daily.pnl.sum())
    return Stats(
        pnl=_rounded(pnl, 0),
        book_size=book,
        long_count=int(np.rint(daily.long_count.mean())),
        short_count=int(np.rint(daily.short_count.mean())),
        turnover=_rounded(turnover, 4),
        returns=_rounded(returns, 4),
        drawdown=_rounded(drawdown_of(daily.pnl, book), 4),
        margin=_rounded(pnl / traded, 6) if traded > 0 else None,
        sharpe=_rounded(sharpe, 2),
        fitness=None if sharpe is None else _rounded(fitness_of(sharpe, returns, turnover), 2),
        start_date=str(daily.dates[0]),
        end_date=str(daily.dates[-1]),
    )


def sharpe_of(pnl: Floats) -> float | None:
    """``sqrt(252) mean / std`` of daily PnL, divisor n - 1; None where it does not vary."""
    if len(pnl) < 2:
        return None
    mean, spread = float(pnl.mean()), float(pnl.std(ddof=1))
    if spread <= _CONSTANT * max(1.0, abs(mean)):
        return None
    return sqrt(YEAR) * mean / spread


def returns_of(pnl: Floats, book: float) -> float:
    """Annual PnL as a fraction of half the book."""
    return float(pnl.mean()) * YEAR / (book / 2)


def turnover_of(daily: Daily, book: float) -> float:
    """Mean of what is traded in a day, as a fraction of the book."""
    return float(daily.traded.mean()) / book


def drawdown_of(pnl: Floats, book: float) -> float:
    """Largest fall of the summed PnL from its peak, which begins at 0, as a fraction of half the book."""
    total = np.concatenate([[0.0], np.cumsum(pnl)])
    return float((np.maximum.accumulate(total) - total).max()) / (book / 2)


def fitness_of(sharpe: float, returns: float, turnover: float) -> float:
    """``sharpe sqrt(|returns| / max(turnover, 0.125))``."""
    return sharpe * sqrt(abs(returns) / max(turnover, TURNOVER_FLOOR))


def _rounded(value: float | None, places: int) -> float | None:
    if value is None:
        return None
    return round(value, places) + 0.0  # no minus before a zero
