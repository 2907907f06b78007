"""Filters over results, and what groups of them have in common."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final, Literal

from assay.brain._fingerprint import field_fingerprint, fingerprint
from assay.brain.search._stored import StoredResult
from assay.config import BrainLevel

GroupBy = Literal[
    "direction", "origin", "field", "structure", "settings", "neutralization", "decay", "universe", "delay",
    "run", "agent", "check",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Which results are meant; None and empty leave a point open.

    ``passing`` keeps those that reach the platform's limits of their delay, for an account's ``level``.
    ``either_sign`` takes the size of Sharpe ratio and fitness.
    """

    passing: bool = False
    level: BrainLevel = "user"
    min_sharpe: float | None = None
    min_fitness: float | None = None
    min_turnover: float | None = None
    max_turnover: float | None = None
    either_sign: bool = False
    status: str | None = None
    platform: str | None = None
    run: str | None = None
    direction: str | None = None
    origin: str | None = None
    field: str | None = None
    text: str = ""

    def takes(self, stored: StoredResult) -> bool:
        """Whether a result is meant. A figure that is absent reaches no threshold."""
        result, proposal = stored.result, stored.result.proposal
        size = abs if self.either_sign else float
        equal = (
            (self.status, result.status),
            (self.platform, stored.platform),
            (self.run, stored.run),
            (self.direction, proposal.direction),
            (self.origin, proposal.origin),
        )
        least = ((self.min_sharpe, result.sharpe), (self.min_fitness, result.fitness))
        return (
            all(wanted is None or wanted == have for wanted, have in equal)
            and all(limit is None or (have is not None and size(have) >= limit) for limit, have in least)
            and _within(result.turnover, self.min_turnover, self.max_turnover)
            and (self.field is None or self.field in _fields(stored))
            and self.text in stored.request.regular
            and (not self.passing or stored.passes(self.level))
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Results that share something. Means are over those that have the figure; ``signs`` are the share of
    Sharpe ratios above 0, so that a mean cannot hide that they disagree."""

    key: str
    total: int
    completed: int
    failed: int
    passing: int
    mean_sharpe: float | None
    median_sharpe: float | None
    mean_fitness: float | None
    mean_turnover: float | None
    signs: float | None
    best: StoredResult | None


def keep(
    results: Iterable[StoredResult], wanted: ResultFilter, *, order: str = "sharpe"
) -> tuple[StoredResult, ...]:
    """The results that a filter takes, the best by a figure first; those without it last, as they came."""
    found = [item for item in results if wanted.takes(item)]
    return tuple(sorted(found, key=lambda item: _descending(_figure(item, order))))


def aggregate(
    results: Iterable[StoredResult], by: GroupBy, *, level: BrainLevel = "user"
) -> tuple[Group, ...]:
    """Groups of results, the one with the best Sharpe ratio first. By ``field`` and by ``check`` a result may
    be in several."""
    groups: dict[str, list[StoredResult]] = {}
    for item in results:
        for key in dict.fromkeys(_KEYS[by](item)):
            groups.setdefault(key, []).append(item)
    made = [_group(key, items, level) for key, items in groups.items()]
    return tuple(sorted(made, key=lambda group: (_descending(_best_sharpe(group)), group.key)))


def as_csv(results: Sequence[StoredResult]) -> str:
    """The results as comma-separated values with a header, figures in full."""
    rows = [item.flat() for item in results]
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _group(key: str, items: Sequence[StoredResult], level: BrainLevel) -> Group:
    done = [item for item in items if item.result.status == "completed"]
    sharpes = [s for item in done if (s := item.result.sharpe) is not None]
    return Group(
        key=key,
        total=len(items),
        completed=len(done),
        failed=len(items) - len(done),
        passing=sum(item.passes(level) for item in done),
        mean_sharpe=_mean(sharpes),
        median_sharpe=median(sharpes) if sharpes else None,
        mean_fitness=_mean([f for item in done if (f := item.result.fitness) is not None]),
        mean_turnover=_mean([t for item in done if (t := item.result.turnover) is not None]),
        signs=_mean([float(s > 0) for s in sharpes]),
        best=min(done, key=lambda item: _descending(item.result.sharpe), default=None),
    )


def _best_sharpe(group: Group) -> float | None:
    return None if group.best is None else group.best.result.sharpe


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _figure(stored: StoredResult, name: str) -> float | None:
    value = stored.flat().get(name)
    return float(value) if isinstance(value, int | float) else None


def _descending(value: float | None) -> tuple[bool, float]:
    return value is None, -(value or 0.0)


def _within(value: float | None, low: float | None, high: float | None) -> bool:
    if low is None and high is None:
        return True
    return value is not None and (low is None or value >= low) and (high is None or value <= high)


def _fields(stored: StoredResult) -> list[str]:
    return field_fingerprint(stored.request.regular).split("+")


def _settings(stored: StoredResult) -> str:
    s = stored.request.settings
    where = f"{s.region} {s.universe} delay {s.delay}"
    return f"{where} {s.neutralization} decay {s.decay} truncation {s.truncation:g} nan {s.nan_handling}"


_KEYS: Final[Mapping[GroupBy, Callable[[StoredResult], list[str]]]] = {
    "direction": lambda item: [item.result.proposal.direction],
    "origin": lambda item: [item.result.proposal.origin],
    "field": _fields,
    "structure": lambda item: [fingerprint(item.request.regular, "constants")],
    "settings": lambda item: [_settings(item)],
    "neutralization": lambda item: [item.request.settings.neutralization],
    "decay": lambda item: [str(item.request.settings.decay)],
    "universe": lambda item: [item.request.settings.universe],
    "delay": lambda item: [str(item.request.settings.delay)],
    "run": lambda item: [item.run],
    "agent": lambda item: [item.agent],
    "check": lambda item: list(item.result.failing) or ["none failed"],
}
