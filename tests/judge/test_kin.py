"""A copy of a planned data set under another name hides what the original hides."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.config import DateRange, PeriodPlan, as_date, find_workspace, init_workspace, plan_toml
from assay.errors import Refusal
from assay.judge import JudgeSettings, Kin, judge, kin_of
from assay.market import Panel, open_panel, simulate, truncate, write_dataset

QUICK = JudgeSettings(
    robustness="off", leak_checks="off", bootstrap=0, neutral=False, quantiles=5, horizons=(5,)
)
FORMULA = "-ts_return(close, 5)"


@pytest.fixture(scope="module")
def source() -> Panel:
    return simulate(instruments=40, days=400, seed=3)


@pytest.fixture
def desk(tmp_path: Path, source: Panel) -> Path:
    days = source.dates
    span = [DateRange(as_date(days[a]), as_date(days[b])) for a, b in ((0, 239), (270, 319), (350, 399))]
    init_workspace(tmp_path / "desk", plans={"toy": PeriodPlan(*span, embargo_bars=21)})
    write_dataset(source.data, tmp_path / "desk" / "data" / "toy")
    return tmp_path / "desk"


def renamed(desk: Path, name: str) -> Panel:
    """A copy of the folder whose manifest says another name."""
    folder = desk / "data" / name
    shutil.copytree(desk / "data" / "toy", folder)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (folder / "manifest.json").write_text(json.dumps({**manifest, "name": name}), "utf-8")
    return open_panel(folder)


def imported(desk: Path, panel: Panel, name: str, *, kind: str = "table") -> Panel:
    data = replace(panel.data, name=name, source=replace(panel.data.source, kind=kind), planted=())
    return write_dataset(data, desk / "data" / name)


def held(panel: Panel) -> Kin:
    kin = kin_of(panel)
    assert kin is not None
    return kin


def refused(panel: Panel, settings: JudgeSettings) -> Refusal:
    with pytest.raises(Refusal) as caught:
        judge(FORMULA, panel, settings)
    return caught.value


def test_a_copy_is_judged_by_the_plan_of_the_original_and_says_so(desk: Path) -> None:
    copy = renamed(desk, "copy")
    assert held(copy).name == "toy"
    verdict = judge(FORMULA, copy, QUICK)[0]
    assert verdict.data.period == "search"
    assert any("no period plan" in warning for warning in verdict.warnings)


@pytest.mark.parametrize("period", ["score", "eval", "all"])
def test_its_hidden_dates_stay_shut_also_on_purpose(desk: Path, period: str) -> None:
    copy = renamed(desk, "copy")
    found = refused(copy, replace(QUICK, period=period, allow_hidden=True))
    assert found.reason.code == "hidden_period"
    assert "toy" in (found.fix or "")
    assert not any(year in str(found.as_dict()) for year in ("2018-", "2019-")), "no date is told"
    assert not (desk / "ledger").exists()


def test_a_new_import_of_the_same_market_has_the_plan_too(desk: Path, source: Panel) -> None:
    part = Panel(truncate(source.data, as_date(source.dates[380])))
    again = imported(desk, part, "again")
    assert again.manifest.fingerprint != open_panel(desk / "data" / "toy").manifest.fingerprint
    assert "instruments" in held(again).same
    assert refused(again, replace(QUICK, period="all", allow_hidden=True)).reason.code == "hidden_period"


def test_open_dates_alone_need_no_plan(desk: Path, source: Panel) -> None:
    assert kin_of(imported(desk, Panel(truncate(source.data, as_date(source.dates[239]))), "open")) is None


def test_other_instruments_and_other_simulations_are_no_kin(desk: Path) -> None:
    other = simulate(instruments=40, days=400, seed=4, name="other")
    assert kin_of(write_dataset(other.data, desk / "data" / "other")) is None
    assert kin_of(imported(desk, other, "table")) is not None, "of a table nobody knows where it is from"
    renamed_names = replace(other.data, instruments=tuple(f"{name}.X" for name in other.instruments))
    assert kin_of(imported(desk, Panel(renamed_names), "elsewhere")) is None


def test_a_plan_of_its_own_is_a_persons_decision(desk: Path) -> None:
    copy = renamed(desk, "copy")
    config = desk / "assay.toml"
    plan = held(copy).plan
    config.write_text(config.read_text("utf-8") + plan_toml("copy", plan), "utf-8")
    assert kin_of(copy) is None
    assert judge(FORMULA, copy, replace(QUICK, period="score", allow_hidden=True))[0].data.hidden_opened
    assert find_workspace(desk) is not None
