"""What a call comes to: it worked, it was refused, it was not a legal call, or something broke."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

IllegalKind = Literal[
    "unknown_tool",
    "unparsable_arguments",
    "schema_invalid",
    "budget_exceeded",
    "frozen_field_mutation",
    "multi_tool_per_step",
]

ILLEGAL_KINDS: tuple[IllegalKind, ...] = (
    "unknown_tool",
    "unparsable_arguments",
    "schema_invalid",
    "budget_exceeded",
    "frozen_field_mutation",
    "multi_tool_per_step",
)
"""In order of precedence: a call with several faults counts under the first."""

FAILED_MESSAGE = "the tool could not do its work; the call was not at fault"
"""The one text of every failure: what broke inside may name paths or dates, and goes to the log alone."""


@dataclass(frozen=True, slots=True)
class Ok:
    """The tool's result, a JSON object of its result schema."""

    result: Mapping[str, Any]

    def face(self) -> Ok:
        """What a caller is shown."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"ok": True, "result": dict(self.result)}


@dataclass(frozen=True, slots=True)
class Refused:
    """A "no" with a reason of the tool's vocabulary; ``detail`` is JSON-ready."""

    reason: str
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    fix: str = ""

    def face(self) -> Refused:
        """What a caller is shown."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "ok": False,
            "reason": self.reason,
            "message": self.message,
            "fix": self.fix,
            "detail": dict(self.detail),
        }


@dataclass(frozen=True, slots=True)
class Illegal:
    """A call that should not have been made, by kind. Nothing was done."""

    kind: IllegalKind
    reason: str
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    fix: str = ""

    def face(self) -> Refused:
        """What a caller is shown: a refusal. Only the audit tells the two apart."""
        return Refused(self.reason, self.message, self.detail, self.fix)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, as the caller is shown it."""
        return self.face().as_dict()


@dataclass(frozen=True, slots=True)
class Failed:
    """Something outside the call broke: a service, a disk, the program. Never the caller's fault.

    ``cause`` is the type of the exception, for the record; it is not shown.
    """

    message: str = FAILED_MESSAGE
    cause: str = ""

    def face(self) -> Failed:
        """What a caller is shown."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, without the cause."""
        return {"ok": False, "failed": True, "message": self.message}


Outcome: TypeAlias = Ok | Refused | Illegal | Failed
