"""What has arrived of a download: one file an item and a journal, in a hidden folder beside the data set."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import numpy as np

from assay.base import atomic_write, atomic_write_json, canonical_json, sha256_file
from assay.errors import AssayError, DataError
from assay.market._fetch_client import Bars, Snapshot, SourceName
from assay.market._universe import Dates

Status = Literal["ok", "empty", "failed"]
FORMAT = "assay-fetch/1"
_PLAN = "plan.json"
_JOURNAL = "journal.jsonl"
_DATES = "dates"


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """What a download asks for.

    Parameters
    ----------
    source : whom.
    start, end : first and last date, both included.
    symbols : in the source's own form; members of ``universes`` are added to them.
    universes : indices whose members by date are asked for.
    industry : whether the industries by date are asked for.
    origin : first date of the lists, and of members that ``known`` does not name; ``start`` when None.
    known : symbols that a data set has already, which are asked for only if ``symbols`` names them.
    base : fingerprint of the data set that is updated, "" for a new one.
    """

    source: SourceName
    start: date
    end: date
    symbols: tuple[str, ...] = ()
    universes: tuple[str, ...] = ()
    industry: bool = False
    origin: date | None = None
    known: tuple[str, ...] = ()
    base: str = ""

    @property
    def first(self) -> date:
        """The first date of lists and of new members."""
        return self.origin or self.start

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            **asdict(self),
            "format": FORMAT,
            "start": str(self.start),
            "end": str(self.end),
            "symbols": list(self.symbols),
            "universes": list(self.universes),
            "origin": str(self.first),
            "known": list(self.known),
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it went with one item: a symbol, or a list of the source on one day.

    ``empty`` is an answer without bars that the source explains; ``reason`` says how, or why it failed.
    """

    item: str
    status: Status
    rows: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()
    file: str = ""
    sha256: str = ""


def partial_folder(folder: Path) -> Path:
    """Where the download of the data set in ``folder`` keeps what has arrived."""
    return folder.with_name(f".{folder.name}.fetch")


