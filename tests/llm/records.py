"""Sinks and stores of the tests, and a few messages."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.llm import BodySink, CallRecord, Message, read_calls

ASK = (Message("system", "Be brief."), Message("user", "A formula?"))


class Memory:
    """Calls and objects in memory."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.latencies: list[float | None] = []
        self.objects: dict[str, bytes] = {}
        self.puts = 0
        self._lock = threading.Lock()
        self.sink = BodySink(self._append, self)

    def _append(self, body: dict[str, Any], latency: float | None) -> None:
        with self._lock:
            self.bodies.append(json.loads(json.dumps(body)))
            self.latencies.append(latency)

    def put(self, payloads: Sequence[bytes]) -> tuple[str, ...]:
        self.puts += 1
        names = tuple(f"sha256:{hashlib.sha256(content).hexdigest()}" for content in payloads)
        self.objects.update(zip(names, payloads, strict=True))
        return names

    def get(self, name: str) -> bytes:
        return self.objects[name]

    def record(self, call: CallRecord) -> None:
        self.sink.record(call)

    def calls(self) -> list[CallRecord]:
        return list(read_calls(self.bodies, self))


class Folder:
    """Calls as lines of ``calls.jsonl`` and objects as files, as a run leaves them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.sink = BodySink(self._append, self)

    @property
    def log(self) -> Path:
        return self.path / "calls.jsonl"

    def _append(self, body: dict[str, Any], latency: float | None) -> None:
        with self.log.open("ab") as file:
            file.write(json.dumps(body, sort_keys=True).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def put(self, payloads: Sequence[bytes]) -> tuple[str, ...]:
        names = []
        for content in payloads:
            digest = hashlib.sha256(content).hexdigest()
            (self.path / digest).write_bytes(content)
            names.append(f"sha256:{digest}")
        return tuple(names)

    def get(self, name: str) -> bytes:
        return (self.path / name.removeprefix("sha256:")).read_bytes()

    def calls(self) -> Iterator[CallRecord]:
        lines = self.log.read_bytes().splitlines() if self.log.exists() else []
        return read_calls((json.loads(line) for line in lines), self)
