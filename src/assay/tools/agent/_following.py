"""What a replay writes to: a copy of the ledger that follows the run, and a sink that keeps its failures."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.ledger import Draft, Entry, Ledger
from assay.llm import CallKey, CallRecord, CallSink
from assay.tools.agent._run import BOOKKEEPING

_OWN = ("ledger", "recovery")


class FaithfulSink:
    """A sink for replayed calls that also writes the failures before a reply to the same request."""

    def __init__(self, sink: CallSink, calls: Sequence[CallRecord]) -> None:
        self._sink = sink
        self._failed: dict[CallKey, list[CallRecord]] = defaultdict(list)
        last = {call.key: number for number, call in enumerate(calls)}
        for number, call in enumerate(calls):
            if last[call.key] != number:
                self._failed[call.key].append(call)

    def record(self, call: CallRecord) -> None:
        """Write what the run wrote under this key."""
        for known in (*self._failed[call.key], call):
            self._sink.record(known)


class FollowingLedger(Ledger):
    """A copy of a ledger that gets the records of others at the places at which a run met them."""

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(folder, **options)
        self._run = ""
        self._written = 0
        self._read = 0
        self._rest: Iterator[Entry] = iter(())

    @classmethod
    def at_start(cls, source: Ledger, run_id: str, folder: Path) -> FollowingLedger:
        """The ledger as it stood when the run had just been started."""
        start = next(source.run(run_id).entries(kind="run_start"))
        folder.mkdir()
        with open(source.folder / "ledger.jsonl", "rb") as log:
            (folder / "ledger.jsonl").write_bytes(log.read(start.end))
        shutil.copyfile(source.folder / "objects.pack", folder / "objects.pack")
        made = cls.open(folder)
        made._run = run_id
        made._rest = (entry for entry in source.entries(start=start.position) if entry.kind not in _OWN)
        made._follow()
        return made

    def append_many(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """As :meth:`Ledger.append_many`; what others wrote before the run's next record follows."""
        written = super().append_many(drafts)
        own = [draft for draft in drafts if draft.run == self._run and draft.kind not in BOOKKEEPING]
        if own:
            self._written += len(own)
            self._follow()
        return written

    def _follow(self) -> None:
        """Take up what others wrote before the record that the run writes next."""
        others = []
        while self._read <= self._written and (entry := next(self._rest, None)) is not None:
            if entry.run != self._run:
                others.append(Draft(entry.kind, entry.body, entry.run))
            elif entry.kind not in BOOKKEEPING:
                self._read += 1
        if others:
            super().append_many(others)
