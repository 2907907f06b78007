"""How good predictions are: success, grounding, refusals and calls, with intervals, by language and group."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from assay.base import did_you_mean, unique_keys
from assay.errors import DataError
from assay.reports._case import FactorCase, Refused
from assay.reports._document import Document
from assay.reports.verifier import Prediction, Scored, read_prediction, score

Mode = Literal["whole", "excerpt"]
"""What the extractor was given: the report, or the paragraphs that the annotator cites."""

MODES: Final[tuple[Mode, ...]] = get_args(Mode)
_Z: Final = 1.959963984540054
MOST_CALLS: Final = 1_000_000
"""Calls that an audit may count."""
_KEYS: Final = frozenset({"case_id", "mode", "rollout", "prediction", "audit"})


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of ``total`` with its 95% interval of Wilson; undefined without a total."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        """hits / total."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95% interval."""
        if not self.total:
            return None
        n, p = self.total, self.hits / self.total
        centre = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
        return max(0.0, centre - half), min(1.0, centre + half)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        low, high = self.interval or (None, None)
        return {"hits": self.hits, "total": self.total, "value": self.value, "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """One line of a file of predictions.

    Parameters
    ----------
    prediction : the extraction as JSON, or the text that a model wrote.
    audit : counts of the calls of its episode; None where nothing called tools.
    """

    case_id: str
    mode: Mode
    rollout: str
    prediction: Mapping[str, Any] | str
    audit: Mapping[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready: a line of such a file."""
        return {
            "case_id": self.case_id,
            "mode": self.mode,
            "rollout": self.rollout,
            "prediction": self.prediction,
            "audit": None if self.audit is None else dict(self.audit),
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction that was scored; ``row`` is None for a case without one, which counts as failed."""

    case: FactorCase
    row: PredictionRow | None
    answer: Prediction
    scored: Scored

    @property
    def gold_refuses(self) -> bool:
        """Whether the right answer is a refusal or a conflict."""
        return isinstance(self.case.gold, Refused)

    @property
    def refused(self) -> bool:
        """Whether the answer is a refusal or a conflict."""
        return self.answer.reason is not None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "language": self.case.language,
            "split": self.case.split,
            "group_id": self.case.group_id,
            "predicted": self.row is not None,
            **self.scored.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """The metrics of some outcomes.

    Parameters
    ----------
    task_success : all fields right, executable, no cap; of a refusal, the right reason.
    spec_success : the same, of cases with a spec alone.
    evidence_grounded : of the specs that were given where there is one: every citation holds.
    refusal_precision, refusal_recall : refusals that gold has too, of those given and of gold's.
    right_reason : of gold's refusals that were refused, those with gold's reason.
    false_refusals : of gold's specs, those that were refused.
    illegal_calls : of the calls of tools that did not fail.
    reward : mean reward.
    """

    cases: int
    task_success: Rate
    spec_success: Rate
    evidence_grounded: Rate
    refusal_precision: Rate
    refusal_recall: Rate
    right_reason: Rate
    false_refusals: Rate
    illegal_calls: Rate
    reward: float | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: item.as_dict() if isinstance(item, Rate) else item for name, item in values.items()}


RATES: Final = (
    "task_success", "spec_success", "evidence_grounded", "refusal_precision", "refusal_recall",
    "right_reason", "false_refusals", "illegal_calls",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Metrics:
    """The metrics of one mode: in all, by language, by split and by group.

    ``group_medians`` are medians over the groups, each group counting once, of the rates that are defined.
    """

    mode: Mode
    overall: Figures
    by_language: Mapping[str, Figures]
    by_split: Mapping[str, Figures]
    by_group: Mapping[str, Figures]
    group_medians: Mapping[str, float | None]
    outcomes: tuple[Outcome, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "mode": self.mode,
            "overall": self.overall.as_dict(),
            "by_language": {name: item.as_dict() for name, item in self.by_language.items()},
            "by_split": {name: item.as_dict() for name, item in self.by_split.items()},
            "by_group": {name: item.as_dict() for name, item in self.by_group.items()},
            "group_medians": dict(self.group_medians),
            "cases": [outcome.as_dict() for outcome in self.outcomes],
        }


@dataclass(frozen=True, slots=True)
class Change:
    """One rate before and after, in percentage points; None where it is undefined on a side."""

    name: str
    before: Rate
    after: Rate

    @property
    def points(self) -> float | None:
        """After minus before, times 100."""
        if self.before.value is None or self.after.value is None:
            return None
        return 100.0 * (self.after.value - self.before.value)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of predictions on the cases that both answer.

    ``gained`` and ``lost`` are cases whose success changed; ``p_value`` is that of the exact sign test on
    them (McNemar).
    """

    mode: Mode
    cases: int
    changes: tuple[Change, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p_value: float | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "mode": self.mode,
            "cases": self.cases,
            "changes": [
                {
                    "name": change.name,
                    "before": change.before.as_dict(),
                    "after": change.after.as_dict(),
                    "points": change.points,
                }
                for change in self.changes
            ],
            "gained": list(self.gained),
            "lost": list(self.lost),
            "p_value": self.p_value,
        }


def read_predictions(text: str, cases: Sequence[FactorCase], where: str) -> tuple[PredictionRow, ...]:
    """The rows of JSON lines: ``{"case_id", "prediction", "mode"?, "rollout"?, "audit"?}``.

    Parameters
    ----------
    where : what errors call the text: its file.

    Raises
    ------
    DataError
        A line is no such object, names an unknown case, or repeats one; or there is none.
    """
    known = [case.case_id for case in cases]
    rows = [
        _row(line, f"{where} line {number}", known)
        # not splitlines: a quote may hold other separators, which JSON does not escape
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    if not rows:
        raise DataError("there are no predictions", where=where, fix="give one JSON object a line")
    seen: set[tuple[str, str, str]] = set()
    for row in rows:
        key = (row.case_id, row.mode, row.rollout)
        if key in seen:
            raise DataError(
                f"{row.case_id} is predicted twice in mode {row.mode}, rollout {row.rollout}",
                where=where,
                fix="name each attempt with its own rollout",
            )
        seen.add(key)
    return tuple(rows)


def _row(line: str, where: str, known: Sequence[str]) -> PredictionRow:
    try:
        data = json.loads(line, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", where=where) from error
    if not isinstance(data, dict) or not isinstance(data.get("prediction"), dict | str):
        raise DataError('not an object with "case_id" and "prediction"', where=where)
    if extra := sorted(set(data) - _KEYS):
        raise DataError(
            f"unknown keys: {', '.join(extra)}", where=where, fix=f"use {', '.join(sorted(_KEYS))}"
        )
    case_id = data.get("case_id")
    if case_id not in known:
        close = did_you_mean(str(case_id), known)
        hint = f"did you mean {close[0]}?" if close else "see 'assay report list'"
        raise DataError(f"there is no case {str(case_id)[:80]!r}", where=where, fix=hint)
    mode = data.get("mode", "whole")
    if mode not in MODES:
        raise DataError(f"the mode is {mode!r}", where=where, fix=f"use {' or '.join(MODES)}")
    audit = data.get("audit")
    if audit is not None and not isinstance(audit, dict):
        raise DataError("audit is not an object", where=where)
    if audit is not None and not _counts_add_up(audit):
        raise DataError("the counts of audit are none, or do not add up", where=where)
    return PredictionRow(str(case_id), mode, str(data.get("rollout", "r0")), data["prediction"], audit)


def _counts_add_up(audit: Mapping[str, Any]) -> bool:
    counts = [audit.get(name, 0) for name in ("tool_calls", "illegal_tool_calls", "environment_failures")]
    if not all(type(count) is int and count >= 0 for count in counts):
        return False
    calls, illegal, failures = counts
    return bool(illegal + failures <= calls <= MOST_CALLS)


def score_rows(
    rows: Sequence[PredictionRow],
    cases: Sequence[FactorCase],
    document: Callable[[FactorCase, Mode], Document],
) -> dict[Mode, Metrics]:
    """The metrics of each mode that the rows have. A case without a row counts as a failure there.

    ``document`` gives what an extractor was shown of a case.
    """
    found: dict[Mode, Metrics] = {}
    for mode in MODES:
        mine = [row for row in rows if row.mode == mode]
        if mine:
            found[mode] = _metrics(mode, _outcomes(mine, cases, mode, document))
    return found


def compare(before: Metrics, after: Metrics) -> Comparison:
    """Two sets of predictions of one mode, on the cases that both answer.

    Raises
    ------
    DataError
        They have no case in common.
    """
    common = {o.case.case_id for o in before.outcomes if o.row} & {
        o.case.case_id for o in after.outcomes if o.row
    }
    if not common:
        raise DataError("the two have no case in common", where="compare")
    sides = [[o for o in m.outcomes if o.row and o.case.case_id in common] for m in (before, after)]
    first, second = (_figures(side) for side in sides)
    success = [_success_by_case(side) for side in sides]
    gained = tuple(c for c in sorted(common) if success[1][c] > success[0][c])
    lost = tuple(c for c in sorted(common) if success[1][c] < success[0][c])
    changes = tuple(Change(name, getattr(first, name), getattr(second, name)) for name in RATES)
    return Comparison(before.mode, len(common), changes, gained, lost, _sign_test(len(gained), len(lost)))


def _success_by_case(outcomes: Sequence[Outcome]) -> dict[str, float]:
    found: dict[str, list[bool]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.case.case_id, []).append(outcome.scored.task_success)
    return {case: sum(values) / len(values) for case, values in found.items()}


def _sign_test(gained: int, lost: int) -> float | None:
    n = gained + lost
    if not n:
        return None
    tail = sum(math.comb(n, k) for k in range(min(gained, lost) + 1)) / 2.0**n
    return min(1.0, 2.0 * tail)


def _outcomes(
    rows: Sequence[PredictionRow],
    cases: Sequence[FactorCase],
    mode: Mode,
    document: Callable[[FactorCase, Mode], Document],
) -> list[Outcome]:
    by_case: dict[str, list[PredictionRow]] = {}
    for row in rows:
        by_case.setdefault(row.case_id, []).append(row)
    outcomes: list[Outcome] = []
    for case in cases:
        shown = document(case, mode)
        for row in by_case.get(case.case_id, []):
            answer = read_prediction(row.prediction)
            outcomes.append(Outcome(case, row, answer, score(case, answer, document=shown)))
        if case.case_id not in by_case:
            nothing = Prediction(problem="there is no prediction")
            outcomes.append(Outcome(case, None, nothing, score(case, nothing, document=shown)))
    return outcomes


def _metrics(mode: Mode, outcomes: Sequence[Outcome]) -> Metrics:
    def by(key: Callable[[Outcome], str]) -> dict[str, Figures]:
        names = sorted({key(outcome) for outcome in outcomes})
        return {name: _figures([o for o in outcomes if key(o) == name]) for name in names}

    groups = by(lambda outcome: outcome.case.group_id)
    medians: dict[str, float | None] = {}
    for name in RATES:
        known = [
            rate.value for figures in groups.values() if (rate := getattr(figures, name)).value is not None
        ]
        medians[name] = statistics.median(known) if known else None
    return Metrics(
        mode=mode,
        overall=_figures(outcomes),
        by_language=by(lambda outcome: outcome.case.language),
        by_split=by(lambda outcome: outcome.case.split),
        by_group=groups,
        group_medians=medians,
        outcomes=tuple(outcomes),
    )


def _figures(outcomes: Sequence[Outcome]) -> Figures:
    specs = [o for o in outcomes if not o.gold_refuses]
    refusals = [o for o in outcomes if o.gold_refuses]
    given = [o for o in specs if o.answer.spec is not None]
    refused = [o for o in outcomes if o.refused]
    caught = [o for o in refusals if o.refused]
    calls = [o.row.audit for o in outcomes if o.row is not None and o.row.audit is not None]
    return Figures(
        cases=len(outcomes),
        task_success=_rate(outcomes, lambda o: o.scored.task_success),
        spec_success=_rate(specs, lambda o: o.scored.task_success),
        evidence_grounded=_rate(given, lambda o: o.scored.evidence_grounded),
        refusal_precision=_rate(refused, lambda o: o.gold_refuses),
        refusal_recall=_rate(refusals, lambda o: o.refused),
        right_reason=_rate(caught, lambda o: "wrong_reason" not in o.scored.caps),
        false_refusals=_rate(specs, lambda o: o.refused),
        illegal_calls=Rate(
            sum(_count(audit, "illegal_tool_calls") for audit in calls),
            sum(_count(audit, "tool_calls") - _count(audit, "environment_failures") for audit in calls),
        ),
        reward=statistics.fmean(o.scored.reward for o in outcomes) if outcomes else None,
    )


def _rate(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> Rate:
    return Rate(sum(holds(outcome) for outcome in outcomes), len(outcomes))


def _count(audit: Mapping[str, Any], name: str) -> int:
    value = audit.get(name, 0)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
