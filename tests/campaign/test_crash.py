"""A campaign that dies anywhere and is resumed leaves what one leaves that was not interrupted."""

from __future__ import annotations

import os
import random
import signal
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from assay.campaign._resume import Recorded
from assay.ledger import LedgerUnwritable

from . import crash, desk

SAMPLED = 30


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[crash.Left, list[str]]:
    return crash.uninterrupted(tmp_path_factory.mktemp("whole"))


def test_every_kind_of_file_is_among_the_operations(whole: tuple[crash.Left, list[str]]) -> None:
    names = set(whole[1])
    assert {
        "ledger write", "ledger fsync", "write state.json", "write memory.md", "append events.jsonl",
        "write trial_graph/round_03.json", "write memory/round_03.md",
    } <= names  # fmt: skip


def test_a_sample_of_the_points(tmp_path: Path, whole: tuple[crash.Left, list[str]]) -> None:
    expected, operations = whole
    by_name: dict[str, int] = {}
    for place, name in enumerate(operations):
        by_name.setdefault(name, place)
    spread = random.Random(5).sample(range(len(operations)), SAMPLED - len(by_name))
    points = sorted({*by_name.values(), *spread})
    assert crash.sweep(points, tmp_path, expected) == len(points)


@pytest.mark.slow
def test_every_point(tmp_path: Path, whole: tuple[crash.Left, list[str]]) -> None:
    expected, operations = whole
    points = list(range(len(operations)))
    assert crash.sweep(points, tmp_path, expected) == len(points)


def test_a_disk_that_fails_once_stops_the_run_and_it_is_resumed(
    tmp_path: Path, whole: tuple[crash.Left, list[str]]
) -> None:
    expected, operations = whole
    writes = [n for n, name in enumerate(operations) if name in ("ledger write", "ledger fsync")]
    for at in random.Random(2).sample(writes[20:], 6):
        place = desk.Place(tmp_path / f"at-{at}")
        place.root.mkdir()
        place.ledger()
        with pytest.raises(LedgerUnwritable):
            crash.begin(place, crash.Deadline(at, fails=True))
        crash.begin(place, crash.Deadline())
        assert crash.Left.of(place) == expected


def test_the_sweep_notices_what_a_resume_forgets(
    tmp_path: Path, whole: tuple[crash.Left, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The harness itself: a resume that takes no recorded call for answered must leave something else."""
    expected, operations = whole
    read = Recorded.read
    monkeypatch.setattr(Recorded, "read", lambda run: replace(read(run), earlier=()))
    at = operations.index("write trial_graph/round_02.json")
    with pytest.raises(AssertionError, match="struck"):
        crash.sweep([at], tmp_path, expected)


def test_dying_again_while_it_is_resumed(tmp_path: Path, whole: tuple[crash.Left, list[str]]) -> None:
    expected, operations = whole
    place = desk.Place(tmp_path)
    place.ledger()
    rng = random.Random(1)
    deaths = 0
    while not crash.finished(place):
        try:
            crash.begin(place, crash.Deadline(rng.randrange(20, len(operations) // 3)))
        except crash.Killed:
            deaths += 1
    assert deaths >= 3
    assert crash.Left.of(place) == expected


def test_a_round_that_was_broken_off_is_a_dropped_record(
    tmp_path: Path, whole: tuple[crash.Left, list[str]]
) -> None:
    _, operations = whole
    place = desk.Place(tmp_path)
    place.ledger()
    at = operations.index("write trial_graph/round_02.json")
    with pytest.raises(crash.Killed):
        crash.begin(place, crash.Deadline(at))
    crash.begin(place, crash.Deadline())
    rounds = [entry.body for entry in place.ledger().run(desk.RUN).entries(kind="round")]
    assert [(body["number"], body["outcome"]) for body in rounds] == [
        (1, "done"), (2, "dropped"), (2, "done"), (3, "done"), (4, "stopped"),
    ]  # fmt: skip
    assert rounds[1]["message"] == "the program ended in mid-round"


def kill_at_event(place: desk.Place, count: int) -> bool:
    """Run or resume in a child that is killed as soon as it has told of so many events; whether it was."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside numba's threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(read)
            campaign = place.campaign(
                place.setup(crash.CONFIG), watch=lambda *_: os.write(write, b".") and None
            )
            campaign.resume() if crash.known(place) else campaign.run()
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    told = 0
    while told < count and os.read(read, 1):
        told += 1
    os.kill(child, signal.SIGKILL)
    os.close(read)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def killed_and_resumed(times: int, root: Path, expected: crash.Left) -> None:
    rng = random.Random(times)
    killed = 0
    for number in range(times):
        place = desk.Place(root / f"kill-{number}")
        place.root.mkdir()
        place.ledger()
        killed += kill_at_event(place, rng.randrange(1, 60))
        if not crash.finished(place):
            crash.begin(place, crash.Deadline())
        assert crash.Left.of(place) == expected
        place.ledger().verify(objects=True)
    assert killed >= times * 0.8


def test_sigkill_at_random_times(tmp_path: Path, whole: tuple[crash.Left, list[str]]) -> None:
    killed_and_resumed(5, tmp_path, whole[0])


@pytest.mark.slow
def test_sigkill_at_fifty_random_times(tmp_path: Path, whole: tuple[crash.Left, list[str]]) -> None:
    killed_and_resumed(50, tmp_path, whole[0])
