"""Whatever is sent: never a crash, never a reasonless error, never an answer beside its schema."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from assay.mcp import bare_surface
from assay.tools import COMMON
from mcp import Client

from .conftest import MODES, talk
from .strategies import ANYTHING, arguments

TOOLS = {tool.id: tool for tool in bare_surface().tools("agent")}
OUTPUT = {name: Draft202012Validator(tool.output_schema) for name, tool in TOOLS.items()}
COMMON_CODES = {reason.code for reason in COMMON}
quiet = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)


def check(tool: str, answer: Any) -> None:
    """The answer is a result of the schema, or a refusal with a declared reason."""
    if not answer.is_error:
        OUTPUT[tool].validate(answer.structured_content)
        assert json.loads(answer.content[0].text) == answer.structured_content
        return
    reason = answer.meta["reason"]
    assert reason != "tool_failed", answer
    assert reason in {*COMMON_CODES, *TOOLS[tool].codes}, answer
    assert answer.content[0].text.startswith(f"{reason}: ")


@pytest.fixture(scope="session")
def needles(market, plan, tmp_path_factory) -> re.Pattern[str]:
    """Every trading day that is hidden, in two spellings, and where the workspace lies."""
    hidden = [day.item() for day in market.dates if day.item() > plan.search.end]
    assert len(hidden) > 100
    spelt = [day.isoformat() for day in hidden] + [f"{day:%Y%m%d}" for day in hidden]
    return re.compile("|".join([*spelt, re.escape(str(tmp_path_factory.getbasetemp()))]))


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_whatever_the_arguments_the_answer_is_typed_and_names_no_hidden_date(
    server, needles: re.Pattern[str], tool: str
) -> None:
    name = tool.replace(".", "_")

    @quiet
    @given(sent=arguments(TOOLS[tool].input_schema))
    def call(sent: dict[str, Any]) -> None:
        answer = talk(server, lambda client: client.call_tool(name, sent), MODES[1])
        check(tool, answer)
        assert needles.search(answer.model_dump_json()) is None

    call()


def test_nothing_was_broken_by_it(server, registry, caplog) -> None:
    """After it all the server does its work, and what it said went to the log alone."""
    with caplog.at_level(logging.ERROR, "assay"):
        answer = talk(server, lambda client: client.call_tool("data_describe", {}))
    assert not answer.is_error
    assert not caplog.records


def test_parameters_of_requests_that_are_none_are_faults_with_a_reason(tmp_path) -> None:
    from .processes import piped

    with piped(tmp_path) as running:
        running.hello()

        @settings(quiet, max_examples=60)
        @given(name=ANYTHING, sent=ANYTHING, cursor=ANYTHING)
        def ask(name: Any, sent: Any, cursor: Any) -> None:
            for method, params in (
                ("tools/call", {"name": name, "arguments": sent}),
                ("tools/list", {"cursor": cursor}),
                ("resources/read", {"uri": name}),
                ("prompts/get", {"name": name, "arguments": sent}),
                ("completion/complete", {"ref": sent, "argument": cursor}),
            ):
                answer = running.ask(method, params)
                if "error" in answer:
                    assert answer["error"]["code"] in (-32602, -32601, -32600), answer
                    assert answer["error"]["data"]["reason"], answer

        ask()
        assert running.close() == 0


def test_huge_arrays_and_texts_are_refused_and_cost_no_more_than_reading_them(server) -> None:
    async def act(client: Client) -> list[str]:
        found = []
        for tool, schema in ((tool, TOOLS[tool].input_schema) for tool in sorted(TOOLS)):
            for name in schema.get("properties", {}):
                for value in ([0] * 100_000, "x" * 500_000, {str(n): n for n in range(20_000)}):
                    answer = await client.call_tool(tool.replace(".", "_"), {name: value})
                    assert answer.is_error, (tool, name)
                    found.append(answer.meta["reason"])
        return found

    found = talk(server, act, MODES[1])
    assert "tool_failed" not in found
    assert len(found) >= 3 * len(TOOLS) / 2
