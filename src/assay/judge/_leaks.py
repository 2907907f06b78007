"""The leak certificate: four checks that each evaluate the expression itself on altered data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.base import generator
from assay.judge._inputs import Array, BoolArray, Permuted, Rescaled, Rows, Scrambled, Source
from assay.judge._results import LeakCheck

if TYPE_CHECKING:
    from assay.expr import Node

FloatRows: TypeAlias = NDArray[np.float32]
Nodes: TypeAlias = "Mapping[str, Node]"

SPREAD_TOLERANCE = 1e-3
"""A value counts as changed when it moved by more than this share of its date's spread."""
CHANGED_SHARE = 1e-3
"""Share of changed cells above which permutation and adjustment fail: near-ties may change rank."""
COMPARED_ROWS = 16
"""Rows before a cut that prefix and scramble compare bit for bit."""
MAX_POWER = 4
"""Adjustment factors are drawn from two to the power -4..4."""


class Evaluate(Protocol):
    """The engine: evaluates a batch and hands each output to ``sink``."""

    def __call__(
        self,
        nodes: Nodes,
        data: Source,
        *,
        universe: BoolArray | None = None,
        threads: int = 1,
        sink: Callable[[str, Array], None] | None = None,
    ) -> Any: ...


@dataclass(frozen=True, slots=True)
class LeakPlan:
    """How much the checks do: cuts for prefix and scramble, draws for the others, and the last rows used.

    The lookback of the expression is added to ``rows``.
    """

    cuts: int
    draws: int
    rows: int


FULL = LeakPlan(cuts=3, draws=2, rows=600)
QUICK = LeakPlan(cuts=1, draws=1, rows=240)


@dataclass(frozen=True, slots=True)
class FieldExponents:
    """Exponents of the fields under a stock's adjustment factor; ``None`` = unknown."""

    known: Mapping[str, float | None]

    def unknown_among(self, names: Sequence[str]) -> tuple[str, ...]:
        """The fields among ``names`` whose exponent is not known."""
        return tuple(name for name in names if self.known.get(name) is None)

    def numbers(self) -> dict[str, float]:
        """The known ones."""
        return {name: value for name, value in self.known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Subject:
    """One expression to check: its tree, fields, lookback and, if known, the part that breaks invariance."""

    node: Node
    fields: tuple[str, ...]
    lookback: int
    breaks_at: str | None


def check_leaks(
    subjects: Mapping[str, Subject],
    data: Source,
    exponents: FieldExponents,
    evaluate: Evaluate,
    *,
    universe: BoolArray | None = None,
    plan: LeakPlan = FULL,
    seed: int = 0,
    threads: int = 1,
) -> dict[str, tuple[LeakCheck, ...]]:
    """Prefix, scramble, permutation and adjustment, for each expression of a batch.

    - *prefix*: evaluated on the rows before ``t`` alone, the last rows are the same bit for bit.
    - *scramble*: with every input from ``t`` on replaced by nonsense, the rows before ``t`` are the same
      bit for bit.
    - *permutation*: with the instruments in another order, each name keeps its value (to one float32 unit
      in the last place for a single op; what a composition makes of that may move a near-tie, which the
      numbers show).
    - *adjustment*: with another adjustment factor for each stock (powers of two), no value changes.

    ``data`` is ``(T, N)``; no check reads beyond its rows. The result has the names of ``subjects``.
    """
    found: dict[str, tuple[LeakCheck, ...]] = {}
    for reach in sorted({_reach(subject) for subject in subjects.values()}):
        alike = {name: subject for name, subject in subjects.items() if _reach(subject) == reach}
        rows = (max(0, data.shape[0] - plan.rows - reach), data.shape[0])
        found.update(_check(alike, Rows(data, *rows), exponents, evaluate, universe, plan, seed, threads))
    return {name: found[name] for name in subjects}


def _reach(subject: Subject) -> int:
    """Warm-up rows: the lookback, rounded up so that most of a batch shares one evaluation.

    It depends on the expression alone, so that the company it is judged in changes no number.
    """
    return max(64, 1 << (subject.lookback - 1).bit_length())


def _check(
    subjects: Mapping[str, Subject],
    base: Rows,
    exponents: FieldExponents,
    evaluate: Evaluate,
    universe: BoolArray | None,
    plan: LeakPlan,
    seed: int,
    threads: int,
) -> dict[str, tuple[LeakCheck, ...]]:
    nodes = {name: subject.node for name, subject in subjects.items()}
    members = base.mask(universe)
    job = _Job(nodes, base, members, evaluate, seed, threads, _cuts(base.shape[0], plan.cuts))
    kept = job.run(base, members, job.spans())
    prefix = _prefix(job, kept)
    scramble = _scramble(job, kept)
    permutation = _permutation(job, kept, plan.draws)
    adjustment = _adjustment(job, kept, plan.draws, subjects, exponents)
    return {name: (prefix[name], scramble[name], permutation[name], adjustment[name]) for name in nodes}


@dataclass(frozen=True, slots=True)
class _Job:
    nodes: Nodes
    base: Rows
    members: BoolArray | None
    evaluate: Evaluate
    seed: int
    threads: int
    cuts: tuple[int, ...]

    def spans(self) -> NDArray[np.intp]:
        """The rows kept for comparison: some before each cut."""
        parts = [np.arange(max(0, cut - COMPARED_ROWS), cut) for cut in self.cuts]
        return np.unique(np.concatenate(parts)).astype(np.intp)

    def run(self, data: Source, members: BoolArray | None, keep: NDArray[np.intp]) -> dict[str, FloatRows]:
        """Evaluate the batch and keep some rows of each output."""
        kept: dict[str, FloatRows] = {}

        def take(name: str, values: Array) -> None:
            kept[name] = np.array(values[keep], dtype=np.float32)

        self.evaluate(self.nodes, data, universe=members, threads=self.threads, sink=take)
        return kept


def _cuts(total: int, count: int) -> tuple[int, ...]:
    """Rows at which the future begins: late enough that lookbacks are filled."""
    shares = np.linspace(0.6, 0.95, count) if count > 1 else np.array([0.85])
    return tuple(sorted({max(1, min(total - 1, round(total * share))) for share in shares}))


def _differ(a: FloatRows, b: FloatRows) -> int:
    """Cells that are not the same bit for bit; any NaN equals any NaN."""
    same = (a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))
    return int(np.size(same) - np.count_nonzero(same))


