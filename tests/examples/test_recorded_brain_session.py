"""The example of a session that a model decides runs as a reader runs it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "recorded_brain_session.py"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the example made, and what it said."""
    folder = tmp_path_factory.mktemp("example") / "rec"
    found = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return folder, found.stdout


def test_the_session_pauses_without_credit_and_goes_on_to_its_end(done: tuple[Path, str]) -> None:
    paused, resumed = (part.split("files ")[0] for part in done[1].split("$ assay brain agent")[1:])
    assert "ended      paused: loopback: HTTP 429 insufficient_quota" in paused
    assert "simulated 2, failed 0" in paused
    assert "ended      converged" in resumed
    assert "simulated 3, failed 0" in resumed
    assert "best       rank(ts_delay(close, 21) / ts_delay(close, 126)) + rank(-ts_std_dev(" in resumed


def test_no_answer_that_was_paid_for_was_asked_for_twice(done: tuple[Path, str]) -> None:
    # a tool, the research; half an object, two times the same bad operator; the sum, the end
    assert "the service gave 7 answers and is gone" in done[1]


def test_it_is_done_again_without_the_service_to_the_same_results(done: tuple[Path, str]) -> None:
    folder, said = done
    assert re.search(r"^replay     the same as recorded$", said, re.MULTILINE)
    one, other = (
        json.loads((folder / "runs" / name / "report.json").read_text()) for name in ("recorded", "again")
    )
    assert len(one["results"]) == 3
    assert [row["stats"] for row in one["results"]] == [row["stats"] for row in other["results"]]
    assert one["held"] == other["held"]


def test_a_replay_counts_nothing_twice(done: tuple[Path, str]) -> None:
    assert done[1].count("the best of N = 3 trials") == 2


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "does not exist yet" in found.stderr
    assert list(tmp_path.iterdir()) == []
