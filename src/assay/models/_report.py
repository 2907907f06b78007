"""The one shape of an evaluation: of a backtest and of every method of discovery."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class EvalMetrics:
    """Figures of a signal on the days that were evaluated; ``None`` where one is undefined.

    Parameters
    ----------
    rank_ic, ic : mean daily Spearman and Pearson correlation of signal and label.
    rank_icir : mean over standard deviation of the daily RankIC.
    t : Newey-West t of the mean RankIC, over twice the horizon in lags.
    sharpe : annualised; of the net return of the top tenth, equally weighted and held for the horizon, over
        the mean of the members.
    turnover : one way, in a year, as a multiple of that book.
    coverage : mean share of the members that have a signal.
    days : days with a defined RankIC; bars, where those are inside the day.
    """

    rank_ic: float | None
    ic: float | None
    rank_icir: float | None
    t: float | None
    sharpe: float | None
    turnover: float | None
    coverage: float | None
    days: int


@dataclass(frozen=True, slots=True)
class EvalFold:
    """One fold: first and last day of training and of test, and what came of the test days."""

    train_start: str
    train_end: str
    test_start: str
    test_end: str
    days: int
    rank_ic: float | None
    ic: float | None


@dataclass(frozen=True, slots=True)
class EvalProvenance:
    """What an evaluation follows from.

    Parameters
    ----------
    data, data_hash : name and SHA-256 of the data set.
    period : name of the period that was evaluated.
    universe : members; ``None`` for all instruments.
    fingerprint : of what was evaluated; with ``config_hash`` it is the key of the trial.
    config_hash : SHA-256 over all else that the figures hang on: data, dates, label, costs.
    seed : of what draws at random.
    """

    data: str
    data_hash: str
    period: str
    universe: str | None
    fingerprint: str
    config_hash: str
    seed: int


@dataclass(frozen=True, slots=True)
class EvalReport:
    """An evaluation.

    Parameters
    ----------
    method : how the signal came about, such as ``walk_forward``.
    subject : what was evaluated: a strategy's slug, a formula, a set of features.
    target, horizon : the label, and the bars that it spans.
    bars, instruments : size of what was used.
    folds : empty for a signal that learns nothing.
    n : trials that the ledger holds for the data set after this one; ``None`` without a ledger, or where
        what it holds is incomplete.
    """

    method: str
    subject: str
    target: str
    horizon: int
    bars: int
    instruments: int
    metrics: EvalMetrics
    folds: tuple[EvalFold, ...]
    n: int | None
    provenance: EvalProvenance

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**asdict(self), "folds": [asdict(fold) for fold in self.folds]}
