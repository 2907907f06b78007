"""What a ledger keeps open between appends, and what may happen to it meanwhile."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError, Refusal
from assay.ledger import Ledger, LedgerUnwritable, OsFiles, Position
from assay.ledger._head import Head, head_file

from .records import body, numbers


class OpenFiles(OsFiles):
    """Which files are open, by handle, and all that ever were, in order."""

    def __init__(self) -> None:
        self.now: dict[int, str] = {}
        self.ever: list[str] = []

    def open(self, path: Path, flags: int) -> int:
        handle = super().open(path, flags)
        self.now[handle] = path.name
        self.ever.append(path.name)
        return handle

    def close(self, handle: int) -> None:
        super().close(handle)
        del self.now[handle]


@pytest.fixture
def files() -> OpenFiles:
    return OpenFiles()


@pytest.fixture
def ledger(tmp_path: Path, files: OpenFiles) -> Ledger:
    """A ledger that has appended once, so that its files are open."""
    made = Ledger.create(tmp_path / "ledger", files=files)
    made.append("round", body(1), run="r-1")
    return made


def hint(ledger: Ledger) -> Position | None:
    return Head(head_file(ledger.folder, OsFiles()), OsFiles(), 0).read()


def test_an_append_opens_nothing(ledger: Ledger, files: OpenFiles) -> None:
    files.ever.clear()
    for number in (2, 3, 4):
        ledger.append("round", body(number), run="r-1")
    assert files.ever == []
    assert sorted(files.now.values()) == ["head", "ledger.jsonl"]


def test_the_files_are_closed_when_the_ledger_is_collected(tmp_path: Path, files: OpenFiles) -> None:
    ledger = Ledger.create(tmp_path / "ledger", files=files)
    ledger.append("round", body(1), run="r-1")
    ledger.put([b"one"])
    assert files.now
    del ledger
    gc.collect()
    assert files.now == {}


def test_reading_keeps_nothing_open_but_the_log(tmp_path: Path, files: OpenFiles) -> None:
    Ledger.create(tmp_path / "ledger").append("round", body(1), run="r-1")
    reader = Ledger.open(tmp_path / "ledger", files=files)
    assert numbers(reader) == [1]
    reader.verify()
    assert list(files.now.values()) == ["ledger.jsonl"]


def replace_by_copy(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next append comes so late that it looks at the file of the hints again."""
    monkeypatch.setattr("assay.ledger._files._LOOK_AFTER", -1.0)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("name", ["ledger.jsonl", "head"])
def test_a_file_that_was_replaced_is_opened_anew(name: str, ledger: Ledger, files: OpenFiles) -> None:
    replace_by_copy(ledger.folder / name)
    entry = ledger.append("round", body(2), run="r-1")
    assert numbers(Ledger.open(ledger.folder)) == [1, 2]
    assert hint(ledger) == entry.position
    assert sorted(files.now.values()) == ["head", "ledger.jsonl"]


