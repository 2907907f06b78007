"""Tokens without a model's tokenizer: estimated before a call, and where a service does not tell them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assay.base import canonical_json
from assay.llm._types import Reply, Request, ToolCall

ASSUMED_OUTPUT = 4096
"""Tokens that a reply may have, for the check, where the request sets no ``max_tokens``."""

TOO_FEW = 20
"""A count below the estimate by this factor is none: no tokenizer has 60 characters of text in a token."""

_PER_MESSAGE = 8


def estimate_tokens(request: Request) -> int:
    """About how many tokens the input of a request has, on the high side.

    Without the model's tokenizer: a token for 3 ASCII characters (formulas and JSON; English has about 4),
    one and a half for any other character, and 8 for each message.
    """
    texts = [message.content for message in request.messages]
    texts += [text for message in request.messages for text in _call_texts(message.tool_calls)]
    texts += [canonical_json(tool.as_dict()) for tool in request.tools]
    return _tokens_of(texts) + _PER_MESSAGE * len(request.messages)


def longest_output(parameters: Mapping[str, Any]) -> int:
    """Tokens that a reply may have at most, as its request says."""
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        if isinstance(parameters.get(name), int):
            return int(parameters[name])
    return ASSUMED_OUTPUT


def counted(reply: Reply, request: Request) -> Reply:
    """The reply of a service with a usage that budgets can be held to.

    Counts that the service leaves out (0 says the same), or that are too few for the texts, become
    estimates on the high side, and the usage says so. A service that tells nothing would never fill a budget.
    """
    said = reply.usage
    sent = estimate_tokens(request)
    written = _tokens_of([reply.text, *_call_texts(reply.tool_calls)])
    taken = written
    if reply.finish == "length":
        # all that it might have is gone, also on thoughts that are not shown
        written, taken = max(written, 1), max(written, longest_output(request.parameters))
    usage = replace(
        said,
        input=sent if _too_few(said.input, sent) else said.input,
        output=taken if _too_few(said.output, written) else said.output,
    )
    if usage == said:
        return reply
    # what was read from a cache is a part of an input that the service told, or of none
    cached = said.cached if usage.input == said.input else 0
    return replace(reply, usage=replace(usage, cached=cached, estimated=True))


def _too_few(said: int, estimate: int) -> bool:
    return said * TOO_FEW < estimate


def _call_texts(calls: Iterable[ToolCall]) -> list[str]:
    return [call.name + call.arguments for call in calls]


def _tokens_of(texts: Iterable[str]) -> int:
    texts = list(texts)
    ascii_count = sum(len(text.encode("ascii", "ignore")) for text in texts)
    others = sum(map(len, texts)) - ascii_count
    return (2 * ascii_count + 9 * others + 5) // 6
