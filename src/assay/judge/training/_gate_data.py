"""The checks of the gate that run formulas: adjustment factor, constant output, leak certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.engine import evaluate
from assay.errors import Reason
from assay.expr import Expression, to_text
from assay.judge._inputs import Array, BoolArray, Source
from assay.judge._judge import LEAK_BATCH
from assay.judge._leaks import FULL, QUICK, FieldExponents, LeakPlan, Nodes, Subject, check_leaks
from assay.judge._results import LeakCheck
from assay.judge.training import _gate_reasons as reasons
from assay.judge.training._judge import TrainingJudge

VARYING_SHARE = 0.5
"""Share of the dates looked at on which the members must not all have the same value."""

_ORDER: tuple[tuple[str, Reason], ...] = (
    ("prefix", reasons.LEAK_PREFIX),
    ("scramble", reasons.LEAK_SCRAMBLE),
    ("permutation", reasons.LEAK_PERMUTATION),
)


@dataclass(frozen=True, slots=True)
class DataFinding:
    """Why a formula is refused on data; without a reason it may be scored."""

    reason: Reason | None
    message: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def check_on_data(candidates: Mapping[str, Expression], judge: TrainingJudge) -> dict[str, DataFinding]:
    """Run candidates on the last rows of the training segment, and on altered copies of them."""
    names = list(candidates)
    found: dict[str, DataFinding] = {}
    for first in range(0, len(names), LEAK_BATCH):
        found.update(_batch({name: candidates[name] for name in names[first : first + LEAK_BATCH]}, judge))
    return found


def _batch(candidates: Mapping[str, Expression], judge: TrainingJudge) -> dict[str, DataFinding]:
    setup = judge.setup
    plan = FULL if judge.settings.leaks == "full" else QUICK
    watch = _Watch(plan)
    checks = check_leaks(
        {name: _subject(expression) for name, expression in candidates.items()},
        setup.view,
        FieldExponents({name: info.exponent for name, info in judge.fields.items()}),
        watch,
        universe=setup.members,
        plan=plan,
        seed=setup.settings.seed,
        threads=setup.settings.threads,
    )
    return {name: _finding(checks[name], watch.varying[name]) for name in candidates}


def _subject(expression: Expression) -> Subject:
    culprit = expression.exponent.culprit
    breaks_at = None if culprit is None else to_text(culprit, "core")
    return Subject(expression.node, expression.fields, expression.lookback, breaks_at)


class _Watch:
    """The engine, and of each output's first run, which is the one on unaltered data, how often it varies."""

    def __init__(self, plan: LeakPlan) -> None:
        self.varying: dict[str, float] = {}
        self._rows = plan.rows

    def __call__(
        self,
        nodes: Nodes,
        data: Source,
        *,
        universe: BoolArray | None = None,
        threads: int = 1,
        sink: Callable[[str, Array], None] | None = None,
    ) -> Any:
        def see(name: str, values: Array) -> None:
            if name not in self.varying:
                members = None if universe is None else universe[-self._rows :]
                self.varying[name] = _varying(values[-self._rows :], members)
            if sink is not None:
                sink(name, values)

        return evaluate(nodes, data, universe=universe, threads=threads, sink=see)


def _varying(values: Array, members: BoolArray | None) -> float:
    """Share of the rows on which the members have more than one value."""
    known = np.isfinite(values)
    if members is not None:
        known = known & members
    highest = np.where(known, values, -np.inf).max(axis=1)
    lowest = np.where(known, values, np.inf).min(axis=1)
    return float(np.mean(highest > lowest))


def _finding(checks: tuple[LeakCheck, ...], varying: float) -> DataFinding:
    by_name = {check.name: check for check in checks}
    adjustment = by_name["adjustment"]
    if adjustment.outcome == "failed":
        return _failed(reasons.ADJUSTMENT, adjustment)
    if varying < VARYING_SHARE:
        message = f"stocks differ on {varying:.0%} of the dates looked at"
        return DataFinding(reasons.CONSTANT, message, {"varying_share": varying})
    for name, reason in _ORDER:
        if by_name[name].outcome == "failed":  # type: ignore[index]
            return _failed(reason, by_name[name])  # type: ignore[index]
    notes = tuple(f"{check.name}: {check.detail}" for check in checks if check.outcome == "undefined")
    return DataFinding(None, notes=notes)


def _failed(reason: Reason, check: LeakCheck) -> DataFinding:
    return DataFinding(reason, check.detail, {"culprit": check.culprit, **check.numbers})
