"""Each distinct formula that is scored is one trial of the run, on the disk before its figures are told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.base import Operator
from assay.errors import AssayError
from assay.expr import parse
from assay.judge import Recording, judge
from assay.judge.training import TrainingJudge, TrainingSettings
from assay.ledger import Ledger, decode_series
from assay.market import Panel

REVERSAL, VOLATILITY = parse("-ts_return(close, 5)"), parse("ts_std(returns, 20)")


def trials(ledger: Ledger, run: str = "r-1") -> list[dict[str, Any]]:
    return [dict(entry.body) for entry in ledger.run(run).entries(kind="trial")]


def test_a_repeat_is_served_and_adds_none(
    market: Panel, settings: TrainingSettings, recording: Recording
) -> None:
    training = TrainingJudge(market, settings=settings, recording=recording)
    first = training.score([REVERSAL, VOLATILITY, REVERSAL])
    assert first[0] is first[2]
    again = training.score([parse("-ts_return( close, 5 )"), VOLATILITY])
    assert [again[0] is first[0], again[1] is first[1]] == [True, True]
    found = trials(recording.ledger)
    assert [body["fingerprint"] for body in found] == [REVERSAL.fingerprint, VOLATILITY.fingerprint]
    assert training.trial_count().n == 2


def test_after_a_resume_nothing_is_written_twice(
    market: Panel, settings: TrainingSettings, recording: Recording
) -> None:
    before = TrainingJudge(market, settings=settings, recording=recording).score([REVERSAL])
    resumed = TrainingJudge(market, settings=settings, recording=recording)
    after = resumed.score([VOLATILITY, REVERSAL])
    np.testing.assert_equal(before[0].figures(), after[1].figures())
    assert [body["fingerprint"] for body in trials(recording.ledger)] == [
        REVERSAL.fingerprint,
        VOLATILITY.fingerprint,
    ]


def test_a_trial_says_what_the_judges_trial_says(
    market: Panel, settings: TrainingSettings, recording: Recording
) -> None:
    training = TrainingJudge(market, settings=settings, recording=recording)
    score = training.score([REVERSAL])[0]
    ours = trials(recording.ledger)[0]
    recording.ledger.run("r-2").start("judge", Operator.system("test"), "0" * 64, {})
    judge(
        REVERSAL,
        market,
        settings.scoring(training.end),
        recording=replace(recording, run="r-2", desk="judge"),
    )
    recording.ledger.run("r-2").stop("finished")
    theirs = trials(recording.ledger, "r-2")[0]
    figures = ours.pop("figures")
    assert {**ours, "desk": "judge", "sharpe": 0, "series": 0} == {**theirs, "sharpe": 0, "series": 0}
    assert ours["sharpe"] == pytest.approx(theirs["sharpe"], abs=1e-12)
    series = decode_series(recording.ledger.get(ours["series"]))
    np.testing.assert_array_equal(series.values, score.excess)
    assert series.days[-1] == training.setup.dates[-1]
    assert figures["rank_ic"] == score.rank_ic
    assert json.loads(json.dumps(figures))["fold_rank_ics"] == list(score.fold_rank_ics)
    assert training.trial_count().n == 1  # one key, whoever recorded it


def test_n_and_variance_come_from_the_ledger(
    market: Panel, settings: TrainingSettings, recording: Recording
) -> None:
    training = TrainingJudge(market, settings=settings, recording=recording)
    scores = training.score([REVERSAL, VOLATILITY])
    count = training.trial_count()
    expected = np.var([score.sharpe for score in scores], ddof=1)
    assert (count.n, count.variance) == (2, pytest.approx(expected))
    assert training.trial_count(effective=True).n == 2
    recording.ledger.run("other").start("campaign", Operator.system("test"), "0" * 64, {})
    unknown = training.trial_count()
    assert unknown.n is None
    assert "other" in unknown.source
    assert TrainingJudge(market, settings=settings).trial_count().n is None


def test_figures_of_what_cannot_be_recorded_are_not_told(
    market: Panel, settings: TrainingSettings, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = TrainingJudge(market, settings=settings, recording=recording)

    def full(*args: Any, **kwargs: Any) -> Any:
        raise AssayError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "append_many", full)
        with pytest.raises(AssayError, match="full"):
            training.score([REVERSAL])
    assert not training._scores
    training.score([REVERSAL])
    assert len(trials(recording.ledger)) == 1


def test_a_formula_without_a_book_is_a_trial_too(
    market: Panel, settings: TrainingSettings, recording: Recording
) -> None:
    training = TrainingJudge(market, settings=settings, recording=recording)
    score = training.score([parse("ts_mean(returns, 390)")])[0]
    assert score.days == 0
    assert np.isnan([score.rank_ic, score.t, score.turnover, score.sharpe]).all()
    body = trials(recording.ledger)[0]
    assert (body["sharpe"], body["series"], body["rank_ic"]) == (None, None, None)


def test_a_pool_is_no_trial(market: Panel, settings: TrainingSettings, recording: Recording) -> None:
    training = TrainingJudge(market, settings=settings, recording=recording)
    assert len(training.pool({"a": REVERSAL, "b": REVERSAL, "c": VOLATILITY})) == 3
    assert trials(recording.ledger) == []
    training.score([REVERSAL])
    assert len(trials(recording.ledger)) == 1


def test_a_recording_names_a_run(market: Panel, settings: TrainingSettings, ledger: Ledger) -> None:
    with pytest.raises(AssayError, match="names none"):
        TrainingJudge(market, settings=settings, recording=Recording(ledger))
