from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.base import canonical_json

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asks for. ``arguments`` is the text that the model wrote, not yet read."""

    id: str
    name: str
    arguments: str

    def as_dict(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "arguments": self.arguments}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolCall:
        return cls(data["id"], data["name"], data["arguments"])


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Parameters
    ----------
    role : who speaks.
    content : the text; may be empty where an assistant only calls tools.
    tool_calls : the calls of an assistant's message.
    tool_call_id : of a ``tool`` message: the call that it answers.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "content": self.content,
            "tool_calls": [call.as_dict() for call in self.tool_calls],
            "tool_call_id": self.tool_call_id,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        calls = tuple(ToolCall.from_dict(call) for call in data["tool_calls"])
        return cls(data["role"], data["content"], calls, data["tool_call_id"])


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it: canonical id (``a.b``), and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolSpec:
        return cls(data["name"], data["description"], data["parameters"])


@dataclass(frozen=True, slots=True)
class Request:
    """All that a reply depends on. Where it is sent, and whether streamed, is the provider's matter.

    ``parameters`` are JSON values, sent as they are: ``temperature``, ``max_tokens``, ``seed``.
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[ToolSpec, ...] = ()

    @property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical JSON of model, messages, parameters and tools."""
        # a lone surrogate has no UTF-8; its backslash form is its JSON escape
        text = canonical_json(self.as_dict()).encode("utf-8", "backslashreplace")
        return hashlib.sha256(text).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "messages": [message.as_dict() for message in self.messages],
            "parameters": dict(self.parameters),
            "tools": [tool.as_dict() for tool in self.tools],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Request:
        return cls(
            data["model"],
            tuple(Message.from_dict(message) for message in data["messages"]),
            data["parameters"],
            tuple(ToolSpec.from_dict(tool) for tool in data["tools"]),
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the service counts them; ``cached`` is that part of ``input`` it had stored.

    ``estimated``: the service did not tell ``input`` or ``output``, or told what cannot be. A record has this
    key only where it is so.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    estimated: bool = False

    def as_dict(self) -> dict[str, int | bool]:
        counts = {"input": self.input, "output": self.output, "cached": self.cached}
        return {**counts, "estimated": True} if self.estimated else {**counts}

    @classmethod
    def from_dict(cls, data: Mapping[str, int]) -> Usage:
        return cls(data["input"], data["output"], data["cached"], bool(data.get("estimated", False)))


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole, checked answer. ``model`` and ``provider_id`` are what the service says of itself."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    usage: Usage = Usage()
    model: str = ""
    provider_id: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "tool_calls": [call.as_dict() for call in self.tool_calls],
            "finish": self.finish,
            "usage": self.usage.as_dict(),
            "model": self.model,
            "provider_id": self.provider_id,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Reply:
        return cls(
            data["text"],
            tuple(ToolCall.from_dict(call) for call in data["tool_calls"]),
            data["finish"],
            Usage.from_dict(data["usage"]),
            data["model"],
            data["provider_id"],
        )


@dataclass(frozen=True, slots=True)
class Reachability:
    """What :meth:`Provider.check` found. ``detail`` is one line for a person, without secrets."""

    reachable: bool
    detail: str
    models: tuple[str, ...] = ()
