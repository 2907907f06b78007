"""A run that goes on: what it has recorded is not done again, and not recorded twice."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.ledger import Draft, Entry, Ledger
from assay.tools._dates import DateGuard
from assay.tools._outcome import Failed, Illegal, Ok, Outcome, Refused
from assay.tools._registry import Prepared, Registry
from assay.tools._tool import Caller, Tool
from assay.tools._trajectory import content_hash

_CALL_KINDS = ("tool_call", "refusal")


class Diverged(AssayError):
    """The run does something else than what it has recorded."""

    kind = "diverged"


class ContinuedLedger(Ledger):
    """The ledger as a run sees it that goes on.

    Until the run has come to where its record ends, a tool call that it hands in must be the recorded one and
    is not written again. A call that was broken off may have recorded trials already: when they come again,
    they are not written either.
    """

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(folder, **options)
        self._run = ""
        self._calls: deque[Entry] = deque()
        self._started: list[tuple[str, ...]] = []

    def continue_run(self, run_id: str, entries: Iterable[Entry]) -> None:
        """Take up a run at the end of its ``entries``; called once, before the run does anything."""
        listed = [entry for entry in entries if entry.kind != "llm_call"]
        calls = [number for number, entry in enumerate(listed) if entry.kind in _CALL_KINDS]
        rest = listed[calls[-1] + 1 :] if calls else listed
        self._run = run_id
        self._calls = deque(listed[number] for number in calls)
        self._started = [_key(entry.kind, entry.body) for entry in rest]

    def recorded_call(self) -> Mapping[str, Any] | None:
        """The record of the call that comes next; None when the run is past its record."""
        return self._calls[0].body if self._calls else None

    def append_many(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """As :meth:`Ledger.append_many`, without what is recorded already.

        Raises
        ------
        Diverged
            The run's record holds another call.
        """
        own = [draft for draft in drafts if draft.run == self._run]
        if self._calls and own and own[0].kind in _CALL_KINDS:
            return tuple(self._repeated(draft) for draft in drafts)
        new = [draft for draft in drafts if not self._is_started(draft)]
        return super().append_many(new) if new or not drafts else ()

    def _repeated(self, draft: Draft) -> Entry:
        entry = self._calls.popleft() if self._calls else None
        if entry is None or entry.kind != draft.kind or content_hash(entry.body) != content_hash(draft.body):
            where = "the end of the record" if entry is None else f"line {entry.line}"
            raise Diverged(
                f"the run {self._run!r} would make another call than it made before",
                where=where,
                fix="resume it with the version of Assay that started it, or start a new run",
            )
        return entry

    def _is_started(self, draft: Draft) -> bool:
        """Whether a record of the call that was broken off comes again; each does once."""
        key = _key(draft.kind, draft.body)
        if draft.run != self._run or len(key) == 1 or key not in self._started:
            return False
        self._started.remove(key)
        return True


def _key(kind: str, body: Mapping[str, Any]) -> tuple[str, ...]:
    """What a trial or a certificate is known by; of other records only their kind."""
    if kind not in ("trial", "certificate"):
        return (kind,)
    return (kind, str(body["fingerprint"]), str(body["config_hash"]))


class RecordedRegistry(Registry):
    """A registry that answers the calls that a run has recorded from the record."""

    def __init__(self, tools: Iterable[Tool], ledger: ContinuedLedger, *, guard: DateGuard | None) -> None:
        super().__init__(tools, guard=guard)
        self._ledger = ledger

    def execute(self, prepared: Prepared, caller: Caller) -> Outcome:
        """The recorded outcome of the call, or that of running the tool."""
        body = self._ledger.recorded_call()
        return super().execute(prepared, caller) if body is None else recorded_outcome(body, self._ledger)


def recorded_outcome(body: Mapping[str, Any], ledger: Ledger) -> Outcome:
    """The outcome that a ``tool_call`` record tells of."""
    text = body["answer"]
    if text is None:
        text = ledger.get(body["answer_object"]).decode("utf-8", "surrogatepass")
    answer = json.loads(text)
    if body["outcome"] == "ok":
        return Ok(answer["result"])
    if body["outcome"] == "failed":
        return Failed(answer["message"], body["cause"] or "")
    told = (answer["reason"], answer["message"], answer["detail"], answer["fix"])
    return Refused(*told) if body["outcome"] == "refused" else Illegal(body["illegal_kind"], *told)
