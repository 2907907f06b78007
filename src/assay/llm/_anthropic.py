from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.llm._connection import Connection, Endpoint, check_parameters, count
from assay.llm._tokens import counted
from assay.llm._types import Finish, Message, Reachability, Reply, Request, ToolCall, ToolSpec, Usage
from assay.llm._wire import canonical_name, joined, past_name, sendable, tool_ids, wire_name

ANTHROPIC_URL = "https://api.anthropic.com"

_RESERVED = frozenset({"model", "messages", "tools", "stream", "system"})
# the service wants a number; a request says another one with the parameter max_tokens
_MAX_TOKENS = 8192
_DEEPEST_ARGUMENTS = 64
_BRACKET = re.compile(r"[][{}]")
_FINISH: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


class AnthropicProvider:
    """Anthropic's messages, through the official client; parameters as of :class:`OpenAIProvider`."""

    def __init__(self, name: str, endpoint: Endpoint, *, stream: bool = False) -> None:
        self._connection = Connection(name, endpoint, sdk="anthropic")
        self._client = self._connection.client("Anthropic")
        self._stream = stream

    @property
    def name(self) -> str:
        return self._connection.name

    def complete(self, request: Request) -> Reply:
        """One attempt at one reply; see :meth:`Provider.complete`."""
        payload = _payload(request)
        known = tool_ids(tool.name for tool in request.tools)
        ask = self._streamed if self._stream else self._whole
        body = self._connection.guarded(lambda: ask(payload))
        return counted(_reply(body, self._connection, known), request)

    def check(self) -> Reachability:
        """Whether the service answers; asks for its list of models."""
        return self._connection.check(self._client)

    def _whole(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        with self._client.messages.with_streaming_response.create(**payload) as response:
            return self._connection.read_json(response.read(), response.headers.get("content-type", ""))

    def _streamed(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        return self._connection.read_stream(self._client.messages.create(**payload, stream=True), _Assembly())


def _payload(request: Request) -> dict[str, Any]:
    check_parameters(request.parameters, _RESERVED)
    rest = dict(request.parameters)
    payload: dict[str, Any] = {
        "model": request.model,
        "max_tokens": rest.pop("max_tokens", _MAX_TOKENS),
        "messages": _messages(request.messages),
        "extra_body": rest,
    }
    system = "\n\n".join(message.content for message in request.messages if message.role == "system")
    if system:
        payload["system"] = system
    if request.tools:
        payload["tools"] = [_tool(tool) for tool in request.tools]
    return {key: sendable(value) for key, value in payload.items()}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": wire_name(tool.name),
        "description": tool.description,
        "input_schema": dict(tool.parameters),
    }


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """User and assistant by turns: neighbours of one side, as several tools' results, become one message."""
    sent: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if sent and sent[-1]["role"] == role:
            sent[-1]["content"].extend(blocks)
        elif blocks:
            sent.append({"role": role, "content": blocks})
    return sent


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content}
        return [result]
    # the service refuses empty texts
    text = [{"type": "text", "text": message.content}] if message.content else []
    calls = [
        {
            "type": "tool_use",
            "id": call.id,
            "name": past_name(call.name),
            "input": _input(call.arguments),
        }
        for call in message.tool_calls
    ]
    return [*text, *calls]


def _input(arguments: str) -> dict[str, Any]:
    """A past call's arguments as the object that the service wants; what is none goes back as text in one."""
    if _depth(arguments) <= _DEEPEST_ARGUMENTS:
        try:
            value = json.loads(arguments or "{}")
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value
    return {"unparsable_arguments": arguments}


def _depth(text: str) -> int:
    """No less than the depth of the JSON in ``text`` (brackets inside strings count as well)."""
    deepest = depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "{[" else -1
        deepest = max(deepest, depth)
    return deepest


class _Assembly:
    """The events of a stream, put together to the body that would have come whole."""

    def __init__(self) -> None:
        self.finish: Any = None
        self._head: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}

    def add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start" and isinstance(event.get("message"), dict):
            self._head = event["message"]
            self._add_usage(self._head.get("usage"))
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            self._blocks[count(event.get("index"))] = {**event["content_block"], "pieces": []}
        elif kind == "content_block_delta" and isinstance(event.get("delta"), dict):
            self._add_delta(count(event.get("index")), event["delta"])
        elif kind == "message_delta":
            delta = event.get("delta")
            self.finish = (delta.get("stop_reason") if isinstance(delta, dict) else None) or self.finish
            self._add_usage(event.get("usage"))

    def _add_usage(self, usage: Any) -> None:
        if isinstance(usage, dict):
            self._usage.update({key: value for key, value in usage.items() if value is not None})

    def _add_delta(self, index: int, delta: dict[str, Any]) -> None:
        block = self._blocks.setdefault(index, {"type": "text", "text": "", "pieces": []})
        for key in ("text", "partial_json"):
            if isinstance(delta.get(key), str):
                block["pieces"].append(delta[key])

    def body(self) -> dict[str, Any]:
        blocks = []
        for _, block in sorted(self._blocks.items()):
            written = "".join(block.pop("pieces"))
            if block.get("type") == "text":
                block["text"] = f"{block.get('text') or ''}{written}"
            elif written:
                block["input"] = written  # as the model wrote it; an empty object came with the start
            blocks.append(block)
        return {**self._head, "content": blocks, "stop_reason": self.finish, "usage": self._usage}


def _reply(body: dict[str, Any], connection: Connection, known: Mapping[str, str]) -> Reply:
    content = body.get("content")
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise connection.bad("the reply has no content")
    texts = [block.get("text") for block in content if block.get("type") == "text"]
    text = joined("".join(piece for piece in texts if isinstance(piece, str)))
    uses = [block for block in content if block.get("type") == "tool_use"]
    calls = tuple(_call(place, block, connection, known) for place, block in enumerate(uses))
    finish = connection.finish(body.get("stop_reason"), _FINISH, text=text, calls=calls)
    model, provider_id = body.get("model"), body.get("id")
    return Reply(
        text,
        calls,
        finish,
        _usage(body.get("usage")),
        model if isinstance(model, str) else "",
        provider_id if isinstance(provider_id, str) else "",
    )


def _call(place: int, block: dict[str, Any], connection: Connection, known: Mapping[str, str]) -> ToolCall:
    name, call_id, value = block.get("name"), block.get("id"), block.get("input")
    if not isinstance(name, str) or not name:
        raise connection.bad("a tool call has no name")
    arguments = value if isinstance(value, str) else json.dumps(value or {}, ensure_ascii=False)
    call_id = call_id if isinstance(call_id, str) and call_id else f"call_{place}"
    return ToolCall(call_id, canonical_name(name, known), joined(arguments))


def _usage(usage: Any) -> Usage:
    """Anthropic counts what it read from or wrote to its cache apart from the rest of the input."""
    if not isinstance(usage, dict):
        return Usage()
    cached = count(usage.get("cache_read_input_tokens"))
    read = count(usage.get("input_tokens")) + count(usage.get("cache_creation_input_tokens")) + cached
    return Usage(read, count(usage.get("output_tokens")), cached)
