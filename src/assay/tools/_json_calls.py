"""Calls of tools as plain JSON, for models that have no calling of tools of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.base import canonical_json
from assay.errors import AssayError
from assay.llm import Message, Reading, ToolCall, ToolSpec, read_json

CALLS = "calls"
_SCANNED = 200_000
_ECHOED = 4_000
_THOUGHT_END = "</think>"


class UnusableReply(AssayError):
    """A reply is neither calls nor an answer; the message is for the model that wrote it."""

    kind = "unusable_reply"


@dataclass(frozen=True, slots=True)
class JsonTurn:
    """What a reply says: calls, or none and the answer; and what had to be mended to read it, by kind."""

    calls: tuple[ToolCall, ...]
    answer: str
    repairs: Mapping[str, int]


def json_protocol(tools: Sequence[ToolSpec]) -> str:
    """How a model that has no calling of tools calls these: text for its prompt."""
    lines = [
        "Reply with one JSON object and nothing else. To call a tool:",
        '{"tool": "ID", "arguments": {...}}',
        "Its answer comes as the next message. To end, give your conclusion:",
        '{"answer": "TEXT"}',
        'A key "thought" may come before the others. Tools, with the JSON schema of their arguments:',
    ]
    lines += [f"- {tool.name}: {tool.description}\n  {canonical_json(tool.parameters)}" for tool in tools]
    return "\n".join(lines)


def read_turn(text: str, turn: int) -> JsonTurn:
    """The calls, or the answer, that a reply holds.

    A list of calls, several objects one after the other, and ``{"calls": [...]}`` are several calls of one
    step. Ids of calls are made from ``turn``.

    Raises
    ------
    UnusableReply
        No JSON can be read, or it is neither a call nor an answer.
    """
    reading = _reading(text)
    said = _several(text, reading.value) or [reading.value]
    repairs = dict(reading.repairs)
    if len(said) > 1:
        repairs.pop("other_values", None)
    first = said[0]
    if len(said) == 1 and isinstance(first, dict) and "answer" in first and "tool" not in first:
        answer = first["answer"]
        return JsonTurn((), answer if isinstance(answer, str) else canonical_json(answer), repairs)
    return JsonTurn(tuple(_call(item, turn, n) for n, item in enumerate(said)), "", repairs)


def last_answer(text: str, stop: str) -> str:
    """What a policy said at the end of an episode, without the JSON around it.

    Empty where something else than an answer ended the episode: the last text is then that of a call.
    """
    if stop != "answered":
        return ""
    try:
        return read_turn(text, 0).answer or text
    except UnusableReply:
        return text


def plain_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """A conversation without calls of tools: what the model wrote, and answers as messages of the user."""
    plain: list[Message] = []
    names: dict[str | None, str] = {}
    for message in messages:
        names.update({call.id: call.name for call in message.tool_calls})
        if message.role == "tool":
            text = f"{names.get(message.tool_call_id, 'tool')} answered: {message.content}"
            if plain and plain[-1].role == "user":
                text = f"{plain.pop().content}\n{text}"
            plain.append(Message("user", text))
        elif message.role == "assistant":
            plain.append(Message("assistant", message.content or "(empty)"))
        else:
            plain.append(message)
    return tuple(plain)


def sent_back(text: str, error: UnusableReply) -> tuple[Message, Message]:
    """A reply that cannot be used, and what is wrong with it, as the next messages."""
    shown = text if len(text) <= _ECHOED else f"{text[:_ECHOED]} [...]"
    again = f'This reply cannot be used: {error.message}. Give one JSON object with "tool" or "answer".'
    return Message("assistant", shown or "(empty)"), Message("user", again)


def _reading(text: str) -> Reading:
    """The object that a reply holds; a list where there is no object outside of one."""
    try:
        return read_json(text)
    except AssayError as error:
        try:
            return read_json(text, kind="array")
        except AssayError:
            raise UnusableReply(error.message, fix=error.fix) from error


def _several(text: str, chosen: Any) -> list[Any]:
    """The calls of a reply that holds more than one; empty where it does not."""
    if isinstance(chosen, list):
        return chosen
    listed = chosen.get(CALLS)
    if isinstance(listed, list) and "tool" not in chosen:
        return listed
    # the reader takes the last value of a text; what would be lost are calls that stand before it
    calls = [item for item in _objects(text.rpartition(_THOUGHT_END)[2][:_SCANNED]) if "tool" in item]
    return calls if len(calls) > 1 and "tool" in chosen else []


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that stand in a text one after the other, also in a list; nested ones are not."""
    decoder, place = json.JSONDecoder(), 0
    while (place := text.find("{", place)) >= 0:
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return  # the tolerant reader has read what there is
        yield value


def _call(said: Any, turn: int, number: int) -> ToolCall:
    name = said.get("tool") if isinstance(said, dict) else None
    if not isinstance(name, str):
        raise UnusableReply('the object has neither "tool" with the id of a tool nor "answer"')
    if "answer" in said:
        raise UnusableReply('the object has both "tool" and "answer"')
    arguments = said.get("arguments", {})
    written = arguments if isinstance(arguments, str) else canonical_json(arguments)
    return ToolCall(f"call-{turn}-{number}", name, written)
