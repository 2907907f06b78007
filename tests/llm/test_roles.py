from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.config import LLM_ROLES, BackendSettings, LlmSettings, RoleSettings, Secret, parse_config
from assay.errors import AssayError, DataError, ProviderAuth, Refusal
from assay.llm import Backends, Message, Reachability, Reply, Request, Roles, ToolCall

from .records import ASK, Memory

CONFIG = """
[llm.backends.cloud]
kind = "anthropic"
key = "CLOUD_API_KEY"
timeout = 30
retries = 1
[llm.backends.local]
kind = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "toy"
[llm.backends.story]
kind = "scripted"
script = "replies.json"
[llm.backends.log]
kind = "replay"
run = "r-1"
[llm.backends.free]
kind = "rules"
[llm.roles.planner]
backend = "cloud"
model = "big-1"
max_tokens = 100
[llm.roles.proposer]
backend = "story"
[llm.roles.reviewer]
backend = "log"
[llm.roles.extractor]
backend = "free"
[llm.roles.evolver]
backend = "local"
structured = "tool"
[llm.budget]
calls = 2
"""


class Rules:
    """A backend that needs no model: it answers with the number of words."""

    def __init__(self, settings: BackendSettings) -> None:
        self.name = settings.name

    def complete(self, request: Request) -> Reply:
        return Reply(str(len(request.messages[-1].content.split())))

    def check(self) -> Reachability:
        return Reachability(True, "no model")


def settings(root: Path) -> LlmSettings:
    return parse_config(CONFIG, root=root).llm


def test_no_model_is_needed() -> None:
    roles = Roles.of(LlmSettings(), sink=Memory())
    for role in LLM_ROLES:
        assert not roles.configured(role)
        with pytest.raises(Refusal) as caught:
            roles.client(role)
        assert caught.value.reason.code == "role_not_configured"
        assert f"[llm.roles.{role}]" in (caught.value.fix or "")


def test_an_unknown_role_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(AssayError, match="no role 'planer'") as caught:
        Roles.of(LlmSettings(), sink=Memory()).client("planer")
    assert caught.value.fix == "did you mean 'planner'?"


def test_a_role_has_the_model_parameters_and_patience_of_the_configuration(tmp_path: Path) -> None:
    pytest.importorskip("anthropic", reason="the extra llm is not installed")
    roles = Roles.of(settings(tmp_path), sink=Memory(), secrets={"CLOUD_API_KEY": Secret("canary-key")})
    client = roles.client("planner")
    assert (client.role, client.model, client.parameters) == ("planner", "big-1", {"max_tokens": 100})
    assert client.retry.attempts == 2
    assert client.base_url == "https://api.anthropic.com"
    assert client.provider.name == "cloud"
    assert client.provider is roles.client("planner").provider, "one connection for the run"
    assert "canary" not in repr(roles) + repr(client)
    other = roles.client("evolver")
    assert (other.model, other.structured_by, other.base_url) == ("toy", "tool", "http://127.0.0.1:9/v1")
    assert other.budget is client.budget
    assert other.ordinals is client.ordinals


def test_a_key_that_is_not_set_is_named(tmp_path: Path) -> None:
    roles = Roles.of(settings(tmp_path), sink=Memory())
    with pytest.raises(ProviderAuth, match="CLOUD_API_KEY is not set") as caught:
        roles.client("planner")
    assert caught.value.where == "llm.backends.cloud.key"


def test_a_desk_brings_the_backends_that_need_no_model(tmp_path: Path) -> None:
    memory = Memory()
    roles = Roles.of(settings(tmp_path), sink=memory, factories={"rules": Rules})
    assert roles.client("extractor").complete([Message("user", "three little words")]).text == "3"
    assert memory.calls()[0].backend == "free"


@pytest.mark.parametrize("role", ["extractor", "reviewer"])
def test_a_backend_that_nothing_here_makes_is_a_named_refusal(tmp_path: Path, role: str) -> None:
    with pytest.raises(Refusal) as caught:
        Roles.of(settings(tmp_path), sink=Memory()).client(role)
    assert caught.value.reason.code == "backend_not_available"


