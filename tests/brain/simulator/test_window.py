from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from assay.brain.simulator._window import Window, window_of, years_before
from assay.config import DateRange, PeriodPlan
from assay.errors import DataError
from assay.market import Panel

from .markets import simulated


def _plan(panel: Panel, search: tuple[int, int], **hidden: tuple[int, int]) -> PeriodPlan:
    def between(first: int, last: int) -> DateRange:
        return DateRange(*(date.fromisoformat(str(panel.dates[row])) for row in (first, last)))

    return PeriodPlan(between(*search), **{name: between(*rows) for name, rows in hidden.items()})


def _rows(panel: Panel, window: Window) -> list[int]:
    days = (window.first, window.start, window.end, window.last)
    return [int(np.searchsorted(panel.dates, day)) for day in days]


def test_without_a_plan_the_held_days_end_with_the_data() -> None:
    panel = simulated()
    assert _rows(panel, window_of(panel, None, 5, 100)) == [0, 0, 599, 699]


def test_with_a_plan_they_end_with_the_search_period() -> None:
    panel = simulated()
    plan = _plan(panel, (50, 499), score=(520, 600), eval=(610, 699))
    assert _rows(panel, window_of(panel, plan, 5, 100)) == [0, 50, 399, 499]


def test_hidden_days_before_the_search_are_not_read() -> None:
    panel = simulated()
    plan = _plan(panel, (220, 699), eval=(0, 100), score=(110, 200))
    # row 201 has a return that reaches back into row 200
    assert _rows(panel, window_of(panel, plan, 5, 100)) == [202, 220, 599, 699]


def test_the_window_is_no_longer_than_its_years() -> None:
    panel = simulated()
    window = window_of(panel, None, 1, 100)
    assert window.start > years_before(window.end, 1)
    before = panel.dates[panel.dates < window.start][-1]
    assert before <= years_before(window.end, 1)


def test_a_window_too_short_says_what_to_do() -> None:
    panel = simulated()
    with pytest.raises(
        DataError, match="700 trading days may be searched; with 660 held, 40 are left"
    ) as caught:
        window_of(panel, None, 5, 660)
    assert "held_days" in str(caught.value.fix)


def test_years_are_counted_by_the_calendar() -> None:
    day = np.datetime64("2024-02-29")
    assert years_before(day, 1) == np.datetime64("2023-02-28")
    assert years_before(day, 4) == np.datetime64("2020-02-29")
    assert years_before(day, 1, 6) == np.datetime64("2022-08-29")
    assert years_before(np.datetime64("2024-03-31"), 0, 1) == np.datetime64("2024-02-29")
