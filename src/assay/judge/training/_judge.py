from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.base import Workers
from assay.config import PeriodPlan
from assay.errors import Refusal
from assay.expr import Expression, FieldInfo, require_runnable, to_text
from assay.judge._items import NO_SIGNAL
from assay.judge._judge import panel_fields
from assay.judge._measure import lagged_signal
from assay.judge._period import plan_for
from assay.judge._recording import Recording, config_hash
from assay.judge._results import CoverageRow
from assay.judge._setup import Setup
from assay.judge.training._book import Trader
from assay.judge.training._cells import Cells, Ranks
from assay.judge.training._null import PermutedReturns
from assay.judge.training._pool import Pool, pool_of
from assay.judge.training._score import Meter, TrainingScore
from assay.judge.training._segment import training_setup
from assay.judge.training._settings import TrainingSettings
from assay.judge.training._trials import UNRECORDED, TrialBook, TrialCount
from assay.ledger import TrialKey
from assay.market import data_digest

if TYPE_CHECKING:
    from assay.market import Panel

SIGNAL_KINDS = ("number", "bool", "any")

Progress = Callable[[int, int], None]
"""Called with how many candidates are scored, and how many there are."""


class TrainingJudge:
    """Scores candidates on the training segment, and on nothing else.

    Parameters
    ----------
    panel : the market; no row after the segment's end is read.
    plan : the periods. By default those of the workspace in which the panel is stored; without any, all dates
        are ``search``.
    settings : how to score, and where the ``validate`` tail begins.
    recording : the ledger and the run that trials belong to. Without one nothing is recorded and N is
        unknown: for trials that are recorded already, for tests, and for markets made up to try a procedure.
    permuted : score against returns of other dates, in which there is nothing to find.

    Raises
    ------
    DataError, Refusal, ConfigProblems
        The segment is empty or too short, the universe is unknown, or the costs cannot be told.
    AssayError
        The recording names no run.

    Examples
    --------
    >>> from assay.expr import parse
    >>> from assay.judge.training import TrainingJudge, TrainingSettings
    >>> from assay.market import simulate
    >>> judge = TrainingJudge(simulate(instruments=60, days=300), settings=TrainingSettings(validate_bars=60))
    >>> (score,) = judge.score([parse("-ts_return(close, 5)")])
    >>> len(score.rank_ics), len(score.fold_rank_ics)
    (240, 4)
    """

    def __init__(
        self,
        panel: Panel,
        plan: PeriodPlan | None = None,
        settings: TrainingSettings | None = None,
        recording: Recording | None = None,
        *,
        permuted: PermutedReturns | None = None,
    ) -> None:
        self.settings = settings or TrainingSettings()
        self.plan = plan_for(panel, plan)
        setup = training_setup(panel, self.plan, self.settings)
        self.setup: Setup = setup if permuted is None else permuted.applied(setup)
        self.fields: Mapping[str, FieldInfo] = panel_fields(self.setup.view)
        self.config_hash = config_hash(self.setup, data_digest(panel))
        self.cells = Cells.draw(
            self.setup.judged, self.setup.rows, self.settings.sample_dates, self.settings.judge.seed
        )
        self._meter = Meter(self.setup, Trader.of(self.setup), self.cells, self.settings.folds)
        self._trials = None if recording is None else TrialBook(recording, self.setup)
        self._scores: dict[str, TrainingScore] = {}

    @property
    def end(self) -> date:
        """The last day that is read: what is known to those who search."""
        day: date = self.setup.dates[-1].astype("datetime64[D]").item()
        return day

    def key(self, expression: Expression) -> TrialKey:
        """The key of the candidate's trial."""
        return TrialKey(expression.fingerprint, self.config_hash)

    def score(
        self, items: Sequence[Expression], *, progress: Progress | None = None
    ) -> tuple[TrainingScore, ...]:
        """Score candidates as one batch, in the order given.

        Each distinct formula is a trial of the run, on the disk before its figures are returned. One that
        this judge scored before is served from memory. One that the run's records have, as after a resume,
        is computed again and not recorded again.

        Raises
        ------
        Refusal
            A formula cannot run, or its value cannot be ranked; then nothing was evaluated.
        """
        for item in items:
            self._require(item)
        fresh = {item.fingerprint: item for item in items if item.fingerprint not in self._scores}
        found = self._measure(fresh, progress)
        if self._trials is not None:
            self._trials.record([found[name] for name in fresh])
        self._scores.update(found)
        return tuple(self._scores[item.fingerprint] for item in items)

    def pool(self, factors: Mapping[str, Expression], source: str = "reference") -> Pool:
        """Factors that candidates are compared with, by name: their values and RankICs on the segment.

        They are no trials, as no figure of theirs is shown and nothing is chosen by one.

        Raises
        ------
        Refusal
            A formula cannot run, or its value cannot be ranked.
        """
        for factor in factors.values():
            self._require(factor)
        distinct = {factor.fingerprint: factor for factor in factors.values()}
        scores = self._measure(distinct, None)
        return pool_of({name: scores[factor.fingerprint] for name, factor in factors.items()}, source)

    def ranks(self, items: Sequence[Expression]) -> tuple[Ranks, ...]:
        """The sampled values of formulas, for :func:`rank_correlations`; no return is read: no trial.

        Raises
        ------
        Refusal
            A formula cannot run, or its value cannot be ranked.
        """
        from assay.engine import evaluate

        for item in items:
            self._require(item)
        found = {name: score.ranks for name, score in self._scores.items()}
        fresh = {item.fingerprint: item.node for item in items if item.fingerprint not in found}

        def take(name: str, values: NDArray[np.float32]) -> None:
            found[name] = self.cells.ranks(lagged_signal(values, self.setup))

        if fresh:
            evaluate(
                fresh,
                self.setup.view,
                universe=self.setup.members,
                threads=self.setup.settings.threads,
                sink=take,
            )
        return tuple(found[item.fingerprint] for item in items)

    def trace_coverage(self, score: TrainingScore) -> tuple[CoverageRow, ...]:
        """At which step of a scored formula values are lost, on the segment; see :func:`admit`."""
        from assay.engine import trace_coverage

        traced = trace_coverage(score.expression.node, self.setup.view, universe=self.setup.members)
        return tuple(CoverageRow(to_text(row.node, "core"), row.share, row.lost) for row in traced)

    def trial_count(self, *, effective: bool = False) -> TrialCount:
        """N and V[SR] from the ledger: of all trials on the data set, those of this run included.

        Parameters
        ----------
        effective : count trials whose returns move together once; see :meth:`Trials.effective_n`.
        """
        return UNRECORDED if self._trials is None else self._trials.count(effective=effective)

    def _require(self, expression: Expression) -> None:
        require_runnable(expression, fields=self.fields)
        require_signal(expression)

    def _measure(
        self, batch: Mapping[str, Expression], progress: Progress | None
    ) -> dict[str, TrainingScore]:
        """Evaluate a batch by fingerprint, and measure each output beside it."""
        from assay.engine import evaluate

        if not batch:
            return {}
        done = 0
        with Workers[TrainingScore](self.setup.settings.threads) as workers:

            def take(name: str, values: NDArray[np.float32]) -> None:
                nonlocal done
                signal = lagged_signal(values, self.setup)
                expression = batch[name]
                workers.submit(name, lambda: self._meter.score(self.key(expression), expression, signal))
                done += 1
                if progress is not None:
                    progress(done, len(batch))

            evaluate(
                {name: expression.node for name, expression in batch.items()},
                self.setup.view,
                universe=self.setup.members,
                threads=self.setup.settings.threads,
                sink=take,
            )
            return workers.results()


def require_signal(expression: Expression) -> None:
    """Refuse a formula whose value is no number for each name and date."""
    if expression.kind not in SIGNAL_KINDS:
        raise Refusal(
            NO_SIGNAL,
            f"the formula gives a {expression.kind}, and a signal is a number for each name and date",
            where=expression.text,
        )
