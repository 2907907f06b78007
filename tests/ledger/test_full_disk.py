"""A full disk: nothing accepted is lost, nothing half-written stays, writing goes on when there is space."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.ledger import Entry, Ledger, LedgerUnwritable

from .children import Tell, child
from .records import body, draft, numbers

SIZE = 256 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("there is no mount command")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)], capture_output=True
    )
    if done.returncode != 0:
        pytest.skip(f"a small tmpfs cannot be mounted here: {done.stderr.decode().strip()}")
    try:
        yield place
    finally:
        gc.collect()  # a ledger lets go of its files when it is collected
        subprocess.run([umount, str(place)], check=True)


def fill(ledger: Ledger) -> list[Entry]:
    """Append until it fails."""
    entries: list[Entry] = []

    def go_on() -> None:
        for i in range(10_000):
            if i % 3 == 0:
                entries.extend(ledger.append_many([draft(10 * i), draft(10 * i + 1)]))
            else:
                entries.append(ledger.append("round", body(10 * i, text="x" * (i % 700)), run="r-1"))

    with pytest.raises(LedgerUnwritable) as caught:
        go_on()
    assert "nothing was recorded" in caught.value.message
    assert caught.value.where
    assert "space" in (caught.value.fix or "")
    return entries


def test_a_full_file_system(small_disk: Path) -> None:
    (small_disk / "other").write_bytes(bytes(64 * 1024))
    ledger = Ledger.create(small_disk / "ledger")
    entries = fill(ledger)
    assert len(entries) > 100
    for one in (ledger, Ledger.open(small_disk / "ledger")):
        assert list(one.entries(kind="round")) == entries
        assert one.verify().torn is None
        with pytest.raises(LedgerUnwritable):
            one.put([os.urandom(64 * 1024)])
        with pytest.raises(LedgerUnwritable):
            one.append("round", body(1, text="x" * 64 * 1024), run="r-1")
    (small_disk / "other").unlink()
    last = ledger.append("round", body(1), run="r-2")
    assert last.line == len(entries) + 2
    (name,) = ledger.put([b"x" * 1000])
    assert Ledger.open(small_disk / "ledger").get(name) == b"x" * 1000
    assert Ledger.open(small_disk / "ledger").verify().records == last.line


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    """The same without a file system of its own: the kernel refuses the byte after the limit."""
    folder = tmp_path / "ledger"
    Ledger.create(folder)

    def work(tell: Tell) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        ledger = Ledger.open(folder)
        entries = fill(ledger)
        assert list(ledger.entries(kind="round")) == entries
        (name,) = ledger.put([b"x" * 60_000])
        with pytest.raises(LedgerUnwritable):
            ledger.put([b"y" * 60_000])
        assert ledger.get(name) == b"x" * 60_000
        tell(f"{len(entries)} {name}")

    with child(work) as writer:
        count, name = writer.read().split()
        assert writer.wait() == 0
    ledger = Ledger.open(folder)
    assert len(numbers(ledger)) == int(count) > 100
    assert ledger.verify().torn is None
    assert ledger.get(name) == b"x" * 60_000
    assert ledger.append("round", body(1), run="r-1").line == int(count) + 2
