"""The agent's sample runs are what it does, to the byte; and it does the same from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "agent_propose_xs_momentum"
SAMPLES = sorted(FOLDER.glob("sample_run*.json"))
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.endswith("BOOK_STATE_ROOT")}


def python(here: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(FOLDER / script), *words],
        cwd=here,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_there_are_samples() -> None:
    assert len(SAMPLES) == 2


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda file: file.stem)
def test_a_sample_run_is_what_the_agent_does(sample: Path, tmp_path: Path) -> None:
    words = ("--out-dir", "agent_out", "--config", str(sample), "--sample", "again.json")
    done = python(tmp_path, "agent.py", *words)
    assert done.returncode == 0, done.stderr
    fix = f"if it is meant to differ: agent.py --out-dir DIR --config {sample.name} --sample {sample.name}"
    assert (tmp_path / "again.json").read_bytes() == sample.read_bytes(), fix
    told = json.loads(sample.read_text(encoding="utf-8"))
    assert done.stdout.splitlines() == told["said"]
    assert any("refused: unknown_slug" in line for line in told["said"])
    assert any("does not exist" in line for line in told["said"])
    (entry,) = told["leaderboard"]["entries"]
    (row,) = told["provenance"]
    assert row["event_id"] == entry["event_id"]
    assert row["cited_artifacts"] == entry["cited_artifacts"]
    assert json.loads((tmp_path / "agent_out" / "leaderboard.json").read_text()) == told["leaderboard"]
    again = python(tmp_path, "agent.py", *words)
    assert again.returncode == 2, "a book is never overwritten"
    assert "exists already" in again.stderr


def test_the_first_sample_is_the_run_without_options(tmp_path: Path) -> None:
    done = python(tmp_path, "agent.py", "--out-dir", "agent_out")
    assert done.returncode == 0, done.stderr
    told = json.loads((FOLDER / "sample_run.json").read_text(encoding="utf-8"))
    assert done.stdout.splitlines() == told["said"]


def test_from_outside_over_pipes(tmp_path: Path) -> None:
    done = python(tmp_path, "outside.py", "--out-dir", "desk")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "recording is allowed: True" in lines[0]
    assert "refused: unresolved_citation" in lines
    assert "rows of provenance: 1, by agent" in lines
    board = json.loads((tmp_path / "desk" / "book" / "leaderboard.json").read_text())
    (entry,) = board["entries"]
    assert entry["cited_artifacts"][:2] == ["note:walk-forward-without-leakage", "note:the-promotion-gate"]
    assert entry["operator"]["kind"] == "agent"
    assert entry["trial"]["n"] == 60
