from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, Self

from assay.base import ID_PATTERN, Clock, Operator, SystemClock, new_folder
from assay.errors import AssayError, LedgerDamaged, Refusal
from assay.ledger._files import OsFiles
from assay.ledger._head import HEAD_NAME, head_file, slot_bytes
from assay.ledger._index import Index
from assay.ledger._keys import TrialKey
from assay.ledger._kinds import KINDS, check, unknown_kind
from assay.ledger._line import (
    NO_HASH,
    START,
    Entry,
    Position,
    Prepared,
    canonical,
    damaged,
    own_hash,
    parse,
)
from assay.ledger._lock import LOG_NAME, LogLock, log_file
from assay.ledger._log import Log, known_kind, new_log
from assay.ledger._looks import HiddenPeriod, Look, LooksUsed, charge_look, looks_used
from assay.ledger._objects import MAGIC, Objects, is_object_name
from assay.ledger._reasons import BAD_RECORD
from assay.ledger._runs import Run
from assay.ledger._scan import Scan, TornTail, missing_tail
from assay.ledger._seen import indexed_places
from assay.ledger._stamp import Stamp
from assay.ledger._trials import Scope, Trials, collect

WAIT = 10.0
_CHECKED_AT_ONCE = 64 * 1024 * 1024  # bytes; half a second


class Draft(NamedTuple):
    """A record to be appended. ``latency``, in seconds, goes to ``meta``."""

    kind: str
    body: Mapping[str, Any]
    run: str | None = None
    latency: float | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """What :meth:`Ledger.verify` found.

    ``records`` are accepted, ``head`` is the hash of the last one, ``objects`` were checked, ``torn`` will be
    cut off by the next writer.
    """

    records: int
    head: str
    objects: int
    torn: TornTail | None


