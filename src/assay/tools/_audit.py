"""Counts of what the calls of a trajectory came to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from assay.tools._outcome import ILLEGAL_KINDS, Failed, Illegal, IllegalKind, Ok, Outcome, Refused


def illegal_kind(outcome: Outcome) -> IllegalKind | None:
    """The kind of an illegal call, by the type of its outcome; its words are never looked at."""
    return outcome.kind if isinstance(outcome, Illegal) else None


def outcome_name(outcome: Outcome) -> str:
    """``ok``, ``refused``, ``illegal`` or ``failed``."""
    return {Ok: "ok", Refused: "refused", Illegal: "illegal", Failed: "failed"}[type(outcome)]


@dataclass(frozen=True, slots=True)
class Audit:
    """Calls of one trajectory, counted.

    A refused call is legal. A failed one is nobody's fault: it counts neither as illegal nor among the calls
    over which the rate is taken.
    """

    tool_calls: int = 0
    refused: int = 0
    environment_failures: int = 0
    illegal_by_kind: dict[IllegalKind, int] = field(default_factory=dict)

    @property
    def illegal_tool_calls(self) -> int:
        """Illegal calls of all kinds."""
        return sum(self.illegal_by_kind.values())

    @property
    def illegal_tool_call_rate(self) -> float | None:
        """Illegal calls over the calls that did not fail; ``None`` when there were none."""
        counted = self.tool_calls - self.environment_failures
        return self.illegal_tool_calls / counted if counted else None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; every kind is listed."""
        return {
            "tool_calls": self.tool_calls,
            "refused": self.refused,
            "environment_failures": self.environment_failures,
            "illegal_tool_calls": self.illegal_tool_calls,
            "illegal_tool_call_rate": self.illegal_tool_call_rate,
            "illegal_by_kind": {kind: self.illegal_by_kind.get(kind, 0) for kind in ILLEGAL_KINDS},
        }


def audit(outcomes: Iterable[Outcome]) -> Audit:
    """Count the outcomes of a trajectory's calls."""
    listed = list(outcomes)
    kinds = [kind for outcome in listed if (kind := illegal_kind(outcome)) is not None]
    return Audit(
        tool_calls=len(listed),
        refused=sum(isinstance(outcome, Refused) for outcome in listed),
        environment_failures=sum(isinstance(outcome, Failed) for outcome in listed),
        illegal_by_kind={kind: kinds.count(kind) for kind in ILLEGAL_KINDS if kind in kinds},
    )
