from __future__ import annotations

import json
from typing import Any

import pytest

from assay.brain.templates import Inventory, templates_by_model
from assay.errors import ProviderBadReply
from assay.llm import Client, ScriptedProvider

from ..fakes import Catalogue

INVENTORY = Inventory.of(Catalogue())


class NoSink:
    """Calls of a test are not kept."""

    def record(self, call: Any) -> None:
        return None


def reply(expression: str, **changes: Any) -> str:
    slots = {"d": {"source": "values", "values": [5, 20], "representative_values": [5]}}
    item = {"name": "TPL_MADE_V1", "expression": expression, "slots": slots, **changes}
    return json.dumps({"templates": [item]})


def asked(*replies: str) -> tuple[ScriptedProvider, Client]:
    provider = ScriptedProvider(list(replies))
    return provider, Client(role="researcher", provider=provider, sink=NoSink())


def test_a_usable_reply_is_taken() -> None:
    provider, client = asked(reply("-ts_sum(returns, {d})"))
    (found,) = templates_by_model(client, "prices come back", INVENTORY)
    assert found.expression == "-ts_sum(returns, {d})"
    told = provider.requests[0].messages[1].content
    assert "close (MATRIX)" in told
    assert "The idea: prices come back" in told
    assert '"vector": ["vec_avg", "vec_sum"]' in told


def test_what_is_wrong_is_sent_back_exactly() -> None:
    provider, client = asked(
        reply("ts_mean(nonsense, {d})"),
        reply("ts_mean({x}, {d})"),
        reply("ts_mean(close, {d})"),
    )
    (found,) = templates_by_model(client, "an idea", INVENTORY)
    assert found.expression == "ts_mean(close, {d})"
    first, second = (request.messages[-1].content for request in provider.requests[1:])
    assert 'Attempted to use unknown variable "nonsense" at line 1, characters 8 to 16' in first
    assert "names the slot {x}, which there is not" in second


def test_after_three_tries_it_is_given_up() -> None:
    provider, client = asked(*[reply("ts_mean(close, {d})", name="mean")] * 3, reply("ts_mean(close, {d})"))
    with pytest.raises(ProviderBadReply, match="after 3 calls"):
        templates_by_model(client, "an idea", INVENTORY)
    assert len(provider.requests) == 3


def test_two_templates_of_one_name_are_sent_back() -> None:
    one = json.loads(reply("ts_mean(close, {d})"))["templates"][0]
    provider, client = asked(json.dumps({"templates": [one, one]}), reply("ts_mean(close, {d})"))
    assert len(templates_by_model(client, "an idea", INVENTORY)) == 1
    assert "two templates have one name" in provider.requests[1].messages[-1].content
