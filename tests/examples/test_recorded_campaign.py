"""The example of a recorded campaign runs as a reader runs it, and its page shows what it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "recorded_campaign.py"
PAGE = ROOT / "docs" / "tutorials" / "campaign.md"
LEFT = re.compile(r"  left about \S+$")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the example made, and what it said."""
    folder = tmp_path_factory.mktemp("example") / "rec"
    found = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return folder, found.stdout


@pytest.fixture(scope="module")
def events(done: tuple[Path, str]) -> list[dict[str, Any]]:
    path = done[0] / "runs" / "recorded" / "events.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == kind]


def test_the_round_without_credit_is_dropped_and_the_run_comes_to_its_end(done: tuple[Path, str]) -> None:
    said = done[1]
    assert "round 2 dropped at fix 1: provider_quota" in said
    assert "recorded on sim, simulated: finished" in said
    assert "the service gave 26 answers and is gone" in said


def test_the_replay_has_the_same_bytes_and_the_verification_is_equal(done: tuple[Path, str]) -> None:
    folder, said = done
    assert re.search(r"^equal: \d+ records of 3 rounds of recorded, byte for byte$", said, re.MULTILINE)
    assert re.search(r"^again     3 rounds, \d+ records\nequal$", said, re.MULTILINE)
    assert (folder / "again").is_dir()
    assert (folder / "recorded.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_every_mishap_happened_and_cost_no_round(events: list[dict[str, Any]]) -> None:
    refused = {event["reason"] for event in _of(events, "gate") if not event["passed"]}
    assert refused == {
        "candidate.duplicate_known", "candidate.duplicate_reference", "candidate.adjustment",
        "candidate.unknown_field",
    }  # fmt: skip
    inconsistent = [event for event in _of(events, "review") if not event["consistent"]]
    assert [(event["round"], event["slot"]) for event in inconsistent] == [(1, 5)]
    memories = [(event["round"], event["kept_previous"]) for event in _of(events, "memory")]
    assert memories == [(2, False), (2, False), (3, True)]
    assert [event["stage"] for event in _of(events, "round_dropped")] == ["fix 1"]
    assert [event["round"] for event in _of(events, "round")] == [1, 2, 3]
    # the group whose reply was empty lost its slots, the other one none
    assert _of(events, "round")[-1]["trials"] == 3


def test_a_repeat_was_renewed(done: tuple[Path, str]) -> None:
    from assay.ledger import Ledger

    (round_two,) = [
        entry.body
        for entry in Ledger.open(done[0] / "ledger").run("recorded").entries(kind="round")
        if entry.body["number"] == 2 and entry.body["outcome"] == "done"
    ]
    names = {slot["candidate"]["name"] for slot in round_two["slots"] if slot["candidate"]}
    assert "divergence again over 22" in names


def test_impossible_usage_is_estimated(done: tuple[Path, str]) -> None:
    from assay.ledger import Ledger

    calls = Ledger.open(done[0] / "ledger").run("recorded").entries(kind="llm_call")
    told = [entry.body["reply"]["usage"] for entry in calls if entry.body["role"] == "distiller"]
    assert told
    assert all(usage["estimated"] and 0 < usage["output"] < 1000 for usage in told)


def test_the_page_shows_what_the_example_says(done: tuple[Path, str]) -> None:
    shown = re.search(
        r"^python examples/recorded_campaign.py rec\n```\n\n```text\n(.*?)^```",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert shown is not None
    said = {LEFT.sub("", line).replace("unshare -rn ", "") for line in done[1].splitlines()}
    missing = [line for line in shown[1].splitlines() if line not in said and line != "..."]
    assert missing == []


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "does not exist yet" in found.stderr
    assert list(tmp_path.iterdir()) == []
