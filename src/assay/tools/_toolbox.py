from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.base import canonical_json
from assay.errors import AssayError, Reason
from assay.llm import ToolCall, ToolSpec
from assay.tools._outcome import Illegal, IllegalKind, Ok, Outcome, Refused
from assay.tools._reasons import BUDGET_EXCEEDED, FROZEN_FIELD_MUTATION, MULTI_TOOL_PER_STEP
from assay.tools._registry import Prepared, Registry
from assay.tools._tool import Caller, Tool

_ABSENT = object()


@dataclass(frozen=True)
class Toolbox:
    """The tools of one kind of episode, and the rules under which they are called.

    Parameters
    ----------
    registry : where the tools are.
    caller : who calls them.
    tools : ids of the tools in the box; by default all that the caller may call. To the policy no other tool
        exists.
    one_call_per_step : a step with several calls is illegal as a whole (``multi_tool_per_step``).
    limits : how often a tool may run in an episode, by id. A run that failed does not count.
    frozen : values of arguments that are fixed in this episode, by path. A call of a tool that declares the
        path as frozen, and that sends another value, is illegal.

    Raises
    ------
    AssayError
        A name in ``tools``, ``limits`` or ``frozen`` belongs to nothing.
    """

    registry: Registry
    caller: Caller
    tools: tuple[str, ...] | None = None
    one_call_per_step: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)
    frozen: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        usable = {tool.id: tool for tool in self.registry.tools(self.caller.operator.kind)}
        if missing := sorted({*(self.tools or ()), *self.limits} - set(usable)):
            raise AssayError(
                f"no tool {missing[0]!r} may be called by this caller",
                where="toolbox",
                fix="name tools of the registry",
            )
        paths = {path for tool in self.listed() for path in tool.frozen}
        if unknown := sorted(set(self.frozen) - paths):
            raise AssayError(
                f"no tool of the box declares {unknown[0]!r} as frozen",
                where="toolbox.frozen",
                fix="name a path that a tool lists",
            )

    def listed(self) -> tuple[Tool, ...]:
        """The tools in the box, sorted by id."""
        usable = self.registry.tools(self.caller.operator.kind)
        return tuple(tool for tool in usable if self.tools is None or tool.id in self.tools)

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model is told of them."""
        return tuple(ToolSpec(tool.id, tool.summary, tool.input_schema) for tool in self.listed())


class ToolSession:
    """The calls of one episode: holds them to the toolbox's rules and counts.

    Precedence of the illegal kinds: ``unknown_tool`` > ``unparsable_arguments`` > ``schema_invalid`` >
    ``budget_exceeded`` > ``frozen_field_mutation`` > ``multi_tool_per_step``. An illegal call does nothing,
    so a step with several calls where one is allowed runs none of them.
    """

    def __init__(self, toolbox: Toolbox, *, calls: int | None = None) -> None:
        self._toolbox = toolbox
        self._ids = {tool.id for tool in toolbox.listed()}
        self._left = calls
        self._runs: Counter[str] = Counter()

    def step(self, calls: Sequence[ToolCall]) -> Iterator[Outcome]:
        """The outcomes of the calls of one step, in order; a call is made when its outcome is asked for."""
        several = len(calls) > 1 and self._toolbox.one_call_per_step
        for call in calls:
            yield self._call(call, several)

    def _call(self, call: ToolCall, several: bool) -> Outcome:
        over = self._left == 0
        if self._left:
            self._left -= 1
        box = self._toolbox
        # a tool outside the box is as unknown as one that does not exist
        prepared = box.registry.prepare(call.name, call.arguments, box.caller, among=self._ids)
        if isinstance(prepared, Illegal):
            return prepared
        limit = box.limits.get(prepared.tool.id)
        if over or (limit is not None and self._runs[prepared.tool.id] >= limit):
            return _illegal("budget_exceeded", BUDGET_EXCEEDED)
        if changed := self._mutation(prepared):
            message = f"{changed} is fixed in this episode"
            return _illegal("frozen_field_mutation", FROZEN_FIELD_MUTATION, message)
        if several:
            return _illegal("multi_tool_per_step", MULTI_TOOL_PER_STEP)
        outcome = box.registry.execute(prepared, box.caller)
        if isinstance(outcome, (Ok, Refused)):
            self._runs[prepared.tool.id] += 1
        return outcome

    def _mutation(self, prepared: Prepared) -> str | None:
        for path in prepared.tool.frozen:
            if path in self._toolbox.frozen:
                sent = _at(prepared.plain, path)
                if sent is not _ABSENT and canonical_json(sent) != canonical_json(self._toolbox.frozen[path]):
                    return path
        return None


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def _illegal(kind: IllegalKind, reason: Reason, message: str | None = None) -> Illegal:
    return Illegal(kind, reason.code, message or reason.summary, {}, reason.fix)
