"""Where an account is kept: one SQLite file in a folder that one process holds, or memory."""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from assay.base import folder_lock
from assay.errors import AssayError, DataError, Reason

Kind = Literal["simulation", "alpha", "daily", "recordsets"]
T = TypeVar("T")
Record = tuple[Kind, str, Any]
"""Kind, id, document."""

ACCOUNT_BUSY: Final = Reason(
    "account_busy",
    "another process works on this account of the simulator",
    "wait until it ends, or name another folder",
)
_FILE: Final = "account.sqlite"
_SCHEMA: Final = """
create table if not exists records (
    kind text not null, id text not null, document blob not null, primary key (kind, id)
) without rowid
"""


class Store:
    """Documents by kind and id. A write is whole or absent, also after a kill.

    Parameters
    ----------
    folder : where the file lies, made if it is missing; None keeps all in memory.

    Raises
    ------
    Refusal
        ``account_busy``: another process holds the folder.
    DataError
        The file is no account.
    """

    def __init__(self, folder: Path | None) -> None:
        self._held, self._lock = ExitStack(), threading.Lock()
        self._name = ":memory:"
        if folder is not None:
            _make(folder)
            self._held.enter_context(folder_lock(folder, 0.0, ACCOUNT_BUSY))
            self._name = str(folder / _FILE)
        try:
            self._file = sqlite3.connect(self._name, check_same_thread=False, isolation_level=None)
            self._file.execute("pragma journal_mode = wal")
            # no write is waited for: the system has it, so a kill loses none, a power cut the newest
            self._file.execute("pragma synchronous = normal")
            self._file.execute(_SCHEMA)
        except sqlite3.DatabaseError as error:
            self._held.close()
            raise self._fault(error) from error

    def put(self, *records: Record) -> None:
        """Write documents, all or none.

        Raises
        ------
        AssayError
            The file cannot take them, as where a disk is full; a later try may go well.
        """
        rows = [(kind, name, _packed(document)) for kind, name, document in records]
        try:
            with self._lock, self._file:
                self._file.execute("begin")
                self._file.executemany("insert or replace into records values (?, ?, ?)", rows)
        except sqlite3.DatabaseError as error:
            raise self._fault(error) from error

    def get(self, kind: Kind, name: str, read: Callable[[Any], T]) -> T:
        """What ``read`` makes of a document.

        Raises
        ------
        DataError
            There is none, or it is damaged.
        """
        query = "select document from records where kind = ? and id = ?"
        rows = self._rows(query, kind, name)
        if not rows:
            raise self._damaged(LookupError(f"{kind} {name} is missing"))
        return self._read(rows[0][0], read)

    def all(self, kind: Kind, read: Callable[[Any], T]) -> list[T]:
        """What ``read`` makes of each document of a kind.

        Raises
        ------
        DataError
            One is damaged.
        """
        rows = self._rows("select document from records where kind = ?", kind)
        return [self._read(packed, read) for (packed,) in rows]

    def _rows(self, query: str, *values: str) -> list[Any]:
        try:
            with self._lock:
                return self._file.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._fault(error) from error

    def _read(self, packed: bytes, read: Callable[[Any], T]) -> T:
        try:
            return read(json.loads(zlib.decompress(packed)))
        except (zlib.error, ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._damaged(error) from error

    def _fault(self, error: sqlite3.DatabaseError) -> AssayError:
        """What ``error`` is: of the place that the file lies in, or of the file."""
        if isinstance(error, sqlite3.OperationalError):
            return AssayError(
                f"the account cannot be kept: {error}",
                where=self._name,
                fix="make room on the disk and check that the folder may be written to; nothing is lost",
            )
        return self._damaged(error)

    def _damaged(self, error: Exception) -> DataError:
        return DataError(
            f"the account cannot be read: {error}",
            where=self._name,
            fix="move the file away; a new account is made",
        )

    def close(self) -> None:
        """Let the folder go."""
        self._file.close()
        self._held.close()


def _packed(document: Any) -> bytes:
    # series are long, and texts of digits shrink to a third
    return zlib.compress(json.dumps(document, allow_nan=False).encode(), 1)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssayError(
            f"cannot make the folder of the account: {error.strerror or error}",
            where=str(folder),
            fix="check that the workspace may be written to, or keep the account in memory",
        ) from error
