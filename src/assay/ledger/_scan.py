from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from assay.errors import AssayError, LedgerDamaged
from assay.ledger._line import (
    MAX_LINE,
    START,
    Line,
    Position,
    batch_of,
    damaged,
    follows,
    not_a_record,
    own_hash,
)

_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class TornTail:
    """What a writer that was stopped left at the end: ``bytes`` from ``offset`` on, which are no record.

    ``reason``: the last line is not whole (``no_newline``), pages of it never reached the disk
    (``lost_page``), or records of an append are missing (``incomplete_batch``).
    """

    offset: int
    bytes: int
    reason: Literal["no_newline", "lost_page", "incomplete_batch"]


def open_log(path: Path) -> BinaryIO:
    """The log for reading.

    Raises
    ------
    AssayError
        There is none, or it cannot be read.
    """
    try:
        return open(path, "rb", buffering=_BUFFER)
    except OSError as error:
        raise AssayError(
            f"no ledger can be read here: {error.strerror}",
            where=str(path),
            fix="name a workspace that has a ledger, or make one with: assay init",
        ) from error


class Scan:
    """The lines of a log from one place on, each checked against its hash and the line before it.

    Iterate it once. Afterwards ``position`` is the end of the accepted record, and ``torn`` what lies beyond.
    With ``end``, up to which the record is known to be accepted, nothing counts as a torn tail.

    Raises
    ------
    LedgerDamaged
        A line does not fit, and it is not a torn tail.
    """

    def __init__(self, path: Path, start: Position = START, end: int | None = None) -> None:
        self._path = path
        self._end = end
        self.position = start
        self.torn: TornTail | None = None

    def __iter__(self) -> Iterator[Line]:
        with open_log(self._path) as file:
            file.seek(self.position.offset)
            yield from self._lines(file)

    def to_end(self) -> Position:
        """Check everything that is left."""
        for _ in self:
            pass
        return self.position

    def _lines(self, file: BinaryIO) -> Iterator[Line]:
        batch: list[Line] = []  # records of an append whose last one has not come yet
        count = 0
        number, offset, prev = self.position.lines, self.position.offset, self.position.hash
        while raw := self._read(file, offset):
            number += 1
            digest = own_hash(raw)
            if digest is None:
                self._stop(file, number, offset, raw)
                return
            if not follows(raw, prev):
                raise damaged(number, "does not follow the line before it")
            line = Line(number, offset, raw, digest)
            offset += len(raw)
            prev = digest
            place = batch_of(raw)
            if place is None:
                raise not_a_record(number)
            if place.index != len(batch) or (batch and place.count != count):
                raise damaged(number, "is not the next record of its append")
            batch.append(line)
            count = place.count
            if len(batch) == count:
                self.position = line.position
                yield from batch
                batch = []
        if self._end is not None and self.position.offset != self._end:
            raise damaged(number + 1, "is missing")
        if batch:
            self.torn = TornTail(self.position.offset, offset - self.position.offset, "incomplete_batch")

    def _read(self, file: BinaryIO, offset: int) -> bytes:
        left = MAX_LINE if self._end is None else min(MAX_LINE, self._end - offset)
        return file.readline(left)

    def _stop(self, file: BinaryIO, number: int, offset: int, raw: bytes) -> None:
        """Decide whether a line that does not fit is a torn tail, and raise where it is not.

        A writer writes only after all before it is on the disk. So bytes that a crash has spoilt belong to
        the last append: its line has no end, or holds zeros where a page is missing; and no line after it
        begins an append.
        """
        if self._end is not None:
            raise damaged(number, "has content that does not fit its hash")
        ended = raw.endswith(b"\n")
        lost = b"\0" in raw
        offset += len(raw)
        if not ended and len(raw) == MAX_LINE:
            raise damaged(number, "is longer than any record")
        if ended and not lost:
            raise damaged(number, "has content that does not fit its hash")
        while rest := self._read(file, offset):
            offset += len(rest)
            place = batch_of(rest)
            if place is not None and place.index == 0 and own_hash(rest) is not None:
                raise damaged(number, "has content that does not fit its hash")
        size = offset - self.position.offset
        self.torn = TornTail(self.position.offset, size, "lost_page" if lost else "no_newline")


def missing_tail(found: Position, known: Position) -> LedgerDamaged:
    """The error where the record ends earlier than it once did."""
    return damaged(
        found.lines + 1,
        f"is missing: the record ends after line {found.lines}, and had {known.lines} lines before",
    )
