"""Several processes on one ledger, and processes that are killed."""

from __future__ import annotations

import fcntl
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from assay.errors import AssayError, Refusal
from assay.ledger import LEDGER_BUSY, Ledger, OsFiles

from .children import Child, Tell, child
from .records import body, draft, numbers, small


def test_four_processes_append_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    Ledger.create(folder)

    def work(which: int, tell: Tell) -> None:
        ledger = Ledger.open(folder)
        for i in range(20):
            run = f"r-{which}"
            if i % 5 == 0:
                ledger.append_many([draft(10 * i, run), draft(10 * i + 1, run)])
            else:
                ledger.append("round", body(10 * i), run=run)
            ledger.put([b"%d %d" % (which, i), b"shared %d" % i])

    with ExitStack() as stack:
        children = [stack.enter_context(child(lambda tell, n=n: work(n, tell))) for n in range(4)]  # type: ignore[misc]
        assert [one.wait() for one in children] == [0, 0, 0, 0]
    ledger = Ledger.open(folder)
    wanted = [n for i in range(20) for n in ((10 * i, 10 * i + 1) if i % 5 == 0 else (10 * i,))]
    for which in range(4):
        assert numbers(ledger, run=f"r-{which}") == wanted
    found = ledger.verify()
    assert (found.records, found.torn) == (1 + 4 * len(wanted), None)
    assert ledger._objects.count() == 4 * 20 + 20


def holder(folder: Path) -> AbstractContextManager[Child]:
    """A child that holds the lock until it is killed."""

    def work(tell: Tell) -> None:
        with Ledger.open(folder).transaction() as held:
            held.append("round", body(7), run="r-9")
            tell("held")
            signal.pause()

    return child(work)


