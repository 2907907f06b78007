from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.discovery._desk import MIN_DAYS
from assay.discovery._reasons import BAD_SPEC
from assay.errors import Refusal
from assay.features import FeatureStore, Label
from assay.models import Bars, EvalProvenance, EvalReport, Evaluated, SignalScorer


@dataclass(frozen=True, slots=True)
class SignalDesk:
    """Evaluates signals that learn nothing; make one with :meth:`of`."""

    scorer: SignalScorer
    method: str
    target: str
    seed: int
    instruments: int
    config_hash: str

    @classmethod
    def of(
        cls, store: FeatureStore, target: str, label: Label, bars: Bars, method: str, seed: int
    ) -> SignalDesk:
        """One for a target on given bars.

        Raises
        ------
        Refusal
            ``bad_spec``: the target is known on no bar.
        """
        first = bars.start_row
        members = bars.members[first:]
        if len(members) <= label.lag:
            raise Refusal(
                BAD_SPEC,
                f"the search period has {len(members)} bars, and {target} looks {label.lag} bars ahead",
                fix="use a target with a shorter horizon, or more data",
            )
        scorer = SignalScorer(store, label, universe=store.universe, bars=bars)
        return cls(scorer, method, target, seed, int(members.any(axis=0).sum()), scorer.config_hash())

    @property
    def least(self) -> int:
        """Bars that a RankIC must be defined on for a place: a tenth of those that are scored."""
        return max(MIN_DAYS, int(self.scorer.rows.sum()) // 10)

    def evaluate(self, signal: NDArray[np.float32], subject: str, fingerprint: str) -> Evaluated:
        """The evaluation of a signal ``(T, N)``, known before the close of its row."""
        scorer, store = self.scorer, self.scorer.store
        figures = scorer.figures(signal)
        report = EvalReport(
            method=self.method,
            subject=subject,
            target=self.target,
            horizon=scorer.label.horizon,
            bars=int(scorer.rows.sum()),
            instruments=self.instruments,
            metrics=figures.metrics,
            folds=(),
            n=None,
            provenance=EvalProvenance(
                data=store.panel.name,
                data_hash=store.digest,
                period=store.period,
                universe=store.universe,
                fingerprint=fingerprint,
                config_hash=self.config_hash,
                seed=self.seed,
            ),
        )
        return Evaluated(report, figures, subject)
