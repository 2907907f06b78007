"""One record as one line of bytes, and back.

A line is ``{"batch":[i,n],"body":{},"kind":"","meta":{},"run":"","prev":"","hash":""}`` and a newline.
``prev`` and ``hash`` (64 hex digits each) have fixed places at its end, so that a chain is checked without
reading JSON.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from pydantic_core import PydanticSerializationError, to_json

from assay.errors import LedgerDamaged, Refusal
from assay.ledger._reasons import BAD_RECORD

MAX_DEPTH = 100
MAX_LINE = 256 * 1024 * 1024
NO_HASH = "0" * 64

_LONGEST_PLACE = 120
_SMALLEST, _LARGEST = 1e-4, 1e16  # what Python writes without an exponent
_INTEGERS = range(-(2**63), 2**63)
_PREV = b',"prev":"'
_HASH = b',"hash":"'
_END = b'"}\n'
_TAIL = len(_HASH) + 64 + len(_END)
_LINK = len(_PREV) + 64 + 1
_ALONE = b'{"batch":[0,1],"body":{'
_BATCH = re.compile(rb'\{"batch":\[(0|[1-9]\d{0,8}),([1-9]\d{0,8})\],"body":\{')
_KEYS = {"batch", "body", "kind", "meta", "run", "prev", "hash"}
_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


class Position(NamedTuple):
    """A place between two lines: how many lines and bytes lie before it, and the hash of the last of them."""

    lines: int
    offset: int
    hash: str


START = Position(0, 0, NO_HASH)


class Entry(NamedTuple):
    """One accepted record.

    ``line`` counts from 1; ``end`` is the byte offset after it. ``meta`` (time, pid, host, latency) is for
    people: nothing reads it back.
    """

    line: int
    kind: str
    run: str | None
    body: dict[str, Any]
    meta: dict[str, Any]
    hash: str
    end: int

    @property
    def position(self) -> Position:
        """The place after this record; reading can go on from there."""
        return Position(self.line, self.end, self.hash)


@dataclass(frozen=True, slots=True)
class Line:
    """One whole line whose hash fits; not yet read as JSON."""

    number: int
    offset: int
    raw: bytes
    hash: str

    @property
    def position(self) -> Position:
        return Position(self.number, self.offset + len(self.raw), self.hash)


def plain(value: Any, where: str = "body") -> Any:
    """A copy of ``value`` in JSON's own types, independent of the caller's objects.

    NumPy scalars and arrays become numbers and lists, tuples become lists; NaN and infinities become
    ``None``, which means missing.

    Raises
    ------
    Refusal
        ``bad_record``: a type that JSON does not have, a key that is not text, an integer beyond 64 bits,
        or more than 100 levels.
    """
    try:
        return _plain(value, MAX_DEPTH)
    except _UnfitError as error:
        place = where + "".join(reversed(error.path))
        shown = place if len(place) <= _LONGEST_PLACE else f"{place[:60]}...{place[-57:]}"
        raise Refusal(BAD_RECORD, f"the record holds {error.what}", where=shown, fix=error.fix) from None


class _UnfitError(Exception):
    """A value that cannot be recorded; ``path`` grows on the way out, innermost step first."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.path: list[str] = []


def _plain(value: Any, levels: int) -> Any:
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is int:
        if value not in _INTEGERS:
            raise _UnfitError("an integer beyond 64 bits", "write it as text")
        return value
    if kind is dict or isinstance(value, (Mapping, list, tuple)):
        if levels == 0:
            raise _UnfitError(f"more than {MAX_DEPTH} levels of nesting", "write the inner part as text")
        if kind is dict or isinstance(value, Mapping):
            return _plain_mapping(value, levels - 1)
        return _plain_items(value, levels - 1)
    return _plain(_base_value(value), levels)


