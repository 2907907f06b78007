"""The real clients against the loopback service: each case in both forms, whole and streamed."""

from __future__ import annotations

import gc
import json
import socket
from typing import Any

import pytest

from assay.config import Secret
from assay.errors import (
    AssayError,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
)
from assay.llm import (
    AnthropicProvider,
    Endpoint,
    Message,
    OpenAIProvider,
    Reply,
    Request,
    RetryPolicy,
    ToolCall,
    ToolSpec,
    Usage,
    estimate_tokens,
    with_retries,
)
from assay.llm._openai import _payload

from .server import ANTHROPIC_CASES, BIG, OPENAI_CASES, Answer, Seen, Service, completion

Kind = type[OpenAIProvider] | type[AnthropicProvider]
CASES: dict[Kind, dict[str, Answer]] = {OpenAIProvider: OPENAI_CASES, AnthropicProvider: ANTHROPIC_CASES}
KEY = "Canary-Key-0123456789"

TOOLS = (
    ToolSpec("panel.field", "a field", {"type": "object", "properties": {"name": {"type": "string"}}}),
    ToolSpec("judge.run", "judge", {"type": "object"}),
)
REQUEST = Request("toy", (Message("system", "be brief"), Message("user", "hi")), {"temperature": 0}, TOOLS)

both = pytest.mark.parametrize("kind", list(CASES), ids=["openai", "anthropic"])
ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def ask(
    kind: Kind, *cases: str | Answer, stream: bool = False, request: Request = REQUEST, **limits: Any
) -> Reply:
    reply, _ = exchange(kind, *cases, stream=stream, request=request, **limits)
    return reply


def exchange(
    kind: Kind, *cases: str | Answer, stream: bool = False, request: Request = REQUEST, **limits: Any
) -> tuple[Reply, list[Seen]]:
    answers = [CASES[kind][case] if isinstance(case, str) else case for case in cases]
    with Service(*answers) as service:
        endpoint = Endpoint(service.url, Secret(KEY), **limits)
        reply = kind("main", endpoint, stream=stream).complete(request)
        return reply, service.seen


# ---------------------------------------------------------------- replies


@both
def test_a_reply(kind: Kind) -> None:
    reply = ask(kind, "normal")
    assert reply.text == "hello"
    assert reply.finish == "stop"
    assert reply.tool_calls == ()
    assert reply.usage == Usage(7, 3, 2)
    assert reply.model == "toy-1"
    assert reply.provider_id


@both
def test_a_streamed_reply_is_the_same(kind: Kind) -> None:
    reply = ask(kind, "stream", stream=True)
    assert (reply.text, reply.finish) == ("hello", "stop")
    assert (reply.usage.input, reply.usage.output) == (7, 3)
    assert reply.model == "toy-1"


@both
def test_a_service_that_does_not_stream_is_understood(kind: Kind) -> None:
    assert ask(kind, "normal", stream=True).text == "hello"


@both
def test_plain_json_is_text(kind: Kind) -> None:
    assert json.loads(ask(kind, "json").text) == {"answer": 42}


@both
def test_a_tool_call_has_its_canonical_name(kind: Kind) -> None:
    reply = ask(kind, "tool")
    assert reply.finish == "tool_calls"
    (call,) = reply.tool_calls
    assert call.name == "panel.field"
    assert json.loads(call.arguments) == {"name": "close"}


@both
def test_several_tool_calls_at_once(kind: Kind) -> None:
    reply = ask(kind, "tools_at_once")
    assert reply.text == "both"
    assert reply.finish == "tool_calls"
    assert [call.name for call in reply.tool_calls] == ["panel.field", "judge.run"]
    assert [call.id for call in reply.tool_calls] == ["call-0", "call-1"]


@both
def test_streamed_tool_calls_are_put_together(kind: Kind) -> None:
    reply = ask(kind, "stream_tools", stream=True)
    assert [(call.name, json.loads(call.arguments)) for call in reply.tool_calls] == [
        ("panel.field", {"name": "close"}),
        ("judge.run", {}),
    ]
    assert reply.finish == "tool_calls"


@both
def test_a_tool_that_was_never_offered_is_handed_on(kind: Kind) -> None:
    (call,) = ask(kind, "wrong_tool").tool_calls
    assert call.name == "launch_missiles"


