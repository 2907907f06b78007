from __future__ import annotations

import json
import math
from datetime import date
from typing import Any

import numpy as np
import pytest

from assay.library import Watch, follow, make_watch, watch_of

AFTER = date(2022, 12, 30)


def watch(mean: float = 0.03, deviation: float = 0.25, days: int = 500) -> Watch:
    made = make_watch(mean, deviation, days, AFTER)
    assert made is not None
    return made


def days(count: int, first: str = "2023-01-02") -> Any:
    return np.arange(first, np.datetime64(first) + count, dtype="datetime64[D]")


def overlapping(rng: np.random.Generator, count: int, mean: float, deviation: float, h: int = 5) -> Any:
    """Daily RankICs as labels over ``h`` bars give them: moving sums, of this long-run deviation."""
    drawn = rng.normal(size=count + h - 1)
    return mean + deviation / h * np.convolve(drawn, np.ones(h), "valid")


def test_a_rule_by_hand() -> None:
    """mean 0.04: the sum falls by 0.02 for each day as expected and rises by 0.02 for a day of nothing."""
    made = Watch(AFTER, 1, 0.04, 0.1, 100, 0.0, 0.08, 0.05, 0.05, 10.0)
    found = follow(made, days(6), [0.04, 0.0, 0.04, 0.0, 0.0, 0.0])
    # 0 -> 0, 0.02, 0, 0.02, 0.04, 0.06 > 0.05
    assert found.statistic == pytest.approx(0.06)
    assert (found.health, found.alarm, found.last) == ("alarm", date(2023, 1, 7), date(2023, 1, 7))
    assert follow(made, days(5), [0.04, 0.0, 0.04, 0.0, 0.0]).health == "within"
    assert follow(made, days(8), [0.04, 0, 0.04, 0, 0, 0, 0.9, 0.9]).alarm == date(2023, 1, 7)


def test_limit_and_delay_are_the_run_lengths_of_the_formula() -> None:
    made = watch()
    k, s = 0.015, 0.25
    y = 2 * k * made.limit / s**2
    assert s**2 / (2 * k**2) * (math.exp(y) - 1 - y) == pytest.approx(252 / -math.log(0.95), rel=1e-9)
    assert made.delay == pytest.approx(s**2 / (2 * k**2) * (math.exp(-y) - 1 + y), rel=1e-9)


def test_no_drift_rarely_alarms_within_a_year() -> None:
    made, rng = watch(), np.random.default_rng(1)
    alarms = sum(
        follow(made, days(252), overlapping(rng, 252, 0.03, 0.25)).health == "alarm" for _ in range(1000)
    )
    # 5% a year over a long life; it begins at 0, and a sum in steps reaches the limit later
    assert alarms <= 60


def test_a_factor_that_died_alarms_about_when_it_should() -> None:
    made, rng = watch(), np.random.default_rng(2)
    when = []
    for _ in range(300):
        series = overlapping(rng, 4000, 0.0, 0.25)
        found = follow(made, days(4000), series)
        assert found.alarm is not None
        when.append((np.datetime64(found.alarm) - np.datetime64("2023-01-02")).astype(int))
    assert np.mean(when) == pytest.approx(made.delay, rel=0.15)


def test_a_factor_that_turned_alarms_sooner_than_one_that_died() -> None:
    made, rng = watch(), np.random.default_rng(3)
    for _ in range(20):
        assert follow(made, days(2000), overlapping(rng, 2000, -0.06, 0.25)).health == "alarm"


def test_the_band_holds_95_percent_of_years() -> None:
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(1000):
        estimated = overlapping(rng, 500, 0.03, 0.25).mean()
        made = watch(estimated or 1e-9)
        mean = overlapping(rng, 252, 0.03, 0.25).mean() * made.sign
        inside += made.band_low <= mean <= made.band_high
    assert 920 <= inside <= 980


def test_a_factor_with_a_negative_rank_ic_is_followed_in_its_own_direction() -> None:
    made = watch(-0.03)
    assert (made.sign, made.mean) == (-1, 0.03)
    assert follow(made, days(300), np.full(300, -0.03)).statistic == 0.0
    assert follow(made, days(600), np.full(600, 0.03)).health == "alarm"


def test_days_that_were_known_and_undefined_ones_say_nothing() -> None:
    made = watch()
    found = follow(made, days(400, "2022-06-01"), np.full(400, -1.0))
    assert found.days == 400 - 213  # those after 2022-12-30
    assert found.first == date(2022, 12, 31)
    nothing = follow(made, days(10), np.full(10, np.nan))
    assert (nothing.health, nothing.days, nothing.first) == ("no_data", 0, None)
    assert json.dumps(nothing.as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("mean", "deviation", "n"),
    [(0.0, 0.2, 100), (math.nan, 0.2, 100), (0.03, 0.0, 100), (0.03, math.nan, 100), (0.03, 0.2, 1)],
)
def test_nothing_is_expected_of_what_is_undefined(mean: float, deviation: float, n: int) -> None:
    assert make_watch(mean, deviation, n, AFTER) is None


def test_it_is_read_back_as_it_was_written() -> None:
    made = watch()
    assert Watch.from_dict(json.loads(json.dumps(made.as_dict()))) == made
    with pytest.raises(ValueError, match="unknown rule"):
        Watch.from_dict({**made.as_dict(), "rule": "sprt"})


def test_a_certificate_gives_the_deviation_that_its_t_implies() -> None:
    body = {
        "metrics": {"rank_ic": -0.04, "t": -4.0, "days": 400},
        "data": {"panel": "sim", "last_row": "2022-12-30"},
    }
    made = watch_of({"body": body})
    assert made is not None
    assert (made.sign, made.mean, made.days, made.after) == (-1, 0.04, 400, AFTER)
    assert made.deviation == pytest.approx(0.01 * 20)
    assert watch_of({"body": {"data": {"panel": "sim"}}}) is None
    assert watch_of({"body": {**body, "metrics": {"rank_ic": None, "t": None, "days": 0}}}) is None
