from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict

from assay.config import LlmLimits, Secret
from assay.errors import (
    AssayError,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
    Refusal,
)
from assay.llm import (
    Budget,
    CallRecord,
    Client,
    Message,
    Ordinals,
    Provider,
    Reply,
    Request,
    RetryPolicy,
    ScriptedProvider,
    ToolCall,
    ToolSpec,
    Usage,
)

from .records import ASK, Memory


def client(provider: Provider, memory: Memory, **more: Any) -> Client:
    return Client(
        role="proposer",
        provider=provider,
        sink=memory,
        **{"model": "toy", "sleep": lambda seconds: None, "draw": lambda: 0.0, **more},
    )


def test_a_reply_is_recorded_before_the_caller_has_it() -> None:
    memory = Memory()
    reply = Reply("rank(close)", usage=Usage(7, 3, 2), model="toy-1", provider_id="id-1")
    asked = client(ScriptedProvider([reply]), memory, parameters={"temperature": 0.5, "max_tokens": 9})
    tool = ToolSpec("panel.field", "reads", {"type": "object"})
    assert asked.complete(ASK, (tool,), temperature=0.0) == reply
    (call,) = memory.calls()
    assert call.request == Request("toy", ASK, {"temperature": 0.0, "max_tokens": 9}, (tool,))
    assert call.reply == reply
    assert (call.role, call.ordinal, call.attempts) == ("proposer", 0, 1)
    assert call.backend == "scripted"
    assert call.error is None


class Full(Memory):
    def record(self, call: CallRecord) -> None:
        raise AssayError("no space left on the disk")


def test_a_reply_that_cannot_be_recorded_is_not_handed_on() -> None:
    with pytest.raises(AssayError, match="no space"):
        client(ScriptedProvider(["rank(close)"]), Full()).complete(ASK)


@pytest.mark.parametrize("kind", [ProviderQuotaExhausted, ProviderAuth, ProviderBadReply, ProviderError])
def test_an_error_is_recorded_and_raised_at_once(kind: type[ProviderError]) -> None:
    memory = Memory()
    provider = ScriptedProvider([kind("no", where="here", fix="do", status=402, code="arrears"), "never"])
    with pytest.raises(kind):
        client(provider, memory).complete(ASK)
    (call,) = memory.calls()
    assert call.reply is None
    assert type(call.error) is kind
    assert call.error.as_dict()["code"] == "arrears"
    assert (call.error.where, call.error.fix, call.error.status) == ("here", "do", 402)
    assert call.attempts == len(provider.requests) == 1


def test_passing_errors_are_tried_again_and_counted() -> None:
    memory, waits = Memory(), list[float]()
    errors = [ProviderTransient("busy", retry_after=3.0), ProviderTransient("busy")]
    asked = client(
        ScriptedProvider([*errors, "x"]), memory, sleep=waits.append, retry=RetryPolicy(first=1.0, jitter=0.0)
    )
    assert asked.complete(ASK).text == "x"
    assert waits == [3.0, 2.0]
    assert [call.attempts for call in memory.calls()] == [3]
    assert asked.budget.spent.calls == 3


def test_the_last_passing_error_is_recorded() -> None:
    memory = Memory()
    provider = ScriptedProvider(lambda request: ProviderTransient("busy"))
    with pytest.raises(ProviderTransient):
        client(provider, memory, retry=RetryPolicy(attempts=3)).complete(ASK)
    assert [(call.attempts, str(call.error)) for call in memory.calls()] == [(3, "busy")]


def test_attempts_stop_where_the_budget_of_calls_ends() -> None:
    memory = Memory()
    provider = ScriptedProvider(lambda request: ProviderTransient("busy"))
    asked = client(provider, memory, budget=Budget(LlmLimits(calls=2)))
    with pytest.raises(ProviderTransient):
        asked.complete(ASK)
    assert len(provider.requests) == asked.budget.spent.calls == 2
    with pytest.raises(Refusal) as caught:
        asked.complete(ASK)
    assert caught.value.reason.code == "call_budget_exhausted"
    assert len(provider.requests) == len(memory.bodies) + 1 == 2, (
        "what is refused is neither sent nor recorded"
    )


def test_equal_calls_are_numbered_and_others_are_not() -> None:
    memory = Memory()
    asked = client(ScriptedProvider([*"abcd"]), memory)
    for talk in (ASK, ASK[1:], ASK, ASK):
        asked.complete(talk)
    assert [call.ordinal for call in memory.calls()] == [0, 0, 1, 2]


class Barrier:
    """Answers only when ``n`` requests are there, the one that came last first."""

    def __init__(self, n: int) -> None:
        self._barrier = threading.Barrier(n)
        self._turn = threading.Lock()
        self.name = "barrier"

    def complete(self, request: Request) -> Reply:
        place = self._barrier.wait()
        with self._turn:
            return Reply(f"answer {place}")


