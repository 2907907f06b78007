from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from assay.config import HiddenPeriod, PeriodPlan, find_data_settings
from assay.errors import DataError, Problem, Reason, Refusal
from assay.judge._kin import kin_of
from assay.judge._results import DateArray
from assay.judge._settings import JudgeSettings, SettingProblems

if TYPE_CHECKING:
    from assay.market import Panel

HIDDEN_PERIOD = Reason(
    "hidden_period",
    "the dates meet a period that is hidden",
    "end the range before it, or open it on purpose (a person's decision; the certificate says so)",
)

_OTHER_PLAN = Problem(
    "plan",
    "another plan than that of the workspace is given, and the data set has dates that the latter hides",
    "leave plan out, or cut the panel to open dates first: panel.between(...)",
)


@dataclass(frozen=True, slots=True)
class Window:
    """The rows of a panel that one judgement reads.

    Rows ``[first, start)`` only feed lookbacks, rows ``[start, stop)`` are judged. No row from ``stop`` on is
    read, so labels that would reach past the end of the period do not exist.
    """

    first: int
    start: int
    stop: int
    period: str
    hidden_opened: tuple[HiddenPeriod, ...]

    @property
    def judged(self) -> slice:
        """The judged rows, counted from ``first``."""
        return slice(self.start - self.first, self.stop - self.first)


def plan_of(panel: Panel) -> PeriodPlan | None:
    """The plan of the workspace in which the panel's data set is stored.

    None for a panel in memory, outside a workspace, and where the workspace sets no periods for it.

    Raises
    ------
    ConfigProblems
        The workspace's ``assay.toml`` is not valid.
    """
    if panel.folder is None:
        return None
    settings = find_data_settings(panel.folder, panel.name)
    return None if settings is None else settings.periods


def plan_for(panel: Panel, given: PeriodPlan | None) -> PeriodPlan | None:
    """The plan to judge a panel by: the one given, else that of its workspace.

    A data set without a plan that holds what a planned one of the workspace holds has that one's plan; see
    :func:`~assay.judge._kin.planned_kin`.

    Raises
    ------
    ConfigProblems
        Another plan is given than that of the panel's workspace, and the panel has dates that the latter
        hides: what is hidden in a workspace is for its ``assay.toml`` to say.
    """
    own = plan_of(panel)
    if own is None:
        kin = kin_of(panel)
        own = None if kin is None else kin.plan
    if given is None or own is None or given == own or not len(panel.dates):
        return own if given is None else given
    if own.hidden(_day(panel.dates[0]), _day(panel.dates[-1])):
        raise SettingProblems([_OTHER_PLAN])
    return given


def resolve_window(dates: DateArray, settings: JudgeSettings, plan: PeriodPlan | None = None) -> Window:
    """Turn a period's name and dates into rows, and hold the plan's hidden periods shut.

    Rows before the judged range feed lookbacks. They are not judged, and unless ``allow_hidden`` is set they
    begin after the last hidden day that lies before the range.

    Raises
    ------
    Refusal
        ``hidden_period``: a judged day lies in a hidden period and ``allow_hidden`` is not set.
    DataError
        The range holds fewer rows than the judged label needs, or ``dates`` leave fewer rows between two
        periods of the plan than its embargo.
    """
    if plan is not None:
        plan.check_calendar(dates)
    low, high, name = _asked(settings, plan)
    start = 0 if low is None else int(np.searchsorted(dates, np.datetime64(low, "D"), side="left"))
    stop = len(dates) if high is None else int(np.searchsorted(dates, np.datetime64(high, "D"), side="right"))
    needed = settings.horizon + 2
    if stop - start < needed:
        span = f"{dates[0]} to {dates[-1]}" if len(dates) else "no dates"
        raise DataError(
            f"the panel has {max(0, stop - start)} rows from {low or 'its start'} to {high or 'its end'}; "
            f"a label over {settings.horizon} bars needs at least {needed}",
            where="period",
            fix=f"choose dates within the panel ({span}) or a shorter horizon",
        )
    opened = () if plan is None else plan.hidden(_day(dates[start]), _day(dates[stop - 1]))
    if opened and not settings.allow_hidden:
        named = f"hidden {'period' if len(opened) == 1 else 'periods'} {' and '.join(opened)}"
        raise Refusal(
            HIDDEN_PERIOD,
            f"{_day(dates[start])} to {_day(dates[stop - 1])} meets the {named}",
            where="period",
            details={"period": name, "hidden": list(opened)},
        )
    first = 0 if plan is None or settings.allow_hidden else _after_hidden(dates, start, plan)
    return Window(first, start, stop, name, opened)


def assert_dates(dates: DateArray, window: Window, settings: JudgeSettings, plan: PeriodPlan | None) -> None:
    """Fail loudly when the rows in hand are not those that were asked for.

    ``dates`` are those of the data that was in fact read (warm-up included). A split that is silently ignored
    is the classic way for test years to enter a search, so the bounds are checked on the data itself.

    Raises
    ------
    DataError
        A row lies outside the period, or in a hidden period that was not opened.
    """
    low, high, name = _asked(settings, plan)
    judged = dates[window.judged]
    wrong = len(dates) != window.stop - window.first or not len(judged)
    wrong = wrong or bool(np.any(np.diff(dates.astype(np.int64)) <= 0))
    wrong = wrong or (low is not None and _day(judged[0]) < low)
    wrong = wrong or (high is not None and _day(dates[-1]) > high)
    if not wrong and plan is not None and not settings.allow_hidden:
        wrong = bool(plan.hidden(_day(dates[0]), _day(dates[-1])))
    if wrong:
        raise DataError(
            f"the rows read are not those of the period {name!r}: asked {low} to {high}",
            where="period",
            fix="this is a fault of the data source or of the program; do not use the result",
        )


def _asked(settings: JudgeSettings, plan: PeriodPlan | None) -> tuple[date | None, date | None, str]:
    low, high, name = settings.start, settings.end, "all"
    if plan is not None:
        name = settings.period or "search"
        period = plan.resolve(name)
        if settings.period is None and (low is not None or high is not None):
            # dates without a name are taken as asked, and what is left open ends with the search period
            name = "dates"
            low = period.start if low is None else low
            high = period.end if high is None and low <= period.end else high
        elif name != "all":
            low = period.start if low is None else max(low, period.start)
            high = period.end if high is None else min(high, period.end)
    elif settings.period not in (None, "all"):
        raise DataError(
            f"there is no period plan, so no period is named {settings.period!r}",
            where="period",
            fix="give start and end dates, or work in a workspace whose assay.toml sets the periods",
        )
    elif low is not None or high is not None:
        name = "dates"
    return low, high, name


def _after_hidden(dates: DateArray, start: int, plan: PeriodPlan) -> int:
    ends = [
        int(np.searchsorted(dates, np.datetime64(period.end, "D"), side="right"))
        for name, period in plan.periods()
        if name != "search"
    ]
    return max((row for row in ends if row <= start), default=0)


def _day(value: np.datetime64) -> date:
    day: date = value.astype("datetime64[D]").item()
    return day
