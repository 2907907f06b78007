from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict

from assay.base import Operator, OperatorKind
from assay.errors import AssayError, Reason
from assay.tools._schema import closed_schema

# no double underscore: on the wire to a model "a.b" is written "a__b", in at most 64 characters
_ID = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\.[a-z][a-z0-9]*(?:_[a-z0-9]+)*)*")
_MAX_WIRE = 64

EVERYBODY: frozenset[OperatorKind] = frozenset(("human", "agent", "system"))


def is_tool_id(text: str) -> bool:
    """Whether ``text`` has the form of a canonical tool id."""
    return len(text.replace(".", "__")) <= _MAX_WIRE and bool(_ID.fullmatch(text))


class Arguments(BaseModel):
    """Base of the arguments of a tool: no other keys, no guessing of types, no NaN."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Result(BaseModel):
    """Base of the result of a tool, and of the objects within it; a missing number is ``None``."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Annotations:
    """Hints about a tool, as MCP names them; they promise, the code keeps."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and in which run (``None`` outside all runs)."""

    operator: Operator
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What a tool's function may know of its call besides the arguments."""

    caller: Caller


ToolFunction = Callable[[Any, Context], BaseModel]


@dataclass(frozen=True)
class Tool:
    """One tool: all that a caller may send, may get, and may be refused with.

    Parameters
    ----------
    id : canonical name, ``group.verb``.
    summary : one or two sentences for the caller; the catalogue and the models see them.
    arguments, result : models; their schemas close every object (``additionalProperties: false``).
    reasons : exactly those with which this tool can refuse, besides the common ones.
    function : takes the validated arguments and a :class:`Context`; gives the result, or raises a
        :class:`~assay.errors.Refusal` with one of ``reasons``. Any other exception is a failure of the tool.
    annotations : hints.
    callers : kinds of operator that may call it; to others it does not exist.
    frozen : arguments, as dotted paths, that an episode may fix; see :class:`Toolbox`.
    reserved : codes of ``reasons`` that nothing reaches yet, kept so that callers may branch on them.
    faults : the ``X`` of ``bad_X`` for a faulty argument within another: ``{"dims.*.name": "dim_name"}``.

    Raises
    ------
    AssayError
        The declaration contradicts itself, or a schema leaves an object open.
    """

    id: str
    summary: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    reasons: tuple[Reason, ...]
    function: ToolFunction
    annotations: Annotations = field(default_factory=Annotations)
    callers: frozenset[OperatorKind] = EVERYBODY
    frozen: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_tool_id(self.id):
            raise self._fault(f"{self.id!r} is no id of a tool", "write it as group.verb in lower case")
        codes = [reason.code for reason in self.reasons]
        if len(set(codes)) != len(codes):
            raise self._fault("a reason is declared twice", "declare each once")
        if not set(self.reserved) <= set(codes):
            raise self._fault("a reserved reason is not among the reasons", "declare it there too")
        if not {path.split(".")[0] for path in self.frozen} <= set(self.arguments.model_fields):
            raise self._fault("a frozen field is not an argument", "name arguments of the tool")
        if not self.callers or not self.callers <= EVERYBODY:
            raise self._fault("nobody may call it", "name human, agent or system")
        _ = self.input_schema, self.output_schema

    def _fault(self, message: str, fix: str) -> AssayError:
        return AssayError(message, where=f"tool {self.id[:_MAX_WIRE]!r}", fix=fix)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema (draft 2020-12) of the arguments."""
        return closed_schema(self.arguments, "validation", where=f"tool {self.id!r}")

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON schema (draft 2020-12) of the result, an object."""
        return closed_schema(self.result, "serialization", where=f"tool {self.id!r}")

    @cached_property
    def codes(self) -> frozenset[str]:
        """Codes of the declared reasons."""
        return frozenset(reason.code for reason in self.reasons)
