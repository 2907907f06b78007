"""Calls of tools as plain JSON: what a model may write, and what is made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from assay.llm import Client, Message, Reply, ScriptedProvider, ToolCall, Usage
from assay.tools import (
    Budget,
    Caller,
    LlmPolicy,
    Task,
    Toolbox,
    Trajectory,
    json_protocol,
    last_answer,
    run_episode,
)
from assay.tools._json_calls import UnusableReply, plain_messages, read_turn

from .test_loop import PROMPT
from .toys import toy_registry


class Nowhere:
    def record(self, call: Any) -> None:
        pass


def played(script: list[str | Reply], caller: Caller, **more: Any) -> tuple[Trajectory, ScriptedProvider]:
    provider = ScriptedProvider(script)
    client = Client(role="shopper", provider=provider, model="small", sink=Nowhere())
    toolbox = Toolbox(toy_registry(), caller, one_call_per_step=True)
    policy = LlmPolicy(client, "shopper", calls="json", **more)
    return run_episode(policy, toolbox, budget=Budget(), task=Task("shop", "c", PROMPT)), provider


def test_a_call_and_an_answer(caller: Caller) -> None:
    script: list[str | Reply] = ['{"tool": "shop.buy", "arguments": {"count": 2}}', '{"answer": "Bought."}']
    found, provider = played(script, caller)
    assert [verdict.outcome for verdict in found.verdicts] == ["ok"]
    assert found.calls[0].call == ToolCall("call-1-0", "shop.buy", '{"count":2}')
    assert found.stop == "answered"
    assert found.final_text == script[1]
    assert found.repairs == {}
    assert [request.tools for request in provider.requests] == [(), ()]
    sent = provider.requests[1].messages
    assert [message.role for message in sent[-2:]] == ["assistant", "user"]
    assert sent[-2].content == script[0]
    assert sent[-1].content == f"shop.buy answered: {found.observations[0].content}"
    assert all(not message.tool_calls and message.tool_call_id is None for message in sent)
    # what the model wrote is in the trajectory as it wrote it
    assert found.loss_mask[len(PROMPT)]["content"] == 1
    assert found.messages[len(PROMPT)].content == script[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "shop.look"} {"tool": "shop.look", "arguments": {}}',
        'First\n{"tool": "shop.look"}\nthen\n{"tool": "shop.look"}',
        '[{"tool": "shop.look"}, {"tool": "shop.look"}]',
        '{"calls": [{"tool": "shop.look"}, {"tool": "shop.look"}]}',
    ],
)
def test_several_calls_in_a_reply_are_several_in_a_step(text: str, caller: Caller) -> None:
    found, _ = played([text, '{"answer": ""}'], caller)
    assert [seen.illegal_kind for seen in found.observations] == ["multi_tool_per_step"] * 2
    assert [made.call.id for made in found.calls] == ["call-1-0", "call-1-1"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"tool": "shop.sell", "arguments": {}}', "unknown_tool"),
        ('{"tool": "shop.buy", "arguments": "{not json"}', "unparsable_arguments"),
        ('{"tool": "shop.buy", "arguments": [1]}', "unparsable_arguments"),
        ('{"tool": "shop.buy", "arguments": {"count": "2"}}', "schema_invalid"),
        ('{"tool": "shop.buy"}', "schema_invalid"),
    ],
)
def test_illegal_calls_are_told_apart_as_native_ones(text: str, kind: str, caller: Caller) -> None:
    found, _ = played([text, '{"answer": ""}'], caller)
    assert [seen.illegal_kind for seen in found.observations] == [kind]


def test_what_had_to_be_mended_is_counted(caller: Caller) -> None:
    script: list[str | Reply] = ["Buy!\n```json\n{'tool': 'shop.look',}\n```", '{"answer": "x"}']
    found, _ = played(script, caller)
    assert [verdict.outcome for verdict in found.verdicts] == ["ok"]
    assert found.repairs == {"code_fence": 1, "single_quotes": 2, "text_around": 1, "trailing_comma": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would rather not.",
        '{"tool": ',
        '{"thought": "hm"}',
        '{"tool": 3}',
        '{"tool": "x", "answer": "y"}',
    ],
)
def test_a_reply_that_cannot_be_used_goes_back_once(text: str, caller: Caller) -> None:
    replies = [Reply(text, usage=Usage(5, 2)), Reply('{"answer": "x"}', usage=Usage(9, 1))]
    found, provider = played(list(replies), caller, price=lambda reply: float(reply.usage.output))
    assert found.repairs == {"unusable_reply": 1}
    assert (found.spent.turns, found.spent.tokens, found.spent.money) == (1, 17, 3.0)
    back = provider.requests[1].messages[-2:]
    assert back[0].content == (text or "(empty)")
    assert "cannot be used" in back[1].content


@pytest.mark.parametrize("name", ["shop.buy", "shop__buy"])
def test_a_call_as_the_service_has_it_is_understood_too(name: str, caller: Caller) -> None:
    call = Reply("I buy.", (ToolCall("c1", name, '{"count": 2}'),), "tool_calls")
    found, provider = played(["what?", call, '{"answer": "Bought."}'], caller)
    assert [verdict.outcome for verdict in found.verdicts] == ["ok"]
    assert found.calls[0].call.name == "shop.buy"
    assert found.repairs == {"native_call": 1, "unusable_reply": 1}
    assert provider.requests[2].messages[-2:] == (
        Message("assistant", "I buy."),
        Message("user", f"shop.buy answered: {found.observations[0].content}"),
    )


def test_after_the_last_attempt_the_text_is_the_answer(caller: Caller) -> None:
    found, provider = played(["no", "never", "unused"], caller)
    assert (found.stop, found.final_text, found.repairs) == ("answered", "never", {"unusable_reply": 2})
    assert len(provider.requests) == 2
    found, _ = played(["no", "never", '{"answer": "x"}'], caller, attempts=3)
    assert found.repairs == {"unusable_reply": 2}


def test_thoughts_and_answers_of_other_kinds() -> None:
    turn = read_turn('<think>{"tool": "a"} {"tool": "b"}</think>{"thought": "t", "tool": "c"}', 3)
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [("call-3-0", "c", "{}")]
    assert read_turn('{"answer": {"formula": "x"}}', 0).answer == '{"formula":"x"}'
    assert read_turn('{"tool": "a"} so {"answer": "done"}', 0).answer == "done"
    with pytest.raises(UnusableReply, match="JSON"):
        read_turn("<think>{", 0)


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, '{"tool": "' + "x" * 2_000_000, "{" * 300_000])
def test_hostile_replies_are_unusable_and_not_slow(text: str) -> None:
    with pytest.raises(UnusableReply):
        read_turn(text, 0)


def test_answers_of_one_step_are_one_message() -> None:
    calls = (ToolCall("1", "a.b", "{}"), ToolCall("2", "c", "{}"))
    found = plain_messages(
        [
            Message("system", "s"),
            Message("user", "u"),
            Message("assistant", "", calls),
            Message("tool", "one", tool_call_id="1"),
            Message("tool", "two", tool_call_id="2"),
        ]
    )
    assert [(message.role, message.content) for message in found[2:]] == [
        ("assistant", "(empty)"),
        ("user", "a.b answered: one\nc answered: two"),
    ]


def test_the_protocol_names_every_tool_with_its_schema(caller: Caller) -> None:
    specs = Toolbox(toy_registry(), caller).specs()
    text = json_protocol(specs)
    schemas: dict[str, Mapping[str, Any]] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("- "):
            schemas[line[2:].partition(":")[0]] = json.loads(lines[number + 1])
    assert schemas == {spec.name: dict(spec.parameters) for spec in specs}


@pytest.mark.parametrize(
    ("text", "stop", "said"),
    [
        ('{"answer": "two weeks beat six"}', "answered", "two weeks beat six"),
        ('{"thought": "hm", "answer": "so"}', "answered", "so"),
        ("plain words", "answered", "plain words"),
        ('{"tool": "t", "arguments": {}}', "calls", ""),
    ],
)
def test_the_last_answer_is_what_was_said_without_the_json(text: str, stop: str, said: str) -> None:
    assert last_answer(text, stop) == said
