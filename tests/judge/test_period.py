from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from assay.config import PeriodPlan
from assay.config._plan import DateRange
from assay.errors import DataError, Refusal
from assay.judge import JudgeSettings
from assay.judge._period import assert_dates, resolve_window

DATES = np.arange("2020-01-01", "2020-07-19", dtype="datetime64[D]")  # 200 days
PLAN = PeriodPlan(
    search=DateRange(date(2020, 1, 1), date(2020, 3, 31)),
    score=DateRange(date(2020, 4, 10), date(2020, 5, 10)),
    eval=DateRange(date(2020, 5, 20), date(2020, 7, 18)),
)


def day(row: int) -> date:
    return DATES[row].item()


def test_without_a_plan_all_dates_are_judged():
    window = resolve_window(DATES, JudgeSettings())
    assert (window.first, window.start, window.stop) == (0, 0, 200)


def test_with_a_plan_search_is_the_default():
    window = resolve_window(DATES, JudgeSettings(), PLAN)
    assert window.period == "search"
    assert day(window.stop - 1) == date(2020, 3, 31)
    assert window.hidden_opened == ()


@pytest.mark.parametrize("period", ["score", "eval", "all"])
def test_hidden_periods_are_refused(period):
    with pytest.raises(Refusal) as caught:
        resolve_window(DATES, JudgeSettings(period=period), PLAN)
    assert caught.value.reason.code == "hidden_period"


@pytest.mark.parametrize(("period", "named"), [("eval", "period eval"), ("all", "periods score and eval")])
def test_the_refusal_names_each_hidden_period(period, named):
    with pytest.raises(Refusal, match=f"meets the hidden {named}$"):
        resolve_window(DATES, JudgeSettings(period=period), PLAN)


def test_dates_that_meet_a_hidden_period_are_refused_whatever_the_name():
    settings = JudgeSettings(start=date(2020, 2, 1), end=date(2020, 4, 10))
    with pytest.raises(Refusal, match="score"):
        resolve_window(DATES, settings, PLAN)


def test_an_open_end_of_dates_is_that_of_the_search_period():
    window = resolve_window(DATES, JudgeSettings(start=date(2020, 2, 1)), PLAN)
    assert (day(window.start), day(window.stop - 1)) == (date(2020, 2, 1), date(2020, 3, 31))
    assert window.period == "dates"
    with pytest.raises(Refusal, match="eval"):
        resolve_window(DATES, JudgeSettings(start=date(2020, 6, 1)), PLAN)


def test_a_name_with_dates_is_narrowed_to_the_period():
    settings = JudgeSettings(period="search", start=date(2020, 2, 1), end=date(2020, 6, 1))
    window = resolve_window(DATES, settings, PLAN)
    assert (day(window.start), day(window.stop - 1)) == (date(2020, 2, 1), date(2020, 3, 31))
    assert window.first == 0


def test_hidden_periods_open_on_request_and_are_named():
    window = resolve_window(DATES, JudgeSettings(period="eval", allow_hidden=True), PLAN)
    assert window.hidden_opened == ("eval",)
    assert (day(window.start), window.first) == (date(2020, 5, 20), 0)


def test_warm_up_does_not_reach_into_a_hidden_period():
    plan = PeriodPlan(
        search=DateRange(date(2020, 4, 1), date(2020, 7, 18)),
        eval=DateRange(date(2020, 1, 1), date(2020, 2, 29)),
    )
    window = resolve_window(DATES, JudgeSettings(), plan)
    assert day(window.first) == date(2020, 3, 1)
    assert day(window.start) == date(2020, 4, 1)


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="at least 7"):
        resolve_window(DATES, JudgeSettings(start=date(2020, 7, 17)))
    with pytest.raises(DataError, match="0 rows"):
        resolve_window(DATES, JudgeSettings(start=date(2031, 1, 1)))


def test_a_period_name_without_a_plan_is_refused():
    with pytest.raises(DataError, match="no period plan"):
        resolve_window(DATES, JudgeSettings(period="search"))


def test_dates_in_hand_are_asserted():
    window = resolve_window(DATES, JudgeSettings(), PLAN)
    used = DATES[window.first : window.stop]
    assert_dates(used, window, JudgeSettings(), PLAN)
    with pytest.raises(DataError, match="not those of the period"):
        assert_dates(DATES, window, JudgeSettings(), PLAN)
    with pytest.raises(DataError, match="not those of the period"):
        assert_dates(used[::-1], window, JudgeSettings(), PLAN)


def test_a_calendar_that_shortens_the_embargo_is_refused_before_any_period_is_read():
    plan = replace(PLAN, embargo_bars=9)
    assert resolve_window(DATES, JudgeSettings(), plan).period == "search"
    april = (np.datetime64("2020-04-03") <= DATES) & (np.datetime64("2020-04-05") >= DATES)
    for settings in (JudgeSettings(), JudgeSettings(period="all", allow_hidden=True)):
        with pytest.raises(DataError, match=r"6 bars lie between 'search' and 'score'; the embargo is 9"):
            resolve_window(DATES[~april], settings, plan)


@pytest.mark.parametrize("last", ["2020-03-31", "2020-04-03", "2020-04-30"])
def test_data_that_end_before_a_later_period_are_judged(last):
    plan = replace(PLAN, embargo_bars=9)
    window = resolve_window(DATES[np.datetime64(last) >= DATES], JudgeSettings(), plan)
    assert day(window.stop - 1) == date(2020, 3, 31)


def test_data_that_begin_after_a_period_are_judged():
    plan = replace(PLAN, embargo_bars=9)
    later = DATES[np.datetime64("2020-04-08") <= DATES]
    window = resolve_window(later, JudgeSettings(period="eval", allow_hidden=True), plan)
    assert window.hidden_opened == ("eval",)
