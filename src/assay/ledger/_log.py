from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import Refusal
from assay.ledger._files import (
    Identity,
    KeptFile,
    LedgerUnwritable,
    OsFiles,
    append_durably,
    identity_of,
    sync_folder,
    write_file,
)
from assay.ledger._head import Head
from assay.ledger._kinds import KINDS
from assay.ledger._line import (
    MAX_LINE,
    NO_HASH,
    START,
    Canonical,
    Entry,
    Line,
    Position,
    Prepared,
    canonical,
    damaged,
    ends_with,
    follows,
    own_hash,
    parse,
    seal,
)
from assay.ledger._lock import LogLock
from assay.ledger._reasons import BAD_RECORD
from assay.ledger._scan import Scan, TornTail, missing_tail, open_log

FORMAT = "assay-ledger"
VERSION = 1
_PENDING = ".pending"


class Log:
    """The file ``ledger.jsonl``: what of it is accepted, and adding to it.

    Every method wants the ledger's lock.
    """

    def __init__(self, folder: Path, files: OsFiles, lock: LogLock, head: KeptFile) -> None:
        self.path = lock.path
        self.end = START
        self.torn: TornTail | None = None
        self._torn_folder = folder / "torn"
        self._files = files
        self._head = Head(head, files, 0)
        self._identity: Identity | None = None
        self._lock = lock
        self._pending_seen = False

    def settle(self) -> None:
        """Take up what others have appended; nothing is read where the file is as remembered.

        Raises
        ------
        LedgerDamaged
            What was added does not fit, or the record is shorter than it once was.
        """
        status = self._lock.status
        identity = identity_of(status)
        if identity == self._identity and status.st_size == self.end.offset:
            self.torn = None
            return
        if identity != self._identity:
            self._check_header()
        noted = self._head.read() or START
        scan = self._scan_from(max(noted, self.end, key=lambda place: place.offset))
        self.end = scan.to_end()
        self.torn = scan.torn
        self._identity = identity

    def _scan_from(self, known: Position) -> Scan:
        with open_log(self.path) as file:
            file.seek(max(0, known.offset - 100))
            before = file.read(min(100, known.offset))
        if known.offset == 0 or ends_with(before, known.hash):
            return Scan(self.path, known)
        found = Scan(self.path).to_end()  # to name the line
        if found.lines < known.lines:
            raise missing_tail(found, known)
        raise damaged(known.lines, "is another one than the last writer noted")

    def _check_header(self) -> None:
        with open_log(self.path) as file:
            raw = file.readline(4096)
        digest = own_hash(raw)
        if digest is None or not follows(raw, NO_HASH):
            raise damaged(1, "is not the first line of a ledger")
        entry = parse(Line(1, 0, raw, digest))
        if entry.kind != "ledger" or entry.body.get("format") != FORMAT:
            raise damaged(1, "is not the first line of a ledger")
        if entry.body.get("version") != VERSION:
            raise damaged(
                1, f"names version {entry.body.get('version')!r}; this program reads version {VERSION}"
            )

    def append(self, records: Sequence[Prepared]) -> tuple[Entry, ...]:
        """Add records after ``end``, all or none; on the disk when it returns. :meth:`settle` comes before.

        Raises
        ------
        Refusal
            ``bad_record``: a line would be longer than 256 MiB.
        LedgerUnwritable
            The write failed; the file is as before.
        """
        lines: list[bytes] = []
        entries: list[Entry] = []
        place = self.end
        for index, record in enumerate(records):
            raw, digest = seal(record, index, len(records), place.hash)
            if len(raw) >= MAX_LINE:
                raise Refusal(
                    BAD_RECORD, f"the record has {len(raw)} bytes", where="body", fix="store it as an object"
                )
            place = Position(place.lines + 1, place.offset + len(raw), digest)
            lines.append(raw)
            entries.append(
                Entry(
                    place.lines,
                    record.kind,
                    record.run,
                    record.body.value,
                    record.meta.value,
                    digest,
                    place.offset,
                )
            )
        try:
            self._head.open()
            append_durably(self._files, self._lock.handle, b"".join(lines), self.end.offset)
        except OSError as error:
            raise unwritable(self.path, error) from error
        self.end = place
        self._head.note(place)
        return tuple(entries)

    @property
    def needs_repair(self) -> bool:
        """Whether :meth:`repair` may have something to do: the first time, and where there is a torn tail."""
        return self.torn is not None or not self._pending_seen

    def repair(self, meta: Callable[[], Canonical]) -> None:
        """Cut off a torn tail, if there is one, keep its bytes in ``torn/``, and record that.

        Stopped anywhere, it is taken up again by the next writer that opens the ledger.
        """
        try:
            if self.torn is not None:
                self._cut(self.torn)
            for pending in sorted(self._torn_folder.glob(f"*{_PENDING}")):
                self._record_recovery(pending, meta)
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._pending_seen = True

    def _cut(self, torn: TornTail) -> None:
        with open_log(self.path) as file:
            file.seek(torn.offset)
            data = file.read()
        digest = hashlib.sha256(data).hexdigest()
        self._torn_folder.mkdir(exist_ok=True)
        name = f"{torn.offset}-{torn.reason}-{digest[:16]}.bin{_PENDING}"
        write_file(self._files, self._torn_folder / name, data)
        handle = self._lock.handle
        self._files.truncate(handle, torn.offset)
        self._files.fsync(handle)
        self.torn = None

    def _record_recovery(self, pending: Path, meta: Callable[[], Canonical]) -> None:
        kept = pending.with_suffix("")
        if not self._is_recorded(kept.name):
            data = pending.read_bytes()
            offset, reason, _ = kept.stem.split("-")
            body = {
                "offset": int(offset),
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
                "reason": reason,
                "kept": f"torn/{kept.name}",
            }
            self.append([Prepared("recovery", None, canonical(body), meta())])
        self._files.replace(pending, kept)
        sync_folder(self._files, self._torn_folder)

    def _is_recorded(self, name: str) -> bool:
        """Whether a recovery that was stopped had come as far as its record."""
        wanted = name.encode()
        return any(
            wanted in line.raw and parse(line).kind == "recovery"
            for line in Scan(self.path, START, self.end.offset)
        )


def new_log(meta: Canonical) -> bytes:
    """The content of a log without records: its first line."""
    body = canonical({"format": FORMAT, "version": VERSION})
    raw, _ = seal(Prepared("ledger", None, body, meta), 0, 1, NO_HASH)
    return raw


def known_kind(entry: Entry) -> Entry:
    """The entry itself, if its kind is in the table."""
    if entry.kind not in KINDS:
        raise damaged(entry.line, f"has the kind {entry.kind!r}, which this version does not know")
    return entry


def unwritable(path: Path, error: OSError) -> LedgerUnwritable:
    return LedgerUnwritable(
        f"cannot write to the ledger: {error.strerror or error}; nothing was recorded",
        where=str(path),
        fix="see that the disk has space and works, then try again",
    )
