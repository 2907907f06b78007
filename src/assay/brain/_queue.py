"""Jobs that wait for a slot."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from assay.brain._flight import Job


class Queue:
    """Jobs that wait: each owner's in order, the owners in turn."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Job]] = {}

    def put(self, job: Job) -> None:
        self._waiting.setdefault(job.owner, deque()).append(job)

    def put_back(self, job: Job) -> None:
        """As the next one of its owner, whose turn it still is."""
        line = self._waiting.pop(job.owner, deque())
        line.appendleft(job)
        self._waiting = {job.owner: line, **self._waiting}

    def take(self) -> Job | None:
        """The next job; its owner goes to the end of the line."""
        for owner in list(self._waiting):
            line = self._waiting.pop(owner)
            if line:
                self._waiting[owner] = line
                return line.popleft()
        return None

    def __len__(self) -> int:
        return sum(len(line) for line in self._waiting.values())

    def __iter__(self) -> Iterator[Job]:
        return (job for line in self._waiting.values() for job in line)