@pytest.mark.parametrize("change", [Path.unlink, replace_by_copy])
def test_hints_that_were_just_taken_away_are_made_anew_soon(
    change: Callable[[Path], None], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(ledger.folder / "head")
    ledger.append("round", body(2), run="r-1")
    noted = hint(ledger)
    assert noted is None or noted.lines == 2, "it lags behind, and is never ahead"
    monkeypatch.setattr("assay.ledger._files._LOOK_AFTER", -1.0)
    entry = ledger.append("round", body(3), run="r-1")
    assert hint(ledger) == entry.position


def test_hints_that_were_taken_away_are_made_anew_where_others_have_written(ledger: Ledger) -> None:
    (ledger.folder / "head").unlink()
    ledger.append("round", body(2), run="r-1")
    Ledger.open(ledger.folder).append("round", body(3), run="r-1")
    entry = ledger.append("round", body(4), run="r-1")
    assert hint(ledger) == entry.position


@pytest.mark.usefixtures("later")
def test_hints_that_were_removed_are_made_anew(ledger: Ledger) -> None:
    (ledger.folder / "head").unlink()
    entry = ledger.append("round", body(2), run="r-1")
    assert hint(ledger) == entry.position


@pytest.mark.usefixtures("later")
def test_nothing_is_appended_where_no_hint_can_be_written(ledger: Ledger) -> None:
    """Nobody would notice that the record was taken away again."""
    head = ledger.folder / "head"
    head.unlink()
    head.mkdir()
    before = (ledger.folder / "ledger.jsonl").read_bytes(), (ledger.folder / "objects.pack").read_bytes()
    for step in (lambda: ledger.append("round", body(2), run="r-1"), lambda: ledger.put([b"one"])):
        with pytest.raises(LedgerUnwritable, match="nothing was recorded"):
            step()
    after = (ledger.folder / "ledger.jsonl").read_bytes(), (ledger.folder / "objects.pack").read_bytes()
    assert after == before


def test_a_log_that_is_replaced_in_a_transaction_is_not_written_to(ledger: Ledger) -> None:
    with ledger.transaction():
        replace_by_copy(ledger.folder / "ledger.jsonl")
        with pytest.raises(LedgerUnwritable, match="replaced or closed while it was locked"):
            ledger.append("round", body(2), run="r-1")
    ledger.append("round", body(3), run="r-1")
    assert numbers(Ledger.open(ledger.folder)) == [1, 3]


def test_handles_that_are_closed_in_a_transaction_are_not_written_to(
    ledger: Ledger, files: OpenFiles, tmp_path: Path
) -> None:
    with ledger.transaction():
        handles = sorted(files.now)
        for handle in handles:
            files.close(handle)
        others = [os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT) for _ in handles]
        assert set(handles) & set(others), "the numbers came again"
        with pytest.raises(LedgerUnwritable, match="replaced or closed while it was locked"):
            ledger.append("round", body(2), run="r-1")
    for other in others:
        os.close(other)
    assert (tmp_path / "other").read_bytes() == b""
    ledger.append("round", body(3), run="r-1")
    assert numbers(Ledger.open(ledger.folder)) == [1, 3]


