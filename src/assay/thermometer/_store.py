"""Prints as immutable files; a later print of a day takes the place of an earlier one by its name."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from assay.base import atomic_write, folder_lock
from assay.errors import AssayError, Refusal
from assay.thermometer._print import ThermometerPrint
from assay.thermometer._print_file import damaged, follows_from_readings, parsed_print, print_text
from assay.thermometer._reasons import NO_THERMOMETER_PRINT, THERMOMETER_BUSY

if TYPE_CHECKING:
    from assay.config import Workspace

WAIT = 10.0
MAX_FILE = 4 << 20
_NAME = re.compile(r"(\d{4}-\d\d-\d\d)-(\d{1,6})-([0-9a-f]{64})", re.ASCII)
_LEFT = re.compile(rf"\.{_NAME.pattern}\.json\.[a-z0-9_]{{8}}\.tmp", re.ASCII)


@dataclass(frozen=True, slots=True)
class StoredPrint:
    """A print with its name: day, number among the prints of the day (from 1), SHA-256 of the file."""

    name: str
    as_of: date
    number: int
    content_hash: str
    print: ThermometerPrint


def workspace_prints(workspace: Workspace) -> PrintStore:
    """The prints of a workspace; there may be none yet."""
    return PrintStore(workspace.thermometer_dir / "prints")


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    as_of: date
    number: int
    content_hash: str


class PrintStore:
    """The prints of a folder, ``<name>.json`` each; other files in it are no prints.

    Nothing is ever overwritten. Writers take turns; a reader sees a print whole or not at all, also after a
    writer was killed.

    Parameters
    ----------
    folder : of the files; it is made for the first print.
    wait : seconds to wait for another writer.
    """

    def __init__(self, folder: Path, *, wait: float = WAIT) -> None:
        self.folder = Path(folder)
        self._wait = wait

    def latest(self, as_of: date | None = None) -> StoredPrint:
        """The last print as of a day not after ``as_of``; of several of one day, the one that stands.

        Raises
        ------
        Refusal
            ``no_thermometer_print``; ``damaged_state``: what the prints of this day hold is not what was
            written, or one of them is gone. Later days are not looked at.
        """
        days = [entry.as_of for entry in self._entries() if as_of is None or entry.as_of <= as_of]
        if not days:
            raise Refusal(NO_THERMOMETER_PRINT)
        return self._chain(max(days))[-1]

    def list(self) -> tuple[StoredPrint, ...]:
        """All prints by day and number, those that were superseded included.

        Raises
        ------
        Refusal
            ``damaged_state``.
        """
        days = sorted({entry.as_of for entry in self._entries()})
        return tuple(stored for day in days for stored in self._chain(day))

    def standing(self) -> tuple[StoredPrint, ...]:
        """The print of each day that no other one has superseded, by day.

        Raises
        ------
        Refusal
            ``damaged_state``.
        """
        return tuple({stored.as_of: stored for stored in self.list()}.values())

    def add(self, made: ThermometerPrint) -> StoredPrint:
        """Write a print and give it with its name; where the print of the day has this content, give that.

        Where it has another content, the new one names it in ``supersedes``; whatever ``made`` has there
        does not count.

        Raises
        ------
        Refusal
            ``thermometer_busy``, ``damaged_state``. Nothing was written.
        AssayError
            The folder cannot be written.
        ValueError
            The figures of ``made`` do not follow from its readings: it would be refused as damaged.
        """
        if not follows_from_readings(made):
            raise ValueError("the figures of this print do not follow from its readings")
        self._make_folder()
        with folder_lock(self.folder, self._wait, THERMOMETER_BUSY):
            self._clear()
            chain = self._chain(made.as_of)
            plain = made.model_copy(update={"supersedes": None})
            if chain and chain[-1].print.model_copy(update={"supersedes": None}) == plain:
                return chain[-1]
            new = plain.model_copy(update={"supersedes": chain[-1].name if chain else None})
            text = print_text(new)
            digest = hashlib.sha256(text.encode()).hexdigest()
            number = len(chain) + 1
            name = f"{made.as_of.isoformat()}-{number}-{digest}"
            atomic_write(self._path(name), text)
        return StoredPrint(name, made.as_of, number, digest, new)

    def _entries(self) -> tuple[_Entry, ...]:
        if not self.folder.is_dir():
            return ()
        found = []
        for file in sorted(os.listdir(self.folder)):
            name, mark, rest = file.rpartition(".json")
            parts = _NAME.fullmatch(name) if mark and not rest else None
            if parts is None:
                continue
            try:
                found.append(_Entry(name, date.fromisoformat(parts[1]), int(parts[2]), parts[3]))
            except ValueError:
                continue  # 2024-13-45 is no day, and no name of ours
        return tuple(found)

    def _chain(self, day: date) -> tuple[StoredPrint, ...]:
        """The prints of a day, each of which supersedes the one before."""
        entries = sorted(
            (entry for entry in self._entries() if entry.as_of == day), key=lambda item: item.number
        )
        if [entry.number for entry in entries] != list(range(1, len(entries) + 1)):
            damaged(day.isoformat(), "one of the prints of the day is gone, or there are two of one number")
        chain: list[StoredPrint] = []
        for entry in entries:
            stored = self._read(entry)
            if stored.print.supersedes != (chain[-1].name if chain else None):
                damaged(entry.name, "it does not supersede the print before it")
            chain.append(stored)
        return tuple(chain)

    def _read(self, entry: _Entry) -> StoredPrint:
        path = self._path(entry.name)
        try:
            if not path.is_file() or path.stat().st_size > MAX_FILE:
                damaged(entry.name, "it is no file of at most 4 MiB")
            data = path.read_bytes()
        except OSError as error:
            damaged(entry.name, f"it cannot be read: {error.strerror or type(error).__name__}")
        if hashlib.sha256(data).hexdigest() != entry.content_hash:
            damaged(entry.name, "its content is not the one that its name says")
        held = parsed_print(entry.name, data)
        if held.as_of != entry.as_of:
            damaged(entry.name, "it is of another day than its name says")
        return StoredPrint(entry.name, entry.as_of, entry.number, entry.content_hash, held)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _clear(self) -> None:
        """Remove what writers that were killed have left: while the lock is held, none is at work."""
        for file in os.listdir(self.folder):
            if _LEFT.fullmatch(file):
                os.unlink(self.folder / file)

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AssayError(
                f"cannot create {self.folder}: {error.strerror or error}",
                where=str(self.folder),
                fix="choose a folder that may be written to",
            ) from error
