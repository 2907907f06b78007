"""A plan that is moved after looks opens nothing: what was hidden at a look stays shut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.base import Operator
from assay.config import DateRange, PeriodPlan, as_date, init_workspace
from assay.errors import Refusal
from assay.judge import JudgeSettings, judge, moved_plan
from assay.ledger import Ledger, TrialKey
from assay.market import Panel, simulate, write_dataset

QUICK = JudgeSettings(
    robustness="off", leak_checks="off", bootstrap=0, neutral=False, quantiles=5, horizons=(5,)
)
SCORE = replace(QUICK, period="score", allow_hidden=True)
FORMULA = "-ts_return(close, 5)"


@pytest.fixture(scope="module")
def source() -> Panel:
    return simulate(instruments=40, days=500, seed=11)


def plan_with(source: Panel, *rows: tuple[int, int] | None, embargo: int = 21) -> PeriodPlan:
    days = source.dates
    search, score, last = (
        None if item is None else DateRange(as_date(days[item[0]]), as_date(days[item[1]])) for item in rows
    )
    assert search is not None
    return PeriodPlan(search, score, last, embargo)


@pytest.fixture
def plan(source: Panel) -> PeriodPlan:
    return plan_with(source, (0, 299), (330, 399), (430, 499))


@pytest.fixture
def panel(tmp_path: Path, source: Panel, plan: PeriodPlan) -> Panel:
    init_workspace(tmp_path / "desk", plans={"toy": plan})
    return write_dataset(source.data, tmp_path / "desk" / "data" / "toy")


def ledger_of(panel: Panel) -> Ledger:
    assert panel.folder is not None
    return Ledger.open(panel.folder.parent.parent / "ledger")


def move(panel: Panel, plan: PeriodPlan | None) -> None:
    assert panel.folder is not None
    root = panel.folder.parent.parent
    (root / "assay.toml").unlink()
    init_workspace(root, plans={} if plan is None else {"toy": plan})


def refused(panel: Panel, settings: JudgeSettings) -> Refusal:
    with pytest.raises(Refusal) as caught:
        judge(FORMULA, panel, settings)
    return caught.value


def test_a_look_names_the_plan_of_its_time(panel: Panel, plan: PeriodPlan) -> None:
    judge(FORMULA, panel, SCORE)
    ledger = ledger_of(panel)
    look = next(ledger.entries(kind="look")).body
    assert look["plan"] == f"sha256:{plan.digest}"
    assert ledger.get(look["plan"]).decode() == plan.canonical
    judge(FORMULA, panel, SCORE)
    assert ledger.looks("toy")["score"].used == 2


def test_a_plan_that_hides_less_opens_nothing(panel: Panel, source: Panel) -> None:
    judge(FORMULA, panel, SCORE)
    before = ledger_of(panel).end()
    move(panel, plan_with(source, (0, 299), (360, 399), (430, 499)))
    for settings in (SCORE, replace(QUICK, period="eval", allow_hidden=True)):
        found = refused(panel, settings)
        assert found.reason.code == "plan_moved"
        assert "put the plan back" in (found.fix or "")
    text = str(found.as_dict())
    assert not any(str(day) in text for day in source.dates), "no date is told"
    assert ledger_of(panel).end() == before, "no run begins, no look is charged"
    assert judge(FORMULA, panel, QUICK)[0].data.period == "search", "what was always open stays open"


def test_dates_that_were_looked_at_do_not_become_open(panel: Panel, source: Panel) -> None:
    judge(FORMULA, panel, SCORE)
    move(panel, plan_with(source, (0, 399), None, (430, 499)))
    assert refused(panel, QUICK).reason.code == "plan_moved"
    move(panel, None)
    assert refused(panel, QUICK).reason.code == "plan_moved"


def test_a_plan_that_hides_more_goes_on(panel: Panel, source: Panel) -> None:
    judge(FORMULA, panel, SCORE)
    move(panel, plan_with(source, (0, 289), (320, 402), (430, 499), embargo=22))
    judge(FORMULA, panel, SCORE)
    assert len({entry.body["plan"] for entry in ledger_of(panel).entries(kind="look")}) == 2


def test_a_period_does_not_become_another(panel: Panel, source: Panel) -> None:
    """As score, dates of eval would have the budget of score."""
    judge(FORMULA, panel, SCORE)
    move(panel, plan_with(source, (0, 299), (330, 499), None))
    assert refused(panel, SCORE).reason.code == "plan_moved"


def test_looks_of_before_are_held_to_their_dates(panel: Panel, source: Panel, plan: PeriodPlan) -> None:
    judge(FORMULA, panel, QUICK)
    assert plan.score is not None
    ledger_of(panel).charge_look(
        "score", plan.score, data="toy", budget=200, key=TrialKey("f", "c"), operator=Operator.human()
    )
    assert "plan" not in next(ledger_of(panel).entries(kind="look")).body
    ledger = ledger_of(panel)
    bodies = [entry.body for entry in ledger.entries(kind="look")]
    assert moved_plan(bodies, plan, ledger.get) == ()
    judge("rank(volume)", panel, SCORE)
    move(panel, plan_with(source, (0, 399), None, (430, 499)))
    assert refused(panel, replace(QUICK, period="eval", allow_hidden=True)).reason.code == "plan_moved"


def test_a_plan_reads_back(plan: PeriodPlan) -> None:
    import json

    for item in (plan, replace(plan, score=None), replace(plan, eval=None)):
        assert PeriodPlan.from_dict(json.loads(item.canonical)) == item
