"""What the platform listed, in a folder: one file a query."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from assay.base import atomic_write_json, json_hash, unique_keys
from assay.brain.client._http import Query
from assay.errors import AssayError

QUOTA: Final = "quota"
"""The kind of the file that holds what was told of the day's simulations."""


@dataclass(frozen=True, slots=True)
class Cached:
    """One file of the cache: which list, asked how, how long, and when it was fetched (UTC)."""

    kind: str
    query: dict[str, str]
    items: int
    fetched: str


@dataclass(frozen=True, slots=True)
class Cache:
    """Lists of the platform on disk; without a folder nothing is kept.

    A file holds a hash of what is in it. One that is damaged is said to ``note`` and counts as absent.
    """

    folder: Path | None
    note: Callable[[str], None]

    def load(self, kind: str, query: Query) -> list[Any] | None:
        """The items of a query; None where they are not there whole."""
        path = self._path(kind, query)
        if path is None:
            return None
        read = self._read(path)
        if read is None or read["query"] != dict(query):
            return None
        return list(read["items"])

    def save(self, kind: str, query: Query, items: list[Any]) -> None:
        path = self._path(kind, query)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AssayError(
                f"the lists of the platform cannot be kept: {error.strerror or error}",
                where=str(path.parent),
                fix="check that the workspace may be written to",
            ) from error
        fetched = datetime.now(UTC).isoformat(timespec="seconds")
        content = {"kind": kind, "query": dict(query), "items": items}
        atomic_write_json(path, {**content, "sha256": _digest(content), "fetched": fetched})

    def listed(self) -> tuple[Cached, ...]:
        """What is there, by kind and age."""
        if self.folder is None or not self.folder.is_dir():
            return ()
        read = filter(None, (self._read(path) for path in sorted(self.folder.glob("*.json"))))
        found = [Cached(one["kind"], one["query"], len(one["items"]), str(one["fetched"])) for one in read]
        return tuple(sorted(found, key=lambda one: (one.kind, one.fetched)))

    def _path(self, kind: str, query: Query) -> Path | None:
        if self.folder is None:
            return None
        key = json_hash(dict(query))[:16]
        return self.folder / f"{kind}-{key}.json"

    def _read(self, path: Path) -> dict[str, Any] | None:
        if not path.exists():
            return None
        found = _whole(path)
        if found is None:
            self.note(f"the cache {path.name} is damaged; it is fetched again")
        return found


def _whole(path: Path) -> dict[str, Any] | None:
    """The content of a file, if it is the one that was written."""
    try:
        found = json.loads(path.read_bytes(), object_pairs_hook=unique_keys)
        content = {name: found[name] for name in ("kind", "query", "items")}
        same = found["sha256"] == _digest(content) and isinstance(content["items"], list)
        return {**content, "fetched": found["fetched"]} if same else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _digest(content: dict[str, Any]) -> str:
    return json_hash(content)
