from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import LlmLimits, Price
from assay.errors import Refusal
from assay.llm import (
    Budget,
    Client,
    Endpoint,
    Message,
    OpenAIProvider,
    Planned,
    ReplayProvider,
    Reply,
    Request,
    ScriptedProvider,
    ToolSpec,
    Usage,
    estimate,
    estimate_tokens,
)

from .records import ASK, Memory
from .server import Answer, Service, completion

PRICES = {"toy": Price(1.0, 2.0, 0.1), "free": Price(0.0, 0.0, 0.0)}


def request(text: str = "x", model: str = "toy", **parameters: int) -> Request:
    return Request(model, (Message("user", text),), {"max_tokens": 100, **parameters})


def refused(budget: Budget, asked: Request) -> tuple[str, str]:
    with pytest.raises(Refusal) as caught:
        budget.reserve(asked)
    return caught.value.reason.code, caught.value.where or ""


@pytest.mark.parametrize(
    ("limits", "reason", "key"),
    [
        (LlmLimits(calls=0), "call_budget_exhausted", "calls"),
        (LlmLimits(input_tokens=5), "token_budget_exhausted", "input_tokens"),
        (LlmLimits(output_tokens=99), "token_budget_exhausted", "output_tokens"),
        (LlmLimits(money=0.0002), "money_budget_exhausted", "money"),
    ],
)
def test_a_call_that_could_go_over_is_refused(limits: LlmLimits, reason: str, key: str) -> None:
    budget = Budget(limits, PRICES)
    assert refused(budget, request()) == (reason, f"llm.budget.{key}")
    assert budget.spent == Budget().spent


def test_the_longest_output_is_what_the_request_says() -> None:
    budget = Budget(LlmLimits(output_tokens=4095))
    assert refused(budget, Request("toy", ASK, {})) == ("token_budget_exhausted", "llm.budget.output_tokens")
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        with budget.reserve(Request("toy", ASK, {name: 4095})):
            assert refused(budget, Request("toy", ASK, {name: 1}))[0] == "token_budget_exhausted"


def test_a_refusal_gives_plain_figures() -> None:
    budget = Budget(LlmLimits(money=0.000012), {"toy": Price(0.1, 0.7, 0.03)})
    with pytest.raises(Refusal) as caught:
        budget.reserve(request(max_tokens=1_000))
    assert caught.value.message.startswith("the budget is 0.000012 money; 0 are spent or in use")
    assert "E-" not in caught.value.message
    with pytest.raises(Refusal, match=r"the budget is 1,000 output tokens; 0 are .* may take 2,000"):
        Budget(LlmLimits(output_tokens=1_000)).reserve(request(max_tokens=2_000))


def test_room_that_is_not_used_is_given_back() -> None:
    budget = Budget(LlmLimits(output_tokens=100))
    for tokens in (60, 30, 10):
        with budget.reserve(request(max_tokens=100 - budget.spent.output_tokens)) as room:
            room.spend(Usage(5, tokens))
    assert (budget.spent.calls, budget.spent.input_tokens, budget.spent.output_tokens) == (3, 15, 100)
    assert refused(budget, request(max_tokens=1))[0] == "token_budget_exhausted"


def test_an_interruption_gives_the_room_back() -> None:
    budget = Budget(LlmLimits(output_tokens=100))
    with pytest.raises(KeyboardInterrupt), budget.reserve(request()):
        raise KeyboardInterrupt
    with budget.reserve(request()):
        assert budget.spent.output_tokens == 0


def test_cached_input_has_its_own_price() -> None:
    budget = Budget(prices=PRICES)
    with budget.reserve(request()) as room:
        assert room.spend(Usage(1_000_000, 500_000, 400_000)) == pytest.approx(0.6 + 0.04 + 1.0)
    assert budget.spent.money == Decimal("1.64")


def test_a_model_without_a_price_is_refused_only_under_a_money_budget() -> None:
    assert refused(Budget(LlmLimits(money=1.0), PRICES), request(model="new")) == (
        "money_budget_exhausted",
        "llm.prices",
    )
    with Budget(LlmLimits(calls=1), PRICES).reserve(request(model="new")) as room:
        assert room.spend(Usage(10, 10)) is None


