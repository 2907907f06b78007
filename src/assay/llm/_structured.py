from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from assay.errors import ProviderBadReply
from assay.llm._json import UnreadableJson, read_json
from assay.llm._types import Message, Reply, ToolSpec

if TYPE_CHECKING:
    from assay.llm._client import Client

M = TypeVar("M", bound=BaseModel)

_TOOL = "answer"
_LISTED = 20
_ECHOED = 4000


@dataclass(frozen=True, slots=True)
class Structured(Generic[M]):
    """A reply in the form asked for.

    ``repairs`` counts by kind what was mended in its JSON (see :data:`assay.llm.Repair`); ``attempts`` is
    the number of calls it took; ``rejected`` holds what was wrong with the replies before.
    """

    value: M
    repairs: Mapping[str, int]
    attempts: int
    rejected: tuple[str, ...] = ()


def structured(
    client: Client,
    messages: Sequence[Message],
    model: type[M],
    *,
    attempts: int,
    parameters: Mapping[str, Any],
) -> Structured[M]:
    """See :meth:`assay.llm.Client.structured`."""
    schema = model.model_json_schema()
    by_tool = client.structured_by == "tool"
    tools = (ToolSpec(_TOOL, "Gives the answer in its final form.", schema),) if by_tool else ()
    talk = [*messages] if by_tool else [*messages, _form(schema)]
    rejected: list[str] = []
    for attempt in range(1, max(attempts, 1) + 1):
        reply = client.complete(talk, tools, **parameters)
        try:
            value, repairs = _read(reply, model)
        except _Unfit as unfit:
            rejected.append(str(unfit))
            talk += _sent_back(reply, str(unfit), by_tool)
            if reply.finish == "content_filter":
                break
        else:
            return Structured(value, repairs, attempt, tuple(rejected))
    raise ProviderBadReply(
        f"{client.role}: no reply had the form asked for, after {len(rejected)} calls: {rejected[-1]}",
        where=f"llm.roles.{client.role}",
        fix="try a stronger model, or raise max_tokens if replies are cut off",
    )


class _Unfit(Exception):
    """What is wrong with a reply, in words for the model that wrote it."""


def _form(schema: Mapping[str, Any]) -> Message:
    text = json.dumps(schema, sort_keys=True, ensure_ascii=False)
    asked = "Reply with one JSON object that fits this JSON schema, and nothing else:"
    return Message("user", f"{asked}\n{text}")


def _read(reply: Reply, model: type[M]) -> tuple[M, Mapping[str, int]]:
    if reply.finish == "content_filter":
        raise _Unfit("the service withheld the reply (content filter)")
    if reply.finish == "length":
        raise _Unfit("the reply was cut off because it is too long; give a shorter one")
    if len(reply.tool_calls) > 1:
        raise _Unfit(f"{len(reply.tool_calls)} tools were called; give one answer")
    text = reply.text
    if reply.tool_calls:
        call = reply.tool_calls[0]
        if call.name != _TOOL:
            raise _Unfit(f"there is no tool {call.name[:64]!r}; call {_TOOL!r} or give the JSON object")
        text = call.arguments
    try:
        reading = read_json(text)
        return model.model_validate_json(json.dumps(reading.value)), reading.repairs
    except UnreadableJson as error:
        raise _Unfit(error.message) from error
    except ValidationError as error:
        raise _Unfit(_listed(error)) from error


def _listed(error: ValidationError) -> str:
    # the input is not echoed: the model sees its reply anyway, and it may be megabytes
    found = error.errors(include_url=False, include_context=False, include_input=False)
    kinds = Counter(f"{'.'.join(map(str, item['loc'])) or 'the object'}: {item['msg']}" for item in found)
    lines = [*kinds][:_LISTED]
    more = [f"and {len(kinds) - _LISTED} more"] if len(kinds) > _LISTED else []
    return "; ".join([*lines, *more])


def _sent_back(reply: Reply, what: str, by_tool: bool) -> list[Message]:
    """The rejected reply and what is wrong with it, as the next messages of the conversation."""
    again = f"This reply cannot be used: {what}. Give the whole answer again, corrected."
    calls, said = reply.tool_calls, _shortened(reply.text)
    if calls and by_tool and all(len(call.arguments) <= _ECHOED for call in calls):
        answers = [Message("tool", again, tool_call_id=call.id) for call in calls]
        return [Message("assistant", said, calls), *answers]
    # services refuse calls of tools that the request does not offer, and megabytes need not go round
    said = "\n".join([said, *(_shortened(call.arguments) for call in calls)]).strip()
    return [Message("assistant", said or "(empty)"), Message("user", again)]


def _shortened(text: str) -> str:
    return text if len(text) <= _ECHOED else text[:_ECHOED] + " [...]"
