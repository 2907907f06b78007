from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from assay.base import OperatorKind, did_you_mean
from assay.errors import AssayError, Reason, Refusal
from assay.tools._arguments import SchemaInvalid, Unparsable, read_object, validate
from assay.tools._dates import DateGuard
from assay.tools._outcome import Failed, Illegal, Ok, Outcome, Refused
from assay.tools._reasons import (
    COMMON,
    FROZEN_FIELD_MUTATION,
    LEDGER_BUSY,
    UNKNOWN_TOOL,
    UNPARSABLE_ARGUMENTS,
)
from assay.tools._tool import Caller, Context, Tool, is_tool_id

_log = logging.getLogger("assay.tools")


class FrozenFieldMutation(AssayError):
    """Raised by a tool that finds, under another name or within a structure, a fixed field changed."""

    kind = "frozen_field_mutation"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call whose tool exists and whose arguments are valid; ``plain`` is what the caller sent, as JSON."""

    tool: Tool
    arguments: BaseModel
    plain: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolReason:
    """One line of the table of reasons."""

    tool: str
    reason: Reason
    reserved: bool


class Registry:
    """A closed set of tools with unique ids.

    Parameters
    ----------
    tools : the tools.
    guard : treats all that leaves the registry for anybody but a human.

    Raises
    ------
    AssayError
        Two tools have one id, or a tool declares a reason that is common to all.
    """

    def __init__(self, tools: Iterable[Tool], *, guard: DateGuard | None = None) -> None:
        self._tools: dict[str, Tool] = {}
        self._guard = guard
        for tool in tools:
            if tool.id in self._tools:
                raise AssayError(
                    f"two tools have the id {tool.id!r}", where="registry", fix="rename or leave out one"
                )
            self._tools[tool.id] = tool
        self._check_common()

    def _check_common(self) -> None:
        common = {reason.code for reason in COMMON}
        for tool in self._tools.values():
            if taken := sorted(common & tool.codes):
                raise AssayError(
                    f"tool {tool.id!r} declares {taken[0]!r}, which is common to all tools",
                    where="registry",
                    fix="leave it out of its reasons",
                )

    def __len__(self) -> int:
        return len(self._tools)

    def tools(self, caller: OperatorKind | None = None) -> tuple[Tool, ...]:
        """The tools that such a caller may call, sorted by id; all of them by default."""
        return tuple(
            tool for _, tool in sorted(self._tools.items()) if caller is None or caller in tool.callers
        )

    def reasons(self) -> tuple[ToolReason, ...]:
        """The table of (tool, reason), sorted; the common reasons, which every tool has, are not in it."""
        return tuple(
            ToolReason(tool.id, reason, reason.code in tool.reserved)
            for tool in self.tools()
            for reason in sorted(tool.reasons, key=lambda item: item.code)
        )

    def call(self, tool_id: str, raw_arguments: str | Mapping[str, Any], caller: Caller) -> Outcome:
        """Call a tool. Whatever is sent, the answer is an outcome; nothing is raised.

        Parameters
        ----------
        tool_id : canonical id.
        raw_arguments : a JSON object, as text or already read.
        caller : who calls.
        """
        prepared = self.prepare(tool_id, raw_arguments, caller)
        return prepared if isinstance(prepared, Illegal) else self.execute(prepared, caller)

    def prepare(
        self,
        tool_id: str,
        raw_arguments: str | Mapping[str, Any],
        caller: Caller,
        *,
        among: Collection[str] | None = None,
    ) -> Prepared | Illegal:
        """The part of :meth:`call` that does nothing: find the tool, read and check the arguments.

        ``among`` are the ids that exist for this call; by default all that the caller may call.
        """
        known = [t.id for t in self.tools(caller.operator.kind) if among is None or t.id in among]
        if tool_id not in known:
            return self._unknown(tool_id, known, caller)
        tool = self._tools[tool_id]
        try:
            plain = read_object(raw_arguments)
            return Prepared(tool, validate(tool, plain), plain)
        except Unparsable as error:
            found = Illegal(
                "unparsable_arguments", UNPARSABLE_ARGUMENTS.code, error.message, {}, UNPARSABLE_ARGUMENTS.fix
            )
        except SchemaInvalid as error:
            listed = {"problems": [dict(problem) for problem in error.problems]}
            found = Illegal("schema_invalid", error.reason, error.message, listed, _fix_of(tool, error))
        return self._shown_illegal(found, caller)

    def execute(self, prepared: Prepared, caller: Caller) -> Outcome:
        """The part of :meth:`call` that runs the tool."""
        return self._shown(_run(prepared, caller), caller)

    def _unknown(self, tool_id: object, known: Sequence[str], caller: Caller) -> Illegal:
        # the name is the caller's text: repeated only if it looks like one
        named = isinstance(tool_id, str) and is_tool_id(tool_id)
        message = f"there is no tool {tool_id!r}" if named else UNKNOWN_TOOL.summary
        near = did_you_mean(str(tool_id), known)
        fix = f"did you mean {near[0]}?" if near else UNKNOWN_TOOL.fix
        found = Illegal("unknown_tool", UNKNOWN_TOOL.code, message, {"did_you_mean": list(near)}, fix)
        return self._shown_illegal(found, caller)

    def _shown(self, outcome: Outcome, caller: Caller) -> Outcome:
        """The outcome as the guard lets it pass."""
        if self._guard is None or caller.operator.kind == "human":
            return outcome
        if isinstance(outcome, Ok):
            return Ok(self._guard.value(outcome.result))
        if isinstance(outcome, Refused):
            return replace(outcome, **self._clean(outcome.message, outcome.detail, outcome.fix))
        return self._shown_illegal(outcome, caller) if isinstance(outcome, Illegal) else outcome

    def _shown_illegal(self, found: Illegal, caller: Caller) -> Illegal:
        if self._guard is None or caller.operator.kind == "human":
            return found
        return replace(found, **self._clean(found.message, found.detail, found.fix))

    def _clean(self, message: str, detail: Mapping[str, Any], fix: str) -> dict[str, Any]:
        assert self._guard is not None
        guard = self._guard
        return {"message": guard.text(message), "detail": guard.value(detail), "fix": guard.text(fix)}


def _fix_of(tool: Tool, error: SchemaInvalid) -> str:
    own = next((reason.fix for reason in tool.reasons if reason.code == error.reason), None)
    return own or error.fix or ""


def _run(prepared: Prepared, caller: Caller) -> Outcome:
    """The one place where whatever a tool does becomes an outcome."""
    tool = prepared.tool
    try:
        result = tool.function(prepared.arguments, Context(caller))
        if not isinstance(result, tool.result):
            raise TypeError(f"{tool.id} gave {type(result).__name__}, not {tool.result.__name__}")
        return Ok(result.model_dump(mode="json"))
    except FrozenFieldMutation as error:
        fix = error.fix or FROZEN_FIELD_MUTATION.fix
        return Illegal("frozen_field_mutation", FROZEN_FIELD_MUTATION.code, error.message, {}, fix)
    except Refusal as error:
        if error.reason.code in tool.codes and error.reason.code not in tool.reserved:
            return Refused(error.reason.code, error.message, error.details, error.fix or "")
        if error.reason.code == LEDGER_BUSY.code:
            _log.warning("tool %s: %s", tool.id, error.message)  # which process has it is not the caller's
            return Refused(LEDGER_BUSY.code, LEDGER_BUSY.summary, {}, LEDGER_BUSY.fix)
        _log.exception("tool %s refused with %r, which it does not declare", tool.id, error.reason.code)
        return Failed(cause=f"undeclared reason {error.reason.code}")
    except Exception as error:  # noqa: BLE001 - the boundary: a tool's failure is an outcome, never a crash
        _log.exception("tool %s failed", tool.id)
        return Failed(cause=type(error).__name__)