def test_a_script_speaks(tmp_path: Path) -> None:
    calls = [{"name": "panel.field", "arguments": {"name": "close"}}, {"name": "x", "arguments": "{bad"}]
    (tmp_path / "replies.json").write_text(json.dumps(["one", {"text": "", "tool_calls": calls}]))
    client = Roles.of(settings(tmp_path), sink=Memory(), root=tmp_path).client("proposer")
    assert client.complete(ASK).text == "one"
    assert client.complete(ASK).tool_calls == (
        ToolCall("call-0", "panel.field", '{"name": "close"}'),
        ToolCall("call-1", "x", "{bad"),
    )


@pytest.mark.parametrize(
    "text", [None, "", "{}", "[1]", '[{"tool_calls": 1}]', '[{"tool_calls": [1]}]', "[" * 100_000, "\xff"]
)
def test_a_script_that_cannot_be_read_is_named(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "replies.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=r"replies\.json|a reply|a tool call") as caught:
        Roles.of(settings(tmp_path), sink=Memory(), root=tmp_path).client("proposer")
    assert "replies.json" in (caught.value.where or "")


def test_a_backend_may_be_the_log_of_a_run(tmp_path: Path) -> None:
    past = Memory()
    one = RoleSettings("free")
    live = LlmSettings({"free": BackendSettings("free", "rules")}, {"reviewer": one})
    Roles.of(live, sink=past, factories={"rules": Rules}).client("reviewer").complete(ASK)
    asked: list[str] = []

    def recorded(run: str) -> list[object]:
        asked.append(run)
        return list(past.calls())

    log = LlmSettings({"log": BackendSettings("log", "replay", run="r-1")}, {"reviewer": RoleSettings("log")})
    new = Memory()
    roles = Roles.of(log, sink=new, recorded=recorded)  # type: ignore[arg-type]
    assert roles.client("reviewer").complete(ASK).text == "2"
    assert asked == ["r-1"]
    assert new.bodies == past.bodies


def test_the_roles_share_the_budget_and_a_resumed_run_has_what_is_left(tmp_path: Path) -> None:
    memory = Memory()
    chosen = LlmSettings(
        {"free": BackendSettings("free", "rules")},
        {"extractor": RoleSettings("free"), "planner": RoleSettings("free")},
        settings(tmp_path).limits,
    )
    first = Roles.of(chosen, sink=memory, factories={"rules": Rules})
    first.client("extractor").complete(ASK)
    calls = memory.calls()
    for more in ({"settled": calls}, {"earlier": calls}):
        roles = Roles.of(chosen, sink=Memory(), factories={"rules": Rules}, **more)  # type: ignore[arg-type]
        assert roles.budget.spent.calls == 1
        roles.client("planner").complete(ASK)
        with pytest.raises(Refusal) as caught:
            roles.client("planner").complete(ASK)
        assert caught.value.reason.code == "call_budget_exhausted"


def test_calls_before_the_place_of_resuming_keep_their_numbers(tmp_path: Path) -> None:
    memory = Memory()
    chosen = LlmSettings({"free": BackendSettings("free", "rules")}, {"planner": RoleSettings("free")})
    first = Roles.of(chosen, sink=memory, factories={"rules": Rules}).client("planner")
    for _ in range(3):
        first.complete(ASK)
    calls = memory.calls()
    roles = Roles.of(chosen, sink=memory, factories={"rules": Rules}, settled=calls[:2], earlier=calls[2:])
    for _ in range(2):
        roles.client("planner").complete(ASK)
    assert [call.ordinal for call in memory.calls()] == [0, 1, 2, 3]


def test_backends_are_checked_without_a_completion(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="the extra llm is not installed")
    found = Backends(settings(tmp_path), factories={"rules": Rules}).check()
    assert {name: reach.reachable for name, reach in found.items()} == {
        "cloud": False,
        "free": True,
        "local": False,
        "log": False,
        "story": False,
    }
    assert "CLOUD_API_KEY is not set" in found["cloud"].detail