def _prefix(job: _Job, kept: Mapping[str, FloatRows]) -> dict[str, LeakCheck]:
    spans = job.spans()
    differing = dict.fromkeys(job.nodes, 0)
    compared = 0
    for cut in job.cuts:
        part = Rows(job.base.source, job.base.start, job.base.start + cut)
        rows = spans[(spans >= cut - COMPARED_ROWS) & (spans < cut)]
        members = None if job.members is None else np.ascontiguousarray(job.members[:cut])
        again = job.run(part, members, rows)
        where = np.searchsorted(spans, rows)
        compared += len(rows) * job.base.shape[1]
        for name in job.nodes:
            differing[name] += _differ(kept[name][where], again[name])
    return {
        name: _causal("prefix", "computed without the rows after it", count, compared, job.cuts)
        for name, count in differing.items()
    }


def _scramble(job: _Job, kept: Mapping[str, FloatRows]) -> dict[str, LeakCheck]:
    spans = job.spans()
    differing = dict.fromkeys(job.nodes, 0)
    compared = 0
    for cut in job.cuts:
        nonsense = Scrambled(job.base, cut, job.seed)
        rows = spans[spans < cut]
        again = job.run(nonsense, nonsense.mask(job.members), rows)
        compared += len(rows) * job.base.shape[1]
        for name in job.nodes:
            differing[name] += _differ(kept[name][: len(rows)], again[name])
    return {
        name: _causal("scramble", "computed with nonsense after it", count, compared, job.cuts)
        for name, count in differing.items()
    }


def _causal(name: Any, how: str, differing: int, compared: int, cuts: tuple[int, ...]) -> LeakCheck:
    numbers = {"cuts": len(cuts), "cells": compared, "differing": differing}
    if differing:
        return LeakCheck(name, "failed", f"{differing} of {compared} values differ when {how}", numbers)
    detail = f"{compared} values before {len(cuts)} cuts are the same bit for bit when {how}"
    return LeakCheck(name, "passed", detail, numbers)