def test_arguments_are_the_text_that_the_model_wrote() -> None:
    (call,) = ask(OpenAIProvider, "wrong_tool").tool_calls
    assert call.arguments == "{not json"


def test_arguments_that_a_server_sends_as_an_object_become_text() -> None:
    body = json.loads(OPENAI_CASES["tool"].raw)
    body["choices"][0]["message"]["tool_calls"][0] = {"function": {"name": "x", "arguments": {"a": "é"}}}
    assert ask(OpenAIProvider, Answer(body)).tool_calls == (ToolCall("call_0", "x", '{"a": "é"}'),)


def test_calls_without_numbers_in_a_stream_are_told_apart_by_their_ids() -> None:
    pieces = [
        {"choices": [{"delta": {"tool_calls": [{"id": i, "function": {"name": i, "arguments": "{}"}}]}}]}
        for i in ("a", "b")
    ]
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    raw = "".join(f"data: {json.dumps(piece)}\n\n" for piece in [*pieces, end])
    reply = ask(OpenAIProvider, Answer(raw, content_type="text/event-stream"), stream=True)
    assert [call.name for call in reply.tool_calls] == ["a", "b"]


@both
@ways
def test_ten_megabytes(kind: Kind, stream: bool) -> None:
    assert len(ask(kind, "stream_big" if stream else "big", stream=stream).text) == BIG


@both
@ways
def test_a_reply_over_the_limit_is_not_read(kind: Kind, stream: bool) -> None:
    with pytest.raises(ProviderBadReply, match="over 100000 bytes"):
        ask(kind, "stream_big" if stream else "big", stream=stream, max_bytes=100_000)


@both
def test_a_lone_surrogate_in_a_reply_is_kept(kind: Kind) -> None:
    assert ask(kind, "surrogates").text == "a\ud800b"


@both
def test_a_lone_surrogate_in_a_request_is_replaced_on_the_wire(kind: Kind) -> None:
    _, seen = exchange(kind, "normal", request=Request("toy", (Message("user", "a\ud800b\ud83d\ude00"),)))
    assert "a�b😀" in json.dumps(seen[0].body, ensure_ascii=False)


# ---------------------------------------------------------------- requests

HISTORY = (
    Message("system", "be brief"),
    Message("user", "go"),
    Message(
        "assistant", "", (ToolCall("c1", "panel.field", '{"a": 1}'), ToolCall("c2", "bad name!", "{oops"))
    ),
    Message("tool", "one", tool_call_id="c1"),
    Message("tool", "two", tool_call_id="c2"),
    Message("user", "on"),
)


def test_what_openai_is_sent() -> None:
    _, seen = exchange(
        OpenAIProvider, "normal", request=Request("toy", HISTORY, {"seed": 3, "own": [1]}, TOOLS)
    )
    body = seen[0].body
    assert seen[0].path == "/chat/completions"
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["seed"], body["own"]) == ("toy", 3, [1])
    assert body["tools"][0]["function"]["name"] == "panel__field"
    assert body["messages"][2] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "panel__field", "arguments": '{"a": 1}'}},
            {"id": "c2", "type": "function", "function": {"name": "bad_name_", "arguments": "{oops"}},
        ],
    }
    assert body["messages"][3] == {"role": "tool", "content": "one", "tool_call_id": "c1"}
    assert "stream" not in body


def test_openai_itself_is_told_the_limit_under_its_own_name() -> None:
    request = Request("toy", REQUEST.messages, {"max_tokens": 9})
    assert _payload(request, own=True)["extra_body"] == {"max_completion_tokens": 9}
    assert _payload(request, own=False)["extra_body"] == {"max_tokens": 9}


def test_what_anthropic_is_sent() -> None:
    _, seen = exchange(
        AnthropicProvider, "normal", request=Request("toy", HISTORY, {"max_tokens": 9, "top_k": 2}, TOOLS)
    )
    body = seen[0].body
    assert seen[0].path == "/v1/messages"
    assert (body["system"], body["max_tokens"], body["top_k"]) == ("be brief", 9, 2)
    assert body["tools"][0]["name"] == "panel__field"
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    uses = body["messages"][1]["content"]
    assert uses[0] == {"type": "tool_use", "id": "c1", "name": "panel__field", "input": {"a": 1}}
    assert uses[1]["input"] == {"unparsable_arguments": "{oops"}
    results = body["messages"][2]["content"]
    assert [block["type"] for block in results] == ["tool_result", "tool_result", "text"]
    assert results[0]["tool_use_id"] == "c1"


