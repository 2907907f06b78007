from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.metrics._arrays import AnyArray, Bools, Floats, Singles, mask2, panel32, panel64, require
from assay.metrics._conventions import (
    COSTS_CN,
    ENTRY,
    MIN_NAMES,
    QUANTILES,
    UNDEFINED_TOLERANCE,
    WEIGHT_CAP,
    Costs,
)
from assay.metrics._ic import IcSeries
from assay.metrics._portfolio import Curve
from assay.metrics._quantile import QuantileReturns

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Sorted:
    """A panel's rows as sorted keys: the low ``bits`` of a key name the instrument."""

    keys: NDArray[np.uint32]
    state: Bytes
    count: NDArray[np.uint32]
    paired: NDArray[np.uint32]
    exact: Bools
    bits: int


def sort_rows(values: Singles, allowed: Bytes) -> Sorted:
    """Sort each row of ``values`` where ``allowed``; one vector sort of 32-bit keys."""
    from assay.metrics._kernels import _score

    T, N = values.shape
    bits = max(1, (N - 1).bit_length())
    keys = np.empty((T, N), dtype=np.uint32)
    state = np.empty((T, N), dtype=np.uint8)
    count, paired = np.empty(T, dtype=np.uint32), np.empty(T, dtype=np.uint32)
    exact = np.empty(T, dtype=np.bool_)
    numbers = np.arange(N, dtype=np.uint32)
    _score.build_keys(values.view(np.uint32), allowed, numbers, bits, keys, state, count, paired, exact)
    keys.sort(axis=1)
    return Sorted(keys, state, count, paired, exact, bits)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Ascending order of each row, doubled average ranks (0 where invalid), and the groups of equal
    values.
    """

    order: NDArray[np.unsignedinteger]
    doubled: NDArray[np.unsignedinteger]
    ties: NDArray[np.int64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]


def order_rows(values: Singles, ranked: Sorted) -> Ordered:
    """Finish sorted rows: order, ranks and ties. Doubled ranks are whole numbers, in as few bits as fit."""
    from assay.metrics._kernels import _score

    T, N = values.shape
    small = np.dtype(np.uint16 if 2 * N < 2**16 else np.uint32)
    order, doubled = np.zeros((T, N), dtype=small), np.zeros((T, N), dtype=small)
    ties = np.zeros(T + 1, dtype=np.int64)
    start, end = np.empty(T * N // 2 + 1, dtype=np.int32), np.empty(T * N // 2 + 1, dtype=np.int32)
    _score.order_rows(
        values, ranked.keys, ranked.count, ranked.exact, ranked.bits, order, doubled, ties, start, end
    )
    return Ordered(order, doubled, ties, start[: ties[-1]].copy(), end[: ties[-1]].copy())


@dataclass(frozen=True, slots=True)
class _Label:
    values: Singles
    scale: float
    center: Floats
    count: NDArray[np.int64]
    tie_sum: NDArray[np.int64]
    ranks: Ordered


def _fixed_point_scale(values: Singles) -> float:
    """Power of two that turns labels into integers whose sum over any set of names fits 63 bits."""
    largest = float(np.max(np.abs(values), initial=0.0)) * values.shape[1]
    if largest == 0.0:
        return 1.0
    return float(2.0 ** min(61 - int(np.ceil(np.log2(largest))), 120))  # at most a float32 power of two


def _prepare(label: Singles, universe: Bools) -> _Label:
    ranked = sort_rows(label, universe.view(np.uint8))
    done = order_rows(label, ranked)
    size = (done.end - done.start).astype(np.int64)
    summed = np.concatenate([[0], np.cumsum(size**3 - size)])
    plain = np.where(ranked.state > 0, label, np.float32(0))
    scale = _fixed_point_scale(plain)
    values = plain * np.float32(scale)  # a power of two: no digit is lost
    middle = np.take_along_axis(done.order, (ranked.count // 2)[:, None].clip(max=label.shape[1] - 1), axis=1)
    center = np.take_along_axis(values, middle, axis=1)[:, 0].astype(np.float64)
    return _Label(
        values=values,
        scale=scale,
        center=center,
        count=ranked.count.astype(np.int64),
        tie_sum=summed[done.ties[1:]] - summed[done.ties[:-1]],
        ranks=done,
    )


@dataclass(frozen=True, slots=True)
class Score:
    """What one factor is worth on one label, date by date.

    ``ic`` and ``rank_ic`` are per signal date; ``quantiles`` holds the label's mean in each quantile of
    the signal; ``curve`` is the book of the top quantile, per bar, before and after cost.
    """

    ic: IcSeries
    rank_ic: IcSeries
    quantiles: QuantileReturns
    curve: Curve
    signal_names: NDArray[np.int64]


@dataclass(frozen=True)
class Scorer:
    """Scores many factors on one panel; what depends on the labels alone is prepared once.

    Parameters
    ----------
    label : (T, N) returns that the signal should foresee, see :func:`forward_returns`.
    bars : (T, N) returns of holdings per bar, see :func:`bar_returns`; without them the curve stays flat.
    universe : (T, N) bool, names that count on a date; without it every name does.
    quantiles : number of quantiles; the curve's book is the top one.
    entry : rows between a signal and its trade.
    every, offset : the curve trades signals of rows t with ``t % every == offset``.
    min_names : names that a date needs for an IC and a trade.
    costs : of purchases and sales.
    cap : largest weight of one name in the curve's book.

    Notes
    -----
    The signal of a date is ranked among the universe's names that have a signal; quantiles and the book
    are formed from these, whether a label will exist or not. The ICs use the names that have both. The
    curve is ideal: every order fills, a name without a price keeps its value; :func:`simulate` adds
    limits, suspensions and lots.
    """

    label: AnyArray
    bars: AnyArray | None = None
    universe: AnyArray | None = None
    quantiles: int = QUANTILES
    entry: int = ENTRY
    every: int = 1
    offset: int = 0
    min_names: int = MIN_NAMES
    costs: Costs = COSTS_CN
    cap: float = WEIGHT_CAP
    _label: _Label = field(init=False, repr=False)
    _bars: Floats = field(init=False, repr=False)
    _allowed: Bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        label = panel32(self.label, "label")
        shape = (label.shape[0], label.shape[1])
        universe = mask2(self.universe, "universe", shape, default=True)
        bars = np.zeros(shape) if self.bars is None else panel64(self.bars, "bars", shape)
        require(
            bool(np.isfinite(bars).all()),
            "bars has missing values",
            "bars",
            "use bar_returns(), which has none",
        )
        require(self.quantiles >= 2, f"quantiles is {self.quantiles}", "quantiles", "give at least 2")
        require(self.entry >= 1, f"entry is {self.entry}", "entry", "give at least 1")
        require(self.every >= 1, f"every is {self.every}", "every", "give at least 1")
        require(0 <= self.offset < self.every, f"offset is {self.offset}", "offset", "give 0 to every-1")
        require(self.min_names >= 2, f"min_names is {self.min_names}", "min_names", "give at least 2")
        prepared = _prepare(label, universe)
        paired = universe & np.isfinite(label)
        object.__setattr__(self, "_label", prepared)
        object.__setattr__(self, "_bars", bars)
        object.__setattr__(self, "_allowed", universe.astype(np.uint8) + paired.astype(np.uint8))

    def score(self, signal: AnyArray) -> Score:
        """Score one factor: (T, N) values, higher meaning better, NaN or inf meaning none.

        Raises
        ------
        DataError
            The shape differs from the label's.
        """
        from assay.metrics._kernels import _score

        y = self._label
        T, N = y.values.shape
        x = panel32(signal, "signal", (T, N))
        ranked = sort_rows(x, self._allowed)
        ic, rank_ic = np.full(T, np.nan), np.full(T, np.nan)
        returns = np.full((T, self.quantiles), np.nan)
        sizes = np.zeros((T, self.quantiles), dtype=np.int32)
        gross, bought, sold = np.zeros(T), np.zeros(T), np.zeros(T)
        _score.walk(
            x, ranked.keys, ranked.state, ranked.count, ranked.paired, ranked.exact, ranked.bits,
            y.values, y.scale, y.center, y.count, y.ranks.order, y.ranks.doubled, y.tie_sum,
            y.ranks.ties, y.ranks.start, y.ranks.end,
            self._bars, self.entry, self.every, self.offset, self.min_names, UNDEFINED_TOLERANCE, self.cap,
            ic, rank_ic, returns, sizes, gross, bought, sold,
        )  # fmt: skip
        names = ranked.paired.astype(np.int64)
        return Score(
            ic=IcSeries("pearson", ic, names, self.min_names),
            rank_ic=IcSeries("spearman", rank_ic, names, self.min_names),
            quantiles=QuantileReturns(returns, sizes),
            curve=Curve.of(gross, bought, sold, self.costs),
            signal_names=ranked.count.astype(np.int64),
        )
