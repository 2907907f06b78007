from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assay.errors import AssayError, ProviderTransient
from assay.llm import Message, Reply, ToolCall, Usage
from assay.tools import (
    Action,
    Budget,
    Caller,
    LlmPolicy,
    RulePolicy,
    Score,
    Spent,
    Task,
    Toolbox,
    run_episode,
)

from .toys import called, toy_registry

PROMPT = (Message("system", "You shop."), Message("user", "Buy three."))
TASK = Task("shop", "case-1", PROMPT)


class ScriptedClient:
    """Answers as a role's client would, from a list."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[tuple[Message, ...], tuple, dict]] = []

    def complete(self, messages, tools=(), **parameters) -> Reply:
        self.asked.append((messages, tools, parameters))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def calling(*calls: ToolCall, text: str = "") -> Reply:
    return Reply(text, calls, "tool_calls", Usage(10, 5))


def box(caller: Caller, **rules) -> Toolbox:
    return Toolbox(toy_registry(), caller, **rules)


def loops(number: int) -> RulePolicy:
    """A policy that looks ``number`` times and then answers."""

    def rule(state):
        if len(state.observations) >= number:
            return Action("that is all")
        return Action("", (called("shop.look", "{}", state.spent.turns),), 7, 0.5)

    return RulePolicy("looker", rule)


def test_a_model_calls_sees_and_answers(caller: Caller) -> None:
    client = ScriptedClient(
        calling(called("shop.buy", '{"count": 3}'), text="I buy."), Reply("Bought.", usage=Usage(20, 2))
    )
    found = run_episode(
        LlmPolicy(client, "shopper", {"temperature": 0}), box(caller), budget=Budget(), task=TASK
    )
    assert found.stop == "answered"
    assert found.final_text == "Bought."
    assert [message.role for message in found.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert found.messages[3] == Message("tool", '{"ok":true,"result":{"count":3}}', tool_call_id="c0")
    assert replace(found.spent, seconds=0.0) == Spent(turns=2, calls=1, tokens=37)
    messages, tools, parameters = client.asked[1]
    assert messages == found.messages[:4]
    assert [tool.name for tool in tools] == [tool.id for tool in toy_registry().tools("agent")]
    assert parameters == {"temperature": 0}


def test_the_loss_mask_is_one_where_the_policy_wrote(caller: Caller) -> None:
    prompt = (*PROMPT, Message("assistant", "An example."), Message("user", "Now you."))
    client = ScriptedClient(calling(called("shop.look"), called("shop.look")), Reply("Done."))
    task = Task("shop", "case-1", prompt)
    found = run_episode(LlmPolicy(client, "m"), box(caller), budget=Budget(), task=task)
    assert [mask["content"] for mask in found.loss_mask] == [0, 0, 0, 0, 1, 0, 0, 1]
    assert found.loss_mask[4] == {"content": 1, "tool_calls": [1, 1]}
    assert [bool(mask["content"]) for mask in found.loss_mask] == [
        number >= 4 and message.role == "assistant" for number, message in enumerate(found.messages)
    ]


def test_observations_verdicts_and_audit_go_together(caller: Caller) -> None:
    script = [
        called("shop.buy", '{"count": 8}', 1),
        called("shop.buy", '{"count": 99}', 2),
        called("shop.down", "{}", 3),
        called("shop.look", "{}", 4),
    ]
    client = ScriptedClient(*[calling(call) for call in script], Reply("Enough."))
    found = run_episode(LlmPolicy(client, "m"), box(caller), budget=Budget(), task=TASK)
    rows = [
        (seen.step, seen.tool_call_id, seen.name, seen.ok, seen.source, seen.illegal, seen.illegal_kind)
        for seen in found.observations
    ]
    assert rows == [
        (1, "c1", "shop.buy", False, "model", False, None),
        (2, "c2", "shop.buy", False, "model", True, "schema_invalid"),
        (3, "c3", "shop.down", False, "environment", False, None),
        (4, "c4", "shop.look", True, "model", False, None),
    ]
    assert [(verdict.outcome, verdict.reason) for verdict in found.verdicts] == [
        ("refused", "no_shop"),
        ("illegal", "bad_count"),
        ("failed", None),
        ("ok", None),
    ]
    assert found.audit.as_dict()["illegal_tool_call_rate"] == 1 / 3
    assert [call.call for call in found.calls] == script


@pytest.mark.parametrize(
    ("budget", "turns", "stop"),
    [
        (Budget(turns=3), 3, "turns"),
        (Budget(turns=50, tokens=20), 3, "tokens"),
        (Budget(turns=50, money=1.0), 2, "money"),
        (Budget(turns=50), 11, "answered"),
        (Budget(turns=50, tokens=0), 0, "tokens"),
    ],
)
def test_budgets_are_hard(budget, turns, stop, caller: Caller) -> None:
    found = run_episode(loops(10), box(caller), budget=budget, task=TASK)
    assert (found.spent.turns, found.stop) == (turns, stop)


def test_wall_time_is_a_budget(caller: Caller) -> None:
    class Ticking:
        def __init__(self) -> None:
            self.moment = datetime(2022, 2, 22, tzinfo=UTC)

        def now(self) -> datetime:
            self.moment += timedelta(seconds=10)
            return self.moment

    found = run_episode(
        loops(10), box(caller), budget=Budget(turns=50, seconds=35), task=TASK, clock=Ticking()
    )
    assert (found.spent.turns, found.stop) == (3, "seconds")


def test_a_clock_that_goes_back_spends_no_negative_time(caller: Caller) -> None:
    class Falling:
        def __init__(self) -> None:
            self.moment = datetime(2022, 2, 22, tzinfo=UTC)

        def now(self) -> datetime:
            self.moment -= timedelta(seconds=10)
            return self.moment

    found = run_episode(loops(2), box(caller), budget=Budget(seconds=1), task=TASK, clock=Falling())
    assert (found.stop, found.spent.seconds) == ("answered", 0.0)


def test_calls_beyond_the_budget_are_illegal_and_the_policy_may_still_answer(caller: Caller) -> None:
    found = run_episode(loops(4), box(caller), budget=Budget(calls=2), task=TASK)
    assert [seen.illegal_kind for seen in found.observations] == [None, None] + ["budget_exceeded"] * 2
    assert found.stop == "answered"


def test_a_task_says_when_it_is_finished(caller: Caller) -> None:
    task = Task("shop", "case-1", PROMPT, finished=lambda state: any(seen.ok for seen in state.observations))
    found = run_episode(loops(10), box(caller), budget=Budget(), task=task)
    assert (found.stop, found.spent.turns) == ("finished", 1)


def test_a_failing_provider_is_not_swallowed(caller: Caller) -> None:
    client = ScriptedClient(calling(called("shop.look")), ProviderTransient("down"))  # type: ignore[arg-type]
    with pytest.raises(ProviderTransient):
        run_episode(LlmPolicy(client, "m"), box(caller), budget=Budget(), task=TASK)


def test_a_price_makes_money_of_a_reply(caller: Caller) -> None:
    policy = LlmPolicy(ScriptedClient(Reply("x", usage=Usage(10, 5))), "m", price=lambda reply: 0.25)
    assert run_episode(policy, box(caller), budget=Budget(), task=TASK).spent.money == 0.25


def test_the_score_is_asked_once(caller: Caller) -> None:
    scored = []
    task = Task("shop", "case-1", PROMPT, score=lambda trajectory: scored.append(trajectory) or Score(1.0))
    found = run_episode(loops(1), box(caller), budget=Budget(), task=task)
    assert scored == [found]


def test_an_episode_needs_a_prompt_and_a_turn(caller: Caller) -> None:
    with pytest.raises(AssayError, match="prompt"):
        run_episode(loops(1), box(caller), budget=Budget(), task=Task("shop", "c", ()))
    for wrong in ({"turns": 0}, {"calls": -1}, {"money": float("nan")}):
        with pytest.raises(AssayError):
            Budget(**wrong)


GARBAGE = {
    "deep": "[" * 100_000,
    "half a pair": '{"count": "\ud800"}',
    "10 MB": "x" * 10_000_000,
    "cut off": '{"a":' * 1000,
}


@pytest.mark.parametrize("arguments", GARBAGE.values(), ids=GARBAGE)
def test_a_model_that_writes_garbage_is_answered(arguments, caller: Caller) -> None:
    client = ScriptedClient(calling(called("shop.buy", arguments)), Reply("\udc00 sorry"))
    found = run_episode(LlmPolicy(client, "m"), box(caller), budget=Budget(), task=TASK)
    assert found.observations[0].illegal_kind == "unparsable_arguments"
    assert len(found.observations[0].content) < 1000
    assert found.prompt_hash
