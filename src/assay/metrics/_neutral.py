from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics._arrays import AnyArray, Floats, Singles, panel32, panel64, require
from assay.metrics._conventions import MIN_NAMES, STYLE_WINDOW, UNDEFINED_TOLERANCE
from assay.metrics._ic import IcSeries
from assay.metrics._ranks import average_ranks
from assay.metrics._scorer import Scorer


@dataclass(frozen=True, slots=True)
class Styles:
    """The three styles that raw RankICs mostly reward, (T, N) each, known at the close of the same row."""

    volatility: Singles
    traded_value: Singles
    momentum: Singles


class _Window(NamedTuple):
    mean: Floats
    std: Floats


def _window(values: Floats, window: int) -> _Window:
    """Mean and population deviation over strict windows, in two passes."""
    mean = np.full(values.shape, np.nan)
    std = np.full(values.shape, np.nan)
    rows = len(values) - window + 1
    if rows > 0:
        level = sum(values[k : k + rows] for k in range(window)) / window
        mean[window - 1 :] = level
        std[window - 1 :] = np.sqrt(sum((values[k : k + rows] - level) ** 2 for k in range(window)) / window)
    return _Window(mean, std)


def styles_of(price: AnyArray, traded_value: AnyArray, window: int = STYLE_WINDOW) -> Styles:
    """Volatility of daily returns, mean traded value and return over ``window`` bars; any gap inside gives
    NaN.

    Row t uses rows up to t: move the result by the signal's lag before use.
    """
    require(window >= 2, f"window is {window}", "window", "give at least 2 bars")
    prices = panel64(price, "price")
    value = panel64(traded_value, "traded_value", (prices.shape[0], prices.shape[1]))
    returns = np.full(prices.shape, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        returns[1:] = prices[1:] / prices[:-1] - 1.0
        momentum = np.full(prices.shape, np.nan)
        momentum[window:] = prices[window:] / prices[:-window] - 1.0
    return Styles(
        _window(returns, window).std.astype(np.float32),
        _window(value, window).mean.astype(np.float32),
        momentum.astype(np.float32),
    )


@dataclass(frozen=True)
class Neutralizer:
    """Takes groups and styles out of a factor; what does not depend on the factor is prepared once.

    Parameters
    ----------
    styles : known at the signal, that is lagged like it.
    groups : (T, N) or (N,) industry codes, -1 = none (these names form a group of their own).
    universe : (T, N) bool, names that are ranked.
    min_names : complete names that a date needs.

    Notes
    -----
    Per date the factor's average ranks are regressed on the industry dummies and on the ranks of the three
    styles, over the names that have all of them. Each rank is taken among the universe's names that have
    the quantity. A factor that the regression explains fully leaves nothing: NaN.
    """

    styles: Styles
    groups: AnyArray
    universe: AnyArray | None = None
    min_names: int = MIN_NAMES
    _ranks: Singles = field(init=False, repr=False)
    _groups: NDArray[np.int32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parts = (self.styles.volatility, self.styles.traded_value, self.styles.momentum)
        ranks = np.stack([average_ranks(part, universe=self.universe, scaled=False) for part in parts])
        codes = np.ascontiguousarray(
            np.broadcast_to(np.asarray(self.groups), ranks.shape[1:]), dtype=np.int32
        )
        object.__setattr__(self, "_ranks", ranks)
        object.__setattr__(self, "_groups", codes)

    def residual(self, signal: AnyArray) -> Singles:
        """What is left of the ranks of ``signal`` (T, N), as shares of the number of names; NaN where
        undefined.
        """
        from assay.metrics._kernels import _neutral

        shape = (self._groups.shape[0], self._groups.shape[1])
        x = panel32(signal, "signal", shape)
        ranks = average_ranks(x, universe=self.universe, scaled=False)
        out = np.full(shape, np.nan, dtype=np.float32)
        count = int(self._groups.max(initial=-1)) + 1
        _neutral.residuals(ranks, self._ranks, self._groups, count, self.min_names, UNDEFINED_TOLERANCE, out)
        return out


def neutral_rank_ic(signal: AnyArray, scorer: Scorer, neutralizer: Neutralizer) -> IcSeries:
    """RankIC of what is left of a factor beside industries and styles."""
    return scorer.score(neutralizer.residual(signal)).rank_ic
