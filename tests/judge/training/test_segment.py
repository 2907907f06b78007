"""The training segment ends where it is said to end, and nothing behind its end is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from assay.config import DateRange, PeriodPlan, as_date
from assay.errors import ConfigProblems, DataError
from assay.expr import parse
from assay.judge import JudgeSettings
from assay.judge.training import CandidateGate, TrainingJudge, TrainingSettings
from assay.judge.training._segment import assert_training
from assay.market import Group, Panel

from .conftest import TAIL

FORMULAS = [
    "-ts_return(close, 5)",
    "rank(ts_mean(volume, 10) / volume)",
    "group_neutralize(ts_std(returns, 20), industry)",
    "-ts_corr(close, volume, 10)",
]


def poisoned(market: Panel, first: int, value: float) -> Panel:
    """The market with one value in every field, other groups and other members from row ``first`` on."""
    data = market.data
    fields = {}
    for name, values in data.fields.items():
        fields[name] = values.copy()
        fields[name][first:] = value
    groups = {}
    for name, group in data.groups.items():
        codes = np.broadcast_to(group.codes, data.shape).copy()
        codes[first:] = 0
        groups[name] = Group(codes, group.labels, group.description)
    last = np.where(data.last_row >= first, len(data.dates) - 1, data.last_row).astype(np.int32)
    return Panel(replace(data, fields=fields, groups=groups, last_row=last))


@pytest.mark.parametrize("value", [1e9, np.nan])
def test_no_row_behind_the_end_is_read(market: Panel, settings: TrainingSettings, value: float) -> None:
    clean = TrainingJudge(market, settings=settings)
    other = TrainingJudge(poisoned(market, len(market.dates) - TAIL, value), settings=settings)
    items = [parse(text, fields=clean.fields) for text in FORMULAS]
    for a, b in zip(clean.score(items), other.score(items), strict=True):
        np.testing.assert_equal(a.figures(), b.figures())
        for name in ("rank_ics", "neutral_rank_ics", "ranks", "excess"):
            assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name
    texts = [*FORMULAS, "close", "rank(close) * 0"]
    assert [verdict.body() for verdict in CandidateGate(clean).check_many(texts)] == [
        verdict.body() for verdict in CandidateGate(other).check_many(texts)
    ]
    assert clean.pool({"x": items[0]}).members[0].ranks.tobytes() == other.ranks(items)[0].tobytes()


def test_poison_before_the_end_is_seen(market: Panel, settings: TrainingSettings) -> None:
    other = TrainingJudge(poisoned(market, len(market.dates) - TAIL - 1, np.nan), settings=settings)
    clean = TrainingJudge(market, settings=settings)
    item = parse(FORMULAS[0])
    assert clean.score([item])[0].rank_ic != other.score([item])[0].rank_ic


def test_a_day_and_a_number_of_bars_say_the_same(market: Panel) -> None:
    by_bars = TrainingJudge(market, settings=TrainingSettings(validate_bars=TAIL))
    day = as_date(market.dates[-TAIL])
    by_day = TrainingJudge(market, settings=TrainingSettings(validate_from=day))
    assert by_bars.end == by_day.end == as_date(market.dates[-TAIL - 1])
    assert by_bars.config_hash == by_day.config_hash


def test_without_a_tail_the_segment_is_search(market: Panel) -> None:
    plan = PeriodPlan(
        search=DateRange(as_date(market.dates[20]), as_date(market.dates[299])),
        eval=DateRange(as_date(market.dates[320]), as_date(market.dates[-1])),
        embargo_bars=6,
    )
    judge = TrainingJudge(market, plan)
    assert judge.end == plan.search.end
    assert len(judge.score([parse(FORMULAS[0])])[0].rank_ics) == 280
    tail = TrainingJudge(market, plan, TrainingSettings(validate_bars=30))
    assert tail.end == as_date(market.dates[269])


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        (TrainingSettings(validate_from=date(2050, 1, 1)), "validate_from"),
        (TrainingSettings(validate_from=date(1990, 1, 1)), "validate_from"),
        (TrainingSettings(validate_bars=400), "validate_bars"),
        (TrainingSettings(validate_bars=396), "period"),
    ],
)
def test_a_tail_that_leaves_nothing_is_refused(market: Panel, wrong: TrainingSettings, where: str) -> None:
    with pytest.raises(DataError) as caught:
        TrainingJudge(market, settings=wrong)
    assert caught.value.where == where


def test_rows_beyond_the_segment_fail_loudly(market: Panel, trained: TrainingJudge) -> None:
    day = trained.end
    assert_training(trained.setup, day, None, trained.settings)
    with pytest.raises(DataError, match="not those of the training segment"):
        assert_training(trained.setup, date(2000, 1, 1), None, trained.settings)
    with pytest.raises(DataError, match="not those of the training segment"):
        assert_training(trained.setup, day, None, TrainingSettings(validate_from=day))
    plan = PeriodPlan(search=DateRange(date(1990, 1, 1), as_date(market.dates[5])))
    with pytest.raises(DataError, match="not those of the training segment"):
        assert_training(trained.setup, day, plan, trained.settings)


def test_all_problems_of_the_settings_are_told_at_once() -> None:
    with pytest.raises(ConfigProblems) as caught:
        TrainingSettings(
            judge=JudgeSettings(start=date(2020, 1, 1), allow_hidden=True),
            validate_from=date(2020, 1, 1),
            validate_bars=3,
            folds=1,
            sample_dates=True,
            leaks="none",  # type: ignore[arg-type]
        )
    assert {problem.where for problem in caught.value.problems} == {
        "judge.start", "judge.allow_hidden", "validate_bars", "folds", "sample_dates", "leaks",
    }  # fmt: skip
