from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.expr import Expression
from assay.judge._measure import NEUTRAL_DAYS
from assay.judge._setup import Setup
from assay.judge.training._book import Trader
from assay.judge.training._cells import Cells, Ranks
from assay.ledger import TrialKey
from assay.metrics import (
    IcSeries,
    Moments,
    Score,
    coverage,
    mean_of,
    moments_of,
    neutral_rank_ic,
    newey_west_p,
    newey_west_t,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingScore:
    """The figures of one candidate on the training segment; NaN where undefined.

    Parameters
    ----------
    key : of its trial.
    expression : what was scored.
    rank_ic, neutral_rank_ic : mean daily RankIC, raw and after industries and styles.
    t, neutral_t, t_lags : Newey-West t of the two means, and its lags.
    payoff, payoff_t : mean return over the label of the portfolio that weighs names by their ranks (see
        :attr:`QuantileReturns.ladder`), and its Newey-West t.
    p, payoff_p : two-sided p-values of ``t`` and ``payoff_t``; see :func:`newey_west_p`.
    ic, icir : mean daily Pearson IC, and its mean over its standard deviation.
    rank_icir : the same ratio of the RankIC.
    days, names : days with a RankIC, and the mean number of names behind one.
    coverage : mean share of the members that have a value, from the first date with any on.
    direction : -1 where the book was traded with the opposite sign, because the mean RankIC is negative.
    turnover : one-way, a year.
    break_even_bp : cost of a unit traded, in basis points, that takes up the book's gross excess return.
    net_excess, ir : excess return after cost, a year, and its information ratio.
    fold_rank_ics, fold_neutral_rank_ics : means over equal stretches of the segment, in order.
    rank_ics, neutral_rank_ics : daily series ``(T,)`` over the dates of the segment.
    ranks : of the sampled cells; see :class:`Cells`.
    excess : the book's net excess return per bar, to the segment's end.
    moments : of ``excess``; its Sharpe ratio is per bar.
    """

    key: TrialKey
    expression: Expression
    rank_ic: float
    neutral_rank_ic: float
    t: float
    neutral_t: float
    t_lags: int
    payoff: float
    payoff_t: float
    p: float
    payoff_p: float
    ic: float
    icir: float
    rank_icir: float
    days: int
    names: float
    coverage: float
    direction: int
    turnover: float
    break_even_bp: float
    net_excess: float
    ir: float
    fold_rank_ics: tuple[float, ...]
    fold_neutral_rank_ics: tuple[float, ...]
    rank_ics: Floats
    neutral_rank_ics: Floats
    ranks: Ranks
    excess: Floats
    moments: Moments

    @property
    def sharpe(self) -> float:
        """Sharpe ratio of the book's net excess return, per bar."""
        return self.moments.sharpe

    @property
    def paid_t(self) -> float:
        """t of the mean payoff, with its sign turned where the mean RankIC is negative."""
        return float(np.sign(self.rank_ic)) * self.payoff_t

    @property
    def joint_p(self) -> float:
        """The larger of the two p-values; 1 where RankIC and payoff are of opposite sign."""
        if math.isnan(self.p) or math.isnan(self.payoff_p):
            return math.nan
        return max(self.p, self.payoff_p) if self.paid_t > 0 else 1.0

    def figures(self) -> dict[str, Any]:
        """The numbers, JSON-ready but for NaN; without series and cells."""
        plain = {name: getattr(self, name) for name in FIGURES}
        return {
            **plain,
            "sharpe": self.sharpe,
            "fold_rank_ics": list(self.fold_rank_ics),
            "fold_neutral_rank_ics": list(self.fold_neutral_rank_ics),
        }


FIGURES = (
    "rank_ic", "neutral_rank_ic", "t", "neutral_t", "t_lags", "payoff", "payoff_t", "p", "payoff_p", "ic",
    "icir", "rank_icir", "days", "names", "coverage", "direction", "turnover", "break_even_bp", "net_excess",
    "ir",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Meter:
    """Measures signals; what all candidates share is prepared once."""

    setup: Setup
    trader: Trader
    cells: Cells
    folds: int

    def score(self, key: TrialKey, expression: Expression, signal: NDArray[np.float32]) -> TrainingScore:
        """The score of a signal ``(T, N)``, already lagged and masked."""
        setup, lags = self.setup, self.setup.settings.t_lags
        score = setup.scorer.score(signal)
        raw, ic = self._judged(score.rank_ic), self._judged(score.ic).summary(lags)
        ranked = raw.summary(lags)
        neutral = self._neutral(signal, raw)
        payoffs = self._payoffs(score, raw)
        payoff_t = newey_west_t(payoffs, lags)
        direction = -1 if setup.settings.direction == "auto" and ranked.mean < 0 else 1
        book = self.trader.trade(signal, direction)
        excess = np.empty(0) if book is None else book.excess
        nan = math.nan
        return TrainingScore(
            key=key,
            expression=expression,
            rank_ic=ranked.mean,
            neutral_rank_ic=mean_of(neutral),
            t=ranked.t,
            neutral_t=newey_west_t(neutral, lags),
            t_lags=lags,
            payoff=mean_of(payoffs),
            payoff_t=payoff_t,
            p=self._p(ranked.t, raw.values),
            payoff_p=self._p(payoff_t, payoffs),
            ic=ic.mean,
            icir=ic.icir,
            rank_icir=ranked.icir,
            days=ranked.days,
            names=ranked.mean_names,
            coverage=self._coverage(signal),
            direction=direction,
            turnover=nan if book is None else book.figures.turnover,
            break_even_bp=nan if book is None else book.figures.break_even_bp,
            net_excess=nan if book is None else book.figures.annual_excess,
            ir=nan if book is None else book.figures.ir,
            fold_rank_ics=self._folds(raw.values),
            fold_neutral_rank_ics=self._folds(neutral),
            rank_ics=raw.values,
            neutral_rank_ics=neutral,
            ranks=self.cells.ranks(signal),
            excess=excess,
            moments=moments_of(excess),
        )

    def _judged(self, series: IcSeries) -> IcSeries:
        return series.between(self.setup.rows.start, self.setup.rows.stop)

    def _neutral(self, signal: NDArray[np.float32], raw: IcSeries) -> Floats:
        """The neutral series; undefined where it exists on so few days that a mean would be noise."""
        nothing = np.full(len(raw.values), np.nan)
        if self.setup.neutralizer is None:
            return nothing
        found = self._judged(neutral_rank_ic(signal, self.setup.scorer, self.setup.neutralizer)).values
        usual = np.count_nonzero(np.isfinite(raw.values))
        return nothing if np.count_nonzero(np.isfinite(found)) < NEUTRAL_DAYS * usual else found

    def _payoffs(self, score: Score, raw: IcSeries) -> Floats:
        """What the portfolio of ranks earns over the label, on the days that have a RankIC."""
        rows = self.setup.rows
        return np.where(
            np.isfinite(raw.values), score.quantiles.between(rows.start, rows.stop).ladder, np.nan
        )

    def _p(self, t: float, series: Floats) -> float:
        days = int(np.isfinite(series).sum())
        settings = self.setup.settings
        return math.nan if math.isnan(t) else newey_west_p(t, days, settings.t_lags, settings.horizon)

    def _coverage(self, signal: NDArray[np.float32]) -> float:
        rows = self.setup.rows
        share = coverage(signal[rows], self.setup.judged[rows]).per_date
        some = np.flatnonzero(share > 0)
        # a lookback that fills up is no lack of data
        return mean_of(share[some[0] :] if len(some) else share)

    def _folds(self, series: Floats) -> tuple[float, ...]:
        return tuple(mean_of(part) for part in np.array_split(series, self.folds))
