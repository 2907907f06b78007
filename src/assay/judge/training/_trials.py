"""The trials that a training judge leaves in the ledger, and what the ledger says of their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError, Refusal
from assay.expr import canonical, to_text
from assay.judge._recording import Recording, require_no_given_n
from assay.judge._setup import Setup
from assay.judge._significance import p_value
from assay.judge.training._score import TrainingScore
from assay.ledger import INCOMPLETE_SCOPE, Draft, Scope, TrialKey, encode_series


@dataclass(frozen=True, slots=True)
class TrialCount:
    """How many trials the ledger has on the data set.

    Parameters
    ----------
    n : distinct trials; None where the ledger cannot say, or there is none.
    variance : V[SR] of their Sharpe ratios per bar; NaN where unknown.
    source : where both come from, or why they are missing.
    """

    n: int | None
    variance: float
    source: str


class TrialBook:
    """Writes each key once in its run, whatever is scored again, also after a resume."""

    def __init__(self, recording: Recording, setup: Setup) -> None:
        require_no_given_n(setup.settings)
        if recording.run is None:
            raise AssayError(
                "scores of candidates belong to a run, and the recording names none",
                where="recording",
                fix="start a run and give its id: Recording(ledger, run=...)",
            )
        self._recording, self._setup = recording, setup
        self._run = recording.ledger.run(recording.run)
        self._known: set[TrialKey] | None = None

    def record(self, scores: Sequence[TrainingScore]) -> int:
        """Record the scores whose key the run lacks, in order; on the disk when it returns how many."""
        known = self._read()
        fresh = list({score.key: score for score in scores if score.key not in known}.values())
        if fresh:
            days = self._setup.dates
            held = [score for score in fresh if len(score.excess)]
            payloads = [encode_series(days[-len(score.excess) :], score.excess) for score in held]
            names = self._recording.ledger.put(payloads)
            stored = {score.key: name for score, name in zip(held, names, strict=True)}
            self._run.append_many([self._draft(score, stored.get(score.key)) for score in fresh])
            known.update(score.key for score in fresh)
        return len(fresh)

    def _read(self) -> set[TrialKey]:
        if self._known is None:
            self._known = {
                TrialKey(entry.body["fingerprint"], entry.body["config_hash"])
                for entry in self._run.entries(kind="trial")
            }
        return self._known

    def _draft(self, score: TrainingScore, series: str | None) -> Draft:
        body: dict[str, Any] = {
            **score.key.as_body(),
            "expression": to_text(canonical(score.expression.node), "core"),
            "data": self._setup.view.name,
            "universe": self._setup.settings.universe,
            "period": self._setup.window.period,
            "horizon": self._setup.settings.horizon,
            "bars": self._setup.rows.stop - self._setup.rows.start,
            "sharpe": score.sharpe,
            "rank_ic": score.rank_ic,
            "p_value": p_value(score.t),
            "series": series,
            "desk": self._recording.desk,
            "control": False,
            "figures": score.figures(),
        }
        return Draft("trial", body, self._run.id)

    def count(self, *, effective: bool) -> TrialCount:
        """N and V[SR] of all trials on the data set; ``effective`` counts those that move together once."""
        try:
            found = self._recording.ledger.trials(Scope(data=self._setup.view.name), within=self._run.id)
        except Refusal as refusal:
            if refusal.reason is not INCOMPLETE_SCOPE:
                raise
            return TrialCount(None, math.nan, f"{refusal.reason.code}: {refusal.message}")
        n = found.effective_n if effective else found.n
        return TrialCount(
            n, found.sharpe_variance, "effective N of the ledger" if effective else "the ledger"
        )


UNRECORDED = TrialCount(None, math.nan, "nothing is recorded, so N is unknown")
