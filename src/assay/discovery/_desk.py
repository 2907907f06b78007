from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from assay.base import Operator, did_you_mean
from assay.discovery._reasons import BAD_TARGET
from assay.errors import Reason, Refusal
from assay.features import UNKNOWN_FEATURE, FeatureGraph, FeatureStore, Label
from assay.ledger import Ledger
from assay.models import EvalMetrics, EvalReport, Evaluated, record_trials

DESK = "discovery"
TOP = 20
MIN_DAYS = 20
"""Days, or bars inside the day, that a RankIC must be defined on for a place."""

TWIN = 1e-3
"""Two candidates whose daily RankICs nowhere differ by more rank the names alike."""


@dataclass(frozen=True, slots=True)
class DiscoveryDesk:
    """What a search works with, and where its trials are recorded.

    Parameters
    ----------
    store : features and bars; its clock, period and first row hold for every search.
    ledger : where each candidate is a trial; without one nothing is recorded and N is unknown.
    operator : whose trials they are.
    run : id of an open run that they belong to; without one, each search is a run of its own.
    threads : how many; never change a result.
    """

    store: FeatureStore
    ledger: Ledger | None = None
    operator: Operator = field(default_factory=Operator.human)
    run: str | None = None
    threads: int = 2

    def record(self, found: Sequence[Evaluated]) -> tuple[EvalReport, ...]:
        """The reports of what was evaluated, once all of it is on the disk."""
        if self.ledger is None:
            return tuple(item.report for item in found)
        return record_trials(self.ledger, found, operator=self.operator, desk=DESK, run=self.run)


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A candidate: its place, the figure that it is ranked by, and its evaluation."""

    rank: int
    score: float
    report: EvalReport


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """What a search found.

    Parameters
    ----------
    method : of the search.
    objective : what the rows are ranked by.
    target : the label that was to be foreseen.
    evaluated : candidates that were evaluated: each is a trial.
    excluded : candidates that were not evaluated, since there was too little to evaluate.
    undefined : evaluated candidates whose objective is not defined, or rests on too few bars: fewer than 20,
        or, for a signal that learns nothing, than a tenth of those that were scored.
    repeated : evaluated candidates that were passed over since they rank the names as a better one does, such
        as ``rank(x)`` beside ``x``.
    rows : the best of the rest, at most 20.
    n : trials that the ledger holds for the data set after this search; ``None`` if not known.
    """

    method: str
    objective: str
    target: str
    evaluated: int
    excluded: int
    undefined: int
    repeated: int
    rows: tuple[LeaderboardRow, ...]
    n: int | None


def leaderboard(
    desk: DiscoveryDesk,
    found: Sequence[Evaluated],
    *,
    method: str,
    objective: str,
    target: str,
    excluded: int = 0,
    least: int = MIN_DAYS,
    ranked: Sequence[int] | None = None,
    twins: bool = False,
) -> Leaderboard:
    """Record what was evaluated and rank it; of equal scores the earlier candidate goes first.

    Parameters
    ----------
    least : bars with a RankIC that a place needs.
    ranked : places of those that may have a place; by default all.
    twins : pass over what ranks the names as a better candidate does, or turned round.
    """
    reports = desk.record(found)
    scores = [_score(report.metrics, objective, least) for report in reports]
    may = range(len(found)) if ranked is None else ranked
    order = sorted(
        (place for place in may if scores[place] is not None),
        key=lambda place: -inf if (score := scores[place]) is None else -score,
    )
    kept, repeated = _distinct(found, order) if twins else (order, 0)
    rows = tuple(
        LeaderboardRow(number + 1, _known(scores[place]), reports[place])
        for number, place in enumerate(kept[:TOP])
    )
    return Leaderboard(
        method=method,
        objective=objective,
        target=target,
        evaluated=len(found),
        excluded=excluded,
        undefined=len(may) - len(order),
        repeated=repeated,
        rows=rows,
        n=reports[0].n if reports else None,
    )


def score_of(item: Evaluated, objective: str) -> float | None:
    """The figure that a candidate is ranked by: larger is better; ``None`` where it is not defined."""
    return _score(item.report.metrics, objective, MIN_DAYS)


def _score(metrics: EvalMetrics, objective: str, least: int) -> float | None:
    if metrics.days < least:
        return None
    if objective in ("|rank_ic|", "signed"):
        value = metrics.rank_ic
        return abs(value) if value is not None and objective == "|rank_ic|" else value
    value = getattr(metrics, objective)
    return None if value is None else float(value)


def _known(score: float | None) -> float:
    assert score is not None
    return score


def _distinct(found: Sequence[Evaluated], order: Iterable[int]) -> tuple[list[int], int]:
    """The best, without those that rank the names as one of them, and how many of those there were."""
    kept: list[int] = []
    repeated = 0
    for place in order:
        if len(kept) == TOP:
            break
        if any(_alike(found[place], found[other]) for other in kept):
            repeated += 1
        else:
            kept.append(place)
    return kept, repeated


def _alike(one: Evaluated, other: Evaluated) -> bool:
    """Whether two signals, or one and the opposite of the other, have the same daily RankICs."""
    a, b = (_upright(item) for item in (one, other))
    both = np.isfinite(a) & np.isfinite(b)
    days = min(np.isfinite(a).sum(), np.isfinite(b).sum())
    return bool(2 * both.sum() > days and np.abs(a[both] - b[both]).max() <= TWIN)


def _upright(item: Evaluated) -> NDArray[np.float64]:
    series = item.figures.rank_ic
    return -series if (item.report.metrics.rank_ic or 0.0) < 0 else series


def label_of(graph: FeatureGraph, target: str) -> Label:
    """The rule of a target.

    Raises
    ------
    Refusal
        ``bad_target``: it is no label of returns.
    """
    if target in graph and isinstance(rule := graph[target].rule, Label):
        return rule
    labels = [name for name, feature in graph.items() if isinstance(feature.rule, Label)]
    raise Refusal(BAD_TARGET, where="target", fix=f"use {', '.join(labels)}", details={"labels": labels})


def check_names(
    names: Sequence[str], graph: FeatureGraph, known: Callable[[str], bool], reason: Reason
) -> None:
    """Refuse names that are unknown (``unknown_feature``), and labels (``reason``)."""
    unknown = [place for place, name in enumerate(names) if not known(name)]
    if unknown:
        near = did_you_mean(names[unknown[0]], graph)
        raise Refusal(
            UNKNOWN_FEATURE,
            where="features",
            fix=f"did you mean {', '.join(near)}?" if near else None,
            details={"places": unknown, "did_you_mean": list(near)},
        )
    labels = [name for name in names if name in graph and graph[name].is_label]
    if labels:
        message = f"{labels[0]} is a label: it tells what is to be foreseen"
        raise Refusal(reason, message, fix="leave labels out", details={"labels": labels})


def renamed(item: Evaluated, method: str, subject: str) -> Evaluated:
    """An evaluation under the method and the words of the search; its signal is let go."""
    report = replace(item.report, method=method, subject=subject)
    return Evaluated(report, item.figures, item.expression)
