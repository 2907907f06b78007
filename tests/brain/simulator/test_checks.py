"""The in-sample checks on series made for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.brain import Stats
from assay.brain.simulator._checks import (
    SubUniverse,
    checks_of,
    concentrated_weight,
    ladder,
    low_sub_universe,
    low_two_years,
)

from .markets import daily

BOOK = 20e6
SUB = SubUniverse(daily([1.0, 2.0, 4.0]), 1 / 3)
GOOD = Stats(sharpe=1.25, fitness=1.0, turnover=0.01)


def _steady(sharpe: float, days: int) -> list[float]:
    """PnL of exactly this Sharpe ratio."""
    spread = np.where(np.arange(days) % 2, 1.0, -1.0)
    return (spread / spread.std(ddof=1) + sharpe / np.sqrt(252) - spread.mean()).tolist()


def _all(stats: Stats, level: str = "user", delay: int = 1) -> dict[str, tuple[str, float | None]]:
    found = checks_of(stats, daily(_steady(2.0, 300)), SUB, level=level, delay=delay, book=BOOK)
    return {check.name: (check.result, check.limit) for check in found}


def test_a_user_has_the_published_checks_in_the_published_order() -> None:
    assert list(_all(GOOD)) == [
        "LOW_SHARPE", "LOW_FITNESS", "LOW_TURNOVER", "HIGH_TURNOVER", "CONCENTRATED_WEIGHT",
        "LOW_SUB_UNIVERSE_SHARPE", "SELF_CORRELATION",
    ]  # fmt: skip


def test_a_limit_that_is_met_passes() -> None:
    found = _all(GOOD)
    assert found["LOW_SHARPE"] == ("PASS", 1.25)
    assert found["LOW_FITNESS"] == ("PASS", 1.0)
    assert found["LOW_TURNOVER"] == ("PASS", 0.01)
    assert found["HIGH_TURNOVER"] == ("PASS", 0.7)
    assert _all(Stats(turnover=0.7))["HIGH_TURNOVER"][0] == "PASS"


def test_what_lies_beyond_a_limit_or_is_not_defined_fails() -> None:
    found = _all(Stats(sharpe=1.24, fitness=0.99, turnover=0.0099))
    assert [found[n][0] for n in ("LOW_SHARPE", "LOW_FITNESS", "LOW_TURNOVER")] == ["FAIL"] * 3
    assert _all(Stats(turnover=0.7001))["HIGH_TURNOVER"][0] == "FAIL"
    assert _all(Stats(turnover=0.1))["LOW_SHARPE"][0] == "FAIL"
    assert _all(Stats(turnover=0.1))["LOW_SUB_UNIVERSE_SHARPE"] == ("FAIL", None)


def test_limits_follow_level_and_delay() -> None:
    assert _all(GOOD, delay=0)["LOW_SHARPE"] == ("FAIL", 2.0)
    assert _all(GOOD, "consultant")["LOW_SHARPE"] == ("FAIL", 1.58)
    assert _all(GOOD, "consultant", 0)["LOW_FITNESS"] == ("FAIL", 1.5)


def test_a_consultant_has_more_checks() -> None:
    found = _all(GOOD, "consultant")
    assert set(found) - set(_all(GOOD)) == {"LOW_2Y_SHARPE", "IS_LADDER_SHARPE", "PROD_CORRELATION"}
    assert found["PROD_CORRELATION"] == found["SELF_CORRELATION"] == ("PENDING", None)


def test_the_limit_of_the_sub_universe_is_that_of_a_captured_alpha() -> None:
    found = low_sub_universe(1.0, SubUniverse(daily(_steady(0.5, 50)), 1000 / 3000))
    assert (found.limit, found.value, found.result) == (0.43, 0.5, "PASS")
    assert low_sub_universe(1.0, SubUniverse(daily(_steady(0.4, 50)), 1 / 3)).result == "FAIL"


def test_weight_is_told_with_its_date_only_when_it_fails() -> None:
    calm = daily([1.0] * 5)
    passing = concentrated_weight(calm, BOOK)
    assert (passing.result, passing.limit, passing.value) == ("PASS", 0.1, None)
    assert "date" not in passing.model_dump()
    largest = calm.largest.copy()
    largest[3] = 2.4e6
    failing = concentrated_weight(replace(calm, largest=largest), BOOK)
    assert (failing.result, failing.value) == ("FAIL", 0.12)
    assert failing.model_dump()["date"] == str(calm.dates[3])


def test_too_few_names_fail_the_weight_test() -> None:
    assert concentrated_weight(daily([1.0] * 5, names=10), BOOK).result == "PASS"
    assert concentrated_weight(daily([1.0] * 5, names=9), BOOK).result == "FAIL"


def test_two_years_are_the_last_two() -> None:
    days = daily(_steady(-1.0, 600) + _steady(3.0, 520))
    found = low_two_years(days, 1.58)
    assert found.result == "PASS"
    assert found.value == pytest.approx(3.0, abs=0.05)


def test_the_ladder_passes_at_once_when_two_years_do() -> None:
    found = ladder(daily(_steady(2.5, 1300)), 0.5, 1)
    extra = found.model_dump(by_alias=True)
    assert (found.result, found.limit, extra["year"]) == ("PASS", 2.38, 2)
    assert extra["startDate"] > "2022"
    assert extra["endDate"] == str(daily([0.0] * 1300).dates[-1])


def test_the_ladder_fails_below_its_lowest_limit() -> None:
    found = ladder(daily(_steady(1.5, 1300)), 0.5, 1)
    assert (found.result, found.model_dump()["year"]) == ("FAIL", 2)


def test_a_calm_alpha_has_lower_rungs() -> None:
    # 2.38 x .85 = 2.023
    assert ladder(daily(_steady(2.1, 1300)), 0.29, 1).result == "PASS"
    assert ladder(daily(_steady(2.1, 1300)), 0.30, 1).result == "WARNING"


def test_a_ladder_without_further_years_is_a_warning() -> None:
    found = ladder(daily(_steady(2.0, 1300)), 0.5, 1)
    assert (found.result, found.model_dump()["year"]) == ("WARNING", 5)
