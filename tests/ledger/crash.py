"""Stop a writer at its n-th operation on a file, in every way that we know, and look at what it left.

A *point* is a scenario, a fault and an n. The scenario runs in a forked child whose file operations are
counted; at the n-th the fault strikes. The parent knows by a pipe what the child was told had succeeded,
opens the ledger anew, and holds it to its promises.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.ledger import Draft, Entry, Ledger, LedgerUnwritable, OsFiles

FAULTS = (
    "die",  # the process ends before the operation
    "die_half",  # it ends when half of a write is done
    "power",  # it ends, and of what was not synced a part is cut off or turns to zeros
    "eio",  # the operation fails once
    "enospc",  # likewise
    "short",  # a write does half of its work and says so
    "half_eio",  # a write does half of its work, then fails
    "full",  # from here on every write fails
    "dead",  # from here on everything fails, the repair of failures included
)
_ONCE = {"eio": errno.EIO, "enospc": errno.ENOSPC}


class BreakingFiles(OsFiles):
    """The operations of :class:`OsFiles`, counted; at number ``at`` the fault strikes."""

    def __init__(self, fault: str = "", at: int = -1, seed: int = 0) -> None:
        self.count = 0
        self.struck = False
        self._fault = fault
        self._at = at
        self._rng = random.Random(seed)
        self._paths: dict[int, Path] = {}
        self._synced: dict[Path, int] = {}

    def open(self, path: Path, flags: int) -> int:
        handle = super().open(path, flags)
        self._paths[handle] = Path(path)
        if path.name in ("ledger.jsonl", "objects.pack"):
            self._synced.setdefault(Path(path), os.fstat(handle).st_size)
        return handle

    def write(self, handle: int, data: bytes | memoryview) -> int:
        half = data[: len(data) // 2]
        if self._strikes("write"):
            if self._fault == "die_half":
                super().write(handle, half)
                os._exit(9)
            if self._fault == "short":
                return super().write(handle, half) if len(half) else super().write(handle, data)
            if self._fault == "half_eio":
                super().write(handle, half)
                raise OSError(errno.EIO, "struck")
        return super().write(handle, data)

    def write_at(self, handle: int, data: bytes, offset: int) -> int:
        self._strikes("write_at")
        return super().write_at(handle, data, offset)

    def fsync(self, handle: int) -> None:
        self._strikes("fsync")
        super().fsync(handle)
        path = self._paths[handle]
        if path in self._synced:
            self._synced[path] = os.fstat(handle).st_size

    def truncate(self, handle: int, size: int) -> None:
        self._strikes("truncate")
        super().truncate(handle, size)

    def replace(self, source: Path, target: Path) -> None:
        self._strikes("replace")
        super().replace(source, target)

    def _strikes(self, operation: str) -> bool:
        """Count; do what the fault does to any operation; tell whether a write has to do it."""
        number, self.count = self.count, self.count + 1
        if number == self._at:
            self.struck = True
        elif not (self.struck and self._fault in ("full", "dead")):
            return False
        if self._fault == "die" or (self._fault == "die_half" and operation != "write"):
            os._exit(9)
        if self._fault == "power":
            self._lose()
            os._exit(9)
        if self._fault in _ONCE:
            raise OSError(_ONCE[self._fault], "struck")
        if self._fault == "full" and operation in ("write", "write_at"):
            raise OSError(errno.ENOSPC, "struck")
        if self._fault == "dead":
            raise OSError(errno.EIO, "struck")
        return True

    def _lose(self) -> None:
        """A power cut: what was not synced is there, or cut short, or has zeros for some of its pages."""
        for path, synced in self._synced.items():
            size = path.stat().st_size
            if size <= synced:
                continue
            with open(path, "r+b") as file:
                if self._rng.random() < 0.4:
                    file.truncate(self._rng.randint(synced, size))
                    continue
                for start in range(synced - synced % 64, size, 64):
                    if self._rng.random() < 0.5:
                        begin, end = max(start, synced), min(start + 64, size)
                        file.seek(begin)
                        file.write(bytes(end - begin))


@dataclass(frozen=True)
class Point:
    scenario: str
    fault: str
    at: int

    def __str__(self) -> str:
        return f"{self.scenario}-{self.fault}-{self.at}"


@dataclass
class Told:
    """What the child was told had succeeded, and what it tried."""

    entries: dict[int, str] = field(default_factory=dict)  # line -> hash
    objects: list[str] = field(default_factory=list)
    finished: bool = False
    struck: bool = False


BIG = {"number": 7, "outcome": "a long one \u4e2d\u6587 \ud800 " * 400}
BATCH = 4


def body(number: int) -> dict[str, Any]:
    return {"number": number, "outcome": "done", "share": 0.1 * number}


def _work(ledger: Ledger, tell: Callable[[dict[str, Any]], None]) -> None:
    """All ways of writing, in turn; the caller goes on after a failed one, as a desk would."""

    def told(entries: tuple[Entry, ...]) -> None:
        tell({"entries": [[entry.line, entry.hash] for entry in entries]})

    def attempt(step: Callable[[], None]) -> None:
        try:
            step()
        except LedgerUnwritable:
            tell({"failed": True})

    def transaction() -> None:
        with ledger.transaction() as held:
            told((held.append("round", body(20), run="crash"),))
            told((held.append("round", body(21), run="crash"),))

    many = [Draft("round", body(100 + i), "crash") for i in range(BATCH)]
    attempt(lambda: told((ledger.append("round", body(1), run="crash"),)))
    attempt(lambda: tell({"objects": ledger.put([b"one" * 100])}))
    attempt(lambda: told(ledger.append_many(many)))
    attempt(lambda: told((ledger.append("round", BIG, run="crash"),)))
    attempt(lambda: tell({"objects": ledger.put([b"one" * 100, b"two" * 200, b"", b"three" * 300])}))
    attempt(transaction)
    attempt(lambda: told((ledger.append("round", body(2), run="crash"),)))


def _clean(folder: Path) -> None:
    Ledger.create(folder).append("round", body(0), run="crash")


def _torn(folder: Path) -> None:
    _clean(folder)
    with open(folder / "ledger.jsonl", "ab") as file:
        file.write(b'{"batch":[0,1],"body":{"numb')


def _torn_pack(folder: Path) -> None:
    _clean(folder)
    Ledger.open(folder).put([b"zero" * 50])
    pack, head = folder / "objects.pack", folder / "head"
    size, hint = pack.stat().st_size, head.read_bytes()
    Ledger.open(folder).put([b"lost" * 50])
    os.truncate(pack, size + 70)
    head.write_bytes(hint)  # it is written after the pack


SCENARIOS: dict[str, Callable[[Path], None]] = {"clean": _clean, "torn": _torn, "torn_pack": _torn_pack}


def operations(scenario: str, tmp: Path) -> int:
    """How many operations a scenario does when nothing strikes."""
    folder = tmp / "count"
    SCENARIOS[scenario](folder)
    files = BreakingFiles()
    _work(Ledger.open(folder, files=files), lambda _: None)
    shutil.rmtree(folder)
    return files.count


def all_points(tmp: Path) -> list[Point]:
    """Every scenario, every fault, every n."""
    return [
        Point(scenario, fault, at)
        for scenario in SCENARIOS
        for at in range(operations(scenario, tmp))
        for fault in FAULTS
    ]


def sample(points: list[Point], size: int, seed: int = 1) -> list[Point]:
    """``size`` of the points, in order; all where there are no more."""
    if size >= len(points):
        return points
    chosen = sorted(random.Random(seed).sample(range(len(points)), size))
    return [points[i] for i in chosen]


def strike(point: Point, folder: Path) -> Told:
    """Run the scenario in a child until the fault, and give what the child was told."""
    SCENARIOS[point.scenario](folder)
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of forking beside the threads of numerical libraries
        child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(read)
            files = BreakingFiles(point.fault, point.at, seed=point.at)
            ledger = Ledger.open(folder, files=files)

            def tell(what: dict[str, Any]) -> None:
                os.write(write, json.dumps(what).encode() + b"\n")

            _work(ledger, tell)
            tell({"finished": True, "struck": files.struck})
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with open(read, "rb") as pipe:
        messages = [json.loads(line) for line in pipe]
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9), f"{point}: the child failed by itself"
    told = Told()
    for message in messages:
        told.entries.update(dict(message.get("entries", [])))
        told.objects += message.get("objects", [])
        told.finished |= message.get("finished", False)
        told.struck |= message.get("struck", False)
    assert told.finished == (code == 0)
    assert told.struck or code == 9, f"{point}: nothing struck"
    return told


def hold_to_promises(point: Point, folder: Path, told: Told) -> None:
    """Open what the child left, and check every promise."""
    ledger = Ledger.open(folder)
    found = {entry.line: entry for entry in ledger.entries()}
    verified = ledger.verify()
    assert verified.records == len(found)

    lost = {line for line, digest in told.entries.items() if line not in found or found[line].hash != digest}
    assert not lost, f"{point}: an append had returned, and its record is gone"
    for name in told.objects:
        ledger.get(name)

    tried = [body(0), body(1), body(2), body(20), body(21), BIG, *(body(100 + i) for i in range(BATCH))]
    rounds = [entry.body for entry in found.values() if entry.kind == "round"]
    assert all(one in tried for one in rounds), f"{point}: a record that nobody wrote"
    assert all(rounds.count(one) <= 1 for one in rounds)
    numbers = [one["number"] for one in rounds]
    assert sum(number >= 100 for number in numbers) in (0, BATCH), f"{point}: a part of a batch is believed"
    untold = [
        line
        for line, entry in found.items()
        if entry.kind == "round" and line > 2 and line not in told.entries
    ]
    if told.finished and point.fault != "dead":
        assert untold == [], f"{point}: an append had failed, and its record is there"
    else:
        assert len(untold) <= BATCH, f"{point}: more than the last append is there untold"

    before = sum(entry.kind == "recovery" for entry in found.values())
    was_torn = verified.torn is not None
    ledger.append("round", body(3), run="crash")
    assert ledger.put([b"one" * 100, b"four" * 40]) == Ledger.open(folder).put([b"one" * 100, b"four" * 40])
    after = Ledger.open(folder).verify()
    assert after.torn is None
    entries = list(Ledger.open(folder).entries())
    assert entries[-1].body == body(3)
    recoveries = [entry for entry in entries if entry.kind == "recovery"]
    if was_torn:
        assert len(recoveries) > before, f"{point}: a torn tail was dropped and not reported"
    for entry in recoveries:
        kept = (folder / entry.body["kept"]).read_bytes()
        assert len(kept) == entry.body["bytes"]
    assert len({entry.body["kept"] for entry in recoveries}) == len(recoveries), f"{point}: recovered twice"
    if point.scenario == "torn":
        assert recoveries, f"{point}: a torn tail was dropped and not reported"
    assert not list((folder / "torn").glob("*.pending"))


def run(point: Point, tmp: Path) -> None:
    """One point from beginning to end, in a folder of its own that is removed when all is well."""
    folder = tmp / str(point)
    told = strike(point, folder)
    hold_to_promises(point, folder, told)
    shutil.rmtree(folder)


def sweep(points: list[Point], tmp: Path) -> Iterator[Point]:
    """Run points and give each that has passed.

    Raises
    ------
    AssertionError
        A promise was broken; the message names the point, its folder is kept.
    """
    for point in points:
        run(point, tmp)
        yield point
