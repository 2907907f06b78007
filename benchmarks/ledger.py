"""The ledger against bare writes: single appends, many at once, and a million records verified and indexed.

    python benchmarks/ledger.py                    a million records; minutes
    python benchmarks/ledger.py --quick            a tenth of it
    python benchmarks/ledger.py --folder DIR       on the disk of DIR (not in memory)
    python benchmarks/ledger.py --delay 0.2        every fsync of all sides 0.2 ms longer, as on a slower disk

A bare append is one ``write`` and one ``fsync`` of as many bytes to a file that grows likewise. "The same
steps" are those of an append written out in one function that checks nothing, to show what Python leaves
possible. All take turns, one append each, so that they meet the same disk; the first turns are not counted.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.ledger import Draft, Ledger, OsFiles

HASH = "0123456789abcdef" * 4
BATCH = 1000
WARM_UP = 200


class Delayed(OsFiles):
    """A disk that takes ``delay`` seconds longer for every fsync."""

    def __init__(self, delay: float) -> None:
        self._delay = delay

    def fsync(self, handle: int) -> None:
        os.fsync(handle)
        if self._delay:
            time.sleep(self._delay)


class Unsynced(OsFiles):
    """For filling a ledger quickly, and to see what an append costs without the disk."""

    def fsync(self, handle: int) -> None:
        pass


class WrittenOut:
    """The steps of an append, one after the other, and nothing that could go wrong is looked at."""

    def __init__(self, folder: Path, files: OsFiles) -> None:
        folder.mkdir()
        self._files = files
        self._log = str(folder / "ledger.jsonl")
        self._handle = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._head = os.open(folder / "head", os.O_WRONLY | os.O_CREAT, 0o644)
        self._encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self._host = platform.node()
        self._prev = "0" * 64
        self._lines = self._end = 0

    def append(self, body: dict[str, Any]) -> None:
        os.fstat(self._handle)
        fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.stat(self._log)
        time_text = datetime.now(UTC).isoformat()
        line = (
            f'{{"batch":[0,1],"body":{self._encoder.encode(body)},"kind":"trial",'
            f'"meta":{{"host":"{self._host}","pid":{os.getpid()},"time":"{time_text}"}},'
            f'"run":"r-1","prev":"{self._prev}"'
        ).encode()
        self._prev = hashlib.sha256(line).hexdigest()
        line += b',"hash":"%b"}\n' % self._prev.encode()
        os.write(self._handle, line)
        self._files.fsync(self._handle)
        self._lines += 1
        self._end += len(line)
        hint = b"%d %d %b " % (self._lines, self._end, self._prev.encode())
        os.pwrite(self._head, (hint + b"%08x\n" % zlib.crc32(hint)).ljust(256), 0)
        fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._handle)
        os.close(self._head)


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


def appends(folder: Path, rounds: int, delay: float) -> None:
    """Single appends, each after a bare one of the same size and the same steps written out."""
    files = Delayed(delay)
    ledger = Ledger.create(folder / "single", files=files)
    size = ledger.append("trial", trial(0), run="r-1").end
    size = ledger.append("trial", trial(1), run="r-1").end - size
    written_out = WrittenOut(folder / "written_out", files)
    handle = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    data = b"x" * (size - 1) + b"\n"

    def bare() -> None:
        os.write(handle, data)
        files.fsync(handle)

    times: dict[str, list[float]] = {"bare": [], "steps": [], "ours": [], "dry": []}
    for number in range(-WARM_UP, rounds):
        if number == 0:
            times = {name: [] for name in times}
        body = trial(abs(number))
        times["bare"].append(seconds(bare))
        times["steps"].append(seconds(lambda body=body: written_out.append(body)))  # type: ignore[misc]
        times["ours"].append(seconds(lambda body=body: ledger.append("trial", body, run="r-1")))  # type: ignore[misc]
    os.close(handle)
    written_out.close()
    dry = Ledger.open(folder / "single", files=Unsynced())
    body = trial(1)
    times["dry"] = [seconds(lambda: dry.append("trial", body, run="r-1")) for _ in range(rounds)]
    us = {name: statistics.median(values) * 1e6 for name, values in times.items()}
    for what, one in (
        (f"append, one record of {size} bytes", "ours"),
        ("the same steps written out", "steps"),
    ):
        print(f"| {what} | {us[one]:.0f} µs | {us['bare']:.0f} µs | {us['bare'] / us[one]:.0%} |")
    print(f"| append without the disk (no fsync) | {us['dry']:.0f} µs | | |")


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
    parser.add_argument("--delay", type=float, default=0.0, help="make every fsync this many ms longer")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        system = file_system(folder)
        load = " ".join(f"{one:.1f}" for one in os.getloadavg())
        machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        print(f"{system}; {machine}; load {load}\n")
        if system in ("tmpfs", "ramfs", "overlay"):
            print(f"Beware: {system} may not reach a disk; give --folder.\n", file=sys.stderr)
        print("| work | ledger | bare write and fsync | bare / ledger |\n|---|---:|---:|---:|")
        appends(folder, 2000 // share, options.delay / 1000)
        appends_of_many(folder, 100 // share)
        large(folder, 1_000_000 // share)


if __name__ == "__main__":
    main()
