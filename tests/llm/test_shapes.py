"""Whatever JSON a service sends, whole or in pieces: a reply or a provider's error, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from assay.errors import ProviderError
from assay.llm import AnthropicProvider, Endpoint, Message, OpenAIProvider, Reply, Request

from .server import ANTHROPIC_CASES, EVENTS, OPENAI_CASES, Answer, Service

REQUEST = Request("toy", (Message("user", "hi"),))
STRANGE = (None, True, 0, -1, 10**30, 1.5, "", "x", "\ud800", [], [None], {}, {"a": 1}, [[]], {"text": []})
Kind = type[OpenAIProvider] | type[AnthropicProvider]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def changed(value: Any, draw: random.Random) -> Any:
    """The data with one place replaced by something strange, or taken away."""
    value = json.loads(json.dumps(value))
    path = draw.choice(list(places(value)))
    if not path:
        return draw.choice(STRANGE)
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    if draw.random() < 0.2:
        del holder[path[-1]]
    else:
        holder[path[-1]] = draw.choice(STRANGE)
    return value


def answers(kind: Kind, n: int, *, stream: bool) -> list[Answer]:
    draw = random.Random(7)
    cases = OPENAI_CASES if kind is OpenAIProvider else ANTHROPIC_CASES
    found = []
    for _ in range(n):
        if not stream:
            body = changed(json.loads(cases[draw.choice(("normal", "tools_at_once"))].raw), draw)
            found.append(Answer(json.dumps(body)))
            continue
        lines = cases[draw.choice(("stream", "stream_tools"))].raw.decode().split("\n")
        data = [i for i, line in enumerate(lines) if line.startswith("data: {")]
        i = draw.choice(data)
        lines[i] = "data: " + json.dumps(changed(json.loads(lines[i][6:]), draw))
        found.append(Answer("\n".join(lines), content_type=EVENTS))
    return found


def sweep(kind: Kind, n: int, *, stream: bool) -> dict[str, int]:
    outcomes: dict[str, int] = {}
    played = answers(kind, n, stream=stream)
    with Service(*played) as service:
        provider = kind("main", Endpoint(service.url), stream=stream)
        for answer in played:
            try:
                reply = provider.complete(REQUEST)
                assert isinstance(reply, Reply)
                assert isinstance(reply.text, str), answer
                json.dumps(reply.as_dict())
                outcome = "reply"
            except ProviderError as error:
                outcome = error.kind
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
        assert len(service.seen) == n
    return outcomes


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_sample_of_strange_replies(kind: Kind, stream: bool) -> None:
    outcomes = sweep(kind, 60, stream=stream)
    assert outcomes["reply"] > 0
    assert outcomes["provider_bad_reply"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_many_strange_replies(kind: Kind, stream: bool) -> None:
    assert sweep(kind, 2000, stream=stream)["reply"] > 0
