"""A market whose returns belong to other dates: what formulas say of them is chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.base import generator
from assay.errors import DataError
from assay.judge._setup import Setup
from assay.metrics import Scorer, Tape, forward_returns

LEAST_BLOCKS = 3
"""Fewer blocks cannot all change their place in more than one way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutedReturns:
    """Returns of the judged rows in another order, by blocks of dates; formulas still read the real bars.

    The rows lie on a circle, which is cut at a drawn place into blocks of ``block`` bars; the blocks change
    places, none keeps its own. A date's returns move together with its limits, so the cross-section stays,
    and within a block so does what follows what. Before that the mean of each stock's return in excess of
    the market is taken out: it would stay with the stock wherever its dates go, and a slow formula would find
    it. (Resampling under the null centres returns in the same way: Romano and Wolf, Econometrica 73, 2005.)
    The mean is taken over the rows that may come to a place, which are as far from the begin of the other
    blocks as the place from that of its own. With all rows in it, what comes would on average be the opposite
    of what went before, and past returns would foretell it.

    A stock trades on the dates on which it traded; where it has no return on the date that was moved there,
    it earns that date's market.

    Parameters
    ----------
    block : bars of a block; several times the label's, for it to stay what it is.
    seed : of the draw.
    """

    block: int
    seed: int

    def applied(self, setup: Setup) -> Setup:
        """The setup with labels, tape and benchmark of the permuted market; its view is as before.

        Raises
        ------
        DataError
            The judged rows hold fewer than three blocks.
        """
        price = np.asarray(setup.tape.price, dtype=np.float64)
        moves = self._moves(setup.rows.stop - setup.rows.start)
        rows = np.arange(len(price))
        rows[setup.rows] = setup.rows.start + moves.source
        moved = _rebuilt(price, moves, setup.rows)
        tape = Tape(
            moved,
            setup.tape.no_buy[rows],
            setup.tape.no_sell[rows],
            setup.tape.delisted,
            setup.tape.delisting_value,
        )
        return replace(
            setup,
            tape=tape,
            scorers={horizon: _scorer(setup, moved, horizon) for horizon in setup.scorers},
            benchmark=_benchmark(setup, tape),
            notes=(*setup.notes, f"returns are permuted by blocks of {self.block} dates: a market of chance"),
        )

    def order(self, count: int) -> NDArray[np.intp]:
        """Which of ``count`` rows comes at each place.

        Raises
        ------
        DataError
            They hold fewer than three blocks.
        """
        return self._moves(count).source

    def _moves(self, count: int) -> _Moves:
        blocks = count // self.block if self.block > 0 else 0
        if blocks < LEAST_BLOCKS:
            raise DataError(
                f"{count} bars hold {blocks} blocks of {self.block}",
                where="block",
                fix=f"give 1 to {count // LEAST_BLOCKS} bars",
            )
        rng = generator(self.seed, "permuted returns")
        circle = np.roll(np.arange(count), -int(rng.integers(count)))
        parts = np.array_split(circle, blocks)
        places = np.arange(blocks)
        while True:
            drawn = rng.permutation(blocks)
            if not (drawn == places).any():
                break
        source = np.empty(count, dtype=np.intp)
        source[circle] = np.concatenate([parts[number] for number in drawn])
        return _Moves(parts, drawn, source)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"kind": "permuted returns", "block": self.block, "seed": self.seed}


class _Moves(NamedTuple):
    """The judged rows in blocks, which block comes to the place of each, and so which row to that of each."""

    parts: Sequence[NDArray[np.intp]]
    drawn: NDArray[np.intp]
    source: NDArray[np.intp]


def _centred(excess: NDArray[np.float64], moves: _Moves) -> NDArray[np.float64]:
    """The moved rows, each less the mean of the rows that may come to its place."""
    length = max(len(part) for part in moves.parts)
    stack = np.full((len(moves.parts), length, excess.shape[1]), np.nan)
    for number, part in enumerate(moves.parts):
        stack[number, : len(part)] = excess[part]
    known = np.isfinite(stack)
    total, count = np.nansum(stack, axis=0), known.sum(axis=0)
    circle, start = np.concatenate(moves.parts), 0
    found = np.empty_like(excess)
    for place, number in enumerate(moves.drawn):
        size = len(moves.parts[number])
        others = (total - np.nan_to_num(stack[place])) / np.maximum(count - known[place], 1)
        found[circle[start : start + size]] = (stack[number] - others)[:size]
        start += size
    return found


def _rebuilt(price: NDArray[np.float64], moves: _Moves, judged: slice) -> NDArray[np.float64]:
    """Prices ``(T, N)`` that rise and fall as on the source rows, missing where the real ones are."""
    filled = _carried(price)
    with np.errstate(invalid="ignore", divide="ignore"):
        returns = filled[1:] / filled[:-1] - 1.0
    # a suspended bar has no return of its own; the bar that ends the pause has all of it
    returns[~np.isfinite(price[1:])] = np.nan
    returns = np.vstack([np.full((1, price.shape[1]), np.nan), returns])
    market = _mean(returns, axis=1)
    excess = returns - market[:, None]
    excess[judged] = _centred(excess[judged], moves)
    market[judged] = market[judged][moves.source]
    moved = np.nan_to_num(excess) + np.nan_to_num(market)[:, None]
    growth = np.cumprod(1.0 + np.maximum(moved, -0.99), axis=0)
    return np.where(np.isfinite(price), growth, np.nan)


def _carried(price: NDArray[np.float64]) -> NDArray[np.float64]:
    """The last known price of each stock, so that a pause is one return."""
    filled = price.copy()
    for row in range(1, len(filled)):
        np.copyto(filled[row], filled[row - 1], where=~np.isfinite(filled[row]))
    return filled


def _mean(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis=axis)
    mean: NDArray[np.float64] = total / np.maximum(known.sum(axis=axis), 1)
    return mean


def _scorer(setup: Setup, price: NDArray[np.float64], horizon: int) -> Scorer:
    label = forward_returns(price, horizon, delisted_row=setup.tape.delisted)
    settings = setup.settings
    return Scorer(label, universe=setup.judged, quantiles=settings.quantiles, min_names=settings.min_names)


def _benchmark(setup: Setup, tape: Tape) -> NDArray[np.float64]:
    settings = setup.settings
    if settings.book in ("long_short", "dollar_neutral"):
        return setup.benchmark
    members = setup.members if settings.benchmark is None else setup.view.universe(settings.benchmark)
    return tape.equal_weight(members)
