"""Hidden dates stay hidden wherever the command runs and however the data set is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
FORMULA = "-ts_return(close, 5)"
FAST = tuple(
    part
    for option in ("bootstrap=0", "robustness=off", "leak_checks=off", "quantiles=5", "neutral=false")
    for part in ("--set", option)
)


@pytest.fixture
def research(run: Run, market: Path, tmp_path: Path) -> Path:
    """The current folder; below it lies ``my-research``, a workspace with a plan, which holds the data."""
    from assay.config import init_workspace, propose_plan
    from assay.market import open_panel

    plan = propose_plan(open_panel(market).dates, (20,))
    init_workspace(tmp_path / "my-research", plans={"small": plan})
    shutil.copytree(market, tmp_path / "my-research" / "data" / "small")
    return tmp_path


def looked_at(done: Any) -> tuple[str, list[str]]:
    assert done.code == 0, done.err
    data = done.data["verdicts"][0]["data"]
    return data["period"], data["hidden_opened"]


@pytest.mark.parametrize("place", ["parent", "absolute", "another workspace", "link"])
def test_the_plan_is_that_of_the_workspace_around_the_data(
    run: Run, research: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    from assay.config import init_workspace

    data = "my-research/data/small"
    if place == "absolute":
        data = str(research / data)
        monkeypatch.chdir("/")
    elif place == "another workspace":
        monkeypatch.chdir(init_workspace(research / "other").root)
        data = f"../{data}"
    elif place == "link":
        Path("here").symlink_to(data)
        data = "here"
    assert looked_at(run("judge", FORMULA, "--data", data, "--json", *FAST)) == ("search", [])
    hidden = run("judge", FORMULA, "--data", data, "--period", "all", "--json", *FAST)
    assert (hidden.code, hidden.data["reason"]) == (2, "hidden_period")
    opened = run("judge", FORMULA, "--data", data, "--period", "all", "--yes", "--json", *FAST)
    assert looked_at(opened) == ("all", ["score", "eval"])


def test_a_broken_workspace_around_the_data_is_an_error(run: Run, research: Path) -> None:
    (research / "my-research" / "assay.toml").write_text("[data.small.periods\n", encoding="utf-8")
    done = run("judge", FORMULA, "--data", "my-research/data/small", "--json", *FAST)
    assert done.code == 2
    assert "assay.toml" in done.data["where"]


def test_data_outside_any_workspace_takes_the_settings_of_the_current_one(
    run: Run, research: Path, market: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(research / "my-research")
    assert looked_at(run("judge", FORMULA, "--data", str(market), "--json", *FAST)) == ("search", [])


@pytest.mark.parametrize("way", ["absolute", "relative"])
def test_data_outside_any_workspace_is_judged_into_the_record_of_the_current_one(
    run: Run, research: Path, market: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    from assay.config import load_workspace
    from assay.ledger import Ledger

    shutil.copytree(market, research / "copy")
    monkeypatch.chdir(research / "my-research")
    data = str(research / "copy") if way == "absolute" else "../copy"
    asked = ("judge", FORMULA, "--data", data, "--period", "eval", "--yes", "--json", *FAST)
    done = run(*asked)
    assert looked_at(done) == ("eval", ["eval"])
    assert done.data["verdicts"][0]["data"]["record"] == "recorded in the workspace's ledger"
    ledger = Ledger.open(load_workspace(Path()).ledger_dir)
    assert (ledger.looks("small")["eval"].used, ledger.trials().n) == (1, 1)
    given = run(*asked, "--trials", "1", "--sharpe-variance", "0.1")
    assert (given.code, "--trials" in given.data["where"]) == (2, True)


def test_a_path_with_dots_does_not_lie_in_the_folders_that_it_only_passes(
    run: Run, research: Path, market: Path
) -> None:
    shutil.copytree(market, research / "copy")
    done = run("judge", FORMULA, "--data", "my-research/../copy", "--json", *FAST)
    assert looked_at(done) == ("all", [])
    assert not (research / "my-research" / "ledger").exists()


@pytest.mark.parametrize("gone", ["assay.toml", "ledger/ledger.jsonl"])
def test_a_lost_file_of_a_workspace_is_told_and_not_taken_for_none(
    run: Run, research: Path, gone: str
) -> None:
    judged = ("judge", FORMULA, "--data", "my-research/data/small", "--json", *FAST)
    assert looked_at(run(*judged)) == ("search", [])
    (research / "my-research" / gone).unlink()
    done = run(*judged)
    assert done.code == 2
    told = json.dumps(done.data)
    assert ("put it back as it was" if gone == "assay.toml" else "back from a copy") in told


def test_the_library_finds_the_plan_too(research: Path) -> None:
    import assay
    from assay.config import ALL_DATES, PeriodPlan, load_workspace
    from assay.errors import ConfigProblems, Refusal

    settings = assay.JudgeSettings(robustness="off", leak_checks="off", bootstrap=0, neutral=False)
    panel = assay.open_panel(Path("my-research/data/small"))
    plan = load_workspace(research / "my-research").settings("small").periods
    assert plan is not None
    found = assay.judge(FORMULA, panel, settings)[0].data
    assert (found.period, found.last_row) <= ("search", plan.search.end)
    with pytest.raises(Refusal, match="hidden periods score and eval"):
        assay.judge(FORMULA, panel, assay.JudgeSettings(period="all"))
    late = panel.between(plan.search.end, None)
    with pytest.raises(Refusal, match="hidden period"):
        assay.judge(FORMULA, late, assay.JudgeSettings(period="all"))
    with pytest.raises(ConfigProblems, match="another plan than that of the workspace"):
        assay.judge(FORMULA, panel, settings, plan=PeriodPlan(ALL_DATES))
    cut = panel.between(None, plan.search.end)
    given = assay.judge(FORMULA, cut, settings, plan=PeriodPlan(ALL_DATES))[0].data
    assert (given.period, given.last_row) == ("search", cut.dates[-1].item())


def test_a_panel_in_memory_has_no_plan(research: Path) -> None:
    import assay

    panel = assay.open_panel(Path("my-research/data/small"))
    settings = assay.JudgeSettings(robustness="off", leak_checks="off", bootstrap=0, neutral=False)
    assert assay.judge(FORMULA, assay.Panel(panel.data), settings)[0].data.period == "all"


def test_without_market_and_costs_nothing_is_judged_inside_a_workspace_or_outside(
    run: Run, tmp_path: Path, market: Path
) -> None:
    from dataclasses import replace

    from assay.config import init_workspace
    from assay.market import open_panel, write_dataset

    nowhere = replace(open_panel(market).data, market=None)
    write_dataset(nowhere, tmp_path / "loose" / "small")
    root = init_workspace(tmp_path / "ws").root
    write_dataset(nowhere, root / "data" / "small")
    outside = run("judge", FORMULA, "--data", "loose/small", "--json", *FAST)
    inside = run("judge", FORMULA, "--data", "ws/data/small", "--json", *FAST)
    assert outside.code == inside.code == 2
    assert outside.data == inside.data
    assert "costs are not known" in outside.data["message"]
    for data in ("loose/small", "ws/data/small"):
        told = run("judge", FORMULA, "--data", data, "--costs", "3/8", "--json", *FAST)
        assert looked_at(told) == ("all", [])
    text = (root / "assay.toml").read_text(encoding="utf-8")
    written = text.replace("[costs]", "[costs]\nbuy_bp = 2\nsell_bp = 7")
    (root / "assay.toml").write_text(written, encoding="utf-8")
    told = run("judge", FORMULA, "--data", "ws/data/small", "--json", *FAST)
    assert looked_at(told) == ("all", [])
    costs = told.data["verdicts"][0]["certificate"]["body"]["costs"]
    assert (costs["buy_bp"], costs["sell_bp"]) == (2.0, 7.0)
