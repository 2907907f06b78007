from __future__ import annotations

import json
from dataclasses import fields
from datetime import date, datetime

import pytest

from assay.base import canonical_json
from assay.errors import ConfigProblems
from assay.judge import Costs, JudgeSettings, Thresholds


def test_defaults_are_the_documented_conventions():
    settings = JudgeSettings()
    assert (settings.horizon, settings.lag, settings.fill) == (5, 1, "close")
    assert settings.all_horizons == (1, 2, 3, 5, 10, 20)
    assert settings.t_lags == 10
    assert settings.trials is None


def test_judged_horizon_joins_the_decay_table():
    assert JudgeSettings(horizon=7).all_horizons == (1, 2, 3, 5, 7, 10, 20)


def test_all_problems_are_reported_at_once():
    with pytest.raises(ConfigProblems) as caught:
        JudgeSettings(horizon=0, lag=-1, fill="midday", costs=Costs(buy_bp=-1, sell_bp=5), quantiles=1)
    where = {problem.where for problem in caught.value.problems}
    assert where == {"horizon", "lag", "fill", "costs.buy_bp", "quantiles"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("horizon", 2.5),
        ("horizon", True),
        ("max_weight", float("nan")),
        ("delisting_value", 1.5),
        ("market", "XX"),
        ("thresholds", {"min_t": 3}),
        ("costs", 5.0),
        ("neutral", 1),
        ("horizons", (5, 0)),
        ("horizons", 5),
        ("trials", 0),
    ],
)
def test_bad_value_names_its_setting(name, value):
    with pytest.raises(ConfigProblems) as caught:
        JudgeSettings(**{name: value})
    assert [problem.where for problem in caught.value.problems] == [name]


def test_start_after_end_is_refused():
    with pytest.raises(ConfigProblems, match="after the end"):
        JudgeSettings(start=date(2020, 1, 2), end=date(2020, 1, 1))


def test_from_mapping_reads_nested_tables_and_dates():
    settings = JudgeSettings.from_mapping(
        {
            "start": "2020-01-01",
            "horizons": [1, 5],
            "costs": {"buy_bp": 1, "sell_bp": 2},
            "thresholds": {"min_t": 2.0},
        }
    )
    assert settings.start == date(2020, 1, 1)
    assert settings.costs == Costs(buy_bp=1, sell_bp=2)
    assert settings.thresholds == Thresholds(min_t=2.0)
    assert settings.horizons == (1, 5)


def test_from_mapping_reports_unknown_names_with_the_nearest():
    with pytest.raises(ConfigProblems) as caught:
        JudgeSettings.from_mapping(
            {"horizn": 5, "thresholds": {"min_tt": 1}, "start": "soon", "costs": {"buy_bp": 1}}
        )
    found = {problem.where: problem.fix for problem in caught.value.problems}
    assert found["horizn"] == "did you mean horizon?" or "horizon" in found["horizn"]
    assert set(found) == {"horizn", "thresholds.min_tt", "start", "costs"}


def test_to_dict_is_json_ready_and_holds_every_setting_that_can_change_a_result():
    data = JudgeSettings(start=date(2020, 1, 1), threads=2).to_dict()
    assert json.loads(canonical_json(data)) == data
    assert set(data) == {item.name for item in fields(JudgeSettings)} - {"threads"}
    assert data == JudgeSettings(start=date(2020, 1, 1), threads=1).to_dict()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("universe", 5),
        ("universe", ["csi300"]),
        ("universe", ""),
        ("period", " "),
        ("benchmark", 1.5),
        ("start", 5),
        ("end", datetime(2020, 1, 1)),
        ("capital", 10**400),
        ("sharpe_variance", float("inf")),
    ],
)
def test_values_of_another_type_are_problems_and_not_faults(name, value):
    with pytest.raises(ConfigProblems) as caught:
        JudgeSettings.from_mapping({name: value})
    assert [problem.where for problem in caught.value.problems] == [name]


def test_many_wrong_horizons_are_one_problem():
    with pytest.raises(ConfigProblems) as caught:
        JudgeSettings(horizons=tuple(range(1, 300)))
    assert [problem.message for problem in caught.value.problems] == ["has 253 and 46 more like it"]
