"""Every body of an error becomes the right kind, through the table and through the real clients.

``error_bodies.json`` has them with their sources. Those marked ``made`` put the documented code and words
into the service's form; the others are copied from an answer that somebody published.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.config import Secret
from assay.errors import (
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
)
from assay.llm import AnthropicProvider, Endpoint, Message, OpenAIProvider, Request
from assay.llm._faults import TABLE, Fault, classify, clean, provider_error, read_fault

from .server import Service, error

BODIES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("error_bodies.json").read_text("utf-8"))
KINDS: dict[str, type[ProviderError]] = {
    "quota": ProviderQuotaExhausted,
    "transient": ProviderTransient,
    "auth": ProviderAuth,
    "bad_reply": ProviderBadReply,
}
IDS = [f"{body['service']}: {body['case']}" for body in BODIES]


@pytest.mark.parametrize("entry", BODIES, ids=IDS)
def test_the_table_gives_the_kind(entry: dict[str, Any]) -> None:
    fault = read_fault(entry["status"], entry["body"], host=entry["host"])
    assert classify(fault) is KINDS[entry["kind"]]


@pytest.mark.parametrize("entry", BODIES, ids=IDS)
def test_only_the_rows_of_words_read_words(entry: dict[str, Any]) -> None:
    fault = read_fault(entry["status"], entry["body"], host=entry["host"])
    row = next((row for row in TABLE if row.fits(fault)), None)
    mute = Fault(fault.status, fault.names, "余额", fault.host)
    if row is None or not row.words:
        assert classify(mute) is classify(fault)
    else:
        assert entry["service"] == "Anthropic"
        assert classify(mute) is ProviderBadReply


def test_every_row_is_reached_by_a_real_body() -> None:
    faults = [read_fault(e["status"], e["body"], host=e["host"]) for e in BODIES]
    faults.append(read_fault(None, {"error": {"type": "invalid_request_error"}}))
    faults.append(read_fault(404, "not found"))
    reached = {next((i for i, row in enumerate(TABLE) if row.fits(fault)), None) for fault in faults}
    assert set(range(len(TABLE))) <= reached


def test_every_body_names_its_source() -> None:
    assert all(entry["source"] for entry in BODIES)
    assert {e["service"] for e in BODIES} >= {
        "OpenAI",
        "DeepSeek",
        "DashScope",
        "Anthropic",
        "Ollama",
        "vLLM",
    }
    assert any(
        not entry["body"]["error"]["message"].isascii() for entry in BODIES if entry["service"] == "Zhipu"
    )


def test_a_name_that_two_services_use_is_decided_by_the_host() -> None:
    for host, kind in [
        ("api.openai.com", ProviderQuotaExhausted),
        ("dashscope.aliyuncs.com", ProviderTransient),
        ("aliyuncs.com.evil.example", ProviderQuotaExhausted),
        ("notaliyuncs.com", ProviderQuotaExhausted),
    ]:
        assert classify(Fault(429, ("insufficient_quota",), "", host)) is kind, host


@pytest.mark.parametrize("status", [None, 200])
def test_an_unknown_error_inside_a_stream_is_transient(status: int | None) -> None:
    assert classify(Fault(status, ("never_heard_of",), "")) is ProviderTransient
    assert classify(Fault(418, ("never_heard_of",), "")) is ProviderBadReply


@pytest.mark.parametrize(
    "body",
    [None, 3, [], {}, {"error": {}}, {"error": {"error": {"error": {"error": {"error": {}}}}}}, "", b"x"],
)
def test_a_body_of_any_shape_is_read(body: object) -> None:
    assert classify(read_fault(500, body)) is ProviderTransient
    assert classify(read_fault(400, body)) is ProviderBadReply


def test_an_error_says_what_where_and_what_to_do() -> None:
    fault = read_fault(429, {"error": {"code": "rate_limit_exceeded", "message": "slow\x1b[31m\ndown"}})
    error = provider_error(fault, name="main", retry_after=7.0)
    assert str(error) == "main: HTTP 429 rate_limit_exceeded: slow [31m down"
    assert error.where == "llm.backends.main"
    assert (error.status, error.code, error.retry_after) == (429, "rate_limit_exceeded", 7.0)
    assert error.fix


def test_only_a_transient_error_carries_a_wait() -> None:
    fault = read_fault(429, {"error": {"code": "insufficient_quota"}})
    assert provider_error(fault, name="main", retry_after=7.0).retry_after is None


def test_words_of_a_service_are_short_and_without_keys() -> None:
    secret = Secret("canary-0123456789")
    said = clean(
        "key canary-0123456789 sk-abcdefghijklmnopqrst and sk-PMafP*****E873 " + "x" * 10**7, [secret]
    )
    assert "canary" not in said
    assert "abcdefghij" not in said
    assert "E873" not in said
    assert len(said) == 300


REQUEST = Request("toy", (Message("user", "hi"),))


@pytest.mark.parametrize(
    "entry", [e for e in BODIES if e["status"] != 200], ids=lambda e: f"{e['service']}: {e['case']}"
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_the_real_clients_hand_the_body_over(entry: dict[str, Any], stream: bool) -> None:
    host = "127.0.0.1"  # where this service is; one row of the table asks
    expected = classify(read_fault(entry["status"], entry["body"], host=host))
    kind = AnthropicProvider if entry["service"] == "Anthropic" else OpenAIProvider
    with Service(error(entry["status"], entry["body"], retry_after="3")) as service:
        provider = kind("main", Endpoint(service.url), stream=stream)
        with pytest.raises(expected) as caught:
            provider.complete(REQUEST)
        assert len(service.seen) == 1  # the client's own retries are off
    assert caught.value.status == entry["status"]
    assert caught.value.__context__ is None
