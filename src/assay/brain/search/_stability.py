"""How stable an alpha is: year by year, in its sub-universe, and when a little is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.brain._fingerprint import TrialId
from assay.brain._result import JobResult, Proposal
from assay.brain._wire import Check, Recordset
from assay.brain.search._mutate import changes_of
from assay.brain.search._space import MutationSpace
from assay.errors import ProviderBadReply

YEARLY: Final = "yearly-stats"
SMALL: Final = (
    "longer", "shorter", "decay_up", "decay_down", "truncation", "neutralization", "universe", "nan_handling",
)  # fmt: skip
"""Rules whose nearest change a stable alpha should survive."""
_SUB_UNIVERSE: Final = "LOW_SUB_UNIVERSE_SHARPE"


@dataclass(frozen=True, slots=True)
class YearLine:
    """One year of an alpha, as the platform tells it."""

    year: str
    sharpe: float | None
    fitness: float | None
    turnover: float | None


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A small change and what came of it; ``kept`` is its share of the alpha's own Sharpe ratio."""

    rule: str
    result: JobResult
    kept: float | None


@dataclass(frozen=True, slots=True)
class Stability:
    """What is known of an alpha's stability; no ``sub_universe`` where the platform has no such check."""

    base: JobResult
    years: tuple[YearLine, ...]
    sub_universe: Check | None
    changes: tuple[Perturbation, ...]

    @property
    def years_alike(self) -> int:
        """Years whose Sharpe ratio has the sign of the whole."""
        whole = self.base.sharpe or 0.0
        return sum(line.sharpe is not None and line.sharpe * whole > 0 for line in self.years)

    @property
    def weakest(self) -> float | None:
        """The least share of the Sharpe ratio that a small change keeps."""
        return min((item.kept for item in self.changes if item.kept is not None), default=None)


def perturbed(start: Proposal, space: MutationSpace, seed: int = 0) -> tuple[Proposal, ...]:
    """The nearest change of each of the rules of :data:`SMALL` that has one, each request once.

    Raises
    ------
    ExpressionError
        The expression cannot be read.
    """
    taken = {TrialId.of(start.request)}
    found = []
    for rule in SMALL:
        request = next(changes_of(rule, start.request, space, seed), None)
        if request is not None and TrialId.of(request) not in taken:
            taken.add(TrialId.of(request))
            found.append(replace(start, request=request, origin=rule))
    return tuple(found)


def stability(base: JobResult, yearly: Recordset, changed: Sequence[JobResult]) -> Stability:
    """Put together what came of an alpha and of its small changes.

    Parameters
    ----------
    yearly : the alpha's record set ``yearly-stats``.
    changed : results of :func:`perturbed`, the failed ones among them.

    Raises
    ------
    ProviderBadReply
        The record set names no years.
    """
    check = next((item for item in base.checks if item.name == _SUB_UNIVERSE), None)
    changes = tuple(Perturbation(item.proposal.origin, item, _kept(base, item)) for item in changed)
    return Stability(base, _years(yearly), check, changes)


def _kept(base: JobResult, other: JobResult) -> float | None:
    if not base.sharpe or other.sharpe is None:
        return None
    return other.sharpe / base.sharpe


def _years(yearly: Recordset) -> tuple[YearLine, ...]:
    places = {column.name: place for place, column in enumerate(yearly.columns)}
    if yearly.records and "year" not in places:
        raise ProviderBadReply("the record set names no years", where=yearly.name)

    def value(row: Sequence[object], name: str) -> float | None:
        found = row[places[name]] if name in places else None
        return float(found) if isinstance(found, int | float) else None

    return tuple(
        YearLine(str(row[places["year"]]), *(value(row, name) for name in ("sharpe", "fitness", "turnover")))
        for row in yearly.records
    )
