from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from assay.config import DateRange, as_date, find_data_settings
from assay.engine import evaluate_formulas
from assay.errors import DataError
from assay.expr import DialectName, Expression, edit_distance, parse
from assay.library._nearest import Match
from assay.library._similarity import Similarity, rank_correlation, similarity

if TYPE_CHECKING:
    from assay.ledger import DailySeries, Ledger
    from assay.library._zoo import Member
    from assay.market import Panel

LEAST_DAYS = 20
"""Two series with fewer common days have no correlation to speak of."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How alike two factors are.

    Parameters
    ----------
    a, b : their names.
    match : the same values up to rounding (``fingerprint``), up to sign and scale (``signature``), or
        neither; None where one has no formula.
    distance : tree edit distance of the formulas; None where one has none.
    values : mean daily rank correlation of their values; of 0 days where one has no formula.
    series : rank correlation of the daily series of their trials over common days.
    """

    a: str
    b: str
    match: Match | None
    distance: int | None
    values: Similarity
    series: Similarity

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, but for correlations that are NaN."""
        return {
            "a": self.a,
            "b": self.b,
            "match": self.match,
            "distance": self.distance,
            "values": self.values._asdict(),
            "series": self.series._asdict(),
        }


def compare_members(
    ledger: Ledger,
    members: Sequence[Member],
    panel: Panel,
    *,
    search: DateRange | None = None,
    universe: str | None = None,
) -> tuple[Comparison, ...]:
    """Each two factors compared, by formula, by values and by the series of their trials.

    Parameters
    ----------
    panel : the data to evaluate the formulas on.
    search : the only dates that are compared. By default the search period that the workspace of the panel's
        data set plans; where none does, all dates of the panel.
    universe : members by date, by name; without it, all instruments.

    Raises
    ------
    Refusal
        A formula does not go with the panel's fields; no date of the panel lies in the period.
    DataError
        Fewer than two factors are given.
    """
    if len(members) < 2:
        raise DataError(
            f"two factors or more are compared, and there are {len(members)}",
            where="names",
            fix="name two factors or more",
        )
    period = search or _planned(panel)
    formulas = {member.name: _formula(member, panel) for member in members}
    values = _values(formulas, panel, period, universe)
    series = _series(ledger, members, period)
    return tuple(
        Comparison(
            a.name,
            b.name,
            *_match(formulas[a.name], formulas[b.name]),
            _alike(values.get(a.name), values.get(b.name)),
            _moving_alike(series.get(a.name), series.get(b.name)),
        )
        for a, b in combinations(members, 2)
    )


def _planned(panel: Panel) -> DateRange:
    settings = None if panel.folder is None else find_data_settings(panel.folder, panel.name)
    if settings is None or settings.periods is None:
        return DateRange(as_date(panel.dates[0]), as_date(panel.dates[-1]))
    return settings.periods.search


def _formula(member: Member, panel: Panel) -> Expression | None:
    if member.expression is None or member.dialect is None:
        return None
    return parse(member.expression, cast(DialectName, member.dialect), fields=panel.fields)


def _values(
    formulas: Mapping[str, Expression | None], panel: Panel, period: DateRange, universe: str | None
) -> dict[str, npt.NDArray[np.float32]]:
    """Values on the dates of the period; earlier rows only feed lookbacks, and no later one is read."""
    wanted = {name: formula for name, formula in formulas.items() if formula is not None}
    if not wanted:
        return {}
    panel.between(period.start, period.end)  # refuses a period without a date
    seen = panel.between(None, period.end)
    first = int(np.searchsorted(seen.dates, np.datetime64(period.start, "D")))
    members = None if universe is None else seen.universe(universe)
    found = evaluate_formulas(wanted, seen, universe=members)
    if members is None:
        return {name: array[first:] for name, array in found.items()}
    return {name: np.where(members, array, np.float32(np.nan))[first:] for name, array in found.items()}


def _series(ledger: Ledger, members: Sequence[Member], period: DateRange) -> dict[str, DailySeries]:
    """The daily series of each factor's trial, cut to the period; the newest record that has one counts."""
    from assay.ledger import DailySeries, decode_series

    wanted = {(member.fingerprint, member.config_hash) for member in members}
    objects: dict[tuple[Any, Any], str] = {}
    for entry in ledger.entries(kind="trial"):
        body = entry.body
        key = (body["fingerprint"], body["config_hash"])
        if key in wanted and body["series"] is not None and not body["control"]:
            objects[key] = body["series"]
    first, last = np.datetime64(period.start, "D"), np.datetime64(period.end, "D")
    found: dict[str, DailySeries] = {}
    for member in members:
        named = objects.get((member.fingerprint, member.config_hash))
        if named is not None:
            whole = decode_series(ledger.get(named))
            inside = (whole.days >= first) & (whole.days <= last)
            found[member.name] = DailySeries(whole.days[inside], whole.values[inside])
    return found


def _match(a: Expression | None, b: Expression | None) -> tuple[Match | None, int | None]:
    if a is None or b is None:
        return None, None
    distance = edit_distance(a.node, b.node)
    if a.fingerprint == b.fingerprint:
        return "fingerprint", distance
    return ("signature" if a.signature == b.signature else "distance"), distance


def _alike(a: npt.NDArray[np.float32] | None, b: npt.NDArray[np.float32] | None) -> Similarity:
    return Similarity(float("nan"), 0) if a is None or b is None else similarity(a, b)


def _moving_alike(a: DailySeries | None, b: DailySeries | None) -> Similarity:
    if a is None or b is None:
        return Similarity(float("nan"), 0)
    days, in_a, in_b = np.intersect1d(a.days, b.days, assume_unique=True, return_indices=True)
    found = rank_correlation(a.values[in_a], b.values[in_b], LEAST_DAYS)
    return Similarity(float("nan") if found is None else found, len(days))
