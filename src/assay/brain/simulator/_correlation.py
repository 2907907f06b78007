from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from assay.brain._correlation import may_follow, pnl_correlation
from assay.brain._limits import SELF_CORRELATION
from assay.brain._platform import CorrelationKind
from assay.brain._wire import Check, Correlations
from assay.brain.simulator._outcome import Correlated, Daily, Peer

PROD_BINS: Final = 20


def self_correlation(daily: Daily, sharpe: float | None, others: Sequence[Peer]) -> Correlated:
    """Correlations of daily PnL over the last four years, and the check ``SELF_CORRELATION``.

    The check passes below 0.7, or if the Sharpe ratio exceeds that of every alpha beyond it by a tenth.

    Parameters
    ----------
    sharpe : of the alpha whose ``daily`` it is.
    others : alphas to hold it against, without itself.
    """
    found = sorted(_correlated(daily, others), key=lambda pair: -pair[1])
    rows = tuple(_row(peer, value) for peer, value in found)
    passes = all(may_follow(sharpe, peer.stats.sharpe, value) for peer, value in found)
    return _answer("self", "SELF_CORRELATION", [value for _, value in found], rows, passes)


def prod_correlation(daily: Daily, sharpe: float | None, others: Sequence[Peer]) -> Correlated:
    """As :func:`self_correlation`, told as a histogram of 20 bins, and the check ``PROD_CORRELATION``."""
    found = _correlated(daily, others)
    passes = all(may_follow(sharpe, peer.stats.sharpe, value) for peer, value in found)
    values = [value for _, value in found]
    counts, edges = np.histogram(values, bins=PROD_BINS, range=(-1.0, 1.0))
    rows = tuple(
        {"min": round(float(low), 4), "max": round(float(high), 4), "alphas": int(count)}
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    )
    return _answer("prod", "PROD_CORRELATION", values, rows if found else (), passes)


def _answer(
    kind: CorrelationKind, name: str, values: list[float], rows: tuple[dict[str, Any], ...], passes: bool
) -> Correlated:
    most = round(max(values), 4) if values else None
    least = round(min(values), 4) if values else None
    check = Check(name=name, result="PASS" if passes else "FAIL", limit=SELF_CORRELATION, value=most)
    return Correlated(Correlations(kind=kind, max=most, min=least, rows=rows), check)


def _correlated(daily: Daily, others: Sequence[Peer]) -> list[tuple[Peer, float]]:
    found = [(peer, correlation(daily, peer.daily)) for peer in others]
    return [(peer, value) for peer, value in found if value is not None]


def correlation(one: Daily, other: Daily) -> float | None:
    """Pearson correlation of daily PnL on common dates of the last four years; None where it is undefined."""
    return pnl_correlation(one.dates, one.pnl, other.dates, other.pnl)


def _row(peer: Peer, value: float) -> dict[str, Any]:
    settings, stats = peer.request.settings, peer.stats
    return {
        "id": peer.id,
        "name": peer.name,
        "instrumentType": settings.instrument_type,
        "region": settings.region,
        "universe": settings.universe,
        "correlation": round(value, 4),
        "sharpe": stats.sharpe,
        "returns": stats.returns,
        "turnover": stats.turnover,
        "fitness": stats.fitness,
        "margin": stats.margin,
    }
