from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from tests.brain.search.results import stored

from assay.brain import Check
from assay.brain.search import ResultFilter, StoredResult, aggregate, as_csv, keep

FAIL = (Check(name="CONCENTRATED_WEIGHT", result="FAIL"),)
OPEN = (Check(name="SELF_CORRELATION", result="PENDING"),)
ROWS = (
    stored("rank(close)", sharpe=1.3),
    stored("rank(open)", sharpe=2.0, checks=FAIL, direction="d2"),
    stored("rank(volume)", sharpe=1.9, checks=OPEN, origin="flip"),
    stored("rank(-returns)", sharpe=-1.9, fitness=-1.4, run="r2"),
    stored("rank(vwap)", sharpe=1.3, settings={"delay": 0}),
    stored("rank(nothing)", failure="unknown"),
    stored("rank(cap)", sharpe=None, fitness=None),
)


def texts(rows: tuple[StoredResult, ...]) -> list[str]:
    return [row.request.regular for row in rows]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"passing": True}, ["rank(volume)", "rank(close)"]),
        ({"min_sharpe": 1.9}, ["rank(open)", "rank(volume)"]),
        ({"min_sharpe": 1.9, "either_sign": True}, ["rank(open)", "rank(volume)", "rank(-returns)"]),
        ({"status": "failed"}, ["rank(nothing)"]),
        ({"run": "r2"}, ["rank(-returns)"]),
        ({"field": "close"}, ["rank(close)"]),
        ({"text": "vol"}, ["rank(volume)"]),
        ({"direction": "d2"}, ["rank(open)"]),
        ({"origin": "flip"}, ["rank(volume)"]),
        ({"max_turnover": 0.1}, []),
    ],
)
def test_a_filter_keeps_what_it_says_the_best_first(wanted: dict[str, Any], expected: list[str]) -> None:
    assert texts(keep(ROWS, ResultFilter(**wanted))) == expected


def test_limits_are_those_of_the_level_and_of_each_rows_delay() -> None:
    assert texts(keep(ROWS, ResultFilter(passing=True, level="consultant"))) == ["rank(volume)"]
    assert "rank(vwap)" not in texts(keep(ROWS, ResultFilter(passing=True)))


def test_absent_figures_come_last() -> None:
    assert texts(keep(ROWS, ResultFilter()))[-2:] == ["rank(nothing)", "rank(cap)"]
    assert texts(keep(ROWS, ResultFilter(status="completed"), order="turnover"))[-1] != "rank(nothing)"


def test_groups_show_that_signs_disagree() -> None:
    groups = {group.key: group for group in aggregate(ROWS, "direction")}
    d1 = groups["d1"]
    assert (d1.total, d1.completed, d1.failed, d1.passing) == (6, 5, 1, 2)
    assert d1.mean_sharpe == pytest.approx((1.3 + 1.9 - 1.9 + 1.3) / 4)
    assert d1.signs == 0.75
    assert d1.best is not None
    assert d1.best.request.regular == "rank(volume)"
    assert next(iter(groups)) == "d2"


def test_results_group_by_field_settings_structure_and_check() -> None:
    rows = (stored("close / open"), stored("ts_mean(close, 5)"), stored("ts_mean(close, 9)", checks=FAIL))
    assert {g.key: g.total for g in aggregate(rows, "field")} == {"close": 3, "open": 1}
    assert sorted(g.total for g in aggregate(rows, "structure")) == [1, 2]
    assert [g.total for g in aggregate(rows, "settings")] == [3]
    assert {g.key: g.total for g in aggregate(rows, "check")} == {"none failed": 2, "CONCENTRATED_WEIGHT": 1}


def test_the_csv_holds_every_figure_in_full() -> None:
    rows = list(
        csv.DictReader(io.StringIO(as_csv((stored("rank(close)", sharpe=1.23456789), stored("a,b")))))
    )
    assert rows[0]["sharpe"] == "1.23456789"
    assert rows[1]["expression"] == "a,b"
    assert rows[0]["settings.neutralization"] == "MARKET"
    assert rows[0]["pnl"] == ""
