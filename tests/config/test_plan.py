from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import (
    ALL_DATES,
    UNKNOWN_PERIOD,
    DateRange,
    PeriodPlan,
    as_date,
    longest_label,
    propose_plan,
)
from assay.errors import DataError, Refusal

SEARCH = DateRange(date(2017, 1, 1), date(2019, 12, 31))
SCORE = DateRange(date(2020, 3, 1), date(2021, 6, 30))
EVAL = DateRange(date(2021, 9, 1), date(2023, 12, 31))
PLAN = PeriodPlan(SEARCH, SCORE, EVAL, embargo_bars=21)

days = st.dates(date(2016, 1, 1), date(2025, 1, 1))


def test_a_period_resolves_to_its_dates() -> None:
    assert PLAN.resolve("search") == SEARCH
    assert PLAN.resolve("score") == SCORE
    assert PLAN.resolve("eval") == EVAL
    assert PLAN.resolve("all") == ALL_DATES
    start, end = PLAN.resolve("search")
    assert (start, end) == (date(2017, 1, 1), date(2019, 12, 31))


def test_an_unknown_period_is_refused_with_a_suggestion() -> None:
    with pytest.raises(Refusal) as caught:
        PLAN.resolve("serch")
    assert caught.value.reason is UNKNOWN_PERIOD
    assert "'search'" in (caught.value.fix or "")


def test_a_period_that_is_not_set_is_refused() -> None:
    with pytest.raises(Refusal, match="'eval' is not set"):
        PeriodPlan(SEARCH).resolve("eval")


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2017-01-01", "2019-12-31", ()),
        ("2020-01-01", "2020-02-29", ()),
        ("2020-01-01", "2020-03-01", ("score",)),
        ("2021-06-30", "2021-06-30", ("score",)),
        ("2021-07-01", "2021-08-31", ()),
        ("2023-12-31", "2030-01-01", ("eval",)),
        ("2010-01-01", "2030-01-01", ("score", "eval")),
        (None, None, ("score", "eval")),
        (None, "2019-12-31", ()),
        ("2024-01-01", None, ("eval",)),
    ],
)
def test_hidden_is_decided_by_dates(start: str | None, end: str | None, expected: tuple[str, ...]) -> None:
    assert PLAN.hidden(start, end) == expected


@given(days, days)
def test_a_range_is_hidden_if_and_only_if_one_of_its_days_is(a: date, b: date) -> None:
    start, end = min(a, b), max(a, b)
    span = [start + timedelta(n) for n in range((end - start).days + 1)]
    closed = (("score", SCORE), ("eval", EVAL._replace(end=date.max)))
    expected = tuple(name for name, p in closed if any(p.start <= d <= p.end for d in span))
    assert PLAN.hidden(start, end) == expected


def test_bars_after_the_latest_period_are_as_hidden_as_it_is() -> None:
    assert PeriodPlan(SEARCH, SCORE).hidden("2030-01-01", None) == ("score",)
    assert PeriodPlan(EVAL, eval=SEARCH).hidden("2030-01-01", None) == ()


def test_hidden_takes_every_form_of_a_day() -> None:
    for day in (np.datetime64("2020-03-01", "ns"), datetime(2020, 3, 1, 9, 30), date(2020, 3, 1)):
        assert PLAN.hidden(day, day) == ("score",)


@pytest.mark.parametrize("value", ["2020-13-01", "yesterday", "", np.datetime64("NaT")])
def test_what_is_not_a_day_is_refused(value: str | np.datetime64) -> None:
    with pytest.raises(DataError, match="not a date"):
        as_date(value)


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(DataError, match="empty range"):
        PLAN.hidden("2020-02-01", "2020-01-01")


def test_the_clock_of_an_agent_is_the_end_of_search() -> None:
    assert PLAN.clock == date(2019, 12, 31)


def test_the_digest_changes_with_the_plan_and_only_then() -> None:
    assert PLAN.digest == PeriodPlan(SEARCH, SCORE, EVAL, embargo_bars=21).digest
    moved = PeriodPlan(SEARCH, SCORE, DateRange(EVAL.start, EVAL.end + timedelta(1)), embargo_bars=21)
    assert len({PLAN.digest, moved.digest, PeriodPlan(SEARCH, SCORE, EVAL, 22).digest}) == 3


def test_the_longest_label_reaches_one_bar_past_the_horizon() -> None:
    assert longest_label([1, 20, 5]) == 21
    assert longest_label([]) == 1


def test_the_calendar_of_the_data_has_the_last_word_on_the_embargo() -> None:
    weekdays = np.arange("2017-01-01", "2024-01-01", dtype="datetime64[D]")
    weekdays = weekdays[np.is_busday(weekdays)]
    PLAN.check_calendar(weekdays)
    holidays = (weekdays >= np.datetime64("2020-01-15")) & (weekdays < np.datetime64("2020-02-15"))
    with pytest.raises(DataError, match=r"'search' and 'score'; the embargo is 21"):
        PLAN.check_calendar(weekdays[~holidays])


def test_a_gap_that_the_calendar_does_not_reach_over_is_not_counted() -> None:
    weekdays = np.arange("2017-01-01", "2024-01-01", dtype="datetime64[D]")
    for part in (weekdays < np.datetime64("2020-01-05"), weekdays > np.datetime64("2020-01-05")):
        assert "search" not in {gap.before for gap in PLAN.embargo_gaps(weekdays[part])}
    assert PLAN.embargo_gaps(weekdays[:0]) == []


@given(st.integers(150, 2500), st.lists(st.integers(1, 20), min_size=1, max_size=4))
def test_a_proposed_plan_keeps_its_own_rules(bars: int, horizons: list[int]) -> None:
    calendar = np.busday_offset("2015-01-01", np.arange(bars), roll="forward")
    plan = propose_plan(calendar, horizons)
    plan.check_calendar(calendar)
    assert plan.score is not None
    assert plan.eval is not None
    assert plan.embargo_bars == max(horizons) + 1
    assert [gap.bars for gap in plan.embargo_gaps(calendar)] == [plan.embargo_bars] * 2
    assert plan.search.start == as_date(calendar[0])
    assert plan.eval.end == as_date(calendar[-1])


def test_a_short_calendar_has_no_plan() -> None:
    with pytest.raises(DataError, match="too few"):
        propose_plan(np.arange("2020-01-01", "2020-03-01", dtype="datetime64[D]"), [20])
