"""What happened in one episode, as data: the same file for training, for audits and for people."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.base import canonical_json
from assay.llm import Message, ToolCall, ToolSpec
from assay.tools._audit import Audit, illegal_kind, outcome_name
from assay.tools._budget import Spent, Stop
from assay.tools._outcome import Failed, IllegalKind, Ok, Outcome, Refused

FORMAT = "assay-trajectory/1"


def wire_text(value: Any) -> str:
    """Canonical JSON in which half a surrogate pair, which UTF-8 has no bytes for, is its JSON escape."""
    return canonical_json(value).encode("utf-8", "backslashreplace").decode("utf-8")


def content_hash(value: Any) -> str:
    """Hex SHA-256 of the canonical JSON of ``value``."""
    return hashlib.sha256(wire_text(value).encode()).hexdigest()


def prompt_hash(prompt: Sequence[Message]) -> str:
    """Identifies the messages that an episode begins with."""
    return content_hash([message.as_dict() for message in prompt])


def tool_schema_hash(tools: Sequence[ToolSpec]) -> str:
    """Identifies the tools as the policy was told of them."""
    return content_hash([tool.as_dict() for tool in tools])


@dataclass(frozen=True, slots=True)
class Observation:
    """The answer to one call, as the policy saw it.

    ``source`` is ``environment`` where something broke that is not the policy's doing, else ``model``.
    """

    step: int
    tool_call_id: str
    name: str
    ok: bool
    source: Literal["model", "environment"]
    illegal: bool
    illegal_kind: IllegalKind | None
    content: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {name: getattr(self, name) for name in self.__slots__}


def observe(step: int, call: ToolCall, outcome: Outcome) -> Observation:
    """The observation that an outcome gives."""
    kind = illegal_kind(outcome)
    return Observation(
        step=step,
        tool_call_id=call.id,
        name=call.name,
        ok=isinstance(outcome, Ok),
        source="environment" if isinstance(outcome, Failed) else "model",
        illegal=kind is not None,
        illegal_kind=kind,
        content=wire_text(outcome.face().as_dict()),
    )


@dataclass(frozen=True, slots=True)
class CallVerdict:
    """What one call came to; ``reason`` is that of a refusal or an illegal call."""

    step: int
    tool_call_id: str
    outcome: str
    reason: str | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {name: getattr(self, name) for name in self.__slots__}


def verdict_of(step: int, call: ToolCall, outcome: Outcome) -> CallVerdict:
    """The verdict that an outcome gives."""
    face = outcome.face()
    reason = face.reason if isinstance(face, Refused) else None
    return CallVerdict(step, call.id, outcome_name(outcome), reason)


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call as the policy wrote it."""

    step: int
    call: ToolCall

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"step": self.step, **self.call.as_dict()}


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One episode of a policy with tools.

    Parameters
    ----------
    stage, case : the kind of episode, and what it was about.
    policy : name of what acted.
    prompt : how many of ``messages`` the episode began with.
    messages : the whole conversation.
    calls, observations, verdicts : one each for every call, in order.
    tools : the tools as the policy was told of them.
    stop : why it ended.
    spent : what it used; seconds are not part of the stored form, which is the same on a replay.
    repairs : what had to be mended to read what the policy wrote, by kind; part of the metadata.
    """

    stage: str
    case: str
    policy: str
    prompt: int
    messages: tuple[Message, ...]
    calls: tuple[MadeCall, ...]
    observations: tuple[Observation, ...]
    verdicts: tuple[CallVerdict, ...]
    tools: tuple[ToolSpec, ...]
    audit: Audit
    stop: Stop
    spent: Spent
    repairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def final_text(self) -> str:
        """The text of the policy's last turn; empty when it never acted."""
        said = [message.content for message in self.messages[self.prompt :] if message.role == "assistant"]
        return said[-1] if said else ""

    @property
    def loss_mask(self) -> tuple[Mapping[str, Any], ...]:
        """By message, for its text and for each of its calls: 1 where the policy wrote it, else 0.

        Prompts and observations are 0. An assistant's message within the prompt is an example that somebody
        else wrote: 0 too.
        """
        return tuple(
            _mask(message, int(number >= self.prompt and message.role == "assistant"))
            for number, message in enumerate(self.messages)
        )

    @property
    def prompt_hash(self) -> str:
        """See :func:`prompt_hash`."""
        return prompt_hash(self.messages[: self.prompt])

    @property
    def tool_schema_hash(self) -> str:
        """See :func:`tool_schema_hash`."""
        return tool_schema_hash(self.tools)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; nothing in it depends on how long things took."""
        return {
            "format": FORMAT,
            "stage": self.stage,
            "case": self.case,
            "policy": self.policy,
            "messages": [message.as_dict() for message in self.messages],
            "loss_mask": [dict(mask) for mask in self.loss_mask],
            "calls": [call.as_dict() for call in self.calls],
            "observations": [observation.as_dict() for observation in self.observations],
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "tools": [tool.as_dict() for tool in self.tools],
            "stop": self.stop,
            "spent": {
                "turns": self.spent.turns,
                "calls": self.spent.calls,
                "tokens": self.spent.tokens,
                "money": self.spent.money,
            },
            "final_text": self.final_text,
        }


def _mask(message: Message, written: int) -> dict[str, Any]:
    return {"content": written, "tool_calls": [written] * len(message.tool_calls)}
