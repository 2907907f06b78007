from __future__ import annotations

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
