"""Calls of models that a session has recorded: those that are settled, and those that it will make again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from assay.ledger import Run
from assay.llm import CallRecord, read_calls

_ANSWERED: Final = ("idea", "researched", "asked", "ended")
"""What is recorded when a policy has answered."""


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """``settled`` led to an answer that is recorded; ``earlier`` were made after it, and are answered from
    the record when the policy is asked again. See :meth:`assay.llm.Roles.of`."""

    settled: tuple[CallRecord, ...] = ()
    earlier: tuple[CallRecord, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of all of them."""
        usages = [call.reply.usage for call in (*self.settled, *self.earlier) if call.reply is not None]
        return sum(usage.input + usage.output for usage in usages)


def recorded_calls(run: Run) -> RecordedCalls:
    """The calls of a session so far."""
    entries = list(run.entries())
    answered = [
        place
        for place, entry in enumerate(entries)
        if entry.kind == "round" and entry.body["outcome"] in _ANSWERED
    ]
    last = answered[-1] + 1 if answered else 0
    calls = list(read_calls([entry.body for entry in entries if entry.kind == "llm_call"], run.ledger))
    count = sum(entry.kind == "llm_call" for entry in entries[:last])
    return RecordedCalls(tuple(calls[:count]), tuple(calls[count:]))
