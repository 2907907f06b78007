from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from assay.base import atomic_write, canonical_json, json_hash
from assay.features._feature import Values

_MAGIC = b"ASSAYFV1"
_HEAD = len(_MAGIC) + 32
MAX_BYTES = 2 << 30


class FeatureCache:
    """Values on the disk by the content that they follow from. Never a source: what is damaged is no value.

    Two writers of one entry write the same bytes, each as a whole. The oldest entries go when there are more
    than ``max_bytes``.
    """

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = Path(folder)
        self._max_bytes = max_bytes

    def get(self, content: Mapping[str, Any], shape: tuple[int, int]) -> Values | None:
        """The values of a content, or None: there are none, or what there is cannot be right."""
        try:
            data = self._place(content).read_bytes()
        except FileNotFoundError:
            return None
        digest, body = data[len(_MAGIC) : _HEAD], data[_HEAD:]
        right = (
            data.startswith(_MAGIC)
            and digest == _digest(content, body)
            and len(body) == 4 * shape[0] * shape[1]
        )
        return np.frombuffer(body, dtype="<f4").reshape(shape) if right else None

    def put(self, content: Mapping[str, Any], values: Values) -> None:
        """Store values, whole or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        body = np.ascontiguousarray(values, dtype="<f4").tobytes()
        atomic_write(self._place(content), _MAGIC + _digest(content, body) + body)
        self._make_room()

    def _place(self, content: Mapping[str, Any]) -> Path:
        return self._folder / f"{json_hash(content)}.values"

    def _make_room(self) -> None:
        entries = []
        for file in self._folder.glob("*.values"):
            with suppress(FileNotFoundError):  # another process made room
                found = file.stat()
                entries.append((found.st_mtime_ns, file, found.st_size))
        total = sum(size for _, _, size in entries)
        for _, file, size in sorted(entries):
            if total <= self._max_bytes:
                return
            file.unlink(missing_ok=True)
            total -= size


def _digest(content: Mapping[str, Any], body: bytes) -> bytes:
    return hashlib.sha256(canonical_json(content).encode() + body).digest()
