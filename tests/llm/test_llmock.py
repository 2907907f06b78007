"""The providers against a service that others wrote: its reading of the two protocols, not ours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from llmock.scenarios import Behavior, Fail, Reply, StreamFault, ToolCall
from llmock.testing import LLMockServer

from assay.errors import ProviderAuth, ProviderError, ProviderQuotaExhausted, ProviderTransient
from assay.llm import AnthropicProvider, Endpoint, Message, OpenAIProvider, Request, ToolSpec

REQUEST = Request(
    "toy", (Message("user", "hi"),), {"max_tokens": 50}, (ToolSpec("panel.field", "", {"type": "object"}),)
)
Provider = OpenAIProvider | AnthropicProvider


@pytest.fixture(scope="module")
def service() -> Iterator[LLMockServer]:
    with LLMockServer() as server:
        yield server


@pytest.fixture(params=["openai", "anthropic"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def provider(service: LLMockServer, name: str, behavior: Behavior, *, stream: bool) -> Provider:
    service.state.scenarios.clear()
    service.state.scenarios.add(behavior)
    kind = OpenAIProvider if name == "openai" else AnthropicProvider
    return kind("mock", Endpoint(service.base_url(name)), stream=stream)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_text(service: LLMockServer, name: str, stream: bool) -> None:
    reply = provider(service, name, Reply(text="hello there"), stream=stream).complete(REQUEST)
    assert reply.text == "hello there"
    assert reply.finish == "stop"
    assert reply.usage.output > 0


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_tool_call(service: LLMockServer, name: str, stream: bool) -> None:
    asked = Reply(tool_calls=(ToolCall("panel__field", {"name": "close"}),))
    reply = provider(service, name, asked, stream=stream).complete(REQUEST)
    assert reply.finish == "tool_calls"
    assert [call.name for call in reply.tool_calls] == ["panel.field"]
    assert "close" in reply.tool_calls[0].arguments


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, ProviderAuth),
        (402, ProviderQuotaExhausted),
        (403, ProviderAuth),
        (429, ProviderTransient),
        (500, ProviderTransient),
        (503, ProviderTransient),
    ],
)
def test_errors(service: LLMockServer, name: str, status: int, expected: type[ProviderError]) -> None:
    with pytest.raises(expected) as caught:
        provider(service, name, Fail(status, retry_after=4), stream=False).complete(REQUEST)
    assert caught.value.status == status
    assert caught.value.retry_after == (4.0 if expected is ProviderTransient else None)


@pytest.mark.parametrize("fault", ["disconnect", "truncate", "malformed"])
def test_broken_streams(service: LLMockServer, name: str, fault: str) -> None:
    with pytest.raises(ProviderTransient):
        provider(service, name, StreamFault(fault, after_chunks=1), stream=True).complete(REQUEST)
