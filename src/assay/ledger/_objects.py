"""The pack: payloads by their SHA-256, one after the other in one file that only grows."""

from __future__ import annotations

import hashlib
import os
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from assay.errors import AssayError, LedgerDamaged
from assay.ledger._files import Identity, KeptFile, OsFiles, append_durably, identity_of
from assay.ledger._head import Head
from assay.ledger._line import NO_HASH, Position
from assay.ledger._log import unwritable

MAGIC = b"ASSAYPK1"
_MARK = b"\x89OBJ"
_HEADER = struct.Struct("<4s32sQI")  # mark, SHA-256, bytes, CRC-32 of the three
_NAME = re.compile(r"sha256:([0-9a-f]{64})")
_WINDOW = 1 << 20


@dataclass(frozen=True, slots=True)
class _Place:
    offset: int
    size: int


class Objects:
    """The file ``objects.pack``. Every method wants the ledger's lock.

    An object that was put is on the disk before anyone can name it in a record, so whatever a crash leaves
    at the end of the pack is named nowhere, and is cut off.
    """

    def __init__(self, folder: Path, files: OsFiles, head: KeptFile) -> None:
        self._path = folder / "objects.pack"
        self._files = files
        self._head = Head(head, files, 1)
        self._places: dict[bytes, _Place] = {}
        self._identity: Identity | None = None
        self._end = 0  # of the last whole object
        self._size = -1  # of the file, when it was last found good
        self._synced = 0

    def put(self, payloads: Sequence[bytes]) -> tuple[str, ...]:
        """Store payloads that are not there yet; all are on the disk when it returns. One fsync.

        Raises
        ------
        LedgerUnwritable
            The write failed; the pack is as before.
        """
        digests = [hashlib.sha256(payload).digest() for payload in payloads]
        try:
            self._settle()
            new: dict[bytes, bytes] = {}
            for digest, payload in zip(digests, payloads, strict=True):
                # compared, as a damaged object must not stand for a good one
                if digest not in new and self._read(digest) != payload:
                    new[digest] = payload
            self._write(new)
        except OSError as error:
            raise unwritable(self._path, error) from error
        return tuple(f"sha256:{digest.hex()}" for digest in digests)

    def get(self, name: str) -> bytes:
        """The payload of a name that :meth:`put` gave.

        Raises
        ------
        AssayError
            ``name`` is not ``sha256:`` and 64 hex digits.
        LedgerDamaged
            The object is missing, or its bytes do not fit its name.
        """
        match = _NAME.fullmatch(name)
        if match is None:
            raise AssayError(f"{name!r} names no object", where="hash", fix="give sha256: and 64 hex digits")
        digest = bytes.fromhex(match[1])
        try:
            if digest not in self._places:
                self._settle()
            payload = self._read(digest)
        except OSError as error:
            raise AssayError(
                f"an object of the ledger cannot be read: {error.strerror}",
                where=str(self._path),
                fix="check that objects.pack is a file that may be read",
            ) from error
        if payload is None:
            raise _damaged(name, "is missing")
        if hashlib.sha256(payload).digest() != digest:
            raise _damaged(name, "has content that does not fit its name")
        return payload

    def count(self) -> int:
        """How many objects there are."""
        self._settle()
        return len(self._places)

    def _read(self, digest: bytes) -> bytes | None:
        place = self._places.get(digest)
        if place is None:
            return None
        with open(self._path, "rb") as file:
            file.seek(place.offset)
            return file.read(place.size)

    def _write(self, new: dict[bytes, bytes]) -> None:
        if not new and self._synced == self._end:
            return
        self._head.open()
        handle = self._files.open(self._path, os.O_WRONLY | os.O_APPEND)
        try:
            if self._size > self._end:
                self._files.truncate(handle, self._end)
                self._size = self._end
            parts: list[bytes] = []
            places: dict[bytes, _Place] = {}
            end = self._end
            for digest, payload in new.items():
                header = _header(digest, len(payload))
                places[digest] = _Place(end + len(header), len(payload))
                parts += [header, payload]
                end += len(header) + len(payload)
            # with nothing new this still syncs: a writer that was killed may have left whole objects unsynced
            append_durably(self._files, handle, b"".join(parts), self._end)
        finally:
            self._files.close(handle)
        self._places |= places
        self._end = self._size = self._synced = end
        self._head.note(Position(len(self._places), end, NO_HASH))

    def _settle(self) -> None:
        """Take up what others have put; where there is no pack, or another one, begin anew."""
        try:
            status = os.stat(self._path)
        except FileNotFoundError as error:
            raise _damaged("objects.pack", "is missing") from error
        identity = identity_of(status)
        if identity != self._identity or status.st_size < self._end:
            self._identity, self._places, self._end, self._size, self._synced = identity, {}, 0, -1, 0
        elif status.st_size == self._size:
            return
        with open(self._path, "rb", buffering=0) as file:
            self._walk(file, status.st_size)
        noted = self._head.read()
        if noted is not None and self._end < noted.offset:
            raise _damaged(
                "objects.pack", f"ends after {self._end} bytes, and had {noted.offset} whole bytes before"
            )
        self._size = status.st_size

    def _walk(self, file: BinaryIO, size: int) -> None:
        """Note the objects from ``_end`` on, by their headers; payloads are checked when they are read."""
        if self._end == 0:
            if file.read(len(MAGIC)) != MAGIC:
                raise _damaged("objects.pack", "does not begin as a pack of this version does")
            self._end = len(MAGIC)
        offset: int | None = self._end
        while offset is not None and offset < size:
            file.seek(offset)
            found = _parsed(file.read(_HEADER.size))
            if found is None:
                # pages of a put that a crash stopped may be missing, and later puts lie behind them
                offset = _next_header(file, offset + 1, size)
                continue
            start = offset + _HEADER.size
            if start + found.size > size:
                return
            self._places[found.digest] = _Place(start, found.size)
            self._end = offset = start + found.size


@dataclass(frozen=True, slots=True)
class _Found:
    digest: bytes
    size: int


def is_object_name(name: object) -> bool:
    """Whether something can be a name that a put gave."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _header(digest: bytes, size: int) -> bytes:
    head = _HEADER.pack(_MARK, digest, size, 0)[:-4]
    return head + struct.pack("<I", zlib.crc32(head))


def _parsed(header: bytes) -> _Found | None:
    if len(header) < _HEADER.size:
        return None
    mark, digest, size, check = _HEADER.unpack(header)
    if mark != _MARK or check != zlib.crc32(header[:-4]):
        return None
    return _Found(digest, size)


def _next_header(file: BinaryIO, start: int, size: int) -> int | None:
    """Where the next header begins, at ``start`` or later."""
    while start < size:
        file.seek(start)
        window = file.read(_WINDOW)
        place = window.find(_MARK)
        while place >= 0:
            file.seek(start + place)
            if _parsed(file.read(_HEADER.size)) is not None:
                return start + place
            place = window.find(_MARK, place + 1)
        if len(window) < _WINDOW:
            return None
        start += _WINDOW - len(_MARK) + 1
    return None


def _damaged(what: str, how: str) -> LedgerDamaged:
    return LedgerDamaged(
        f"the ledger is damaged: {what} {how}",
        where=what,
        fix="restore the ledger folder from a copy; nothing was changed",
    )
