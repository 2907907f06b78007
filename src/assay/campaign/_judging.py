"""The judge's training segment, gate and admission as the loop uses them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from assay.base import generator
from assay.campaign._pools import Pools, usable_factors
from assay.campaign._ports import AdmissionVerdict, Count, GateVerdict, Near, Scored
from assay.campaign._settings import CampaignConfig
from assay.campaign._tried import FloatArray, TriedSeries
from assay.campaign._vocabulary import Vocabulary, foreign_ops
from assay.expr import Expression, Limits, parse

if TYPE_CHECKING:
    from assay.judge.training import (
        Admission,
        CandidateGate,
        DuplicateOf,
        Pool,
        TrainingJudge,
        TrainingScore,
    )

MOST_CELLS: Final = 2048
"""Sampled values of a trial by which trials are told apart; more would take much memory and change little."""

_FOREIGN_OP: Final = "candidate.type"


class TrainingJudging:
    """The judge of one run, on the training segment alone.

    Parameters
    ----------
    judge : records the run's trials.
    pools : reference set and known factors; those that the data cannot evaluate are compared by form only.
    """

    def __init__(
        self, judge: TrainingJudge, config: CampaignConfig, vocabulary: Vocabulary, pools: Pools
    ) -> None:
        from assay.judge.training import CandidateGate

        self._judge, self._vocabulary = judge, vocabulary
        self._rule = config.admission
        self._limits = Limits(**_limits(config))
        self._gate: CandidateGate = CandidateGate(
            judge, _known(pools), fields=vocabulary.fields, limits=self._limits
        )
        self._pool: Pool = judge.pool(usable_factors(pools, judge.fields))
        self._cells: np.ndarray | None = None
        self._seed = config.seed
        self._tried: TriedSeries | None = None

    def read(self, text: str) -> Expression:
        """A formula that has passed the gate before."""
        return parse(text, "core", fields=self._vocabulary.fields, limits=self._limits)

    def gate(self, texts: Sequence[str], round_so_far: Sequence[Expression]) -> tuple[GateVerdict, ...]:
        """See :class:`Judging`."""
        found = self._gate.check_many(texts, round_so_far=round_so_far)
        return tuple(self._verdict(item) for item in found)

    def _verdict(self, found: Any) -> GateVerdict:
        if not found.passed:
            return GateVerdict(False, found.expression, found.reason.code, found.feedback)
        foreign = foreign_ops(found.expression.node, self._vocabulary.ops)
        if foreign:
            text = (
                f"{_FOREIGN_OP}: {', '.join(foreign)} may not be used in this campaign. Use the ops listed."
            )
            return GateVerdict(False, found.expression, _FOREIGN_OP, text)
        return GateVerdict(True, found.expression)

    def score(self, items: Sequence[Expression]) -> tuple[Scored, ...]:
        """See :class:`Judging`."""
        return tuple(
            Scored(item, figures_of(score), score)
            for item, score in zip(items, self._judge.score(items), strict=True)
        )

    def count(self) -> Count:
        """See :class:`Judging`."""
        found = self._judge.trial_count()
        return Count(found.n, _number(found.variance))

    def admit(self, scored: Scored, count: Count) -> AdmissionVerdict:
        """See :class:`Judging`."""
        from assay.judge.training import admit

        variance = math.nan if count.variance is None else count.variance
        found = admit(
            scored.source, self._pool, self._rule, count.n, variance, trace=self._judge.trace_coverage
        )
        checks = tuple({**asdict(check), "value": _number(check.value)} for check in found.checks)
        if found.admitted:
            return AdmissionVerdict(True, checks=checks)
        return AdmissionVerdict(False, found.reasons[0].code, _detail(found), checks)

    def join(self, trial: str, scored: Scored) -> None:
        """See :class:`Judging`."""
        self._pool = self._pool.grown(trial, scored.source)
        self._gate.add("zoo", trial, scored.expression)

    def remember(self, trial: str, expression: Expression) -> None:
        """See :class:`Judging`."""
        self._gate.add("run", trial, expression)

    def tried(self, trial: str, scored: Scored) -> None:
        """See :class:`Judging`."""
        row = self._row(scored.source.ranks)
        if self._tried is None:
            self._tried = TriedSeries(len(row))
        self._tried.add(trial, row)

    def nearest(self, items: Sequence[Expression]) -> tuple[Near | None, ...]:
        """See :class:`Judging`."""
        if self._tried is None:
            return tuple(None for _ in items)
        members = self._judge.pool({str(place): item for place, item in enumerate(items)}).members
        return tuple(self._nearest(self._tried, self._row(member.ranks)) for member in members)

    def _nearest(self, tried: TriedSeries, row: FloatArray) -> Near | None:
        found = tried.likeness(row)
        known = np.flatnonzero(np.isfinite(found))
        if not len(known):
            return None
        best = int(known[np.argmax(np.abs(found[known]))])
        return Near(tried.ids[best], float(found[best]))

    def correlation(self, left: str, right: str) -> float | None:
        """See :class:`TriedTrials`."""
        return None if self._tried is None else self._tried.correlation(left, right)

    def correlations(self, ids: Sequence[str]) -> FloatArray:
        """See :class:`TriedTrials`."""
        return np.empty((0, 0)) if self._tried is None else self._tried.correlations(ids)

    def _row(self, ranks: np.ndarray) -> FloatArray:
        """Ranks of a fixed sample of cells, those of each date with mean 0 and the same spread, so that the
        correlation of two rows is the mean of those by date."""
        values = np.where(ranks > 0, ranks.astype(np.float64), np.nan)
        known = np.isfinite(values)
        count = np.maximum(known.sum(axis=1, keepdims=True), 1)
        centred = values - np.where(known, values, 0.0).sum(axis=1, keepdims=True) / count
        spread = np.sqrt((np.where(known, centred, 0.0) ** 2).sum(axis=1, keepdims=True) / count)
        scaled = np.divide(centred, spread, out=np.full_like(centred, np.nan), where=spread > 0).ravel()
        if self._cells is None:
            size = min(MOST_CELLS, len(scaled))
            chosen = generator(self._seed, "tried cells").choice(len(scaled), size, replace=False)
            self._cells = np.sort(chosen)
        row: FloatArray = scaled[self._cells]
        return row


def figures_of(score: TrainingScore) -> dict[str, float | None]:
    """The figures of a score that are single numbers, and ``worst_fold``, neutral where the neutral RankIC is
    defined; None where undefined."""
    plain = {name: value for name, value in score.figures().items() if not isinstance(value, list)}
    plain["worst_fold"] = worst_fold(score.fold_neutral_rank_ics, score.fold_rank_ics)
    return {name: _number(value) for name, value in plain.items()}


def worst_fold(neutral: Sequence[float], raw: Sequence[float]) -> float:
    """The smallest mean RankIC of a fold, in the direction of all folds together; NaN where one is undefined.

    Examples
    --------
    >>> worst_fold([-0.03, 0.01, -0.02], [])
    -0.01
    """
    folds = neutral if all(map(math.isfinite, neutral)) else raw
    direction = math.copysign(1.0, sum(folds))
    return min((direction * fold for fold in folds), default=math.nan)


def _limits(config: CampaignConfig) -> dict[str, int]:
    return asdict(config.gate)


def _known(pools: Pools) -> Mapping[DuplicateOf, Mapping[str, Expression]]:
    return {
        "reference": {item.name: item.expression for item in pools.reference},
        "known": {item.name: item.expression for item in pools.known},
    }


def _detail(found: Admission) -> str:
    """Each failed check in its own words; for coverage, the step at which the values are lost."""
    parts = [check.detail for check in found.checks if check.outcome != "passed"]
    if found.coverage:
        worst = max(found.coverage, key=lambda row: row.lost)
        parts.append(f"values are lost at {worst.node}: {worst.lost:.1%} of the cells")
    return "; ".join(parts)


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
