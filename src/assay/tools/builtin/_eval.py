"""An evaluation as tools give it: the same for a backtest and for every method of discovery."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import Field

from assay.tools._tool import Result

if TYPE_CHECKING:
    from assay.models import EvalReport

MAX_FOLDS = 256


class MetricsRow(Result):
    rank_ic: float | None = Field(description="Mean daily rank correlation of the signal and the label.")
    ic: float | None = Field(description="Mean daily correlation of the signal and the label.")
    rank_icir: float | None = Field(description="Mean over standard deviation of the daily RankIC.")
    t: float | None = Field(description="Newey-West t of the mean RankIC.")
    sharpe: float | None = Field(
        description="Annualised, of the net return of the top tenth over the mean of the members."
    )
    turnover: float | None = Field(description="One-way turnover in a year, as a multiple of the book.")
    coverage: float | None = Field(description="Mean share of the members that have a signal.")
    days: int = Field(description="Days with a defined RankIC.")


class FoldRow(Result):
    train_start: str
    train_end: str
    test_start: str
    test_end: str
    days: int
    rank_ic: float | None
    ic: float | None


class ProvenanceRow(Result):
    data: str
    data_hash: str
    period: str
    universe: str | None = Field(description="Missing where all instruments are evaluated.")
    fingerprint: str = Field(description="Of what was evaluated; with config_hash the key of the trial.")
    config_hash: str = Field(description="Over all else that the figures hang on.")
    seed: int


class EvalResult(Result):
    method: str
    subject: str
    target: str
    horizon: int = Field(description="Bars that the label spans.")
    bars: int
    instruments: int
    metrics: MetricsRow
    folds: list[FoldRow] = Field(description="The last folds; none of what learns nothing.")
    folds_total: int
    n: int | None = Field(description="Trials on the data set, this one included; missing if not known.")
    provenance: ProvenanceRow


def eval_result(report: EvalReport, folds: int = MAX_FOLDS) -> EvalResult:
    """A report as a result of a tool, with at most so many folds."""
    return EvalResult(
        method=report.method,
        subject=report.subject,
        target=report.target,
        horizon=report.horizon,
        bars=report.bars,
        instruments=report.instruments,
        metrics=MetricsRow(**asdict(report.metrics)),
        folds=[FoldRow(**asdict(fold)) for fold in report.folds[-folds:]],
        folds_total=len(report.folds),
        n=report.n,
        provenance=ProvenanceRow(**asdict(report.provenance)),
    )
