"""Two writers, and writers that are killed: a note is whole, as before or as after."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.base import folder_lock
from assay.errors import Refusal
from assay.notes import NOTES_BUSY, NoteStore

from .conftest import StillClock


def in_child(work: Callable[[], None]) -> int:
    """The exit code of a forked child that did the work."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - the child of a test must not go on
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_at(name: str, number: int, work: Callable[[], None], *, after: bool) -> int:
    """Kill a child before, or after, its ``number``-th call of an operation of the system."""

    def run() -> None:
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
        work()

    return in_child(run)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["open", "chmod", "fsync", "replace", "close"])
def test_a_killed_publication_leaves_whole_notes_and_can_be_finished(store, name: str, after: bool) -> None:
    number, reached = 0, True
    while reached:
        number += 1
        folder = store.folder.parent / f"{name}-{number}"
        made = NoteStore(folder, clock=StillClock())
        for slug in ("old", "new"):
            made.new(slug, slug, f"text of {slug}")
        made.publish("old")
        code = killed_at(name, number, lambda made=made: made.publish("new", supersedes="old"), after=after)
        assert code in (0, -signal.SIGKILL)
        reached = code != 0
        states = [row.status for row in NoteStore(folder).list()]  # new, old
        assert states in (["draft", "published"], ["published", "published"], ["published", "superseded"])
        if states[1] != "superseded":
            made.publish("new", supersedes="old")
        assert [row.status for row in made.list()] == ["published", "superseded"]
        assert made.get("old").superseded_by == "new"
    assert number > 1, "the operation was never reached"


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_of_two_writers_of_one_slug_one_is_refused(store: NoteStore) -> None:
    codes = [in_child(lambda: store.new("third", "The third")) for _ in range(2)]
    assert codes == [0, 1]


def test_a_writer_that_does_not_end_is_named(store: NoteStore, tmp_path: Path) -> None:
    hasty = NoteStore(store.folder, wait=0.0)
    with folder_lock(store.folder, 1.0, NOTES_BUSY), pytest.raises(Refusal) as caught:
        hasty.new("third", "The third")
    assert caught.value.reason.code == "notes_busy"
    assert hasty.list() == store.list(), "readers do not wait"