def _plain_mapping(value: Mapping[Any, Any], levels: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, item in value.items():
        if type(key) is str and type(item) is str:  # most of them
            result[key] = item
            continue
        if not isinstance(key, str):
            raise _UnfitError(f"the key {key!r}, which is not text", "use text for keys")
        try:
            result[str.__str__(key)] = _plain(item, levels)
        except _UnfitError as error:
            error.path.append(f".{key}")
            raise
    return result


def _plain_items(value: Sequence[Any], levels: int) -> list[Any]:
    result: list[Any] = []
    for item in value:
        try:
            result.append(_plain(item, levels))
        except _UnfitError as error:
            error.path.append(f"[{len(result)}]")
            raise
    return result


def _base_value(value: Any) -> Any:
    """Subclasses (enums of text, NumPy's numbers) as the type that they extend; arrays as lists."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise _UnfitError(f"a {type(value).__name__}", "write it as text, a number, a list or a mapping")


def _paired(value: Any) -> Any:
    """Halves of a surrogate pair that stand side by side are one character, as JSON readers take them."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if isinstance(value, list):
        return [_paired(item) for item in value]
    if isinstance(value, dict):
        return {_paired(key): _paired(item) for key, item in value.items()}
    return value


class Canonical(NamedTuple):
    """A value in JSON's own types, and its canonical bytes; reading the bytes gives the value."""

    value: Any
    data: bytes


def canonical(value: Any, where: str = "body") -> Canonical:
    """Keys sorted, no spaces, shortest float text, UTF-8; a lone surrogate is written ``\\ud800``.

    Raises
    ------
    Refusal
        ``bad_record``, see :func:`plain`.
    """
    if type(value) is dict and (simple := _simple(value)) is not None:
        return simple
    value = plain(value, where)
    text = _encoder.encode(value)
    try:
        return Canonical(value, text.encode())
    except UnicodeEncodeError:
        # the only text UTF-8 does not have; in JSON its escape is the very text that Python replaces it by
        value = _paired(value)
        return Canonical(value, _encoder.encode(value).encode("utf-8", "backslashreplace"))


def _simple(value: dict[Any, Any]) -> Canonical | None:
    """As :func:`canonical`, in half the time, of what most records are: texts, and numbers that need no care.

    None for all else, among it numbers that pydantic's encoder would write with another exponent than Python.
    """
    copy: dict[str, Any] = {}
    try:
        for key in sorted(value):
            item = copy[key] = value[key]
            if type(key) is not str:
                return None
            kind = type(item)
            if kind is float:
                if not _SMALLEST <= abs(item) < _LARGEST and item != 0:
                    return None
            elif kind is int:
                if item not in _INTEGERS:
                    return None
            elif not (kind is str or item is None or kind is bool):
                return None
        return Canonical(copy, to_json(copy))
    except (TypeError, PydanticSerializationError):  # keys of several types; a lone surrogate
        return None


class Prepared(NamedTuple):
    """A record that passed every check: what its line will hold besides its place in the chain."""

    kind: str
    run: str | None
    body: Canonical
    meta: Canonical


def seal(record: Prepared, index: int, count: int, prev: str) -> tuple[bytes, str]:
    """The line of a record that follows the line of hash ``prev``, and its own hash."""
    run = b"null" if record.run is None else b'"%b"' % record.run.encode()
    head = b'{"batch":[%d,%d],"body":%b,"kind":"%b","meta":%b,"run":%b,"prev":"%b"' % (
        index,
        count,
        record.body.data,
        record.kind.encode(),
        record.meta.data,
        run,
        prev.encode(),
    )
    digest = hashlib.sha256(head).hexdigest()
    return b'%b,"hash":"%b"}\n' % (head, digest.encode()), digest


def own_hash(raw: bytes) -> str | None:
    """The hash of a line if it is a whole line whose content fits it, else None."""
    if len(raw) <= _TAIL + _LINK or raw[-3:] != _END or raw[-_TAIL : -_TAIL + len(_HASH)] != _HASH:
        return None
    digest = hashlib.sha256(raw[:-_TAIL]).hexdigest()
    return digest if raw[-67:-3] == digest.encode() else None


def follows(raw: bytes, prev: str) -> bool:
    """Whether a whole line names ``prev`` as the hash of the line before it."""
    return raw[-_TAIL - _LINK : -_TAIL] == b'%b%b"' % (_PREV, prev.encode())


def ends_with(tail: bytes, digest: str) -> bool:
    """Whether bytes that end at a place end with a line of this hash."""
    return tail[-_TAIL:] == b"%b%b%b" % (_HASH, digest.encode(), _END)


@dataclass(frozen=True, slots=True)
class Batch:
    """Record ``index`` (from 0) of an append of ``count``."""

    index: int
    count: int


_SINGLE = Batch(0, 1)


def batch_of(raw: bytes) -> Batch | None:
    """Which record of which append a line is; None where the line does not say."""
    if raw.startswith(_ALONE):
        return _SINGLE
    match = _BATCH.match(raw)
    return Batch(int(match[1]), int(match[2])) if match else None


def parse(line: Line) -> Entry:
    """The record of a line.

    Raises
    ------
    LedgerDamaged
        The line is not a record, though its hash fits: something else than a ledger has written it.
    """
    try:
        found = json.loads(line.raw.decode())
    except (ValueError, RecursionError) as error:
        raise not_a_record(line.number) from error
    if not (
        isinstance(found, dict)
        and found.keys() == _KEYS
        and isinstance(found["body"], dict)
        and isinstance(found["meta"], dict)
        and isinstance(found["kind"], str)
        and (found["run"] is None or isinstance(found["run"], str))
    ):
        raise not_a_record(line.number)
    return Entry(
        line.number,
        found["kind"],
        found["run"],
        found["body"],
        found["meta"],
        line.hash,
        line.offset + len(line.raw),
    )


def not_a_record(number: int) -> LedgerDamaged:
    return damaged(number, "is not a record of this format")


def damaged(number: int, what: str) -> LedgerDamaged:
    """The error for line ``number`` (from 1)."""
    return LedgerDamaged(
        f"the ledger is damaged: line {number} {what}",
        where=f"line {number}",
        fix="restore the ledger folder from a copy; nothing was changed",
    )
