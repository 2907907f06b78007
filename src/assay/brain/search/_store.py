"""Results of all sessions and batches in one SQLite file that several processes share."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from assay.base import Clock, SystemClock
from assay.brain._fingerprint import fingerprint
from assay.brain._result import JobResult
from assay.brain._settings import SimulationRequest
from assay.brain.search._stored import StoredResult, columns_of, from_columns
from assay.errors import DataError

NAME: Final = "results.sqlite"
_VERSION: Final = 1
_APPLICATION: Final = 0x41534252
_BUSY_SECONDS: Final = 60.0
_COLUMNS: Final = (
    "platform", "digest", "fingerprint", "settings_hash", "expression", "settings", "status", "alpha",
    "sharpe", "fitness", "turnover", "stats", "checks", "failure", "direction", "rationale", "replaces",
    "origin", "job", "round", "run", "agent", "created",
)  # fmt: skip
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS result (
    platform TEXT NOT NULL, digest TEXT NOT NULL, fingerprint TEXT NOT NULL, settings_hash TEXT NOT NULL,
    expression TEXT NOT NULL, settings TEXT NOT NULL, status TEXT NOT NULL, alpha TEXT,
    sharpe REAL, fitness REAL, turnover REAL, stats TEXT, checks TEXT NOT NULL, failure TEXT,
    direction TEXT NOT NULL, rationale TEXT NOT NULL, replaces TEXT, origin TEXT NOT NULL,
    job TEXT NOT NULL, round INTEGER NOT NULL, run TEXT NOT NULL, agent TEXT NOT NULL, created TEXT NOT NULL,
    PRIMARY KEY (platform, digest, fingerprint, settings_hash)
)
"""
# What is known already stays, but for what may have become known since: figures, and answers to checks.
_PUT: Final = f"""
INSERT INTO result ({", ".join(_COLUMNS)}) VALUES ({", ".join(":" + name for name in _COLUMNS)})
ON CONFLICT (platform, digest, fingerprint, settings_hash) DO UPDATE SET
    status = excluded.status, alpha = excluded.alpha, sharpe = excluded.sharpe, fitness = excluded.fitness,
    turnover = excluded.turnover, stats = excluded.stats, checks = excluded.checks, failure = excluded.failure
    WHERE excluded.status = 'completed'
"""  # noqa: S608 - our own names
_SUMMARY: Final = """
SELECT platform, COUNT(*) AS total, SUM(status = 'completed') AS completed, SUM(status = 'failed') AS failed,
       COUNT(DISTINCT fingerprint) AS expressions, COUNT(DISTINCT NULLIF(run, '')) AS runs,
       MAX(sharpe) AS best_sharpe, MAX(fitness) AS best_fitness
FROM result GROUP BY platform ORDER BY platform
"""


@dataclass(frozen=True, slots=True)
class PlatformSummary:
    """What the store has of one platform."""

    platform: str
    total: int
    completed: int
    failed: int
    expressions: int
    runs: int
    best_sharpe: float | None
    best_fitness: float | None