def test_a_folder_that_was_exchanged_is_not_busy(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger", wait=0.0)
    ledger.append("round", body(1), run="r-1")
    shutil.copytree(ledger.folder, tmp_path / "copy")
    ledger.folder.rename(tmp_path / "away")
    (tmp_path / "copy").rename(ledger.folder)
    ledger.append("round", body(2), run="r-1")
    assert numbers(Ledger.open(ledger.folder)) == [1, 2]


def test_a_folder_that_was_moved_is_not_kept_locked(ledger: Ledger, tmp_path: Path) -> None:
    ledger.folder.rename(tmp_path / "away")
    with pytest.raises(AssayError, match="no ledger can be read here"):
        ledger.append("round", body(2), run="r-1")
    Ledger.open(tmp_path / "away", wait=0.0).append("round", body(2), run="r-1")


def a_file(path: Path) -> None:
    path.write_bytes(b"")


def a_loop(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("instead", [a_file, a_loop])
def test_a_folder_that_became_something_else(
    instead: Callable[[Path], None], ledger: Ledger, tmp_path: Path
) -> None:
    ledger.folder.rename(tmp_path / "away")
    instead(ledger.folder)
    for step in (ledger.end, ledger.verify, lambda: ledger.append("round", body(2), run="r-1")):
        with pytest.raises(AssayError, match="no ledger can be read here"):
            step()


def test_ledgers_are_let_go_without_the_collector_of_cycles(ledger: Ledger) -> None:
    gc.disable()
    try:
        before = len(os.listdir("/dev/fd"))
        for _ in range(20):
            Ledger.open(ledger.folder).append("round", body(2), run="r-1")
        assert len(os.listdir("/dev/fd")) == before
    finally:
        gc.enable()


EXIT = """
import atexit, os, sys, threading
from assay.ledger import Ledger, OsFiles
inside, others = threading.Event(), []
class Slow(OsFiles):
    def fsync(self, handle):
        inside.set()
        go_on.wait()
        super().fsync(handle)
go_on = threading.Event()
def at_exit():
    # the handles that the append uses must not have been closed: these would get their numbers
    for number in range(20):
        others.append(os.open(sys.argv[2], os.O_RDWR | os.O_CREAT | os.O_APPEND))
    go_on.set()
    thread.join()
atexit.register(at_exit)
ledger = Ledger.open(sys.argv[1], files=Slow())
record = ("refusal", {"reason": "x", "message": "y"})
thread = threading.Thread(target=ledger.append, args=record, daemon=True)
thread.start()
inside.wait()
"""


def test_an_append_at_the_exit_of_the_interpreter_writes_to_its_own_files(
    ledger: Ledger, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXIT, str(ledger.folder), str(tmp_path / "other")], check=False, timeout=60
    )
    assert done.returncode == 0
    assert (tmp_path / "other").read_bytes() == b""
    assert [entry.kind for entry in Ledger.open(ledger.folder).entries()][-1] == "refusal"
    assert hint(ledger) == ledger.end()


def test_two_ledgers_of_one_process_keep_each_other_out(ledger: Ledger) -> None:
    other = Ledger.open(ledger.folder, wait=0.0)
    with ledger.transaction(), pytest.raises(Refusal, match="not free"):
        other.append("round", body(2), run="r-1")
    other.append("round", body(2), run="r-1")
    assert numbers(ledger) == [1, 2]


def test_the_lock_file_of_an_earlier_version_is_left_alone(ledger: Ledger) -> None:
    old = ledger.folder / "lock"
    old.write_bytes(b"")
    with open(old) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ledger.append("round", body(2), run="r-1")
    assert numbers(ledger) == [1, 2]
    assert old.read_bytes() == b""


def test_a_folder_that_was_moved_away_is_left_alone(ledger: Ledger, tmp_path: Path) -> None:
    """Another one lies in its place, such as a copy that was brought back."""
    away = tmp_path / "away"
    ledger.put([b"one"])
    shutil.copytree(ledger.folder, tmp_path / "copy")
    ledger.folder.rename(away)
    (tmp_path / "copy").rename(ledger.folder)
    before = {path.name: path.read_bytes() for path in away.iterdir() if path.is_file()}
    entry = ledger.append("round", body(2), run="r-1")
    (name,) = ledger.put([b"two"])
    assert {path.name: path.read_bytes() for path in away.iterdir() if path.is_file()} == before
    assert numbers(Ledger.open(ledger.folder)) == [1, 2]
    assert Ledger.open(ledger.folder).get(name) == b"two"
    assert hint(ledger) == entry.position


def test_handles_that_somebody_closed_are_not_written_to(
    ledger: Ledger, files: OpenFiles, tmp_path: Path
) -> None:
    """A process that turns into a daemon closes all; the numbers of the handles then mean other files."""
    kept = sorted(files.now)
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    for handle in kept:
        os.dup2(other, handle)
    files.now.clear()
    try:
        entry = ledger.append("round", body(2), run="r-1")
        assert (tmp_path / "other").read_bytes() == b""
        assert numbers(ledger) == [1, 2]
        assert hint(ledger) == entry.position
        assert all(os.path.samestat(os.fstat(handle), os.fstat(other)) for handle in kept), (
            "they are not ours"
        )
    finally:
        for handle in (*kept, other):
            os.close(handle)


def test_a_handle_that_was_closed_is_opened_anew(ledger: Ledger, files: OpenFiles) -> None:
    for handle in list(files.now):
        files.close(handle)
    ledger.append("round", body(2), run="r-1")
    assert numbers(ledger) == [1, 2]