@both
def test_past_arguments_nested_a_thousand_deep_are_sent(kind: Kind) -> None:
    deep = '{"a":' * 1000 + "1" + "}" * 1000
    history = (Message("user", "go"), Message("assistant", "", (ToolCall("c", "panel.field", deep),)))
    _, seen = exchange(kind, "normal", request=Request("toy", history))
    assert deep in json.dumps(seen[0].body).replace('\\"', '"')


@both
@pytest.mark.parametrize("name", ["model", "messages", "tools", "stream"])
def test_a_parameter_cannot_replace_a_part_of_the_request(kind: Kind, name: str) -> None:
    with pytest.raises(AssayError, match=name):
        ask(kind, "normal", request=Request("toy", REQUEST.messages, {name: 1}))


@both
@pytest.mark.parametrize("name", ["a__b", "a b", "", "x" * 65, "näme"])
def test_a_tool_that_cannot_be_named_on_the_wire_is_refused(kind: Kind, name: str) -> None:
    with pytest.raises(AssayError, match="cannot be sent"):
        ask(kind, "normal", request=Request("toy", REQUEST.messages, {}, (ToolSpec(name, "", {}),)))


# ---------------------------------------------------------------- errors

ERRORS: list[tuple[str, type[ProviderError]]] = [
    ("401", ProviderAuth),
    ("402", ProviderQuotaExhausted),
    ("insufficient_quota", ProviderQuotaExhausted),
    ("429", ProviderTransient),
    ("500", ProviderTransient),
    ("500_html", ProviderTransient),
    ("500_empty", ProviderTransient),
    ("error_in_200", ProviderQuotaExhausted),
    ("redirect", ProviderBadReply),
    ("html", ProviderBadReply),
    ("html_as_json", ProviderBadReply),
    ("list", ProviderBadReply),
    ("null", ProviderBadReply),
    ("deep", ProviderBadReply),
    ("malformed", ProviderTransient),
    ("empty_body", ProviderTransient),
    ("invalid_utf8", ProviderTransient),
    ("cut_body", ProviderTransient),
    ("reset", ProviderTransient),
    ("no_choices", ProviderBadReply),
    ("empty_choices", ProviderBadReply),
    ("strange_choices", ProviderBadReply),
    ("no_message", ProviderBadReply),
    ("no_content", ProviderBadReply),
    ("no_finish", ProviderBadReply),
    ("strange_finish", ProviderBadReply),
]
STREAM_ERRORS: list[tuple[str, type[ProviderError]]] = [
    ("stream_cut", ProviderTransient),
    ("stream_cut_done", ProviderTransient),
    ("stream_malformed", ProviderTransient),
    ("stream_utf8", ProviderTransient),
    ("stream_error", ProviderTransient),
    ("stream_quota", ProviderQuotaExhausted),
    ("stream_reset", ProviderTransient),
    ("stream_garbage", ProviderTransient),
    ("stream_empty", ProviderBadReply),
]


@both
@ways
@pytest.mark.parametrize(("case", "expected"), ERRORS, ids=[case for case, _ in ERRORS])
def test_errors(kind: Kind, stream: bool, case: str, expected: type[ProviderError]) -> None:
    with Service(CASES[kind][case]) as service:
        provider = kind("main", Endpoint(service.url, Secret(KEY)), stream=stream)
        with pytest.raises(expected) as caught:
            provider.complete(REQUEST)
        assert len(service.seen) == 1  # neither retried by the client nor redirected
    assert caught.value.where == "llm.backends.main"
    assert caught.value.fix


@both
@pytest.mark.parametrize(("case", "expected"), STREAM_ERRORS, ids=[case for case, _ in STREAM_ERRORS])
def test_errors_inside_a_stream(kind: Kind, case: str, expected: type[ProviderError]) -> None:
    with pytest.raises(expected):
        ask(kind, case, stream=True)


