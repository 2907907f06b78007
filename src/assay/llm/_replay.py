from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from assay.errors import AssayError
from assay.llm._log import CallKey, CallRecord
from assay.llm._types import Reachability, Reply, Request

_DIFF_LINES = 60
_LONGEST_LINE = 400


class ReplayMiss(AssayError):
    """The log holds no call with this role, request and ordinal. ``diff`` leads from the nearest one to
    this one."""

    kind = "replay_miss"

    def __init__(self, message: str, *, role: str, diff: str) -> None:
        super().__init__(
            f"{message}\n{diff}" if diff else message,
            where=f"llm.roles.{role}",
            fix="replay with the settings, prompts and data of the recorded run",
        )
        self.role = role
        self.diff = diff


class ReplayProvider:
    """Serves recorded calls again. It has no connection to anything.

    Of calls recorded under one key the last counts: a run that stopped at an error and was resumed has made
    it anew.
    """

    def __init__(self, calls: Iterable[CallRecord], *, name: str = "replay") -> None:
        self._calls = {call.key: call for call in calls}
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def find(self, key: CallKey, request: Request) -> CallRecord:
        """The recorded call, whether it ended with a reply or an error.

        Raises
        ------
        ReplayMiss
            There is none; the message shows the nearest one.
        """
        call = self._calls.get(key)
        if call is None:
            raise self._miss(key, request)
        return call

    def complete(self, request: Request) -> Reply:
        """Always an error: a reply is found by role and ordinal too, which a request does not hold."""
        raise AssayError("a replay is asked through a Client", where=self._name, fix="use Client.complete")

    def check(self) -> Reachability:
        if not self._calls:
            return Reachability(False, "the run has recorded no calls of models")
        return Reachability(True, f"{len(self._calls)} recorded calls; no service is asked")

    def _miss(self, key: CallKey, request: Request) -> ReplayMiss:
        times = sum(known[:2] == key[:2] for known in self._calls)
        if times:
            what = f"the log holds this call of {key.role} {times} times; number {key.ordinal + 1} is missing"
            return ReplayMiss(what, role=key.role, diff="")
        nearest = self._nearest(key.role, request)
        what = f"the log holds no call {key.ordinal + 1} of {key.role} with this request"
        if nearest is None:
            return ReplayMiss(f"{what}; it is empty", role=key.role, diff="")
        if nearest.role != key.role:
            what += f", and none of this role at all; the nearest is one of {nearest.role}"
        return ReplayMiss(what, role=key.role, diff=_diff(nearest, request))

    def _nearest(self, role: str, request: Request) -> CallRecord | None:
        """The recorded call that shares most lines with ``request``, one of the same role if there is any."""
        wanted = Counter(_lines(request))
        same = [call for call in self._calls.values() if call.role == role] or list(self._calls.values())

        def likeness(call: CallRecord) -> float:
            lines = Counter(_lines(call.request))
            return 2 * (lines & wanted).total() / max(lines.total() + wanted.total(), 1)

        return max(same, key=likeness, default=None)


def _lines(request: Request) -> list[str]:
    """All that the hash of a request covers, as lines for a person."""
    lines = [f"model: {request.model}"]
    lines += [f"parameter {name}: {json.dumps(value)}" for name, value in sorted(request.parameters.items())]
    lines += [f"tool {tool.name}: {json.dumps(tool.as_dict(), sort_keys=True)}" for tool in request.tools]
    for number, message in enumerate(request.messages):
        lines.append(f"--- message {number}: {message.role}")
        lines += message.content.splitlines()
        lines += [f"call {call.id} {call.name}: {call.arguments}" for call in message.tool_calls]
        lines += [f"answers {message.tool_call_id}"] if message.tool_call_id else []
    return lines


def _diff(nearest: CallRecord, request: Request) -> str:
    recorded = f"recorded: {nearest.role}, call {nearest.ordinal + 1}, {nearest.request_hash[:12]}"
    found = difflib.unified_diff(
        _lines(nearest.request), _lines(request), recorded, f"asked: {request.hash[:12]}", n=1, lineterm=""
    )
    lines = [_shortened(line) for line in islice(found, _DIFF_LINES)]
    if next(found, None) is not None:
        lines.append("… the rest of the difference is left out")
    return "\n".join(lines)


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
