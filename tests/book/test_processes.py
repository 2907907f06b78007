"""Two writers at once, and writers that are killed in the midst."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from assay.book import Book, CandidateEntry

from .conftest import AGENT, OTHER, Desk, Ids

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def forked(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - the child of a test must not go on
            os._exit(1)
        os._exit(0)
    return pid


def code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_two_writers_lose_nothing(desk: Desk, notes, workspace, clock) -> None:
    def write(number: int) -> None:
        book = Book.open(
            desk.book.root, notes=notes, workspace=workspace, clock=clock, ids=Ids(10_000 * (1 + number))
        )
        for item in range(10):
            entry = CandidateEntry(f"w{number}-{item}", "A line", "f1", "rank_ic", item / 10)
            book.record_candidate((AGENT, OTHER)[number], entry, ["note:alpha"])
            Desk(book).decide("beta", day=item)

    assert [code(pid) for pid in [forked(lambda n=n: write(n)) for n in range(2)]] == [0, 0]
    assert len(desk.book.recent(100)) == 2 + 40
    board = json.loads((desk.book.root / "leaderboard.json").read_text())
    assert board == desk.book.leaderboard()
    assert len(board["entries"]) == 20
    assert {len({row.event_id for row in desk.book.recent(100)})} == {42}


def test_of_two_orders_that_would_overfill_one_is_refused(desk: Desk, clock) -> None:
    order = desk.order(desk.decide("alpha"), "buy", "10")

    def fill(number: int) -> None:
        Desk(Book.open(desk.book.root, clock=clock, ids=Ids(10_000 * (1 + number)))).fill(order, "6", "1")

    assert sorted(code(pid) for pid in [forked(lambda n=n: fill(n)) for n in range(2)]) == [0, 1]
    assert desk.book.state().positions[0].quantity == 6


@pytest.mark.parametrize("name", ["write", "fsync", "open", "replace"])
@pytest.mark.parametrize("after", [False, True])
def test_a_killed_writer_leaves_an_entry_with_its_row_or_neither(
    desk: Desk, notes, workspace, clock, name: str, after: bool
) -> None:
    """Whatever call of the system the kill falls on; the next writer brings the leaderboard up to date."""
    reached, number = True, 0
    while reached and number < 40:
        number += 1
        entry = CandidateEntry(f"c-{name}-{number}", "A line", "f1", "rank_ic", 0.1)
        ids = Ids(10_000 * number)
        parts = {"notes": notes, "workspace": workspace, "clock": clock, "ids": ids}

        def work(entry: CandidateEntry = entry, number: int = number, parts: Any = parts) -> None:
            book = Book.open(desk.book.root, **parts)
            real, left = getattr(os, name), [number]

            def counted(*args: object, **options: object) -> object:
                left[0] -= 1
                if left[0] == 0 and not after:
                    os.kill(os.getpid(), signal.SIGKILL)
                result = real(*args, **options)
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return result

            setattr(os, name, counted)
            book.record_candidate(AGENT, entry, ["note:alpha"])

        ended = code(forked(work))
        assert ended in (0, -signal.SIGKILL)
        reached = ended != 0
        book = Book.open(desk.book.root)
        entered = [item["event_id"] for item in book.leaderboard()["entries"]]
        proposed = [row.event_id for row in book.recent(1000) if row.operator.kind == "agent"]
        assert sorted(entered) == sorted(proposed)
        file = book.root / "leaderboard.json"
        if file.exists():
            json.loads(file.read_text())
    assert number > 1, "the operation was never reached"
    desk.decide("alpha", day=3)
    assert json.loads((desk.book.root / "leaderboard.json").read_text()) == desk.book.leaderboard()


def test_a_full_disk_takes_nothing_in(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before = desk.book.recent(100)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(Exception, match=r"space|cannot write"):
            desk.decide("alpha")
    assert Book.open(desk.book.root).recent(100) == before
    desk.decide("alpha")
