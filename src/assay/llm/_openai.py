from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.llm._connection import Connection, Endpoint, check_parameters, count
from assay.llm._tokens import counted
from assay.llm._types import Finish, Message, Reachability, Reply, Request, ToolCall, ToolSpec, Usage
from assay.llm._wire import canonical_name, joined, past_name, sendable, tool_ids, wire_name

_OWN_HOST = "api.openai.com"
OPENAI_URL = f"https://{_OWN_HOST}/v1"

# what the request itself says; a parameter of this name would make the log lie
_RESERVED = frozenset({"model", "messages", "tools", "stream", "stream_options", "n"})
_FINISH: Mapping[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


class OpenAIProvider:
    """Chat completions of any service that speaks OpenAI's protocol, through the official client.

    OpenAI, DeepSeek, Qwen, vLLM, Ollama, llama.cpp's server, ... differ in ``endpoint.base_url`` alone.

    Parameters
    ----------
    name : the backend's name in the configuration.
    endpoint : where the service is.
    stream : ask for the answer in pieces; better for long answers behind proxies that cut idle connections.

    Raises
    ------
    AssayError
        The extra ``llm`` is not installed.
    """

    def __init__(self, name: str, endpoint: Endpoint, *, stream: bool = False) -> None:
        self._connection = Connection(name, endpoint, sdk="openai")
        self._client = self._connection.client("OpenAI")
        # of the environment, and meant for OpenAI; other services should not learn them
        self._client.organization = self._client.project = None
        self._stream = stream

    @property
    def name(self) -> str:
        return self._connection.name

    def complete(self, request: Request) -> Reply:
        """One attempt at one reply; see :meth:`Provider.complete`."""
        payload = _payload(request, own=self._connection.endpoint.host == _OWN_HOST)
        known = tool_ids(tool.name for tool in request.tools)
        ask = self._streamed if self._stream else self._whole
        body = self._connection.guarded(lambda: ask(payload))
        return counted(_Reading(self._connection, known).reply(body), request)

    def check(self) -> Reachability:
        """Whether the service answers; asks for its list of models."""
        return self._connection.check(self._client)

    def _whole(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        with self._client.chat.completions.with_streaming_response.create(**payload) as response:
            return self._connection.read_json(response.read(), response.headers.get("content-type", ""))

    def _streamed(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        options = {"include_usage": True}
        stream = self._client.chat.completions.create(**payload, stream=True, stream_options=options)
        return self._connection.read_stream(stream, _Assembly())


def _payload(request: Request, *, own: bool) -> dict[str, Any]:
    check_parameters(request.parameters, _RESERVED)
    rest = dict(request.parameters)
    if own and "max_tokens" in rest:  # OpenAI itself gave the limit another name, which others do not know
        rest["max_completion_tokens"] = rest.pop("max_tokens")
    payload: dict[str, Any] = {
        "model": request.model,
        "messages": [_message(message) for message in request.messages],
        # as the body's own keys, so that a service's parameters work that the SDK does not know
        "extra_body": rest,
    }
    if request.tools:
        payload["tools"] = [_tool(tool) for tool in request.tools]
    return {key: sendable(value) for key, value in payload.items()}


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        sent["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": past_name(call.name), "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    return sent


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {
        "name": wire_name(tool.name),
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}


class _Assembly:
    """The chunks of a stream, put together to the body that would have come whole."""

    def __init__(self) -> None:
        self.finish: Any = None
        self._text: list[str] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._rest: dict[str, Any] = {}

    def add(self, chunk: dict[str, Any]) -> None:
        self._rest.update({key: chunk[key] for key in ("id", "model", "usage") if chunk.get(key)})
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self.finish = choice.get("finish_reason") or self.finish
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._text.append(_text(delta.get("content")))
            calls = delta.get("tool_calls")
            for place, call in enumerate(calls if isinstance(calls, list) else ()):
                self._add_call(place, call)

    def _add_call(self, place: int, piece: Any) -> None:
        if not isinstance(piece, dict):
            return
        index = piece.get("index")
        if not isinstance(index, int):  # some services number no calls; then each id is a call
            index = self._unnumbered(place, piece.get("id"))
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        call = self._calls.setdefault(index, {"id": None, "name": None, "arguments": []})
        call["id"] = call["id"] or piece.get("id")
        call["name"] = call["name"] or function.get("name")
        if function.get("arguments"):
            call["arguments"].append(_arguments(function["arguments"]))

    def _unnumbered(self, place: int, call_id: Any) -> int:
        held = self._calls.get(place)
        if held is None or not call_id or held["id"] == call_id:
            return place
        return next((index for index, call in self._calls.items() if call["id"] == call_id), len(self._calls))

    def body(self) -> dict[str, Any]:
        calls = [
            {"id": call["id"], "function": {"name": call["name"], "arguments": "".join(call["arguments"])}}
            for _, call in sorted(self._calls.items())
        ]
        message = {"content": "".join(self._text), "tool_calls": calls}
        return {**self._rest, "choices": [{"message": message, "finish_reason": self.finish}]}


class _Reading:
    """Reads a body that anybody may have written: each level is checked before it is used."""

    def __init__(self, connection: Connection, known: Mapping[str, str]) -> None:
        self._connection = connection
        self._known = known

    def reply(self, body: dict[str, Any]) -> Reply:
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise self._connection.bad("the reply has no choices")
        message = choices[0].get("message")
        if not isinstance(message, dict):
            raise self._connection.bad("the reply has no message")
        text = joined(_text(message.get("content")))
        calls = self._calls(message.get("tool_calls"))
        reason = choices[0].get("finish_reason")
        if reason == "insufficient_system_resource":  # DeepSeek's
            raise self._connection.transient("the service broke the reply off for lack of resources")
        finish = self._connection.finish(reason, _FINISH, text=text, calls=calls)
        model, provider_id = body.get("model"), body.get("id")
        return Reply(
            text,
            calls,
            finish,
            _usage(body.get("usage")),
            model if isinstance(model, str) else "",
            provider_id if isinstance(provider_id, str) else "",
        )

    def _calls(self, listed: Any) -> tuple[ToolCall, ...]:
        if listed is None:
            return ()
        if not isinstance(listed, list):
            raise self._connection.bad("the tool calls are no list")
        return tuple(self._call(place, call) for place, call in enumerate(listed))

    def _call(self, place: int, call: Any) -> ToolCall:
        function = call.get("function") if isinstance(call, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(function, dict) or not isinstance(name, str) or not name:
            raise self._connection.bad("a tool call has no name")
        call_id = call.get("id")
        return ToolCall(
            call_id if isinstance(call_id, str) and call_id else f"call_{place}",
            canonical_name(name, self._known),
            joined(_arguments(function.get("arguments"))),
        )


def _arguments(value: Any) -> str:
    """Arguments are text; some local servers send the object itself."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(content: Any) -> str:
    """The text of a message; some services send it as a list of parts."""
    if isinstance(content, str):
        return content
    parts = (
        [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    return "".join(part for part in parts if isinstance(part, str))


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    read = count(usage.get("prompt_tokens"))
    kept = count(cached) or count(usage.get("prompt_cache_hit_tokens"))  # the latter is DeepSeek's
    return Usage(read, count(usage.get("completion_tokens")), min(kept, read))