def test_a_free_model_takes_no_money() -> None:
    with Budget(LlmLimits(money=0.0), PRICES).reserve(request(model="free")) as room:
        assert room.spend(Usage(10, 10)) == 0.0


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=30), st.randoms())
def test_the_sum_does_not_depend_on_the_order(usages: list[tuple[int, int]], random: object) -> None:
    def spent(order: list[tuple[int, int]]) -> object:
        budget = Budget(prices={"toy": Price(0.1, 0.7, 0.03)})
        for tokens, out in order:
            with budget.reserve(request()) as room:
                room.spend(Usage(tokens, out, tokens // 3))
        return budget.spent

    assert spent(usages) == spent(sorted(usages)) == spent(usages[::-1])


def test_a_resumed_run_goes_on_with_what_it_has_left() -> None:
    limits, memory = LlmLimits(calls=3, money=1.0), Memory()
    reply = Reply("x", usage=Usage(1000, 100))
    first = Client(
        role="planner",
        model="toy",
        provider=ScriptedProvider([reply, reply]),
        sink=memory,
        budget=Budget(limits, PRICES),
    )
    first.complete(ASK)
    first.complete(ASK)
    dearer = {"toy": Price(100.0, 100.0, 100.0)}
    budget = Budget(limits, dearer)
    budget.restore(memory.calls())
    assert budget.spent == first.budget.spent, "what was paid stays paid"
    with budget.reserve(request()):
        assert refused(budget, request())[0] == "call_budget_exhausted"


def test_a_service_that_tells_no_usage_fills_the_budget_and_a_resume_restores_it() -> None:
    silent = Answer({**completion("rank(close)"), "usage": None})
    limits, memory = LlmLimits(input_tokens=130, output_tokens=10_000, money=1.0), Memory()
    budget = Budget(limits, PRICES)
    with Service(silent) as service:
        provider = OpenAIProvider("main", Endpoint(service.url))
        client = Client(role="planner", model="toy", provider=provider, sink=memory, budget=budget)
        told = client.complete((Message("user", "a formula, please " * 15),))
    taken = budget.spent
    assert told.usage.estimated
    assert (taken.input_tokens, taken.output_tokens) == (98, 4)
    assert taken.money > 0
    assert refused(budget, request("y" * 90))[0] == "token_budget_exhausted"

    resumed = Budget(limits, PRICES)
    resumed.restore(memory.calls())
    assert resumed.spent == taken

    again = Memory()
    replayed = Client(
        role="planner",
        model="toy",
        provider=ReplayProvider(memory.calls()),
        sink=again,
        budget=Budget(limits, PRICES),
    )
    assert replayed.complete((Message("user", "a formula, please " * 15),)) == told
    assert again.bodies == memory.bodies


def test_a_record_of_before_has_a_usage_that_was_told() -> None:
    assert Usage.from_dict({"input": 3, "output": 2, "cached": 1}) == Usage(3, 2, 1)
    assert Usage(3, 2, 1).as_dict() == {"input": 3, "output": 2, "cached": 1}


def test_calls_side_by_side_cannot_overspend_together() -> None:
    n, budget = 20, Budget(LlmLimits(output_tokens=500))
    start, refusals, most = threading.Barrier(n), [], []

    def call(number: int) -> None:
        start.wait()
        try:
            with budget.reserve(request()) as room:
                room.spend(Usage(1, 100))
                most.append(number)
        except Refusal as refusal:
            refusals.append(refusal.reason.code)

    with ThreadPoolExecutor(n) as pool:
        list(pool.map(call, range(n)))
    assert budget.spent.output_tokens == 100 * len(most) <= 500
    assert len(refusals) == n - len(most)
    assert set(refusals) == {"token_budget_exhausted"}


def test_room_is_held_while_a_call_is_under_way() -> None:
    budget = Budget(LlmLimits(output_tokens=250))
    with budget.reserve(request()), budget.reserve(request()):
        assert refused(budget, request())[0] == "token_budget_exhausted"
        with budget.reserve(request(max_tokens=50)):
            assert budget.spent.calls == 0
    assert budget.spent.calls == 3


@given(st.text(), st.text())
def test_an_estimate_grows_with_the_text(one: str, other: str) -> None:
    assert estimate_tokens(request(one + other)) >= estimate_tokens(request(one)) >= 8


def test_an_estimate_is_on_the_high_side() -> None:
    # a token is seldom less than a word of English or a Chinese character
    english, chinese = (
        "The quick brown fox jumps over the lazy dog " * 20,
        "今天天气很好，我们去公园散步吧" * 20,
    )
    assert estimate_tokens(request(english)) > 1.5 * len(english.split())
    assert estimate_tokens(request(chinese)) > 1.2 * len(chinese)
    bare = Request("toy", ASK, {})
    tool = ToolSpec("panel.field", "reads a field", {"type": "object", "properties": {"name": {}}})
    assert estimate_tokens(Request("toy", ASK, {}, (tool,))) > estimate_tokens(bare) + 20


def test_a_plan_is_estimated_before_a_run() -> None:
    plan = [Planned("planner", "toy", 10, 1000, 100), Planned("proposer", "toy", 100, 2000, 500)]
    limits = LlmLimits(calls=109, input_tokens=210_000, money=0.3)
    found = estimate(plan, limits=limits, prices=PRICES)
    assert (found.calls, found.input_tokens, found.output_tokens) == (110, 210_000, 51_000)
    assert found.money == pytest.approx(0.21 + 0.102)
    assert found.exceeded == ("calls", "money")
    assert found.unpriced == ()


def test_without_a_price_the_money_is_unknown() -> None:
    found = estimate([Planned("planner", "new", 1, 1, 1), Planned("planner", "toy", 1, 1, 1)], prices=PRICES)
    assert found.money is None
    assert found.unpriced == ("new",)


def test_a_plan_that_nobody_could_pay_has_a_price() -> None:
    plan = Planned("proposer", "toy", 10**12, 10**12, 10**12)
    found = estimate([plan], prices={"toy": Price(10.0**9, 10.0**9, 0.0)})
    assert found.money == pytest.approx(2e27)