class Partial:
    """An open partial download; nobody else has it open. See :func:`open_partial`."""

    def __init__(self, folder: Path, plan: FetchPlan) -> None:
        self.folder = folder
        self.plan = plan
        self._outcomes = {
            outcome.item: outcome for outcome in _read_journal(folder / _JOURNAL) if self._stands(outcome)
        }

    def outcome(self, item: str) -> Outcome | None:
        """How the last attempt at an item went; None where it has not been tried, or its file is damaged."""
        return self._outcomes.get(item)

    def keep_bars(self, item: str, bars: Bars) -> Outcome:
        """Store the bars of a symbol."""
        packed = io.BytesIO()
        arrays: dict[str, Any] = {_DATES: bars.dates, **bars.columns}
        np.savez_compressed(packed, **arrays)
        outcome = Outcome(item, "ok", rows=len(bars.dates), notes=bars.notes)
        return self._keep(outcome, ".npz", packed.getvalue())

    def keep_snapshot(self, item: str, snapshot: Snapshot) -> Outcome:
        """Store a list of the source."""
        value = {"asked": str(snapshot.asked), "taken": str(snapshot.taken), "labels": dict(snapshot.labels)}
        outcome = Outcome(item, "ok", rows=len(snapshot.labels))
        return self._keep(outcome, ".json", canonical_json(value).encode())

    def keep_dates(self, item: str, dates: Dates) -> Outcome:
        """Store trading days."""
        return self._keep(
            Outcome(item, "ok", rows=len(dates)), ".json", canonical_json(dates.astype(str).tolist()).encode()
        )

    def note(self, outcome: Outcome) -> Outcome:
        """Write an outcome to the journal; it is on the disk when this returns."""
        line = canonical_json(asdict(outcome)) + "\n"
        path = self.folder / _JOURNAL
        try:
            with open(path, "ab") as file:
                # a line torn by a kill is ended, so that this one stands by itself
                torn = file.tell() > 0 and not _ends_with_newline(path)
                file.write((b"\n" if torn else b"") + line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise AssayError(
                f"cannot write {path}: {error.strerror or error}",
                where=str(path),
                fix="make room and run the same command again: what has arrived is kept",
            ) from error
        self._outcomes[outcome.item] = outcome
        return outcome

    def bars(self, symbol: str, item: str) -> Bars:
        """The stored bars of a symbol."""
        with np.load(self._path(self._outcomes[item]), allow_pickle=False) as stored:
            columns = {name: stored[name] for name in stored.files}
        dates = columns.pop(_DATES)
        return Bars(symbol, dates, columns)

    def snapshot(self, item: str) -> Snapshot:
        """A stored list of the source."""
        value = json.loads(self._path(self._outcomes[item]).read_text(encoding="utf-8"))
        taken = date.fromisoformat(value["taken"])
        return Snapshot(date.fromisoformat(value["asked"]), taken, value["labels"])

    def dates(self, item: str) -> Dates:
        """Stored trading days."""
        texts = json.loads(self._path(self._outcomes[item]).read_text(encoding="utf-8"))
        return np.array(texts, dtype="datetime64[D]")

    def remove(self) -> None:
        """All of it has become a data set."""
        shutil.rmtree(self.folder)

    def _keep(self, outcome: Outcome, suffix: str, content: bytes) -> Outcome:
        name = quote(outcome.item.replace("/", "_"), safe="") + suffix
        atomic_write(self.folder / name, content)
        return self.note(replace(outcome, file=name, sha256=hashlib.sha256(content).hexdigest()))

    def _path(self, outcome: Outcome) -> Path:
        return self.folder / outcome.file

    def _stands(self, outcome: Outcome) -> bool:
        if outcome.status != "ok":
            return True
        path = self._path(outcome)
        return path.parent == self.folder and path.is_file() and sha256_file(path) == outcome.sha256


@contextmanager
def open_partial(folder: Path, plan: FetchPlan, *, restart: bool = False) -> Iterator[Partial]:
    """The partial download in ``folder``, begun or continued; it is held against other processes meanwhile.

    Raises
    ------
    DataError
        Another process holds it, or it was begun with another plan and ``restart`` does not say to drop it.
    AssayError
        The folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssayError(
            f"cannot create {folder}: {error.strerror or error}",
            where=str(folder),
            fix="check that the parent folder may be written to",
        ) from error
    handle = os.open(folder, os.O_RDONLY)
    try:
        _hold(handle, folder)
        _settle(folder, plan, restart=restart)
        yield Partial(folder, plan)
    finally:
        os.close(handle)


def begun_plan(folder: Path) -> Mapping[str, Any] | None:
    """The plan, as a dict, with which a partial download was begun, if there is one."""
    try:
        value = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _hold(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DataError(
            "another process is downloading this data set",
            where=str(folder),
            fix="wait until it is done, or stop it",
        ) from error


def _settle(folder: Path, plan: FetchPlan, *, restart: bool) -> None:
    begun = begun_plan(folder)
    if begun == plan.as_dict() and not restart:
        return
    if begun is not None and not restart and not plan.base:
        ours = plan.as_dict()
        changed = [name for name in ours if begun.get(name) != ours[name]]
        raise DataError(
            f"a download of this name was begun with other {', '.join(changed) or 'options'}",
            where=str(folder),
            fix="repeat the command as it was, drop what has arrived with --restart, or choose another name",
        )
    for path in folder.iterdir():
        path.unlink()
    atomic_write_json(folder / _PLAN, plan.as_dict())


def _read_journal(path: Path) -> list[Outcome]:
    """Every whole line; one torn by a kill is an item that was not done."""
    if not path.is_file():
        return []
    out: list[Outcome] = []
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
            out.append(Outcome(**{**value, "notes": tuple(value["notes"])}))
        except (ValueError, TypeError, KeyError):
            continue
    return out


def _ends_with_newline(path: Path) -> bool:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
