"""What an agent may see of a data set: everything up to the end of ``search``, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

import numpy as np

from assay.config import DateRange, PeriodPlan, as_date
from assay.errors import Refusal
from assay.market import ALL, Panel
from assay.tools._dates import DateGuard


@dataclass(frozen=True)
class SearchView:
    """A data set as the tools of an agent get it.

    Make one with :meth:`of`. ``panel`` ends with ``search``; rows before its first day only feed lookbacks.

    Parameters
    ----------
    panel : the rows up to the end of ``search``.
    plan : the periods; the view itself shows none but ``search``.
    search : first and last trading day of the search period.
    universe : members that are evaluated; ``None`` for all instruments.
    data_key : the name under which the ledger counts its trials.
    """

    panel: Panel
    plan: PeriodPlan
    search: DateRange
    universe: str | None
    data_key: str

    @classmethod
    def of(
        cls, panel: Panel, plan: PeriodPlan, *, universe: str | None = None, data_key: str | None = None
    ) -> SearchView:
        """The search view of a data set; its trials are counted under its name.

        Raises
        ------
        Refusal
            ``no_dates``: the search period has no trading day. ``unknown_universe``, ``universe_outdated``:
            the members are not known until its end.
        """
        cut = panel.between(_after_hidden(plan), plan.search.end)
        inside = panel.between(plan.search.start, plan.search.end).dates
        if universe is not None:
            cut.universe(universe)
        days = DateRange(as_date(inside[0]), as_date(inside[-1]))
        return cls(cut, plan, days, universe, data_key or panel.name)

    @property
    def guard(self) -> DateGuard:
        """Lets pass the dates that the view shows: none after ``search``, none of a hidden period."""
        return DateGuard(self.allows, self.plan.clock)

    def allows(self, day: date) -> bool:
        """Whether a caller of tools may learn of a day."""
        return day <= self.plan.clock and not self.plan.hidden(day, day)

    @cached_property
    def days(self) -> int:
        """Trading days of the search period."""
        return len(self._rows.dates)

    @cached_property
    def instruments(self) -> int:
        """Instruments that are listed on a day of the search period."""
        return int(self._rows.universe(ALL).any(axis=0).sum())

    def members_per_day(self, universe: str) -> float | None:
        """Mean number of members a day; ``None`` where they are not known to the end of the search period."""
        try:
            return float(self._rows.universe(universe).sum(axis=1).mean())
        except Refusal as refusal:
            if refusal.reason.code == "universe_outdated":
                return None
            raise

    def classes(self, group: str) -> int:
        """Number of classes of a group that occur in the search period."""
        codes = np.unique(self._rows.group(group))
        return int(np.count_nonzero(codes >= 0))

    @cached_property
    def _rows(self) -> Panel:
        return self.panel.between(self.search.start, self.search.end)


def _after_hidden(plan: PeriodPlan) -> date | None:
    """The day after the last hidden day that lies before ``search``; ``None`` where there is none."""
    hidden = [period.end for name, period in plan.periods() if name != "search"]
    before = [day for day in hidden if day < plan.search.start]
    return max(before) + timedelta(days=1) if before else None
