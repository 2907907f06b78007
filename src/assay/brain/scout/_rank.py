"""Which data is well covered, used by few, and hardly tried by ourselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from assay.brain._wire import DataFieldInfo, DataSetInfo
from assay.brain.search import StoredResult, field_fingerprint

MIN_COVERAGE: Final = 0.3
"""Below this share of names a field says nothing of the market."""
UNKNOWN_COVERAGE: Final = 0.5
"""What counts for a field whose coverage the platform does not tell."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What the results say of a field: expressions with it, and the largest Sharpe ratio of either sign."""

    count: int = 0
    best: float | None = None


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
    return {name: _tried(found) for name, found in best.items()}


def rank_fields(fields: Iterable[DataFieldInfo], tried: Mapping[str, Tried]) -> tuple[Ranked, ...]:
    """The fields that are numbers or events, the most promising first; those hardly covered are left out."""
    rows = [_field(field, tried.get(field.id.lower(), Tried())) for field in fields if field.type != "GROUP"]
    return _ordered(row for row in rows if row.coverage is None or row.coverage >= MIN_COVERAGE)


def rank_data_sets(
    data_sets: Iterable[DataSetInfo], fields: Iterable[DataFieldInfo], tried: Mapping[str, Tried]
) -> tuple[Ranked, ...]:
    """The data sets, the most promising first; what was tried of one is what was tried of its fields."""
    names: dict[str, list[str]] = {}
    for field in fields:
        if field.dataset is not None and field.type != "GROUP":
            names.setdefault(field.dataset.id, []).append(field.id.lower())
    rows = []
    for item in data_sets:
        own = [tried[name] for name in names.get(item.id, ()) if name in tried]
        bests = [found.best for found in own if found.best is not None]
        total = Tried(sum(found.count for found in own), max(bests, key=abs, default=None))
        rows.append(_row(item.id, item.id, item.name or item.description, item, total))
    return _ordered(rows)


def _field(field: DataFieldInfo, tried: Tried) -> Ranked:
    data_set = "" if field.dataset is None else field.dataset.id
    return _row(field.id, data_set, field.description, field, tried)


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


def _tried(by_expression: Mapping[str, float | None]) -> Tried:
    known = [value for value in by_expression.values() if value is not None]
    return Tried(len(by_expression), max(known, key=abs, default=None))
