from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.brain._correlation import years_before as years_before
from assay.config import PeriodPlan
from assay.errors import DataError
from assay.market import Panel

LEAST_DAYS = 60
"""Trading days in sample below which no figure means anything."""


@dataclass(frozen=True, slots=True)
class Window:
    """The day from which data may be read, first and last day in sample, and the last of the held days."""

    first: np.datetime64
    start: np.datetime64
    end: np.datetime64
    last: np.datetime64


def window_of(panel: Panel, plan: PeriodPlan | None, years: int, held_days: int) -> Window:
    """At most ``years`` years that end ``held_days`` trading days before the end of ``search``.

    Without a plan the last bar of the data ends the held days. What lies before the window is history, which
    expressions may read unless it is hidden; what lies after its end is not.

    Raises
    ------
    DataError
        Too few trading days are left in sample.
    """
    first = panel.dates[0] if plan is None else max(panel.dates[0], np.datetime64(plan.search.start, "D"))
    last = panel.dates[-1] if plan is None else min(panel.dates[-1], np.datetime64(plan.search.end, "D"))
    days = panel.dates[(panel.dates >= first) & (panel.dates <= last)]
    sample = days[: max(len(days) - held_days, 0)]
    if len(sample) < LEAST_DAYS:
        raise DataError(
            f"{len(days)} trading days may be searched; with {held_days} held, {len(sample)} are left",
            where=f"data set {panel.name!r}",
            fix=f"leave at least {LEAST_DAYS}: lower held_days of [brain.simulator], or use a longer market",
        )
    start = sample[sample > years_before(sample[-1], years)][0]
    return Window(_first_read(panel, plan), start, sample[-1], days[-1])


def _first_read(panel: Panel, plan: PeriodPlan | None) -> np.datetime64:
    """The first bar, or where hidden days lie before ``search`` the second after them.

    The first bar after them has a return that reaches back into them.
    """
    before = [] if plan is None else [end for _, (start, end) in plan.closed() if start < plan.search.start]
    after = panel.dates[panel.dates > np.datetime64(max(before), "D")] if before else panel.dates
    first: np.datetime64 = after[1 if before else 0]
    return first
