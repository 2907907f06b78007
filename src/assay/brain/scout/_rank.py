"""Which data is well covered, used by few, and hardly tried by ourselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from assay.brain._wire import DataFieldInfo, DataSetInfo
from assay.brain.search import StoredResult, field_fingerprint

MIN_COVERAGE: Final = 0.3
"""Below this share of names a field says nothing of the market."""
UNKNOWN_COVERAGE: Final = 0.5
"""What counts for a field whose coverage the platform does not tell."""


@dataclass(frozen=True)
class Tried:
    """What the results say of a field: its expressions by fingerprint, each with its Sharpe ratio of either
    sign that is the largest over all settings."""

    expressions: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many expressions there are."""
        return len(self.expressions)

    @property
    def best(self) -> float | None:
        """The largest Sharpe ratio of either sign."""
        known = [value for value in self.expressions.values() if value is not None]
        return max(known, key=abs, default=None)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A data set or a field with what its place rests on.

    ``score`` is coverage / (1 + ln(1 + users)) / (1 + ln(1 + tried)): between 0 and 1. Users are counted by
    the alphas that use it, or where the platform does not tell by its users.
    """

    id: str
    data_set: str
    description: str
    score: float
    coverage: float | None
    users: int | None
    alphas: int | None
    tried: int
    best: float | None


def tried_fields(stored: Iterable[StoredResult]) -> Mapping[str, Tried]:
    """How often each field was tried, by its name in lower case; each expression counts once."""
    best: dict[str, dict[str, float | None]] = {}
    for item in stored:
        sharpe = item.result.sharpe
        for name in filter(None, field_fingerprint(item.request.regular).split("+")):
            by_expression = best.setdefault(name.lower(), {})
            known = by_expression.get(item.result.fingerprint)
            if known is None or (sharpe is not None and abs(sharpe) > abs(known)):
                by_expression[item.result.fingerprint] = sharpe
    return {name: Tried(found) for name, found in best.items()}


def rank_fields(fields: Iterable[DataFieldInfo], tried: Mapping[str, Tried]) -> tuple[Ranked, ...]:
    """The fields that are numbers or events, the most promising first.

    Numbers that hardly cover the names are left out; events are rare by their nature.
    """
    return _ordered(
        _row(info.id, _set_of(info), info.description, info, tried.get(info.id.lower(), Tried()))
        for info in fields
        if info.type == "VECTOR"
        or (info.type == "MATRIX" and (info.coverage is None or info.coverage >= MIN_COVERAGE))
    )


def rank_data_sets(
    data_sets: Iterable[DataSetInfo],
    fields: Iterable[DataFieldInfo] = (),
    tried: Mapping[str, Tried] = MappingProxyType({}),
) -> tuple[Ranked, ...]:
    """The data sets, the most promising first; those of which ``fields`` has groups alone are left out.

    What was tried of one is what was tried of its fields, each expression once.
    """
    own: dict[str, dict[str, float | None]] = {}
    with_signals: set[str] = set()
    for info in fields:
        expressions = own.setdefault(_set_of(info), {})
        if info.type != "GROUP":
            with_signals.add(_set_of(info))
            expressions |= tried.get(info.id.lower(), Tried()).expressions
    return _ordered(
        _row(item.id, item.id, item.name or item.description, item, Tried(own.get(item.id, {})))
        for item in data_sets
        if item.id in with_signals or item.id not in own
    )


def _set_of(info: DataFieldInfo) -> str:
    return "" if info.dataset is None else info.dataset.id


def _row(
    id_: str, data_set: str, description: str, info: DataFieldInfo | DataSetInfo, tried: Tried
) -> Ranked:
    coverage = UNKNOWN_COVERAGE if info.coverage is None else info.coverage
    crowd = info.alpha_count if info.alpha_count is not None else info.user_count or 0
    score = coverage / (1 + math.log1p(max(0, crowd))) / (1 + math.log1p(tried.count))
    return Ranked(
        id_,
        data_set,
        description,
        score,
        info.coverage,
        info.user_count,
        info.alpha_count,
        tried.count,
        tried.best,
    )


def _ordered(rows: Iterable[Ranked]) -> tuple[Ranked, ...]:
    return tuple(sorted(rows, key=lambda row: -row.score))  # equal ones stay in the platform's order
