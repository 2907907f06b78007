from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from assay.base import canonical_json
from assay.config import Secret, redact
from assay.errors import (
    DataError,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
)
from assay.llm._types import Message, Reply, Request, ToolCall, ToolSpec, Usage

LARGE = 1024
"""Texts of more bytes than this are kept as objects beside the record: parts of prompts come again."""

_ERRORS: Mapping[str, type[ProviderError]] = {
    kind.kind: kind
    for kind in (ProviderError, ProviderQuotaExhausted, ProviderTransient, ProviderAuth, ProviderBadReply)
}


class CallKey(NamedTuple):
    """What a reply is found by on replay."""

    role: str
    request_hash: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of a model: what was asked, and the reply or the error.

    Parameters
    ----------
    ordinal : which of the run's calls with this role and request it is, from 0.
    attempts : how often the service was asked; passing errors are tried again.
    cost : money, in the currency of the price table; None without a price.
    backend, base_url : where it was sent. They are no part of the key.
    latency : seconds, retries and waits included. Not part of the body.
    """

    role: str
    request_hash: str
    ordinal: int
    request: Request
    reply: Reply | None
    error: ProviderError | None
    attempts: int = 1
    cost: float | None = None
    backend: str = ""
    base_url: str = ""
    latency: float | None = None

    @property
    def key(self) -> CallKey:
        return CallKey(self.role, self.request_hash, self.ordinal)

    @property
    def usage(self) -> Usage:
        """Tokens of the call; none where it failed."""
        return self.reply.usage if self.reply else Usage()

    def outcome(self) -> Reply:
        """The reply.

        Raises
        ------
        ProviderError
            The call had failed so.
        """
        if self.reply is None:
            raise self.error or DataError("a recorded call has neither reply nor error", where=self.role)
        return self.reply


class CallSink(Protocol):
    """Where calls are recorded; several threads may do so at once."""

    def record(self, call: CallRecord) -> None:
        """Writes one call; it is on disk when this returns."""
        ...


class ObjectStore(Protocol):
    """Keeps large texts by their content; the ledger is one."""

    def put(self, payloads: Sequence[bytes]) -> tuple[str, ...]:
        """The names of the payloads, which are on disk when this returns."""
        ...

    def get(self, name: str, /) -> bytes:
        """The payload of this name."""
        ...


class BodySink:
    """A sink that writes bodies with ``append(body, latency)`` and large texts into ``store``."""

    def __init__(self, append: Callable[[dict[str, Any], float | None], Any], store: ObjectStore) -> None:
        self._append = append
        self._store = store

    def record(self, call: CallRecord) -> None:
        """Writes the texts first: a record never names an object that is not there."""
        self._append(call_body(call, self._store), call.latency)


def read_calls(bodies: Iterable[Mapping[str, Any]], store: ObjectStore) -> Iterator[CallRecord]:
    """The calls of recorded bodies, in their order.

    Raises
    ------
    DataError
        A body is not that of a call, or its request does not have the hash that it is recorded under.
    """
    for number, body in enumerate(bodies):
        try:
            call = _call(body, store)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"recorded call {number} does not have the form of one: {error!r}", where=f"call {number}"
            ) from error
        if call.request.hash != call.request_hash:
            raise DataError(
                f"recorded call {number} ({call.role}) does not have the request that its hash names",
                where=f"call {number}",
                fix="verify the ledger",
            )
        yield call


def call_body(call: CallRecord, store: ObjectStore) -> dict[str, Any]:
    """The record as JSON-ready data. Each text larger than :data:`LARGE` becomes ``{"object": name}``."""
    texts = _Texts()
    body = {
        "role": call.role,
        "request_hash": call.request_hash,
        "ordinal": call.ordinal,
        "backend": call.backend,
        "base_url": call.base_url,
        "attempts": call.attempts,
        "cost": call.cost,
        "request": {
            "model": call.request.model,
            "messages": [_message(message, texts) for message in call.request.messages],
            "parameters": dict(call.request.parameters),
            "tools": _tools(call.request.tools, texts),
        },
        "reply": _reply(call.reply, texts) if call.reply else None,
        "error": _error(call.error) if call.error else None,
    }
    texts.store(store)
    return body


class _Texts:
    """Collects the large texts of a record, so that they cost one write."""

    def __init__(self) -> None:
        self._large: list[tuple[dict[str, str], bytes]] = []

    def add(self, text: str) -> str | dict[str, str]:
        content = text.encode("utf-8", "surrogatepass")
        if len(content) <= LARGE:
            return text
        place: dict[str, str] = {}
        self._large.append((place, content))
        return place

    def store(self, store: ObjectStore) -> None:
        if self._large:
            names = store.put([content for _, content in self._large])
            for (place, _), name in zip(self._large, names, strict=True):
                place["object"] = name


def _tools(tools: Sequence[ToolSpec], texts: _Texts) -> Any:
    listed = [tool.as_dict() for tool in tools]
    added = texts.add(canonical_json(listed))
    return listed if isinstance(added, str) else added


def _message(message: Message, texts: _Texts) -> dict[str, Any]:
    calls = [_tool_call(call, texts) for call in message.tool_calls]
    return {**message.as_dict(), "content": texts.add(message.content), "tool_calls": calls}


def _tool_call(call: ToolCall, texts: _Texts) -> dict[str, Any]:
    return {**call.as_dict(), "arguments": texts.add(call.arguments)}


def _reply(reply: Reply, texts: _Texts) -> dict[str, Any]:
    calls = [_tool_call(call, texts) for call in reply.tool_calls]
    return {**reply.as_dict(), "text": texts.add(reply.text), "tool_calls": calls}


def _error(error: ProviderError) -> dict[str, Any]:
    known = error.as_dict()
    return {name: known[name] for name in ("error", "message", "where", "fix", "status", "code")}


def _call(body: Mapping[str, Any], store: ObjectStore) -> CallRecord:
    reply, error = body["reply"], body["error"]
    return CallRecord(
        role=body["role"],
        request_hash=body["request_hash"],
        ordinal=body["ordinal"],
        request=_read_request(body["request"], store),
        reply=None if reply is None else Reply.from_dict(_with_texts(reply, "text", store)),
        error=None if error is None else _read_error(error),
        attempts=body["attempts"],
        cost=body["cost"],
        backend=body["backend"],
        base_url=body["base_url"],
    )


def _read_request(data: Mapping[str, Any], store: ObjectStore) -> Request:
    messages = [_with_texts(message, "content", store) for message in data["messages"]]
    tools = data["tools"]
    if isinstance(tools, Mapping):
        tools = json.loads(_text(tools, store))
    return Request.from_dict({**data, "messages": messages, "tools": tools})


def _with_texts(data: Mapping[str, Any], key: str, store: ObjectStore) -> dict[str, Any]:
    calls = [{**call, "arguments": _text(call["arguments"], store)} for call in data["tool_calls"]]
    return {**data, key: _text(data[key], store), "tool_calls": calls}


def _text(value: str | Mapping[str, str], store: ObjectStore) -> str:
    return value if isinstance(value, str) else store.get(value["object"]).decode("utf-8", "surrogatepass")


def _read_error(data: Mapping[str, Any]) -> ProviderError:
    return _ERRORS[data["error"]](
        data["message"], where=data["where"], fix=data["fix"], status=data["status"], code=data["code"]
    )


def masked_request(request: Request, secrets: Sequence[Secret]) -> Request:
    """The request without secrets, as it is sent, hashed and recorded.

    Only known values are masked: a pattern of what keys look like would change ordinary text on its way to
    the model.
    """

    def mask(text: str) -> str:
        return redact(text, secrets, shapes=False)

    messages = tuple(
        replace(
            message,
            content=mask(message.content),
            tool_calls=tuple(_masked_call(call, mask) for call in message.tool_calls),
        )
        for message in request.messages
    )
    tools = tuple(ToolSpec.from_dict(_masked(tool.as_dict(), mask)) for tool in request.tools)
    parameters = _masked(request.parameters, mask)
    return replace(request, messages=messages, parameters=parameters, tools=tools)


def masked_reply(reply: Reply, secrets: Sequence[Secret]) -> Reply:
    """The reply without secrets, as it is recorded and handed on."""

    def mask(text: str) -> str:
        return redact(text, secrets, shapes=False)

    calls = tuple(_masked_call(call, mask) for call in reply.tool_calls)
    return replace(
        reply,
        text=mask(reply.text),
        tool_calls=calls,
        model=mask(reply.model),
        provider_id=mask(reply.provider_id),
    )


def masked_error(error: ProviderError, secrets: Sequence[Secret]) -> ProviderError:
    """The error without secrets, nor anything that looks like a key: services quote what they refuse."""

    def mask(text: str | None) -> str | None:
        return None if text is None else redact(text, secrets)

    return type(error)(
        mask(error.message) or "",
        where=mask(error.where),
        fix=mask(error.fix),
        status=error.status,
        code=mask(error.code),
        retry_after=error.retry_after,
    )


def _masked_call(call: ToolCall, mask: Callable[[str], str]) -> ToolCall:
    return ToolCall(mask(call.id), mask(call.name), mask(call.arguments))


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(item, mask) for key, item in value.items()}
    return [_masked(item, mask) for item in value] if isinstance(value, list | tuple) else value
