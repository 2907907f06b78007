"""The market of an accepted campaign up to the end of its hold-out, and what its factors say there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from assay.campaign._accept_types import HoldOut
from assay.campaign._combine import Combination, Combined, Samples, centred_ranks, combine
from assay.campaign._prepare import Market
from assay.config import DEFAULT_HORIZONS, as_date
from assay.expr import Expression

if TYPE_CHECKING:
    from assay.judge import JudgeSettings
    from assay.market import Panel

ALL: Final = "all"
MIN_T: Final = 2.0
"""Of the mean RankIC on the hold-out: one test of a factor that was chosen elsewhere."""


def hold_out_of(market: Market) -> HoldOut:
    """``eval`` where the plan has it, else the ``validate`` tail of ``search``."""
    from assay.judge.training import training_end

    if market.plan.eval is not None:
        dates = market.panel.dates
        inside = dates[
            (dates >= np.datetime64(market.plan.eval.start, "D"))
            & (dates <= np.datetime64(market.plan.eval.end, "D"))
        ]
        return HoldOut("eval", as_date(inside[0]), as_date(inside[-1]))
    end = training_end(market.panel, market.plan, market.settings)
    tail = market.panel.between(None, market.plan.search.end).dates
    first = tail[np.searchsorted(tail, np.datetime64(end, "D"), side="right")]
    return HoldOut("validate", as_date(first), as_date(tail[-1]))


def hold_out_settings(market: Market, hold_out: HoldOut, threads: int) -> JudgeSettings:
    """How factors are judged on the hold-out: as on the training segment, with every check in full.

    The sign is given, as it was known before. A mean RankIC counts from t 2 on, since no factor is chosen
    here; that it has one sign in each part of the hold-out is not asked of so few bars.
    """
    from assay.judge import Thresholds

    horizon = market.settings.judge.horizon
    return replace(
        market.settings.judge,
        period=hold_out.name if hold_out.hidden else "search",
        start=None if hold_out.hidden else hold_out.start,
        end=None if hold_out.hidden else hold_out.end,
        allow_hidden=hold_out.hidden,
        horizons=tuple(sorted({horizon, *DEFAULT_HORIZONS})),
        direction="given",
        adjustment="refuse",
        robustness="full",
        leak_checks="full",
        thresholds=Thresholds(min_t=MIN_T, stable_sign=False),
        threads=threads,
    )


@dataclass(frozen=True)
class Material:
    """Values of factors up to the end of the hold-out, and what portfolios learn from.

    Parameters
    ----------
    view : rows up to the end of the hold-out.
    members : universe by date.
    values : float32 ``(T, N)`` by factor, NaN outside of the members.
    samples : of the search period alone.
    """

    view: Panel
    members: npt.NDArray[np.bool_]
    values: Mapping[str, npt.NDArray[np.float32]]
    samples: Samples

    @classmethod
    def of(
        cls, market: Market, hold_out: HoldOut, factors: Mapping[str, Expression], threads: int
    ) -> Material:
        """Evaluate factors; the rows of a hidden hold-out are read, so its looks are charged before."""
        from assay.engine import evaluate

        view = market.panel.between(None, hold_out.end)
        members = view.universe(market.settings.judge.universe or ALL)
        nodes = {name: expression.node for name, expression in factors.items()}
        found = evaluate(nodes, view, universe=members, threads=threads)
        values = {name: np.where(members, found[name], np.float32(np.nan)) for name in factors}
        return cls(view, members, values, _samples(market, members, list(values.values())))

    def portfolios(self, kinds: tuple[Combination, ...], seed: int) -> list[Combined]:
        """The factors combined in each way that is asked for."""
        return [combine(kind, self.samples, seed) for kind in kinds]

    def padded(self, values: npt.NDArray[np.float32], rows: int) -> npt.NDArray[np.float32]:
        """Values on the rows of the whole panel, as the judge wants them; missing after the hold-out."""
        whole = np.full((rows, values.shape[1]), np.nan, dtype=np.float32)
        whole[: len(values)] = values
        return whole


def _samples(
    market: Market, members: npt.NDArray[np.bool_], values: list[npt.NDArray[np.float32]]
) -> Samples:
    """Ranks, and the label that each date's values foretell, of search dates alone."""
    from assay.judge.training import training_end

    end = training_end(market.panel, market.plan, market.settings)
    training, search = (market.panel.between(None, last) for last in (end, market.plan.search.end))
    first = int(np.searchsorted(search.dates, np.datetime64(market.plan.search.start, "D")))
    cut, last = len(training.dates), len(search.dates)
    label = np.full(members.shape, np.nan, dtype=np.float32)
    # labels of the training rows end with them
    label[first:cut] = _label(market, training)[first:cut]
    label[cut:last] = _label(market, search)[cut:last]
    ranked = centred_ranks(label, members)
    lag = market.settings.judge.lag
    early = np.full_like(ranked, np.nan)
    early[: len(ranked) - lag] = ranked[lag:]

    def rows(start: int, stop: int) -> slice:
        return slice(max(start - lag, 0), max(stop - lag, 0))

    ranks = [centred_ranks(item, members) for item in values]
    return Samples(ranks, early, members, rows(first, cut), rows(cut, last))


def _label(market: Market, view: Panel) -> npt.NDArray[np.float32]:
    from assay.metrics import forward_returns

    settings = market.settings.judge
    delisted = view.trading(settings.fill).delisted_row
    return forward_returns(view.field(settings.fill), settings.horizon, delisted_row=delisted)