@pytest.mark.parametrize("turn", range(5))
def test_branches_side_by_side_are_numbered_by_their_order(turn: int) -> None:
    memory, n = Memory(), 4
    asked = client(ScriptedProvider(["first"]), memory)
    asked.complete(ASK)

    def branch(lane: Client) -> list[str]:
        return [lane.complete(ASK).text for _ in range(2)]

    provider: Any = Barrier(n)
    lanes = client(provider, memory, ordinals=asked.ordinals).lanes(n)
    with ThreadPoolExecutor(n) as pool:
        said = list(pool.map(branch, lanes))
    by_ordinal = {call.ordinal: call.outcome().text for call in memory.calls()}
    assert sorted(by_ordinal) == [*range(1 + 2 * n)]
    assert said == [[by_ordinal[1 + i], by_ordinal[1 + n + i]] for i in range(n)]
    client(ScriptedProvider(["last"]), memory, ordinals=asked.ordinals).complete(ASK)
    assert memory.calls()[-1].ordinal == 1 + 2 * n


def test_lanes_number_without_regard_to_who_comes_first() -> None:
    def numbers(order: list[int]) -> dict[int, list[int]]:
        ordinals = Ordinals()
        ordinals.take("r", "h")
        lanes = ordinals.lanes(3)
        inner = lanes[1].lanes(2)
        taken: dict[int, list[int]] = {i: [] for i in range(4)}
        for i in order:
            taken[i].append([lanes[0], lanes[2], *inner][i].take("r", "h"))
        taken[4] = [ordinals.take("r", "h"), ordinals.take("r", "other")]
        return taken

    one = numbers([0, 0, 1, 2, 3, 3])
    assert one == numbers([3, 2, 1, 3, 0, 0])
    assert one == {0: [1, 4], 1: [3], 2: [2], 3: [5, 11], 4: [12, 0]}


def test_secrets_are_neither_sent_nor_recorded_nor_handed_on() -> None:
    key = 'canary-"key"-12345'
    memory = Memory()
    said = Reply(f"it is {key}", (ToolCall("1", "t", f'{{"a": "{key}"}}'),), model=key, provider_id=key)
    provider = ScriptedProvider([said, ProviderBadReply(f"refused {key}", fix=f"not {key}", code=key)])
    asked = client(
        provider,
        memory,
        secrets=[Secret(key)],
        parameters={"user": [key]},
        base_url=f"http://127.0.0.1/{key}",
    )
    talk = (Message("user", key), Message("assistant", "", (ToolCall("1", "t", key),)))
    reply = asked.complete(talk, (ToolSpec("t", key, {"default": key}),))
    with pytest.raises(ProviderBadReply) as caught:
        asked.complete(talk)
    seen = f"{provider.requests} {reply} {caught.value.as_dict()} {memory.bodies} {memory.objects}"
    assert "canary" not in seen
    assert memory.calls()[0].request == provider.requests[0], "what is recorded is what was sent"
    assert memory.calls()[0].reply == reply


def test_ordinary_text_that_looks_like_a_key_reaches_the_model() -> None:
    provider = ScriptedProvider(["ok"])
    text = "bearer certificates of sk-abcdefghijklmnopqrstuvwxyz"
    client(provider, Memory(), secrets=[Secret("hush-hush")]).complete([Message("user", text)])
    assert provider.requests[0].messages[0].content == text


