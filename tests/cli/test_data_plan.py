from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from assay.cli import main


def simulated(name: str, days: int, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["data", "simulate", name, "--instruments", "20", "--days", str(days)]) == 0
    return capsys.readouterr().err


def test_a_workspace_is_offered_a_plan_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "ws")]) == 0
    monkeypatch.chdir(tmp_path / "ws")
    told = simulated("sim", 300, capsys)
    plan = "\n".join(line.strip() for line in told.splitlines() if line.startswith("    "))
    assert set(tomllib.loads(plan)["data"]["sim"]["periods"]) == {"search", "score", "eval", "embargo_bars"}

    config = Path("assay.toml")
    config.write_text(config.read_text(encoding="utf-8") + "\n" + plan, encoding="utf-8")
    assert main(["judge", "-ts_return(close, 5)", "--data", "sim", "--period", "score"]) == 2
    assert "hidden" in capsys.readouterr().err


def test_a_short_history_is_told_why_there_is_no_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "ws")]) == 0
    monkeypatch.chdir(tmp_path / "ws")
    assert "too few" in simulated("short", 60, capsys)


def test_outside_a_workspace_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "kept apart" not in simulated("sim", 300, capsys)


ACROSS_A_HOLIDAY = """
[data.sim.periods]
search = ["2018-01-02", "2018-09-14"]
score = ["{begin}", "2019-02-25"]
embargo_bars = 21
"""
ENOUGH_BARS = "2018-10-23"
ENOUGH_WEEKDAYS = "2018-10-16"
"""21 weekdays after search, five of them without trading."""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["init", str(tmp_path / "ws")]) == 0
    monkeypatch.chdir(tmp_path / "ws")
    simulated("sim", 300, capsys)
    return tmp_path / "ws"


def keep_apart(workspace: Path, begin: str) -> None:
    config = workspace / "assay.toml"
    plan = ACROSS_A_HOLIDAY.format(begin=begin)
    config.write_text(config.read_text(encoding="utf-8") + plan, encoding="utf-8")


def test_show_tells_which_periods_are_kept_apart(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "show", "sim", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["periods"] is None

    keep_apart(workspace, ENOUGH_BARS)
    assert main(["data", "show", "sim"]) == 0
    shown = capsys.readouterr().out
    assert f"period score: {ENOUGH_BARS} to 2019-02-25" in shown
    assert "embargo between periods: 21 bars" in shown
    assert "problem" not in shown


def test_show_and_judge_name_an_embargo_that_holidays_shorten(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_apart(workspace, ENOUGH_WEEKDAYS)
    problem = "16 bars lie between 'search' and 'score'; the embargo is 21"
    assert main(["data", "show", "sim"]) == 0
    assert problem in capsys.readouterr().out
    assert main(["data", "show", "sim", "--json"]) == 0
    assert problem in json.loads(capsys.readouterr().out)["periods"]["problem"]
    assert main(["judge", "-ts_return(close, 5)", "--data", "sim"]) == 2
    assert problem in capsys.readouterr().err


def test_show_tells_of_a_data_set_whose_dates_cannot_be_read(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_apart(workspace, ENOUGH_BARS)
    (workspace / "data" / "sim" / "dates.npy").unlink()
    assert main(["data", "show", "sim"]) == 0
    shown = capsys.readouterr().out
    assert "fields:" in shown
    assert "problem of the periods" in shown
    assert "dates.npy" in shown