def test_a_lock_held_for_longer_than_the_wait_is_a_refusal(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    small(folder)
    with holder(folder) as other:
        assert other.read() == "held"
        data = (folder / "ledger.jsonl").read_bytes()
        ledger = Ledger.open(folder, wait=0.02)
        for use in (
            lambda: ledger.append("round", body(8), run="r-1"),
            lambda: ledger.put([b"x"]),
            lambda: list(ledger.entries()),
            ledger.verify,
        ):
            with pytest.raises(Refusal) as caught:
                use()
            assert caught.value.reason is LEDGER_BUSY
            assert caught.value.details["wait"] == 0.02
            if sys.platform == "linux":
                assert caught.value.details["holder"] == other.pid
                assert str(other.pid) in caught.value.message
        assert (folder / "ledger.jsonl").read_bytes() == data
        other.kill()
        # freed by the death of its holder
        assert numbers(ledger) == [1, 2, 3, 4, 5, 6, 7]
        assert ledger.append("round", body(8), run="r-1").line == 9


def test_a_child_killed_while_its_siblings_wait(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    small(folder)

    def waiter(tell: Tell) -> None:
        tell("begins")
        Ledger.open(folder).append("round", body(100), run="r-1")

    with ExitStack() as stack:
        other = stack.enter_context(holder(folder))
        assert other.read() == "held"
        waiting = stack.enter_context(child(waiter))
        assert waiting.read() == "begins"
        other.kill()
        assert waiting.wait() == 0
    assert numbers(Ledger.open(folder)) == [1, 2, 3, 4, 5, 6, 7, 100]


def test_a_forked_child_goes_on_with_its_parents_ledger(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")

    def work(tell: Tell) -> None:
        for i in range(10):
            ledger.append("round", body(100 + i), run="r-8")

    with child(work) as other:
        for i in range(10):
            ledger.append("round", body(200 + i), run="r-9")
        assert other.wait() == 0
    assert numbers(ledger, run="r-8") == [100 + i for i in range(10)]
    assert numbers(ledger, run="r-9") == [200 + i for i in range(10)]
    assert ledger.verify().records == 27


def test_a_child_forked_inside_a_transaction_holds_nothing(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")

    def work(tell: Tell) -> None:
        tell("begins")
        ledger.append("round", body(100), run="r-8")

    with ExitStack() as stack:
        with ledger.transaction() as held:
            other = stack.enter_context(child(work))
            assert other.read() == "begins"
            held.append("round", body(7), run="r-1")
            held.append("round", body(8), run="r-1")
        assert other.wait() == 0
    assert numbers(ledger) == [1, 2, 3, 4, 5, 6, 7, 8, 100]


def endless(folder: Path, tell: Tell) -> None:
    """Append until killed, in all ways; tell what has returned."""
    ledger = Ledger.open(folder)
    for i in itertools.count():
        if i % 3 == 0:
            entries = ledger.append_many([draft(10 * i + k, "r-7") for k in range(3)])
        else:
            entries = (ledger.append("round", body(10 * i, text="x" * (i % 7) * 3000), run="r-7"),)
        (name,) = ledger.put([b"%d" % i * 500])
        for entry in entries:
            tell(f"{entry.line} {entry.hash} {name}")


def killed_at_random(folder: Path, rng: random.Random, signum: int = signal.SIGKILL) -> None:
    """Kill a writer at some moment; all that it was told must be there, and writing must go on."""
    with child(lambda tell: endless(folder, tell)) as writer:
        told = [writer.read() for _ in range(rng.randint(1, 12))]
        for _ in range(rng.randint(0, 200_000)):  # some moment within a step, not only its end
            pass
        os.kill(writer.pid, signum)
        assert writer.wait() == -signum
        told += iter(writer.read, "")
    ledger = Ledger.open(folder)
    hashes = {entry.line: entry.hash for entry in ledger.entries()}
    for message in told:
        line, digest, name = message.split()
        assert hashes[int(line)] == digest
        ledger.get(name)
    ledger.verify()
    ledger.append("round", body(1), run="r-1")
    assert ledger.verify().torn is None


def test_writers_killed_at_random_moments(tmp_path: Path) -> None:
    small(tmp_path / "ledger")
    rng = random.Random(1)
    for _ in range(10):
        killed_at_random(tmp_path / "ledger", rng)


@pytest.mark.slow
def test_writers_killed_at_many_random_moments(tmp_path: Path) -> None:
    small(tmp_path / "ledger")
    rng = random.Random(2)
    for _ in range(50):
        killed_at_random(tmp_path / "ledger", rng)


def test_a_writer_that_is_told_to_end_has_left_nothing_torn(tmp_path: Path) -> None:
    """SIGTERM with a handler that raises: the append under way ends or is taken back."""
    folder = tmp_path / "ledger"
    small(folder)
    rng = random.Random(3)

    def work(tell: Tell) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        endless(folder, tell)

    for _ in range(5):
        with child(work) as writer:
            for _ in range(rng.randint(1, 8)):
                assert writer.read()
            os.kill(writer.pid, signal.SIGTERM)
            assert writer.wait() == 7
        assert Ledger.open(folder).verify().torn is None


WRITER = """
import sys
from assay.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
while True:
    ledger.append("round", {"number": 1, "outcome": "done"}, run="r-7")
    print("one", flush=True)
"""


def test_a_program_of_its_own_ends_at_once_on_sigterm(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    small(folder)
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"one\n"
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=5) == -signal.SIGTERM
    ledger = Ledger.open(folder)
    assert ledger.verify().records >= 8
    ledger.append("round", body(9), run="r-1")


class InterruptedFiles(OsFiles):
    """Ctrl-C comes during an fsync."""

    def fsync(self, handle: int) -> None:
        self.fsync = super().fsync  # type: ignore[method-assign]
        raise KeyboardInterrupt


class Signalled(OsFiles):
    """A signal comes when the lock has just been taken, or freed."""

    def __init__(self, when: int = fcntl.LOCK_EX) -> None:
        self.answer: Callable[[], object] | None = None
        self._when = when

    def flock(self, handle: int, operation: int) -> None:
        super().flock(handle, operation)
        if self.answer is not None and operation & self._when:
            answer, self.answer = self.answer, None
            answer()


@pytest.mark.parametrize("when", [fcntl.LOCK_EX, fcntl.LOCK_UN])
def test_a_handler_that_appends_while_the_lock_is_taken_or_freed_is_refused(
    when: int, tmp_path: Path
) -> None:
    small(tmp_path / "ledger")
    files = Signalled(when)
    ledger = Ledger.open(tmp_path / "ledger", files=files)
    refused = []

    def handler() -> None:
        try:
            ledger.append("round", body(8), run="r-1")
        except Refusal as refusal:
            refused.append(refusal.reason)

    files.answer = handler
    ledger.append("round", body(7), run="r-1")
    assert refused == [LEDGER_BUSY]
    assert ledger.verify().records == 8


def test_a_signal_that_raises_while_the_lock_is_taken_leaves_it_free(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    small(tmp_path / "ledger")
    files = Signalled()
    ledger = Ledger.open(tmp_path / "ledger", files=files)
    files.answer = interrupt
    with pytest.raises(KeyboardInterrupt):
        ledger.append("round", body(7), run="r-1")
    assert Ledger.open(tmp_path / "ledger", wait=0.0).append("round", body(7), run="r-1").line == 8


def test_an_interrupted_append_is_taken_back(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    small(folder)
    ledger = Ledger.open(folder, files=InterruptedFiles())
    with pytest.raises(KeyboardInterrupt):
        ledger.append("round", body(7), run="r-1")
    assert numbers(ledger) == [1, 2, 3, 4, 5, 6]
    assert ledger.verify().torn is None
    assert ledger.append("round", body(8), run="r-1").line == 8


def test_a_log_that_is_taken_away_is_said_to_be_missing(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    (tmp_path / "ledger" / "ledger.jsonl").rename(tmp_path / "away")
    before = (tmp_path / "away").read_bytes()
    for step in (
        lambda: ledger.append("round", body(7), run="r-1"),
        ledger.end,
        lambda: ledger.put([b"one"]),
    ):
        with pytest.raises(AssayError, match="no ledger can be read here"):
            step()
    assert (tmp_path / "away").read_bytes() == before
    (tmp_path / "away").rename(tmp_path / "ledger" / "ledger.jsonl")
    assert ledger.append("round", body(7), run="r-1").line == 8


def test_a_child_that_lives_longer_keeps_no_lock(tmp_path: Path) -> None:
    """A worker of a pool, forked from a process that then is killed in the middle of an append."""
    folder = tmp_path / "ledger"
    small(folder)

    def parent(tell: Tell) -> None:
        ledger = Ledger.open(folder)
        ledger.append("round", body(7), run="r-1")
        with ledger.transaction():
            worker = os.fork()
            if worker == 0:
                time.sleep(60)
                os._exit(0)
            tell(str(worker))
            time.sleep(60)

    with child(parent) as killed:
        worker = int(killed.read())
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
    try:
        assert Ledger.open(folder, wait=1.0).append("round", body(8), run="r-1").line == 9
    finally:
        os.kill(worker, signal.SIGKILL)


def test_a_child_that_leaves_its_parents_transaction_frees_nothing(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    with ledger.transaction():
        forked = os.fork()
        if forked:
            assert os.waitpid(forked, 0)[1] == 0
            with pytest.raises(Refusal, match="not free"):
                Ledger.open(ledger.folder, wait=0.0).append("round", body(7), run="r-1")
    if forked == 0:
        os._exit(0)
    assert ledger.append("round", body(7), run="r-1").line == 8