@dataclass(slots=True)
class _Changes:
    compared: int = 0
    changed: int = 0
    beyond_ulp: int = 0

    def add(self, a: FloatRows, b: FloatRows) -> None:
        valid = ~np.isnan(a)
        lost = valid != ~np.isnan(b)
        both = valid & ~np.isnan(b)
        gap = np.abs(a.astype(np.float64) - b.astype(np.float64), where=both, out=np.zeros(a.shape))
        ulp = np.spacing(np.maximum(np.abs(a), np.abs(b)), where=both, out=np.zeros_like(a))
        moved = both & (gap > SPREAD_TOLERANCE * _spread(a))
        self.compared += int(np.count_nonzero(valid | lost))
        self.changed += int(np.count_nonzero(moved | lost))
        self.beyond_ulp += int(np.count_nonzero((both & (gap > ulp)) | lost))

    @property
    def share(self) -> float:
        return self.changed / self.compared if self.compared else 0.0


def _spread(values: FloatRows) -> NDArray[np.float64]:
    """The 10th to 90th percentile range of each row ``(rows, 1)``; 0 for a row without values."""
    ordered = np.sort(values.astype(np.float64), axis=1)
    last = np.maximum(np.count_nonzero(~np.isnan(values), axis=1) - 1, 0)
    rows = np.arange(len(values))
    spread: NDArray[np.float64] = ordered[rows, last - last // 10] - ordered[rows, last // 10]
    return np.where(np.isnan(spread), 0.0, spread)[:, None]


def _permutation(job: _Job, kept: Mapping[str, FloatRows], draws: int) -> dict[str, LeakCheck]:
    changes = {name: _Changes() for name in job.nodes}
    spans = job.spans()
    for draw in range(draws):
        order = generator(job.seed, "permutation", draw).permutation(job.base.shape[1])
        other = Permuted(job.base, order)
        again = job.run(other, other.mask(job.members), spans)
        for name, change in changes.items():
            change.add(kept[name][:, order], again[name])
    return {name: _permuted(change, draws) for name, change in changes.items()}


def _permuted(change: _Changes, draws: int) -> LeakCheck:
    numbers: dict[str, float | int] = {
        "draws": draws,
        "cells": change.compared,
        "changed": change.changed,
        "beyond_one_ulp": change.beyond_ulp,
    }
    if change.compared == 0:
        return LeakCheck("permutation", "undefined", "there is no value to compare", numbers)
    if change.share > CHANGED_SHARE:
        detail = f"{change.changed} of {change.compared} values depend on the order of the instruments"
        return LeakCheck("permutation", "failed", detail, numbers)
    detail = f"{change.compared} values do not depend on the order of the instruments"
    return LeakCheck("permutation", "passed", detail, numbers)


def _adjustment(
    job: _Job,
    kept: Mapping[str, FloatRows],
    draws: int,
    subjects: Mapping[str, Subject],
    exponents: FieldExponents,
) -> dict[str, LeakCheck]:
    changes = {name: _Changes() for name in job.nodes}
    spans = job.spans()
    for draw in range(draws):
        rng = generator(job.seed, "adjustment", draw)
        powers = rng.integers(-MAX_POWER, MAX_POWER + 1, size=job.base.shape[1])
        other = Rescaled(job.base, exponents.numbers(), powers)
        again = job.run(other, job.members, spans)
        for name, change in changes.items():
            change.add(kept[name], again[name])
    return {name: _adjusted(change, draws, subjects[name], exponents) for name, change in changes.items()}


def _adjusted(change: _Changes, draws: int, subject: Subject, exponents: FieldExponents) -> LeakCheck:
    numbers: dict[str, float | int] = {
        "draws": draws,
        "cells": change.compared,
        "changed": change.changed,
        "beyond_one_ulp": change.beyond_ulp,
    }
    if change.compared == 0:
        return LeakCheck("adjustment", "undefined", "there is no value to compare", numbers)
    if change.share > CHANGED_SHARE:
        where = f"; what breaks it: {subject.breaks_at}" if subject.breaks_at else ""
        detail = (
            f"{change.changed} of {change.compared} values change with the stocks' adjustment factors{where}"
        )
        return LeakCheck("adjustment", "failed", detail, numbers, culprit=subject.breaks_at)
    unknown = exponents.unknown_among(subject.fields)
    if unknown:
        detail = f"how {', '.join(unknown)} moves with the adjustment factor is not known"
        return LeakCheck("adjustment", "undefined", detail, numbers, culprit=subject.breaks_at)
    detail = f"{change.compared} values do not depend on the stocks' adjustment factors"
    return LeakCheck("adjustment", "passed", detail, numbers)
