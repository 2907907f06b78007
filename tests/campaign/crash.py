"""A campaign stopped before any one of its operations on files, then resumed."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.campaign._files import RunFiles
from assay.ledger import OsFiles

from . import desk


class Killed(BaseException):
    """The process ends here. Nothing that comes after it reaches the disk."""


@dataclass
class Deadline:
    """Counts operations; from number ``at`` on, none happens. With ``fails`` that one alone fails."""

    at: int | None = None
    fails: bool = False
    done: list[str] = field(default_factory=list)

    def step(self, what: str) -> bool:
        """Whether the process is to end in the middle of this operation."""
        if self.fails:
            self.done.append(what)
            if len(self.done) - 1 == self.at:
                raise OSError(errno.EIO, "struck")
            return False
        if self.at is not None and len(self.done) > self.at:
            raise Killed(what)
        self.done.append(what)
        return self.at is not None and len(self.done) > self.at


class DyingLedgerFiles(OsFiles):
    """The ledger's operations; a write that is struck does half of its work."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def write(self, handle: int, data: bytes | memoryview) -> int:
        if self._deadline.step("ledger write"):
            super().write(handle, data[: len(data) // 2])
            raise Killed
        return super().write(handle, data)

    def write_at(self, handle: int, data: bytes, offset: int) -> int:
        if self._deadline.step("ledger write at"):
            raise Killed
        return super().write_at(handle, data, offset)

    def fsync(self, handle: int) -> None:
        if self._deadline.step("ledger fsync"):
            raise Killed
        super().fsync(handle)

    def truncate(self, handle: int, size: int) -> None:
        if self._deadline.step("ledger truncate"):
            raise Killed
        super().truncate(handle, size)

    def replace(self, source: Path, target: Path) -> None:
        if self._deadline.step("ledger replace"):
            raise Killed
        super().replace(source, target)


class DyingRunFiles(RunFiles):
    """The operations on a run's folder; a line that is struck is half written."""

    def __init__(self, folder: Path, deadline: Deadline) -> None:
        super().__init__(folder)
        self._deadline = deadline

    def make(self, name: str = "") -> Path:
        if self._deadline.step(f"make {name}"):
            raise Killed
        return super().make(name)

    def write(self, name: str, content: bytes | str) -> None:
        if self._deadline.step(f"write {name}"):
            raise Killed
        super().write(name, content)

    def append(self, name: str, line: str) -> None:
        if self._deadline.step(f"append {name}"):
            self.folder.mkdir(exist_ok=True)
            super().append(name, line[: len(line) // 2])
            raise Killed
        super().append(name, line)


CONFIG = desk.config(roles=desk.ALL_MODELS)


def begin(place: desk.Place, deadline: Deadline) -> None:
    """Start, or resume, a campaign that ends at the deadline."""
    campaign = place.campaign(
        place.setup(CONFIG),
        ledger_files=DyingLedgerFiles(deadline),
        files=lambda folder: DyingRunFiles(folder, deadline),
    )
    if known(place):
        campaign.resume()
    else:
        campaign.run()


def known(place: desk.Place) -> bool:
    with place.ledger().index() as index:
        return desk.RUN in index.runs()


def finished(place: desk.Place) -> bool:
    with place.ledger().index() as index:
        return desk.RUN in index.runs() and index.runs()[desk.RUN].stopped == "finished"


@dataclass(frozen=True)
class Left:
    """What a campaign leaves: its canonical export and its files."""

    export: bytes
    files: tuple[tuple[str, bytes], ...]

    @classmethod
    def of(cls, place: desk.Place) -> Left:
        return cls(place.export(), tuple(place.leavings().items()))


def uninterrupted(root: Path) -> tuple[Left, list[str]]:
    """What the campaign leaves if nothing happens, and its operations."""
    place, deadline = desk.Place(root), Deadline()
    place.ledger()
    begin(place, deadline)
    return Left.of(place), deadline.done


def sweep(points: Iterator[int] | list[int], root: Path, expected: Left) -> int:
    """Strike at each point, resume, and compare; how many were struck."""
    struck = 0
    for at in points:
        place = desk.Place(root / f"at-{at}")
        place.root.mkdir()
        place.ledger()
        try:
            begin(place, Deadline(at))
        except Killed:
            struck += 1
        if not finished(place):
            begin(place, Deadline())
        assert Left.of(place) == expected, f"struck at operation {at}"
        place.ledger().verify(objects=True)
    return struck
