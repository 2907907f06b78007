from __future__ import annotations

import json
from typing import Any

from assay.brain import Failure, JobResult, Proposal, Stats
from assay.brain.multi import ModelSettings
from assay.llm import Client, ScriptedProvider

from ..fakes import CHOICES
from .agents import proposal


class NoSink:
    """Calls of a test are not kept."""

    def record(self, call: Any) -> None:
        return None


def search(*replies: Any) -> tuple[ScriptedProvider, ModelSettings]:
    texts = [item if isinstance(item, str) else json.dumps({"settings": item}) for item in replies]
    provider = ScriptedProvider(texts)
    client = Client(role="researcher", provider=provider, sink=NoSink())
    return provider, ModelSettings(client, proposal("close", decay=5), CHOICES)


def completed(item: Proposal, sharpe: float) -> JobResult:
    stats = Stats(sharpe=sharpe, fitness=0.5, turnover=0.3)
    return JobResult("j1", item, "completed", alpha="a", stats=stats)


def test_settings_differ_from_the_first_by_what_is_named() -> None:
    _, made = search([{"decay": 10}, {"neutralization": "SECTOR", "truncation": 0.05}])
    found = made.ask_round(3)
    assert [item.request.settings.decay for item in found] == [10, 5]
    assert found[1].request.settings.neutralization == "SECTOR"
    assert {(item.request.regular, item.origin) for item in found} == {("close", "settings")}


def test_it_is_shown_what_came_of_the_last_ten() -> None:
    provider, made = search([{"decay": 10}], [])
    first = made.ask_round(1)
    made.tell([completed(proposal("close", decay=n), n / 100) for n in range(20, 35)])
    made.tell([JobResult("j", first[0], "failed", failure=Failure("too much resource"))])
    made.ask_round(1)
    told = provider.requests[1].messages[1].content
    assert '{"decay": 34}: sharpe 0.34' in told
    assert '{"decay": 10}: failed, too much resource' in told
    assert told.count("sharpe") == 9


def test_what_the_platform_does_not_have_is_sent_back() -> None:
    provider, made = search([{"neutralization": "MOON"}, {"decay": -1}], [{"decay": 3}])
    assert [item.request.settings.decay for item in made.ask_round(2)] == [3]
    said = provider.requests[1].messages[-1].content
    assert '"MOON" is not a valid choice' in said
    assert "decay: Input should be greater than or equal to 0" in said


def test_nothing_is_proposed_twice_and_nothing_new_is_the_end() -> None:
    _, made = search([{"decay": 10}, {"decay": 10}, {"decay": 5}], [{"decay": 10}])
    assert len(made.ask_round(3)) == 1
    assert made.ask_round(3) == ()
    assert made.done
    assert made.ask_round(3) == ()


def test_a_model_that_cannot_answer_ends_its_search() -> None:
    provider, made = search("no", "nor this", "{}")
    assert made.ask_round(1) == ()
    assert made.done
    assert len(provider.requests) == 3


def test_no_more_than_the_slots_are_asked_for() -> None:
    _, made = search([{"decay": number} for number in range(6, 16)])
    assert len(made.ask_round(3)) == 3