@both
@pytest.mark.parametrize("case", ["hang", "stream_hang"])
def test_a_service_that_stops_in_the_middle_is_given_up(kind: Kind, case: str) -> None:
    with pytest.raises(ProviderTransient, match=r"no answer within .* 0\.2 s between pieces"):
        ask(kind, case, stream=case == "stream_hang", read_timeout=0.2)


@both
@ways
def test_a_service_that_takes_too_long_in_all_is_given_up(kind: Kind, stream: bool) -> None:
    with pytest.raises(ProviderTransient, match="no whole reply within 0 s"):
        ask(kind, "stream" if stream else "normal", stream=stream, total_timeout=0.0)


@both
def test_nobody_listens(kind: Kind) -> None:
    with socket.socket() as taken:  # bound but not listening: refused at once
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ProviderTransient, match="refused"):
            kind("main", Endpoint(url)).complete(REQUEST)


@both
def test_a_name_that_does_not_resolve(kind: Kind) -> None:
    with pytest.raises(ProviderTransient, match="no connection"):
        kind("main", Endpoint("http://nowhere.invalid")).complete(REQUEST)


@both
def test_a_service_that_never_accepts_is_given_up(kind: Kind) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(8)]
        for client in waiting:  # fill the queue, so that the next one gets no answer to its SYN
            client.setblocking(False)
            client.connect_ex(address)
        endpoint = Endpoint(f"http://127.0.0.1:{address[1]}", connect_timeout=0.2, read_timeout=0.2)
        with pytest.raises(ProviderTransient, match="no answer within"):
            kind("main", endpoint).complete(REQUEST)
        for client in waiting:
            client.close()


# ---------------------------------------------------------------- waiting and trying again


@both
def test_the_service_says_how_long_to_wait(kind: Kind) -> None:
    for case, expected in [("429", None), ("429_after", 7.0)]:
        with pytest.raises(ProviderTransient) as caught:
            ask(kind, case)
        assert caught.value.retry_after == expected
    with pytest.raises(ProviderTransient) as caught:
        ask(kind, "429_date")
    assert caught.value.retry_after is not None


@both
def test_transient_errors_are_tried_again_and_used_up_quotas_are_not(kind: Kind) -> None:
    waits: list[float] = []
    answers = [CASES[kind][case] for case in ("429_after", "500", "normal")]
    with Service(*answers) as service:
        provider = kind("main", Endpoint(service.url))
        reply = with_retries(
            lambda: provider.complete(REQUEST), RetryPolicy(), sleep=waits.append, draw=lambda: 0.0
        )
    assert reply.text == "hello"
    assert waits == [7.0, 2.0]
    with Service(CASES[kind]["insufficient_quota"]) as service:
        provider = kind("main", Endpoint(service.url))
        with pytest.raises(ProviderQuotaExhausted):
            with_retries(
                lambda: provider.complete(REQUEST), RetryPolicy(), sleep=waits.append, draw=lambda: 0.0
            )
        assert len(service.seen) == 1
    assert len(waits) == 2


# ---------------------------------------------------------------- keys, addresses, resources


@both
def test_a_key_that_a_service_echoes_is_masked_and_no_exception_holds_it(kind: Kind) -> None:
    echo = Answer({"error": {"message": f"bad key {KEY}", "type": "authentication_error", "code": KEY}}, 401)
    with pytest.raises(ProviderAuth) as caught:
        ask(kind, echo)
    error = caught.value
    assert KEY.lower() not in json.dumps(error.as_dict()).lower()
    assert KEY.lower() not in repr(error.__dict__).lower()
    assert error.__cause__ is None
    assert error.__context__ is None


@both
def test_variables_of_the_environment_do_not_redirect_or_leak(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "of-the-environment")
    reply, seen = exchange(kind, "normal")
    assert reply.text == "hello"
    assert "of-the-environment" not in repr(seen[0].headers)


