from __future__ import annotations

import pytest

from assay.errors import AssayError, ProviderQuotaExhausted
from assay.llm import Message, Provider, Reply, Request, ScriptedProvider, ToolCall

REQUEST = Request("toy", (Message("user", "hi"),))


def test_answers_come_in_order_and_an_error_is_raised() -> None:
    call = Reply("", (ToolCall("c", "a.b", "{}"),), "tool_calls")
    provider: Provider = ScriptedProvider(["one", ProviderQuotaExhausted("empty"), call])
    assert provider.complete(REQUEST) == Reply("one", model="toy")
    with pytest.raises(ProviderQuotaExhausted, match="empty"):
        provider.complete(REQUEST)
    assert provider.complete(REQUEST) is call
    with pytest.raises(AssayError, match="no reply for call 4"):
        provider.complete(REQUEST)


def test_a_function_sees_the_request() -> None:
    provider = ScriptedProvider(lambda request: request.messages[-1].content.upper(), name="echo")
    assert provider.complete(REQUEST).text == "HI"
    assert provider.requests == [REQUEST]
    assert provider.name == "echo"
    assert provider.check().reachable
