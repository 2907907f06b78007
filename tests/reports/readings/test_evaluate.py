"""Readings on a market, each a trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.base import Operator
from assay.errors import Refusal
from assay.judge import JudgeSettings, Recording, judge
from assay.ledger import Ledger, Scope
from assay.market import Panel, simulate
from assay.reports.documents import read_document
from assay.reports.readings import backtest, evaluate_readings
from assay.spec import EvidenceSpan, FactorSpec

TEXT = "因子为过去一个月的累计涨跌幅。"
DOCUMENT = read_document(TEXT.encode(), name="note.md")


@pytest.fixture(scope="module")
def panel() -> Panel:
    return simulate(seed=3, instruments=60, days=320)


def _spec(**fields: object) -> FactorSpec:
    values = {
        "name": "f",
        "universe": "CSI300",
        "frequency": "daily",
        "neutralization": "none",
        "rebalance": "weekly",
        "expr": "TS_PCTCHANGE($close, 20)",
        "windows": (20,),
        "evidence": (EvidenceSpan(field="expr", chunk_id="p1-c0000", quote="过去一个月的累计涨跌幅"),),
    }
    return FactorSpec(**{**values, **fields})  # type: ignore[arg-type]


def test_each_reading_is_a_trial_of_the_desk(panel: Panel, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    run = ledger.run("reports-1")
    run.start("reports", Operator.human(), "0" * 64, {})
    curve = evaluate_readings(
        DOCUMENT, _spec(), "positive", panel,
        recording=Recording(ledger, Operator.human(), desk="reports", run="reports-1"),
    )  # fmt: skip
    run.stop("finished")
    trials = [entry.body for entry in ledger.run("reports-1").entries(kind="trial")]
    assert {body["desk"] for body in trials} == {"reports"}
    assert len(curve.points) == len(trials) == ledger.trials(Scope(data=panel.name)).n == 6
    keys = [f"{body['fingerprint']}:{body['config_hash']}" for body in trials]
    assert [reading.trial for reading in curve.readings] == keys
    ics = [reading.rank_ic for reading in curve.readings if reading.rank_ic is not None]
    assert curve.rank_ic_spread == pytest.approx(max(ics) - min(ics))
    assert curve.universe == "sim300"


def test_the_figures_are_those_of_the_judge(panel: Panel) -> None:
    curve = evaluate_readings(DOCUMENT, _spec(), "positive", panel)
    settings = JudgeSettings(
        universe="sim300", horizons=(5,), robustness="off", leak_checks="off", bootstrap=0, neutral=False
    )
    verdict = judge("ts_return(close, 20)", panel, settings)[0]
    assert curve.points[0].reading.rank_ic == pytest.approx(verdict.summary["rank_ic"], abs=1e-4)
    assert curve.points[0].ir == pytest.approx(verdict.summary["ir"], abs=1e-4)


def test_a_negative_direction_trades_the_other_side_and_tells_of_the_formula(panel: Panel) -> None:
    up = evaluate_readings(DOCUMENT, _spec(), "positive", panel, most=1).points[0]
    down = evaluate_readings(DOCUMENT, _spec(), "negative", panel, most=1).points[0]
    assert down.reading.rank_ic == pytest.approx(up.reading.rank_ic, abs=1e-4)
    assert down.reading.t_stat == pytest.approx(up.reading.t_stat, abs=1e-3)
    assert down.ir != up.ir


def test_a_neutralised_reading_differs(panel: Panel) -> None:
    curve = evaluate_readings(DOCUMENT, _spec(neutralization="undeclared"), "positive", panel)
    by_name = {point.reading.name: point for point in curve.points}
    assert by_name["neutralised by industry"].reading.rank_ic != by_name["as written"].reading.rank_ic
    assert curve.as_dict()["points"][0]["name"] == "as written"


def test_the_backtest_is_the_first_reading_in_full_and_no_further_trial(panel: Panel, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.run("reports-1").start("reports", Operator.human(), "0" * 64, {})
    recording = Recording(ledger, Operator.human(), desk="reports", run="reports-1")
    curve = evaluate_readings(DOCUMENT, _spec(), "negative", panel, recording=recording)
    judged = backtest(DOCUMENT, _spec(), "negative", panel, recording=recording)
    assert judged is not None
    ledger.run("reports-1").stop("finished")
    assert ledger.trials(Scope(data=panel.name)).n == len(curve.points)
    assert judged[0].summary["rank_ic"] == pytest.approx(-(curve.points[0].reading.rank_ic or 0), abs=1e-4)
    assert judged[0].summary["ir"] == pytest.approx(curve.points[0].ir, abs=1e-4)
    assert len(judged[0].leaks) == 4
    assert backtest(DOCUMENT, _spec(expr="COUNT($close, 20)"), "negative", panel) is None


def test_a_universe_without_members_is_refused_loudly(panel: Panel) -> None:
    with pytest.raises(Refusal) as error:
        evaluate_readings(DOCUMENT, _spec(universe="CSI1000"), "positive", panel)
    assert error.value.reason.code == "universe_without_backtest"


def test_a_formula_that_cannot_run_gives_an_empty_curve(panel: Panel) -> None:
    curve = evaluate_readings(DOCUMENT, _spec(expr="COUNT($close, 20)"), "positive", panel)
    assert (curve.points, curve.rank_ic_spread, curve.ir_spread) == ((), None, None)
