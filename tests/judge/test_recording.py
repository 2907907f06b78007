"""A judgement in a workspace: run, trials, looks and certificates are in the ledger; N comes from there."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from assay.base import Operator
from assay.config import DateRange, PeriodPlan, as_date, find_data_place, init_workspace
from assay.errors import ConfigProblems, DataError, Refusal
from assay.judge import JudgeSettings, Recording, judge, recording_in, verify_certificate
from assay.ledger import Ledger, Run, Scope, decode_series
from assay.market import Panel, simulate, write_dataset

QUICK = JudgeSettings(
    robustness="off", leak_checks="off", bootstrap=0, neutral=False, quantiles=5, horizons=(5,)
)
MOMENTUM, REVERSAL, VOLUME = "ts_return(close, 20)", "-ts_return(close, 5)", "rank(-volume)"


@pytest.fixture(scope="module")
def source() -> Panel:
    return simulate(instruments=60, days=500, seed=11)


@pytest.fixture
def panel(tmp_path: Path, source: Panel) -> Panel:
    """The data set in a workspace with a period plan and small budgets."""
    dates = source.dates
    span = [DateRange(as_date(dates[a]), as_date(dates[b])) for a, b in ((0, 299), (330, 399), (430, 499))]
    plan = PeriodPlan(search=span[0], score=span[1], eval=span[2], embargo_bars=21)
    root = tmp_path / "desk"
    init_workspace(root, plans={"toy": plan})
    text = (root / "assay.toml").read_text()
    (root / "assay.toml").write_text(text + "\n[data.toy.looks]\nscore = 3\neval = 2\n")
    return write_dataset(source.data, root / "data" / "toy")


def ledger_of(panel: Panel) -> Ledger:
    assert panel.folder is not None
    return Ledger.open(panel.folder.parent.parent / "ledger")


def kinds(panel: Panel) -> list[str]:
    return [entry.kind for entry in ledger_of(panel).entries()]


def test_a_judgement_in_a_workspace_is_a_run_of_its_own(panel: Panel) -> None:
    verdicts = judge([MOMENTUM, REVERSAL], panel, QUICK)
    assert kinds(panel) == [
        "ledger", "run_start", "trial", "trial", "certificate", "certificate", "run_stop",
    ]  # fmt: skip
    entries = list(ledger_of(panel).entries())
    assert entries[1].body["operator"]["kind"] == "human"
    assert [len(entries[1].body["planned"]), entries[-1].body["reason"]] == [2, "finished"]
    trial = entries[2].body
    assert trial["expression"] == verdicts[0].identity.canonical
    assert trial["sharpe"] == pytest.approx(verdicts[0].significance.sharpe)
    assert (trial["period"], trial["data"], trial["control"]) == ("search", "toy", False)
    assert verdicts[0].certificate["body"]["data"]["record"].startswith("recorded")


def test_the_series_of_a_trial_is_that_of_the_book(panel: Panel) -> None:
    verdict = judge(MOMENTUM, panel, QUICK)[0]
    ledger = ledger_of(panel)
    trial = next(iter(ledger.entries(kind="trial"))).body
    series = decode_series(ledger.get(trial["series"]))
    assert series.days[-1] == verdict.dates[-1]
    assert verdict.book is not None
    excess = verdict.book.net - verdict.book.benchmark
    assert np.allclose(series.values, excess[-len(series.values) :], atol=1e-12)
    assert series.values.mean() / series.values.std(ddof=0) == pytest.approx(trial["sharpe"], rel=0.01)


def test_n_grows_by_distinct_formulas_and_settings_and_not_by_repeats(panel: Panel) -> None:
    counts = [
        judge(formula, panel, settings)[0].significance.trials
        for formula, settings in [
            (MOMENTUM, QUICK),
            (REVERSAL, QUICK),
            (MOMENTUM, QUICK),
            ("ts_return( close , 20 )", QUICK),
            (MOMENTUM, replace(QUICK, horizon=10, horizons=(10,))),
            (MOMENTUM, replace(QUICK, threads=2, shuffles=1)),
        ]
    ]
    assert counts == [1, 2, 2, 2, 3, 3]


def test_dsr_takes_n_and_variance_from_the_ledger(panel: Panel) -> None:
    alone = judge(MOMENTUM, panel, QUICK)[0].significance
    assert math.isnan(alone.dsr)
    assert "two trials" in alone.trials_source
    later = judge([REVERSAL, VOLUME], panel, QUICK)
    found = ledger_of(panel).trials(Scope(data="toy"))
    for verdict in later:
        assert verdict.significance.trials == found.n == 3
        assert verdict.significance.sharpe_variance == pytest.approx(found.sharpe_variance)
        assert 0.0 <= verdict.significance.dsr <= verdict.significance.psr
    assert "N = 3" in later.batch.note
    again = judge(MOMENTUM, panel, QUICK)
    assert again[0].significance.trials == 3
    # the others' p-values are counted in: at most three times the own one
    assert again.batch.q_bh[0] <= 3 * again[0].significance.p_value + 1e-12
    assert "of 3 trials" in again.batch.note


def test_a_given_n_is_refused_where_a_ledger_counts(panel: Panel) -> None:
    with pytest.raises(ConfigProblems) as caught:
        judge(MOMENTUM, panel, replace(QUICK, trials=5))
    assert "its ledger counts" in caught.value.problems[0].fix
    assert panel.folder is not None
    assert not (panel.folder.parent.parent / "ledger").exists()


def test_a_panel_in_memory_is_unrecorded(source: Panel) -> None:
    verdict = judge(MOMENTUM, source, QUICK)[0]
    assert verdict.certificate["body"]["data"]["record"] == "unrecorded, N unknown"
    assert verdict.significance.trials is None


def test_an_open_run_leaves_the_dsr_out_and_says_why(panel: Panel) -> None:
    judge([MOMENTUM, REVERSAL], panel, QUICK)
    ledger = ledger_of(panel)
    ledger.run("killed").start("judge", Operator.human(), "c" * 64, {"data:toy": "d"})
    found = judge(VOLUME, panel, QUICK)[0].significance
    assert found.trials is None
    assert math.isnan(found.dsr)
    assert "incomplete_scope" in found.trials_source
    assert "killed" in found.trials_source
    ledger.run("killed").close()
    assert judge(VOLUME, panel, QUICK)[0].significance.trials == 3


def test_the_certificate_of_a_repeat_is_the_same_and_verifies(panel: Panel) -> None:
    judge([MOMENTUM, REVERSAL], panel, QUICK)
    first = judge(MOMENTUM, panel, QUICK)[0].certificate
    second = judge(MOMENTUM, panel, QUICK)[0].certificate
    assert first == second
    ledger = ledger_of(panel)
    last = list(ledger.entries(kind="certificate"))[-1].body
    stored = json.loads(ledger.get(last["document"]))
    verify_certificate(stored)
    assert stored["content_hash"] == last["content_hash"] == first["content_hash"]


class TestLooks:
    def test_hidden_dates_stay_shut_and_cost_nothing_when_refused(self, panel: Panel) -> None:
        with pytest.raises(Refusal) as caught:
            judge(MOMENTUM, panel, replace(QUICK, period="score"))
        assert caught.value.reason.code == "hidden_period"
        assert not (panel.folder.parent.parent / "ledger").exists() or "look" not in kinds(panel)

    def test_score_is_charged_by_call(self, panel: Panel) -> None:
        opened = replace(QUICK, period="score", allow_hidden=True)
        for _ in range(3):
            judge(MOMENTUM, panel, opened)
        assert ledger_of(panel).looks("toy")["score"].used == 3
        with pytest.raises(Refusal) as caught:
            judge(MOMENTUM, panel, opened)
        assert caught.value.reason.code == "look_budget_exhausted"
        assert kinds(panel)[-2:] == ["refusal", "run_stop"]
        assert ledger_of(panel).trials(Scope(data="toy")).n == 1

    def test_eval_is_charged_once_for_a_certificate(self, panel: Panel) -> None:
        opened = replace(QUICK, period="eval", allow_hidden=True)
        for _ in range(3):
            judge(MOMENTUM, panel, opened)
        assert ledger_of(panel).looks("toy")["eval"].used == 1
        judge(REVERSAL, panel, opened)
        with pytest.raises(Refusal) as caught:
            judge(VOLUME, panel, opened)
        assert caught.value.reason.code == "look_budget_exhausted"

    def test_dates_count_whatever_their_name(self, panel: Panel) -> None:
        dates = panel.dates
        opened = replace(QUICK, start=as_date(dates[350]), end=as_date(dates[480]), allow_hidden=True)
        verdict = judge(MOMENTUM, panel, opened)[0]
        assert verdict.data.hidden_opened == ("score", "eval")
        looks = ledger_of(panel).looks("toy")
        assert (looks["score"].used, looks["eval"].used) == (1, 1)

    def test_a_batch_beyond_the_budget_is_refused_whole(self, panel: Panel) -> None:
        opened = replace(QUICK, period="eval", allow_hidden=True)
        with pytest.raises(Refusal) as caught:
            judge([MOMENTUM, REVERSAL, VOLUME], panel, opened)
        assert caught.value.reason.code == "look_budget_exhausted"
        assert caught.value.details["wanted"] == 3
        assert "eval" not in ledger_of(panel).looks("toy")
        assert ledger_of(panel).trials(Scope(data="toy")).n == 0

    def test_an_interruption_ends_the_run_as_stopped(
        self, panel: Panel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("assay.judge._judge._leak_checks", interrupt)
        with pytest.raises(KeyboardInterrupt):
            judge(MOMENTUM, panel, QUICK)
        last = list(ledger_of(panel).entries())[-1]
        assert (last.kind, last.body["reason"]) == ("run_stop", "stopped")

    def test_an_interruption_just_after_the_start_leaves_no_open_run(
        self, panel: Panel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = Run.start

        def interrupted(self: Run, *given: Any, **named: Any) -> None:
            whole(self, *given, **named)
            raise KeyboardInterrupt

        monkeypatch.setattr(Run, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            judge(MOMENTUM, panel, QUICK)
        assert kinds(panel) == ["ledger", "run_start", "run_stop"]
        with ledger_of(panel).index() as index:
            assert [state.stopped for state in index.runs().values()] == ["stopped"]

    def test_an_interruption_before_the_start_stops_nothing(
        self, panel: Panel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Run, "start", interrupt)
        with pytest.raises(KeyboardInterrupt):
            judge(MOMENTUM, panel, QUICK)
        assert kinds(panel) == ["ledger"]

    def test_a_failure_after_the_charge_counts_as_a_trial(
        self, panel: Panel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise DataError("broken on purpose")

        monkeypatch.setattr("assay.judge._judge._leak_checks", fail)
        with pytest.raises(DataError, match="on purpose"):
            judge(MOMENTUM, panel, replace(QUICK, period="eval", allow_hidden=True))
        assert kinds(panel)[-2:] == ["trial", "run_stop"]
        found = ledger_of(panel).trials(Scope(data="toy"))
        assert found.n == 1
        assert math.isnan(found.sharpes[0])


def test_a_desk_records_into_its_own_open_run(panel: Panel) -> None:
    judge(REVERSAL, panel, QUICK)
    ledger = ledger_of(panel)
    run = ledger.run("campaign-1")
    agent = Operator.agent("toy-model", "toy-model@1")
    run.start("campaign", agent, "c" * 64, {"data:toy": "d"})
    recording = Recording(ledger, agent, desk="campaign", run="campaign-1")
    found = judge(MOMENTUM, panel, QUICK, recording=recording)[0]
    assert found.significance.trials == 2
    assert [entry.kind for entry in run.entries()] == ["run_start", "trial", "certificate"]
    assert ledger.run("campaign-1").state().open


def test_the_first_judges_of_a_workspace_may_come_at_once(panel: Panel) -> None:
    place = find_data_place(panel.folder, panel.name)
    assert place is not None
    together = Barrier(4)

    def begin(_: int) -> Recording:
        together.wait()
        return recording_in(place.workspace, place.settings)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(begin, range(4)))
    for number, recording in enumerate(found):
        recording.ledger.run(f"run-{number}").start("judge", Operator.human(), "c" * 64, {})
    assert kinds(panel) == ["ledger", *["run_start"] * 4]