class ResultStore:
    """Results, one for each platform, its data, expression and settings.

    Any number of processes and threads may read and write at once. A write is on the disk when it returns.

    Parameters
    ----------
    path : the file; it is made, with its folder, when something is first written.

    Raises
    ------
    DataError
        The file is damaged, or another program's. It is left as it is.
    """

    def __init__(self, path: Path, *, clock: Clock | None = None) -> None:
        self.path = Path(path)
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()
        self._file: sqlite3.Connection | None = None
        if self.path.exists():
            self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def put(
        self, results: Iterable[JobResult], *, platform: str, digest: str = "", run: str = "", agent: str = ""
    ) -> tuple[StoredResult, ...]:
        """Keep results, all or none; gives them as they were kept.

        Of a key that is there already, a completed result brings its figures and checks up to date, and who
        found it first stays.
        """
        now = self._clock.now().isoformat(timespec="seconds")
        kept = tuple(StoredResult(_named(result), platform, run, agent, now, digest) for result in results)
        self.add(kept)
        return kept

    def add(self, stored: Sequence[StoredResult]) -> None:
        """Keep results that know where they come from."""
        rows = [columns_of(item) for item in stored]
        with self._lock, self._reporting():
            file = self._file or self._open()
            file.execute("BEGIN IMMEDIATE")
            try:
                file.executemany(_PUT, rows)
            except BaseException:
                file.execute("ROLLBACK")
                raise
            file.execute("COMMIT")

    def get(
        self, request: SimulationRequest, *, platform: str, digest: str = "", mark: str = ""
    ) -> StoredResult | None:
        """The result of a request, if any; ``mark`` is its fingerprint where that is known already."""
        key = (platform, digest, mark or fingerprint(request.regular), request.settings_hash)
        where = "platform = ? AND digest = ? AND fingerprint = ? AND settings_hash = ?"
        return next(iter(self._rows(where, key)), None)

    def rows(self, *, platform: str | None = None, run: str | None = None) -> tuple[StoredResult, ...]:
        """All results of a platform or a run, the oldest first."""
        given = [(name, value) for name, value in (("platform", platform), ("run", run)) if value is not None]
        where = " AND ".join(f"{name} = ?" for name, _ in given) or "1"
        return self._rows(where, tuple(value for _, value in given))

    def summary(self) -> tuple[PlatformSummary, ...]:
        """Counts and best figures by platform."""
        with self._lock, self._reporting():
            if self._file is None:
                return ()
            return tuple(PlatformSummary(*row) for row in self._file.execute(_SUMMARY))

    def _rows(self, where: str, values: Sequence[Any]) -> tuple[StoredResult, ...]:
        with self._lock, self._reporting():
            if self._file is None:
                return ()
            query = f"SELECT {', '.join(_COLUMNS)} FROM result WHERE {where} ORDER BY rowid"  # noqa: S608 - our own names
            found = self._file.execute(query, values).fetchall()
        return tuple(from_columns(dict(zip(_COLUMNS, row, strict=True))) for row in found)

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._reporting():
            file = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(file)
            except BaseException:
                file.close()
                raise
        self._file = file
        return file

    def _prepare(self, file: sqlite3.Connection) -> None:
        file.execute("BEGIN")  # one view of all three: another process may be making the file
        (tables,) = file.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        (application,) = file.execute("PRAGMA application_id").fetchone()
        (version,) = file.execute("PRAGMA user_version").fetchone()
        file.execute("COMMIT")
        if tables and application != _APPLICATION:
            raise self._damaged("it is another program's file")
        if tables and version != _VERSION:
            raise self._damaged(f"it has version {version}, and this release reads {_VERSION}")
        (sound,) = file.execute("PRAGMA quick_check(1)").fetchone()
        if sound != "ok":
            raise self._damaged(str(sound))
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = FULL")
        if not tables:
            file.execute("BEGIN IMMEDIATE")
            file.execute(_TABLE)
            file.execute(f"PRAGMA application_id = {_APPLICATION}")
            file.execute(f"PRAGMA user_version = {_VERSION}")
            file.execute("COMMIT")

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.OperationalError as error:
            raise DataError(
                f"the results cannot be read or written: {error}",
                where=str(self.path),
                fix="check the disk, and that nothing holds the file for long; then try again",
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, what: str) -> DataError:
        return DataError(
            f"the results are damaged: {what}",
            where=str(self.path),
            fix="put it aside with 'assay brain results set-aside', which deletes nothing; a new one is made",
        )


def set_aside(path: Path) -> Path | None:
    """Move a store out of the way under a name of its own; gives that name, None where there is no file."""
    if not path.exists():
        return None
    number = 1
    while (target := path.with_name(f"{path.stem}.aside-{number}{path.suffix}")).exists():
        number += 1
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            os.rename(part, target.with_name(target.name + suffix))
    return target


def _named(result: JobResult) -> JobResult:
    if result.fingerprint:
        return result
    return replace(result, fingerprint=fingerprint(result.proposal.request.regular))
