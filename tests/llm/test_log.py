from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.base import canonical_json
from assay.errors import DataError, ProviderAuth, ProviderTransient
from assay.llm import CallRecord, Message, Reply, Request, ToolCall, ToolSpec, Usage, call_body, read_calls
from assay.llm._log import LARGE

from .records import Memory

texts = st.text() | st.sampled_from(["\ud800 half", "长" * LARGE, "x" * (LARGE + 1), "x" * LARGE])
tool_calls = st.lists(st.builds(ToolCall, texts, texts, texts), max_size=2).map(tuple)
messages = st.builds(Message, st.sampled_from(["user", "assistant"]), texts, tool_calls, st.none() | texts)
tools = st.builds(
    ToolSpec, texts, texts, st.dictionaries(st.sampled_from(["object", "type"]), texts, max_size=2)
)
parameters = st.dictionaries(texts, st.integers() | texts | st.just({"object": "sha256:no"}), max_size=2)
requests = st.builds(
    Request,
    texts,
    st.lists(messages, max_size=3).map(tuple),
    parameters,
    st.lists(tools, max_size=2).map(tuple),
)
counts = st.integers(0, 10**9)
replies = st.builds(
    Reply, texts, tool_calls, st.just("stop"), st.builds(Usage, counts, counts, counts), texts, texts
)


def record(request: Request, **more: Any) -> CallRecord:
    return CallRecord(
        "proposer", request.hash, 3, request, **{"reply": Reply("x"), "error": None, "latency": 1.5, **more}
    )


@given(requests, replies)
def test_a_record_is_read_back_as_it_was(request: Request, reply: Reply) -> None:
    memory = Memory()
    call = record(request, reply=reply, attempts=2, cost=0.25, backend="b", base_url="http://127.0.0.1:1/v1")
    memory.record(call)
    (found,) = memory.calls()
    assert found.key == call.key
    assert found.request == request
    assert found.reply == reply
    assert (found.attempts, found.cost, found.backend, found.base_url) == (2, 0.25, "b", call.base_url)
    assert memory.latencies == [1.5]
    assert "latency" not in memory.bodies[0]


def test_large_texts_are_objects_and_one_write() -> None:
    memory = Memory()
    long, tool = "长" * LARGE, ToolSpec("t", "y" * LARGE, {"object": "sha256:no"})
    talk = (Message("system", long), Message("user", "short"), Message("user", long))
    call = record(Request("toy", talk, {}, (tool,)), reply=Reply("z" * 10_000_000))
    memory.record(call)
    assert memory.puts == 1
    assert len(memory.objects) == 3, "the same text is kept once"
    assert len(canonical_json(memory.bodies[0])) < 2000
    (found,) = memory.calls()
    assert found.request == call.request
    assert found.reply == call.reply


def test_short_texts_are_not() -> None:
    memory = Memory()
    memory.record(record(Request("toy", (Message("user", "x" * LARGE),))))
    assert memory.puts == 0


@pytest.mark.parametrize(
    "error",
    [
        ProviderTransient(
            "busy", where="llm.backends.x", fix="wait", status=429, code="rate", retry_after=3.0
        ),
        ProviderAuth("no key"),
    ],
)
def test_an_error_is_read_back_and_raised(error: Any) -> None:
    memory = Memory()
    memory.record(record(Request("toy", ()), reply=None, error=error))
    (found,) = memory.calls()
    with pytest.raises(type(error)) as caught:
        found.outcome()
    assert {**caught.value.as_dict(), "retry_after": 0} == {**error.as_dict(), "retry_after": 0}


@pytest.mark.parametrize("key", ["role", "request", "reply", "error", "attempts", "request_hash"])
def test_a_body_of_another_form_is_refused(key: str) -> None:
    memory = Memory()
    memory.record(record(Request("toy", ())))
    del memory.bodies[0][key]
    with pytest.raises(DataError, match="recorded call 0"):
        memory.calls()


def test_a_request_that_was_changed_is_noticed() -> None:
    memory = Memory()
    for text in ("one", "two"):
        memory.record(record(Request("toy", (Message("user", text),))))
    memory.bodies[1]["request"]["messages"][0]["content"] = "three"
    with pytest.raises(DataError, match=r"recorded call 1 \(proposer\)"):
        memory.calls()


def test_a_record_is_json_whatever_the_texts_hold() -> None:
    request = Request("toy", (Message("user", "\ud800\x00\u2028"),))
    body = call_body(record(request, reply=Reply("\udfff" * LARGE)), Memory())
    assert json.loads(canonical_json(body).encode("utf-8", "backslashreplace")) == body


def test_a_missing_object_is_the_store_s_error() -> None:
    memory = Memory()
    memory.record(record(Request("toy", (Message("user", "x" * 5000),))))
    memory.objects.clear()
    with pytest.raises(DataError):
        list(read_calls(memory.bodies, memory))
