"""A ledger under any order of appends, failures, crashes, other writers and reopenings, against a list."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from assay.errors import LedgerDamaged
from assay.ledger import Draft, Entry, Ledger, LedgerUnwritable, OsFiles

RUNS = st.sampled_from(["r-1", "r-2"])
VALUES = st.none() | st.integers(-5, 5) | st.floats(allow_nan=True) | st.text(max_size=5)


class FailingFiles(OsFiles):
    """Fails at a chosen operation: 0 is the next one; a write does half of its work first."""

    def __init__(self) -> None:
        self.fail_at = -1

    def _step(self) -> bool:
        self.fail_at -= 1
        return self.fail_at == -1

    def write(self, handle: int, data: bytes | memoryview) -> int:
        if self._step():
            super().write(handle, data[: len(data) // 2])
            raise OSError(errno.EIO, "struck")
        return super().write(handle, data)

    def fsync(self, handle: int) -> None:
        if self._step():
            raise OSError(errno.EIO, "struck")
        super().fsync(handle)


class LedgerMachine(RuleBasedStateMachine):
    """``model`` holds what must be there: kind, run and body, recovery records left out."""

    def __init__(self) -> None:
        super().__init__()
        self.tmp = Path(tempfile.mkdtemp())
        self.folder = self.tmp / "ledger"
        self.files = FailingFiles()
        self.model: list[Entry] = []
        self.objects: dict[str, bytes] = {}
        self.tails = 0

    def teardown(self) -> None:
        shutil.rmtree(self.tmp)

    @initialize()
    def create(self) -> None:
        Ledger.create(self.folder)
        self.reopen()
        self.other = Ledger.open(self.folder)

    def took(self, drafts: list[Draft], entries: tuple[Entry, ...]) -> None:
        assert [entry.run for entry in entries] == [draft.run for draft in drafts]
        self.model += entries

    @rule(number=st.integers(0, 9), value=VALUES, run=RUNS)
    def append(self, number: int, value: Any, run: str) -> None:
        drafts = [Draft("round", {"number": number, "outcome": value}, run)]
        self.took(drafts, (self.ledger.append("round", drafts[0].body, run=run),))

    @rule(values=st.lists(VALUES, max_size=4), run=RUNS)
    def append_many(self, values: list[Any], run: str) -> None:
        drafts = [Draft("round", {"number": 0, "outcome": value}, run) for value in values]
        self.took(drafts, self.ledger.append_many(drafts))

    @rule(run=RUNS)
    def another_writer_appends(self, run: str) -> None:
        drafts = [Draft("round", {"number": i, "outcome": "other"}, run) for i in range(2)]
        self.took(drafts, self.other.append_many(drafts))

    @rule(count=st.integers(1, 3))
    def read_decide_append(self, count: int) -> None:
        with self.ledger.transaction() as held:
            for _ in range(count):
                seen = len(list(held.entries(kind="round")))
                self.model.append(held.append("round", {"number": seen, "outcome": "decided"}, run="r-1"))

    @rule(payloads=st.lists(st.binary(max_size=30), max_size=3), mine=st.booleans())
    def put(self, payloads: list[bytes], mine: bool) -> None:
        names = (self.ledger if mine else self.other).put(payloads)
        self.objects |= dict(zip(names, payloads, strict=True))

    @rule()
    def reopen(self) -> None:
        self.ledger = Ledger.open(self.folder, files=self.files)

    @rule(at=st.integers(0, 1), count=st.integers(1, 3))
    def an_append_fails(self, at: int, count: int) -> None:
        self.ledger.append_many([])  # a recovery would be an operation of its own
        self.files.fail_at = at
        with pytest.raises(LedgerUnwritable):
            self.ledger.append_many([Draft("round", {"number": 1, "outcome": "lost"}, "r-1")] * count)
        self.files.fail_at = -1

    @rule(at=st.integers(0, 1))
    def a_put_fails(self, at: int) -> None:
        self.files.fail_at = at
        with pytest.raises(LedgerUnwritable):
            self.ledger.put([os.urandom(8)])
        self.files.fail_at = -1

    @rule(count=st.integers(1, 3), part=st.floats(0, 0.99), zeros=st.booleans())
    def a_writer_dies(self, count: int, part: float, zeros: bool) -> None:
        """Of its append a part is there, and perhaps zeros in place of the rest."""
        path, head = self.folder / "ledger.jsonl", self.folder / "head"
        self.other.append_many([])
        size, hint = path.stat().st_size, head.read_bytes()
        self.other.append_many(
            [Draft("round", {"number": i, "outcome": "died"}, "r-2") for i in range(count)]
        )
        data = path.read_bytes()
        kept = size + int(part * (len(data) - size))
        left = data[:kept] + (bytes(len(data) - kept) if zeros else b"")
        path.write_bytes(left)
        head.write_bytes(hint)
        self.tails += len(left) > size
        # a process that lives on cannot have seen what the dead one had not finished
        self.other = Ledger.open(self.folder)

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def an_edit_is_noticed(self, data: st.DataObject) -> None:
        """Change a byte, look, change it back."""
        path = self.folder / "ledger.jsonl"
        before = path.read_bytes()
        entry = data.draw(st.sampled_from(self.model))
        edited = bytearray(before)
        edited[entry.end - 2 - data.draw(st.integers(0, 150))] ^= 2
        path.write_bytes(edited)
        with pytest.raises(LedgerDamaged) as caught:
            list(Ledger.open(self.folder).entries())
        path.write_bytes(before)
        assert caught.value.where == f"line {entry.line}"

    @invariant()
    def what_was_accepted_is_there_and_nothing_else(self) -> None:
        if not hasattr(self, "ledger"):
            return
        for ledger in (self.ledger, Ledger.open(self.folder)):
            entries = [entry for entry in ledger.entries() if entry.kind not in ("ledger", "recovery")]
            assert [(e.line, e.hash, e.run, e.body) for e in entries] == [
                (e.line, e.hash, e.run, e.body) for e in self.model
            ]
        found = self.ledger.verify()
        recovered = sum(1 for _ in self.ledger.entries(kind="recovery"))
        assert found.records == 1 + len(self.model) + recovered
        assert recovered + (found.torn is not None) == self.tails
        for name, payload in self.objects.items():
            assert self.other.get(name) == payload


LedgerMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestLedgerMachine = LedgerMachine.TestCase
