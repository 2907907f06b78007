"""From calls to records of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from assay.errors import Refusal
from assay.llm import BodySink, CallRecord, ToolCall, read_calls
from assay.tools._audit import illegal_kind, outcome_name
from assay.tools._outcome import Failed, Outcome, Refused
from assay.tools._tool import Caller
from assay.tools._trajectory import wire_text

if TYPE_CHECKING:
    from assay.ledger import Ledger, Run

INLINE = 2_000
"""Characters up to which a text stands in the record itself; longer ones become objects."""
_SHOWN = 200


class ToolSink(Protocol):
    """Where the calls of an episode are recorded."""

    def record(self, step: int, call: ToolCall, outcome: Outcome, caller: Caller) -> None:
        """Record a call and what it came to; durable when it returns."""
        ...


class LedgerToolSink:
    """Writes each call as a ``tool_call`` record, and a refusal among them also as a ``refusal`` record.

    Parameters
    ----------
    ledger : the workspace's ledger.
    run : the run to which the records belong, or ``None``.
    """

    def __init__(self, ledger: Ledger, run: str | None = None) -> None:
        self._ledger = ledger
        self._run = run

    def record(self, step: int, call: ToolCall, outcome: Outcome, caller: Caller) -> None:
        """Append the records of one call with one fsync, after the objects that they name."""
        from assay.ledger import Draft

        face = outcome.face()
        answer = wire_text(face.as_dict())
        body = {
            "tool": call.name[:_SHOWN],
            "outcome": outcome_name(outcome),
            "step": step,
            "call": call.id[:_SHOWN],
            "operator": caller.operator.as_dict(),
            "illegal_kind": illegal_kind(outcome),
            "reason": face.reason if isinstance(face, Refused) else None,
            "cause": outcome.cause if isinstance(outcome, Failed) else None,
            **kept_text(self._ledger, "arguments", call.arguments),
            **kept_text(self._ledger, "answer", answer),
        }
        drafts = [Draft("tool_call", body, self._run)]
        if isinstance(face, Refused):
            drafts.append(Draft("refusal", _refusal(call, face), self._run))
        self._ledger.append_many(drafts)


def _refusal(call: ToolCall, face: Refused) -> dict[str, Any]:
    return {"reason": face.reason, "message": face.message[:INLINE], "tool": call.name[:_SHOWN]}


def kept_text(ledger: Ledger, name: str, text: str) -> Mapping[str, str | None]:
    """The keys ``name`` and ``name_object``: a short text itself, or the hash of a long one's object."""
    if len(text) <= INLINE:
        return {name: text, f"{name}_object": None}
    (kept,) = ledger.put([text.encode("utf-8", "surrogatepass")])
    return {name: None, f"{name}_object": kept}


def ledger_sink(run: Run) -> BodySink:
    """A sink for the client of an LLM role: its calls become ``llm_call`` records of the run."""

    def append(body: Mapping[str, Any], latency: float | None) -> None:
        run.append("llm_call", body, latency=latency)

    return BodySink(append, run.ledger)


def calls_of_run(ledger: Ledger, run_id: str) -> list[CallRecord]:
    """The calls of models that a run has recorded: what a backend of kind ``replay`` serves.

    Raises
    ------
    Refusal
        ``unknown_run``: no such run was started.
    DataError
        A record is not that of a call.
    """
    from assay.ledger import UNKNOWN_RUN

    # read through, as the index would leave files beside a ledger that is only looked at
    entries = list(ledger.entries(run=run_id))
    if not entries:
        raise Refusal(UNKNOWN_RUN, f"no run {run_id!r} was started", where="run")
    return list(read_calls([entry.body for entry in entries if entry.kind == "llm_call"], ledger))