@both
def test_a_local_server_wants_no_key(kind: Kind) -> None:
    with Service(CASES[kind]["normal"]) as service:
        assert kind("main", Endpoint(service.url)).complete(REQUEST).text == "hello"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.openai.com/v1",
        "file:///etc/passwd",
        "ftp://host/v1",
        "http://",
        "http://user:pass@host/v1",
        "http://host/v1?key=1",
        "http://host:port/v1",
        "http://169.254.169.254/latest",
        "http://[fe80::1]/v1",
        "http://[::ffff:169.254.169.254]/",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(AssayError, match="the address"):
        Endpoint(url)


def test_which_addresses_are_this_machine() -> None:
    for url in ("http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:8000", "http://127.8.8.8"):
        assert Endpoint(url).loopback, url
    for url in ("https://api.openai.com/v1", "http://10.0.0.1", "http://127.0.0.1.example"):
        assert not Endpoint(url).loopback, url


def test_a_key_is_not_in_the_text_of_an_endpoint() -> None:
    assert KEY not in repr(Endpoint("http://127.0.0.1", Secret(KEY)))


@both
def test_a_provider_that_is_dropped_closes_its_connections(kind: Kind) -> None:
    with Service(CASES[kind]["normal"]) as service:
        kind("main", Endpoint(service.url)).complete(REQUEST)
        gc.collect()  # an open socket would be a ResourceWarning, which is an error here


# ---------------------------------------------------------------- whether it can be reached


@both
def test_check_lists_models(kind: Kind) -> None:
    with Service(CASES[kind]["models"]) as service:
        found = kind("main", Endpoint(service.url)).check()
    assert found.reachable
    assert found.models == ("toy-1", "toy-2")


@both
def test_check_of_a_service_without_a_list(kind: Kind) -> None:
    with Service(CASES[kind]["no_models"]) as service:
        assert kind("main", Endpoint(service.url)).check().reachable


@both
@pytest.mark.parametrize("case", ["401", "500", "html", "malformed", "reset", "hang", "redirect"])
def test_check_of_a_service_that_cannot_be_used(kind: Kind, case: str) -> None:
    with Service(CASES[kind][case]) as service:
        found = kind("main", Endpoint(service.url, Secret(KEY), read_timeout=0.2)).check()
    assert not found.reachable
    assert found.detail.startswith("main: ")
    assert KEY not in found.detail


def with_usage(usage: Any, *, finish: str = "stop", text: str = "x") -> Answer:
    return Answer({**completion(text, finish=finish), "usage": usage})


INPUT = estimate_tokens(REQUEST)


@pytest.mark.parametrize("said", [-5, 10**30, 10**11, 1.5, "7", True, None, 0, 1])
def test_a_number_of_tokens_that_cannot_be_is_estimated(said: Any) -> None:
    usage = {"prompt_tokens": said, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 9}}
    assert ask(OpenAIProvider, with_usage(usage)).usage == Usage(INPUT, 3, 0, estimated=True)


@pytest.mark.parametrize("usage", [None, {}, [], "none", {"prompt_tokens": 0, "completion_tokens": -1}])
def test_a_usage_that_is_not_told_is_estimated(usage: Any) -> None:
    reply = ask(OpenAIProvider, with_usage(usage, text="rank(close) " * 10))
    assert reply.usage == Usage(INPUT, 40, estimated=True)
    assert Reply.from_dict(reply.as_dict()) == reply
    assert reply.as_dict()["usage"]["estimated"] is True


def test_the_same_holds_for_anthropic() -> None:
    told = ANTHROPIC_CASES["normal"].body
    assert isinstance(told, dict)
    reply = ask(AnthropicProvider, Answer({**told, "usage": {"input_tokens": -1}}))
    assert reply.usage == Usage(INPUT, 2, estimated=True)


def test_of_a_reply_that_was_cut_the_longest_output_counts_where_none_is_told() -> None:
    request = Request("toy", REQUEST.messages, {"max_tokens": 700}, TOOLS)
    silent, told = with_usage(None, finish="length"), completion("x", finish="length")
    assert ask(OpenAIProvider, silent, request=request).usage.output == 700
    assert ask(OpenAIProvider, Answer(told), request=request).usage == Usage(7, 3, 2)


def test_no_more_is_read_from_a_cache_than_was_sent() -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 3, "prompt_cache_hit_tokens": 10**6}
    assert ask(OpenAIProvider, with_usage(usage)).usage == Usage(90, 3, 90)
