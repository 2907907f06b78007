"""The judge's book without what only a certificate shows of it: the same figures as its own, in less time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.judge._setup import BoolArray, Setup
from assay.metrics import (
    Costs,
    Lots,
    MeanSummary,
    Tape,
    dollar_neutral_weights,
    long_short_weights,
    simulate,
    top_k_weights,
    top_quantile_weights,
)

Floats = NDArray[np.float64]
LOT = 100


@dataclass(frozen=True, slots=True)
class Traded:
    """Figures averaged over the books of all rebalance offsets, and their mean net excess return per bar.

    ``excess`` begins with the first bar on which every book had traded.
    """

    figures: MeanSummary
    excess: Floats


@dataclass(frozen=True, slots=True)
class Trader:
    """Trades signals on the names that were ever members of the segment; prepared once.

    Parameters
    ----------
    columns : columns of these names in the panel. No other is ever bought: leaving them out changes nothing.
    """

    setup: Setup
    columns: NDArray[np.intp]
    tape: Tape
    allowed: BoolArray
    lots: Lots | None

    @classmethod
    def of(cls, setup: Setup) -> Trader:
        """A trader on the setup's market, by the book of its settings."""
        columns = np.flatnonzero(setup.judged.any(axis=0))
        whole = setup.tape
        return cls(
            setup=setup,
            columns=columns,
            tape=Tape(
                np.asarray(whole.price)[:, columns],
                whole.no_buy[:, columns],
                whole.no_sell[:, columns],
                whole.delisted[columns],
                whole.delisting_value,
            ),
            allowed=np.ascontiguousarray(setup.allowed[:, columns]),
            lots=_lots(setup, columns),
        )

    def trade(self, signal: NDArray[np.float32], direction: int) -> Traded | None:
        """Form the book from a signal ``(T, N)``, with its sign turned where ``direction`` is below 0.

        None when no book ever traded.
        """
        setup = self.setup
        chosen = signal[:, self.columns]
        simulation = simulate(
            self._targets(chosen if direction > 0 else -chosen),
            self.tape,
            every=setup.settings.rebalance,
            offsets=setup.offsets,
            costs=Costs(setup.costs.buy_bp, setup.costs.sell_bp),
            stamp_duty=setup.duty,
            lots=self.lots,
            benchmark=setup.benchmark,
        )
        live = tuple(book for book in simulation.books if book.start < len(chosen))
        if not live:
            return None
        start = max(book.start for book in live)
        excess = np.mean([book.excess for book in live], axis=0)[start:]
        return Traded(replace(simulation, books=live).mean_summary(), excess)

    def _targets(self, signal: NDArray[np.float32]) -> Floats:
        settings = self.setup.settings
        names, allowed = settings.min_names, self.allowed
        if settings.book == "top_k":
            return self._top_k(signal)
        if settings.book == "decile":
            return top_quantile_weights(
                signal,
                quantiles=settings.quantiles,
                allowed=allowed,
                cap=settings.max_weight,
                min_names=names,
            )
        if settings.book == "long_short":
            return long_short_weights(signal, quantiles=settings.quantiles, allowed=allowed, min_names=names)
        return dollar_neutral_weights(signal, by="rank", allowed=allowed, min_names=names)

    def _top_k(self, signal: NDArray[np.float32]) -> Floats:
        """Targets of all offsets in one array: each offset has rows of its own."""
        settings = self.setup.settings
        targets = np.full(signal.shape, np.nan)
        for offset in self.setup.offsets:
            rows = slice(offset, None, settings.rebalance)
            targets[rows] = top_k(
                signal[rows], settings.top_k, settings.buffer, self.allowed[rows], settings.max_weight
            )
        return targets


def top_k(
    signal: NDArray[np.float32], k: int, buffer: int, allowed: BoolArray, cap: float
) -> NDArray[np.float64]:
    """What :func:`top_k_weights` gives, in less time where there is no buffer.

    Then a row depends on the row before it only where names tie for the last places, so that whole rows are
    chosen at once and the others one by one.
    """
    if buffer or signal.shape[1] < k:
        return top_k_weights(signal, k, buffer=buffer, allowed=allowed, cap=cap)
    targets = np.full(signal.shape, np.nan)
    has = allowed & np.isfinite(signal)
    full = np.flatnonzero(has.sum(axis=1) >= k)
    score = np.where(has[full], signal[full], np.float32(-np.inf))
    last = np.partition(score, score.shape[1] - k, axis=1)[:, score.shape[1] - k]
    best = score >= last[:, None]
    filled = best.astype(np.float64)
    for row in np.flatnonzero(best.sum(axis=1) != k):
        held = filled[row - 1] > 0 if row else np.zeros(score.shape[1], dtype=np.bool_)
        kept = held & best[row]
        if int(kept.sum()) > k:  # ties let more names stay than there are places
            filled[row] = _share(score[row], kept, k)
        else:
            filled[row] = kept + _share(score[row], has[full[row]] & ~kept, k - int(kept.sum()))
    targets[full] = filled * min(cap, 1.0 / k)
    return targets


def _share(score: NDArray[np.float32], candidates: BoolArray, places: int) -> Floats:
    """Full positions for the best candidates; those that tie for the last places share them."""
    if places <= 0:
        return np.zeros(len(score))
    edge = np.partition(-score[candidates], places - 1)[places - 1]
    inside, tied = candidates & (-score < edge), candidates & (-score == edge)
    left = places - int(inside.sum())
    return np.asarray(inside + tied * (left / int(tied.sum())), dtype=np.float64)


def _lots(setup: Setup, columns: NDArray[np.intp]) -> Lots | None:
    settings, view = setup.settings, setup.view
    if settings.lots == "fractional":
        return None
    raw = f"raw_{settings.fill}"
    price = view.field(raw if raw in view.fields else settings.fill)
    return Lots(LOT, settings.capital, price[:, columns])