class Ledger:
    """The record of everything that happened in a workspace, for many processes at once.

    What :meth:`append`, :meth:`append_many` and :meth:`put` have returned is on the disk. Threads may share
    one; a forked child may go on using its parent's.
    """

    def __init__(self, folder: Path, *, clock: Clock | None, wait: float, files: OsFiles | None) -> None:
        self.folder = Path(folder)
        files = files or OsFiles()
        self._chain_checked = False
        self._usual_run: str | None = None  # checked already; most records are of the run before
        self._stamp = Stamp(clock or SystemClock())
        head = head_file(self.folder, files)
        self._lock = LogLock(log_file(self.folder, files, head), files, wait)
        self._log = Log(self.folder, files, self._lock, head)
        self._objects = Objects(self.folder, files, head)

    @classmethod
    def create(
        cls, folder: Path, *, clock: Clock | None = None, wait: float = WAIT, files: OsFiles | None = None
    ) -> Self:
        """A new, empty ledger; the folder appears whole or not at all.

        Raises
        ------
        AssayError
            The folder exists already, or cannot be written.
        """
        first = new_log(Stamp(clock or SystemClock())())
        start = Position(1, len(first), own_hash(first) or NO_HASH)
        with new_folder(Path(folder)) as staged:
            (staged / LOG_NAME).write_bytes(first)
            (staged / "objects.pack").write_bytes(MAGIC)
            (staged / HEAD_NAME).write_bytes(slot_bytes(start) + slot_bytes(Position(0, len(MAGIC), NO_HASH)))
            (staged / "torn").mkdir()
        return cls(folder, clock=clock, wait=wait, files=files)

    @classmethod
    def open(
        cls, folder: Path, *, clock: Clock | None = None, wait: float = WAIT, files: OsFiles | None = None
    ) -> Self:
        """The ledger of a folder. It is read when it is first used, from where the last writer left off.

        ``wait``: seconds to wait for other writers. ``files``: the file operations, for tests.

        Raises
        ------
        AssayError
            There is no ledger.
        """
        try:
            found = (Path(folder) / LOG_NAME).is_file()
            emptied = not found and Path(folder).is_dir() and any(Path(folder).iterdir())
        except PermissionError as error:
            fix = "ask whoever owns the folder for the right to read it"
            raise AssayError(f"{folder} may not be read", where=str(folder), fix=fix) from error
        if not found:
            fix = "name a workspace that has a ledger, or make one with: assay init"
            if emptied:
                fix = "bring ledger.jsonl back from a copy, or name a workspace that has a ledger"
            raise AssayError(f"there is no ledger in {folder}", where=str(folder), fix=fix)
        return cls(folder, clock=clock, wait=wait, files=files)

    def append(
        self, kind: str, body: Mapping[str, Any], *, run: str | None = None, latency: float | None = None
    ) -> Entry:
        """Add one record; on the disk when it returns.

        Raises
        ------
        Refusal
            ``bad_record``: the record does not keep to the table of kinds, or JSON cannot hold it.
            ``ledger_busy``: another process held the lock for longer than the wait.
        LedgerUnwritable
            The write failed; nothing of the record was accepted.
        LedgerDamaged
            What others added does not fit.
        """
        return self.append_many([Draft(kind, body, run, latency)])[0]

    def append_many(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """Add records in one write and one fsync: after a crash, all of them are there, or none.

        Raises as :meth:`append`.
        """
        records = [self._prepared(draft) for draft in drafts]
        with self._lock:
            self._take_up()
            return self._log.append(records) if records else ()

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """Hold the lock over several steps: read, decide, append.

        It keeps all others from writing meanwhile; it takes nothing back: each append counts at once.
        """
        with self._lock:
            self._take_up()
            yield self

    def _take_up(self) -> None:
        """Come to where the record ends, and clear away what a writer that was stopped has left."""
        self._log.settle()
        if self._log.needs_repair:
            self._log.repair(self._stamp)

    def entries(
        self, *, kind: str | None = None, run: str | None = None, start: int | Position = 0
    ) -> Iterator[Entry]:
        """Accepted records in order, each checked against the chain; a torn tail is left out.

        They end where the record ended when the first one was asked for. ``start`` leaves out as many
        lines; a :class:`Position` (``entry.position``) begins after that entry without reading what
        lies before.

        Raises
        ------
        LedgerDamaged
            A line does not fit; ``where`` names it.
        Refusal
            ``ledger_busy``; ``bad_record`` for a kind or run that cannot be.
        """
        if kind is not None and kind not in KINDS:
            raise unknown_kind(kind)
        if run is not None:
            _check_run(run)
        return self._entries(kind, run, start)

    def _entries(self, kind: str | None, run: str | None, start: int | Position) -> Iterator[Entry]:
        # what a line of this kind and run must hold; it may hold it elsewhere, too
        wanted = [f'"kind":"{kind}"'.encode()] if kind else []
        wanted += [f'"run":"{run}"'.encode()] if run else []
        begin, skipped = (start, 0) if isinstance(start, Position) else (START, start)
        end = self.end()
        if begin.offset > end.offset:
            raise missing_tail(end, begin)
        if begin.offset == end.offset and begin.hash != end.hash:
            raise damaged(end.lines, "is another one than reading ended with before")
        for line in Scan(self._log.path, begin, end.offset):
            if line.number > skipped and all(part in line.raw for part in wanted):
                entry = known_kind(parse(line))
                if kind in (None, entry.kind) and run in (None, entry.run):
                    yield entry

    def end(self) -> Position:
        """Where the accepted record ends now."""
        with self._lock.reading():
            self._log.settle()
            return self._log.end

    def torn(self) -> TornTail | None:
        """What a writer that was stopped left at the end, until the next writer cuts it off."""
        with self._lock.reading():
            self._log.settle()
            return self._log.torn

    def verify(self, *, objects: bool = False) -> Verified:
        """Check the whole chain, and with ``objects`` every payload that a record names. Changes nothing.

        An index that has seen more lines, or another line, bears witness too, also after it was brought up to
        date since; where the record was replaced on purpose, remove ``index.sqlite``.

        Raises
        ------
        LedgerDamaged
            ``where`` names the first line that does not fit, or that names an object which does not.
        """
        with self._lock.reading():
            self._log.settle()
            end, torn = self._log.end, self._log.torn
            # while nobody can append: an index that is brought up to date meanwhile has seen more, rightly
            seen = indexed_places(self.folder / "index.sqlite")
        for place in seen:
            if place.offset > end.offset or place.lines > end.lines:
                raise missing_tail(end, place)
        witnessed = {place.lines: place.hash for place in seen}
        checked = 0
        scan = Scan(self._log.path, START, end.offset)
        for line in scan:
            if witnessed.get(line.number, line.hash) != line.hash:
                raise damaged(line.number, "is another one than the index has seen")
            entry = known_kind(parse(line))
            if objects:
                checked += self._check_objects(entry)
        if scan.position != end:
            raise damaged(end.lines, "is another one than the last writer noted")
        return Verified(end.lines, end.hash, checked, torn)

    def _check_objects(self, entry: Entry) -> int:
        names = [entry.body[key] for key in KINDS[entry.kind].objects if entry.body.get(key) is not None]
        for name in names:
            if not is_object_name(name):
                raise damaged(entry.line, f"names the object {name!r}, which cannot be")
            try:
                self.get(name)
            except LedgerDamaged as error:
                raise damaged(entry.line, f"names the object {name}, which is missing or damaged") from error
        return len(names)

    def put(self, payloads: Sequence[bytes]) -> tuple[str, ...]:
        """Store payloads under their content; on the disk when it returns, with one fsync.

        Returns ``sha256:<hex>`` of each. Payloads that are there already are not written again.

        Raises as :meth:`append`.
        """
        with self._lock:
            return self._objects.put(payloads)

    def get(self, name: str) -> bytes:
        """The payload that :meth:`put` named ``name``, checked against it.

        Raises
        ------
        LedgerDamaged
            The object is missing or damaged.
        AssayError
            ``name`` is not ``sha256:`` and 64 hex digits.
        """
        with self._lock.reading():
            return self._objects.get(name)

    def index(self, *, anew: bool = False) -> Index:
        """The index, brought up to date; close it, or use it as a context manager.

        The first time, the chain is checked before anything is counted by it, in a record of up to 64 MiB.
        ``anew`` makes it from the whole record, for when its file is not trusted.

        Raises
        ------
        LedgerDamaged
            A line does not fit.
        """
        with self._lock.reading():
            self._log.settle()
            end, torn = self._log.end, self._log.torn
        if not self._chain_checked:
            if end.offset <= _CHECKED_AT_ONCE:
                Scan(self._log.path, START, end.offset).to_end()
            self._chain_checked = True
        return Index(self._log.path, self.folder / "index.sqlite", end=end.offset, torn=torn, anew=anew)

    def run(self, run_id: str) -> Run:
        """The view that a run has of the ledger, whether it was started or not."""
        _check_run(run_id)
        return Run(self, run_id)

    def export(self, run_id: str) -> bytes:
        """The canonical export of a run; see :meth:`Run.export`."""
        return self.run(run_id).export()

    def trials(self, scope: Scope | None = None, *, within: str | None = None) -> Trials:
        """The trials of a scope (all, without one). ``within``: the asking run, which itself may be open.

        Raises
        ------
        Refusal
            ``incomplete_scope``: there is a torn tail, a run in the scope has not stopped, or a look that was
            charged has no trial; ``details`` names them. ``unknown_run``: the scope names a run that was
            never started.
        """
        with self.index() as index:
            return collect(index, self.get, scope or Scope(), within)

    def charge_look(
        self,
        period: HiddenPeriod,
        dates: tuple[date, date],
        *,
        data: str,
        budget: int,
        key: TrialKey,
        operator: Operator,
        run: str | None = None,
        plan: str | None = None,
    ) -> Look:
        """Charge a look at hidden dates before they are read; see :func:`assay.ledger._looks.charge_look`.

        Raises
        ------
        Refusal
            ``look_budget_exhausted``.
        """
        return charge_look(
            self, period, dates, data=data, budget=budget, key=key, operator=operator, run=run, plan=plan
        )

    def looks(self, data: str) -> dict[str, LooksUsed]:
        """Looks charged to each hidden period of a data set; a period without looks is left out."""
        with self.index() as index:
            return looks_used(index, data)

    def _prepared(self, draft: Draft) -> Prepared:
        if draft.run is not None and draft.run != self._usual_run:
            _check_run(draft.run)
            self._usual_run = draft.run
        check(draft.kind, draft.body, draft.run)
        return Prepared(draft.kind, draft.run, canonical(draft.body), self._stamp(draft.latency))


def _check_run(run: str) -> None:
    if not isinstance(run, str) or not ID_PATTERN.fullmatch(run):
        raise Refusal(
            BAD_RECORD,
            f"{run!r} cannot be the id of a run",
            where="run",
            fix="use 1 to 64 of a-z, 0-9, '_' and '-', beginning with a letter or digit",
        )
