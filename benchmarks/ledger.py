"""The ledger against bare writes: single appends, many at once, and a million records verified and indexed.

    python benchmarks/ledger.py                    a million records; minutes
    python benchmarks/ledger.py --quick            a tenth of it
    python benchmarks/ledger.py --folder DIR       on the disk of DIR (not in memory)

A bare append is one ``write`` and one ``fsync`` of as many bytes to a file that grows likewise. The two take
turns, one append each, so that both meet the same disk. Prints Markdown.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.ledger import Draft, Ledger, OsFiles

HASH = "0123456789abcdef" * 4
BATCH = 1000


class Unsynced(OsFiles):
    """For filling a ledger quickly, and to see what an append costs without the disk."""

    def fsync(self, handle: int) -> None:
        pass


def trial(number: int) -> dict[str, Any]:
    """The body of a trial, as the judge writes it."""
    return {
        "fingerprint": f"{number:064x}",
        "config_hash": HASH,
        "expression": f"rank(ts_corr(close, volume, {number % 60 + 2})) - rank(delta(vwap, {number % 20}))",
        "data": "csi300",
        "universe": "csi300",
        "period": "search",
        "bars": 1698,
        "sharpe": number % 977 / 613,
        "series": f"sha256:{HASH}",
        "desk": "campaign",
        "control": False,
    }


def seconds(step: Callable[[], object]) -> float:
    started = time.perf_counter()
    step()
    return time.perf_counter() - started


def file_system(folder: Path) -> str:
    """The kind of file system of a folder, as ``df`` tells it."""
    done = subprocess.run(["df", "-PT", str(folder)], capture_output=True, text=True, check=False)
    fields = done.stdout.splitlines()[-1].split() if done.returncode == 0 else []
    return fields[1] if len(fields) > 1 else "unknown"


def appends(folder: Path, rounds: int) -> None:
    """Single appends, each after a bare one of the same size."""
    ledger = Ledger.create(folder / "single")
    size = ledger.append("trial", trial(0), run="r-1").end
    size = ledger.append("trial", trial(1), run="r-1").end - size
    handle = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    data = b"x" * (size - 1) + b"\n"

    def bare() -> None:
        os.write(handle, data)
        os.fsync(handle)

    ours: list[float] = []
    theirs: list[float] = []
    for number in range(rounds):
        theirs.append(seconds(bare))
        ours.append(seconds(lambda number=number: ledger.append("trial", trial(number), run="r-1")))  # type: ignore[misc]
    os.close(handle)
    dry = Ledger.open(folder / "single", files=Unsynced())
    work = statistics.median(seconds(lambda: dry.append("trial", trial(1), run="r-1")) for _ in range(rounds))
    us, them = statistics.median(ours), statistics.median(theirs)
    print(
        f"| append, one record of {size} bytes | {us * 1e6:.0f} µs | {them * 1e6:.0f} µs | {them / us:.0%} |"
    )
    print(f"| of it without the disk (no fsync) | {work * 1e6:.0f} µs | | |")


def appends_of_many(folder: Path, rounds: int) -> None:
    """Appends of a thousand records, each after a bare one of the same size."""
    ledger = Ledger.create(folder / "many")
    before = ledger.end().offset
    drafts = [Draft("trial", trial(number), "r-1") for number in range(BATCH)]
    size = ledger.append_many(drafts)[-1].end - before
    handle = os.open(folder / "bare_many", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    data = b"x" * size

    def bare() -> None:
        os.write(handle, data)
        os.fsync(handle)

    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        theirs.append(seconds(bare))
        ours.append(seconds(lambda: ledger.append_many(drafts)))
    os.close(handle)
    us, them = statistics.median(ours), statistics.median(theirs)
    print(
        f"| append_many, {BATCH} records, {size / 1e6:.2f} MB | {us * 1e3:.1f} ms | {them * 1e3:.1f} ms | |"
    )
    print(f"| of it per record | {us / BATCH * 1e6:.1f} µs | {them / BATCH * 1e6:.1f} µs | |")


def large(folder: Path, records: int) -> None:
    """A ledger of many records: opened, verified, indexed."""
    filling = Ledger.create(folder / "large", files=Unsynced())
    for first in range(0, records, BATCH):
        filling.append_many([Draft("trial", trial(first + i), f"r-{first // BATCH}") for i in range(BATCH)])
    size = (folder / "large" / "ledger.jsonl").stat().st_size
    print(f"\n{records:,} records, {size / 1e6:.0f} MB:\n")
    print("| work | seconds |\n|---|---:|")
    ledger = Ledger.open(folder / "large")
    print(
        f"| open, and the first append | {seconds(lambda: ledger.append('trial', trial(0), run='r-1')):.3f} |"
    )
    print(f"| verify | {seconds(ledger.verify):.1f} |")
    print(f"| read every entry | {seconds(lambda: sum(1 for _ in ledger.entries())):.1f} |")
    print(
        f"| read the entries of one run | {seconds(lambda: sum(1 for _ in ledger.entries(run='r-7'))):.1f} |"
    )
    print(f"| make the index | {seconds(lambda: ledger.index().close()):.1f} |")
    print(f"| bring it up to date | {seconds(lambda: ledger.index().close()):.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="benchmark of the ledger")
    parser.add_argument("--quick", action="store_true", help="a tenth of the records and rounds")
    parser.add_argument(
        "--folder", type=Path, help="where to write (default: the folder for temporary files)"
    )
    options = parser.parse_args()
    share = 10 if options.quick else 1
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        system = file_system(folder)
        print(f"{system}; {platform.system()} {platform.machine()}, Python {platform.python_version()}\n")
        if system in ("tmpfs", "ramfs", "overlay"):
            print(f"Beware: {system} may not reach a disk; give --folder.\n", file=sys.stderr)
        print("| work | ledger | bare write and fsync | bare / ledger |\n|---|---:|---:|---:|")
        appends(folder, 2000 // share)
        appends_of_many(folder, 100 // share)
        large(folder, 1_000_000 // share)


if __name__ == "__main__":
    main()