class Back:
    """A clock that goes back."""

    def __init__(self) -> None:
        self._now = datetime(2020, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self._now -= timedelta(hours=1)
        return self._now


def test_a_clock_that_goes_back_gives_no_negative_latency() -> None:
    memory = Memory()
    client(ScriptedProvider(["x"]), memory, clock=Back()).complete(ASK)
    assert memory.latencies == [0.0]


def test_calls_made_before_an_interruption_are_answered_from_the_record() -> None:
    whole, cut = Memory(), Memory()

    def script(request: Request) -> str:
        return f"about {request.messages[-1].content}"

    talks = [[Message("user", text)] for text in "abcd"]
    asked = client(ScriptedProvider(script), whole)
    said = [asked.complete(talk).text for talk in talks]
    cut.bodies, cut.objects = whole.bodies[:2], whole.objects
    budget = Budget(LlmLimits(calls=4))
    budget.restore(cut.calls())
    provider = ScriptedProvider(script)
    again = client(provider, cut, earlier={call.key: call for call in cut.calls()}, budget=budget)
    assert [again.complete(talk).text for talk in talks] == said
    assert cut.bodies == whole.bodies
    assert len(provider.requests) == 2
    assert budget.spent.calls == 4


def test_an_error_before_an_interruption_is_tried_anew_under_its_number() -> None:
    memory = Memory()
    with pytest.raises(ProviderQuotaExhausted):
        client(ScriptedProvider([ProviderQuotaExhausted("empty")]), memory).complete(ASK)
    earlier = {call.key: call for call in memory.calls()}
    assert client(ScriptedProvider(["x"]), memory, earlier=earlier).complete(ASK).text == "x"
    assert [(call.ordinal, call.reply is None) for call in memory.calls()] == [(0, True), (0, False)]


class Factor(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    window: int
    side: Literal["long", "short"] = "long"


GOOD = '{"name": "a", "window": 5}'


@pytest.mark.parametrize("way", ["json", "tool"])
@pytest.mark.parametrize(
    ("reply", "repairs"),
    [
        (Reply(GOOD), {}),
        (Reply(f"Sure:\n```json\n{GOOD}\n```"), {"code_fence": 1, "text_around": 1}),
        (Reply("{'name': 'a', 'window': 5,}"), {"single_quotes": 3, "trailing_comma": 1}),
        (Reply("", (ToolCall("1", "answer", GOOD),), "tool_calls"), {}),
        (Reply("Done.", (ToolCall("1", "answer", GOOD[:-1] + ",}"),), "tool_calls"), {"trailing_comma": 1}),
    ],
)
def test_a_structured_reply_is_read_whichever_way_it_comes(
    way: Literal["json", "tool"], reply: Reply, repairs: dict[str, int]
) -> None:
    provider = ScriptedProvider([reply])
    found = client(provider, Memory(), structured_by=way).structured(ASK, Factor)
    assert found.value == Factor(name="a", window=5)
    assert (found.repairs, found.attempts, found.rejected) == (repairs, 1, ())
    (request,) = provider.requests
    schema = Factor.model_json_schema()
    if way == "tool":
        assert request.messages == ASK
        assert [tool.parameters for tool in request.tools] == [schema]
    else:
        assert request.tools == ()
        assert '"additionalProperties": false' in request.messages[-1].content


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (Reply('{"name": "a", "window": "x"}'), "window: Input should be a valid integer"),
        (Reply('{"name": "a", "window": 5, "extra": 1}'), "extra: Extra inputs are not permitted"),
        (Reply('{"name": "a"}'), "window: Field required"),
        (Reply("I cannot."), "there is no JSON object"),
        (Reply(""), "there is no JSON object"),
        (Reply('{"name": "a", "win'), "ends within a text"),
        (Reply(GOOD, finish="length"), "cut off"),
        (Reply("", (ToolCall("1", "search", GOOD),)), "there is no tool 'search'"),
        (Reply("", (ToolCall("1", "answer", GOOD), ToolCall("2", "answer", GOOD))), "2 tools were called"),
        (Reply("", (ToolCall("1", "answer", "[" * 100_000),)), "deep"),
    ],
)
@pytest.mark.parametrize("way", ["json", "tool"])
def test_what_does_not_fit_goes_back_with_the_reason(
    bad: Reply, what: str, way: Literal["json", "tool"]
) -> None:
    memory = Memory()
    provider = ScriptedProvider([bad, Reply(GOOD)])
    found = client(provider, memory, structured_by=way).structured(ASK, Factor)
    assert found.value.window == 5
    assert found.attempts == 2
    assert what in found.rejected[0]
    said, *again = provider.requests[1].messages[len(ASK) + (way == "json") :]
    assert said.role == "assistant"
    assert again
    assert all(what in message.content for message in again)
    short = all(len(call.arguments) < 1000 for call in bad.tool_calls)
    if way == "tool" and bad.tool_calls and short:
        assert said.tool_calls == bad.tool_calls
        assert [message.tool_call_id for message in again] == [call.id for call in bad.tool_calls]
    else:
        assert said.tool_calls == ()
        assert [message.role for message in again] == ["user"]
        assert len(said.content) < 5000
    assert len(memory.bodies) == 2


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_replies_go_back_a_bounded_number_of_times(attempts: int) -> None:
    provider = ScriptedProvider(lambda request: "no")
    with pytest.raises(ProviderBadReply, match="there is no JSON object"):
        client(provider, Memory()).structured(ASK, Factor, attempts=attempts)
    assert len(provider.requests) == attempts


def test_a_withheld_reply_is_not_asked_for_again() -> None:
    provider = ScriptedProvider([Reply("", finish="content_filter")])
    with pytest.raises(ProviderBadReply, match="content filter"):
        client(provider, Memory()).structured(ASK, Factor, attempts=5)


def test_a_huge_bad_reply_is_not_sent_back_whole() -> None:
    provider = ScriptedProvider(["x" * 10_000_000, GOOD])
    assert client(provider, Memory()).structured(ASK, Factor).attempts == 2
    assert sum(len(message.content) for message in provider.requests[1].messages) < 10_000


def test_a_hundred_errors_are_not_all_listed() -> None:
    wrong = "{" + ", ".join(f'"k{i}": {i}' for i in range(1000)) + "}"
    provider = ScriptedProvider([wrong, GOOD])
    (rejected,) = client(provider, Memory()).structured(ASK, Factor).rejected
    assert len(rejected) < 2000
    assert "and 982 more" in rejected
