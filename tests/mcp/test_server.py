"""The server through the official client, on both generations of the protocol, in process."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp_types import Implementation, PromptReference, ResourceTemplateReference

from assay.base import Operator
from assay.errors import AssayError
from assay.mcp import WireNames, bare_surface, build_server
from assay.mcp._server import THREADS
from assay.tools import COMMON
from mcp import Client, MCPError

from .conftest import AGENT, MODES, StillClock, talk
from .toys import Waiting, toys

both = pytest.mark.parametrize("mode", MODES)


def fault(server: Any, act: Any, mode: str = MODES[0]) -> MCPError:
    with pytest.raises(BaseException) as caught:  # in legacy mode it may come in a group
        talk(server, act, mode)
    error = caught.value
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, MCPError), error
    return error


@both
def test_every_tool_is_listed_with_all_that_a_caller_may_branch_on(server, registry, mode) -> None:
    listed = talk(server, lambda client: client.list_tools(), mode).tools
    assert [tool.name for tool in listed] == sorted(tool.name for tool in listed)
    assert {tool.meta["assay/id"] for tool in listed} == {tool.id for tool in registry.tools("agent")}
    declared = {(row.tool, row.reason.code) for row in registry.reasons()}
    told = {(tool.meta["assay/id"], item["code"]) for tool in listed for item in tool.meta["assay/reasons"]}
    assert told == {pair for pair in declared if pair[0] in {tool.meta["assay/id"] for tool in listed}}
    for tool in listed:
        assert "." not in tool.name
        assert tool.output_schema["type"] == tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        hints = tool.annotations
        given = (
            hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint,
        )  # fmt: skip
        assert None not in given
        assert all(item["fix"] and item["meaning"] for item in tool.meta["assay/reasons"])


@both
def test_a_result_is_an_object_and_the_same_as_text(server, mode) -> None:
    answer = talk(server, lambda client: client.call_tool("data_describe", {}), mode)
    assert not answer.is_error
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert answer.structured_content["simulated"] is True


@both
def test_a_refusal_has_its_reason_in_meta_and_no_structured_content(mode) -> None:
    answer = talk(build_server(toys()), lambda client: client.call_tool("toy_refusing", {"number": 1}), mode)
    assert answer.is_error
    assert answer.meta["reason"] == "no_more"
    assert answer.structured_content is None
    assert answer.content[0].text == "no_more: nothing is left\nwhat to do: come back tomorrow"
    assert json.loads(answer.content[1].text) == {"left": 0}


@both
def test_a_tool_that_breaks_tells_nothing_and_the_server_goes_on(mode, caplog) -> None:
    async def act(client: Client) -> Any:
        failed = [await client.call_tool("toy_broken", {"number": number}) for number in range(3)]
        return failed, await client.call_tool("toy_echo", {"number": 7})

    with caplog.at_level(logging.CRITICAL):
        failed, after = talk(build_server(toys()), act, mode)
    for answer in failed:
        assert answer.is_error
        assert answer.meta["reason"] == "tool_failed"
        assert "2031" not in answer.model_dump_json()
        assert "secret" not in answer.model_dump_json()
    assert after.structured_content["number"] == 7


@both
@pytest.mark.parametrize(
    "name", ["nope", "data_describ", "provenance.record_candidate", "../etc", "", "a" * 500]
)
def test_an_unknown_tool_is_a_fault_of_the_protocol(server, mode, name: str) -> None:
    error = fault(server, lambda client: client.call_tool(name, {}), mode)
    assert error.code == -32602
    assert error.data["reason"] == "unknown_tool"
    assert ("data_describe" in error.data["did_you_mean"]) == (name == "data_describ")


@both
@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"expression": "close", "more": 1}, "bad_arguments"),
        ({"expression": 5}, "bad_expression"),
        ({"expression": ["close"] * 100_000}, "bad_expression"),
        ({"expression": "close", "horizon": "5"}, "bad_horizon"),
        ({"expression": "close", "horizon": 10**30}, "bad_horizon"),
        ({"expression": "close", "dialect": "../../etc/passwd"}, "bad_dialect"),
        ({}, "missing_expression"),
        ({"a": {"a": {"a": [[[[{}]]]]}}}, "missing_expression"),
        (json.loads('{"expression":' + '{"a":' * 40 + "1" + "}" * 41), "unparsable_arguments"),
        ({"expression": "rank(" * 900 + "close" + ")" * 900}, "bad_expression"),
    ],
)
def test_bad_arguments_are_refused_by_name(server, mode, sent: dict[str, Any], reason: str) -> None:
    answer = talk(server, lambda client: client.call_tool("factor_evaluate", sent), mode)
    assert answer.is_error
    assert answer.meta["reason"] == reason


@both
def test_faults_of_the_protocol_have_a_reason(server, mode) -> None:
    for act, code, reason in (
        (lambda client: client.list_tools(cursor="zzz"), -32602, "bad_cursor"),
        (lambda client: client.list_resources(cursor=""), -32602, "bad_cursor"),
        (lambda client: client.list_prompts(cursor="\u00e9"), -32602, "bad_cursor"),
        (lambda client: client.read_resource("assay://runs/..%2F..%2Fetc"), -32602, "unknown_resource"),
        (lambda client: client.read_resource("assay://runs/../notes/x"), -32602, "unknown_resource"),
        (lambda client: client.read_resource("file:///etc/passwd"), -32602, "unknown_resource"),
        (lambda client: client.get_prompt("nope", {}), -32602, "unknown_prompt"),
        (lambda client: client.get_prompt("mine_factor", {}), -32602, "missing_argument"),
        (lambda client: client.get_prompt("mine_factor", {"idea": "x" * 3000}), -32602, "bad_argument"),
        (lambda client: client.get_prompt("mine_factor", {"idea": "x", "y": "z"}), -32602, "bad_argument"),
        (lambda client: client.get_prompt("extract_report", {"language": "fr"}), -32602, "bad_argument"),
        (lambda client: client.complete({"type": "ref/prompt", "name": "x"}, {"name": "a", "value": "b"}),
         -32602, "unknown_prompt"),
    ):  # fmt: skip
        error = fault(server, act, mode)
        assert (error.code, error.data["reason"]) == (code, reason)
        assert error.data["fix"]


@both
def test_arguments_of_prompts_and_templates_are_completed(server, mode) -> None:
    async def act(client: Client) -> list[list[str]]:
        prompt = PromptReference(name="mine_factor")
        runs = ResourceTemplateReference(uri="assay://runs/{run}")
        asked = [
            (prompt, {"name": "language", "value": ""}),
            (prompt, {"name": "language", "value": "z"}),
            (prompt, {"name": "idea", "value": "x"}),
            (PromptReference(name="review_certificate"), {"name": "certificate", "value": "sha256:none"}),
            (runs, {"name": "run", "value": "no-such"}),
            (runs, {"name": "other", "value": ""}),
        ]
        begun = PromptReference(name="review_certificate"), {"name": "certificate", "value": "sha256:"}
        listed = await client.call_tool("certificate_list", {})
        # other tests on this server may have made some
        known = [row["certificate"] for row in listed.structured_content["rows"]]
        found = [(await client.complete(ref, argument)).completion.values for ref, argument in asked]
        assert sorted((await client.complete(*begun)).completion.values) == sorted(known)
        return found

    assert talk(server, act, mode) == [["en", "zh"], ["zh"], [], [], [], []]
    nowhere = ResourceTemplateReference(uri="file:///{path}")
    error = fault(server, lambda client: client.complete(nowhere, {"name": "path", "value": ""}), mode)
    assert error.data["reason"] == "unknown_resource"


@both
@pytest.mark.parametrize("page", [1, 4, 1000])
def test_pages_give_every_tool_once(registry, mode, page: int) -> None:
    async def act(client: Client) -> list[str]:
        names, cursor = [], None
        while True:
            answer = await client.list_tools(cursor=cursor)
            assert len(answer.tools) <= page
            names += [tool.name for tool in answer.tools]
            cursor = answer.next_cursor
            if cursor is None:
                return names

    names = talk(build_server(registry, page=page), act, mode)
    assert names == sorted(tool.id.replace(".", "_") for tool in registry.tools("agent"))


def test_a_cursor_of_one_list_is_none_of_another(registry) -> None:
    server = build_server(registry, page=1)
    cursor = talk(server, lambda client: client.list_tools()).next_cursor
    error = fault(server, lambda client: client.list_prompts(cursor=cursor))
    assert error.data["reason"] == "bad_cursor"


@both
def test_both_names_are_understood_whichever_is_listed(mode) -> None:
    async def act(client: Client) -> Any:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        answers = [await client.call_tool(name, {"number": 3}) for name in ("toy_echo", "toy.echo")]
        return listed, answers

    for style, shown in (("underscore", "toy_echo"), ("dotted", "toy.echo")):
        listed, answers = talk(build_server(toys(), names=style), act, mode)
        assert shown in listed
        assert [answer.structured_content["number"] for answer in answers] == [3, 3]


@pytest.mark.parametrize("ids", [("a.b_c", "a_b.c"), ("a.b", "a_b")])
def test_two_tools_of_one_name_are_noticed_when_the_server_is_built(ids: tuple[str, str]) -> None:
    with pytest.raises(AssayError) as caught:
        WireNames(ids)
    assert ids[0] in caught.value.message
    assert ids[1] in caught.value.message


def test_no_two_tools_of_the_surface_have_one_name() -> None:
    WireNames(tool.id for tool in bare_surface(allow_record=True).tools())


def test_a_caller_is_the_agent_that_the_server_was_started_for() -> None:
    server = build_server(toys(), operator=AGENT)
    answer = talk(server, lambda client: client.call_tool("toy_echo", {"number": 1}))
    assert answer.structured_content["caller"] == AGENT.identifier


@both
def test_without_one_a_caller_is_known_by_the_name_of_its_client(mode) -> None:
    server = build_server(toys(), clock=StillClock(), ids=lambda size: b"\7" * size)

    async def act(name: str) -> str:
        info = Implementation(name=name, version="1.0")
        async with Client(server, mode=mode, client_info=info) as client:
            answer = await client.call_tool("toy_echo", {"number": 1})
            return str(answer.structured_content["caller"])

    ids = [asyncio.run(act(name)) for name in ("Claude Code", "Claude Code", "\u5ba2 $(x)\n/../", "")]
    assert [text.rpartition("/")[0] for text in ids] == [
        "client:Claude-Code", "client:Claude-Code", "client:x-..", "client:unknown",
    ]  # fmt: skip
    assert ids[0] == ids[1]
    assert Operator("agent", ids[2], "x").kind == "agent"


def test_calls_at_once_are_not_mixed_up() -> None:
    async def act(client: Client) -> list[int]:
        answers = await asyncio.gather(
            *(client.call_tool("toy_echo", {"number": number}) for number in range(200))
        )
        return [answer.structured_content["number"] for answer in answers]

    for mode in MODES:
        assert talk(build_server(toys()), act, mode) == list(range(200))


def test_a_call_that_is_cancelled_is_done_to_its_end() -> None:
    waiting = Waiting()
    server = build_server(toys(waiting))

    async def act(client: Client) -> Any:
        call = asyncio.create_task(client.call_tool("toy_waiting", {"number": 1}))
        while not waiting.begun.is_set():
            await asyncio.sleep(0.01)
        call.cancel()
        waiting.go.set()
        return await client.call_tool("toy_echo", {"number": 2})

    assert talk(server, act).structured_content["number"] == 2
    assert waiting.ended.wait(10)


def test_common_reasons_are_not_told_with_each_tool(server) -> None:
    common = {reason.code for reason in COMMON}
    for tool in talk(server, lambda client: client.list_tools()).tools:
        assert not common & {item["code"] for item in tool.meta["assay/reasons"]}


def test_long_calls_keep_no_other_call_waiting() -> None:
    """Nor do those whose callers have given up: they are at work until they are done."""
    waiting = Waiting()
    server = build_server(toys(waiting, "discovery.waiting"))

    async def act(client):
        async with anyio.create_task_group() as group:
            for number in range(THREADS):
                group.start_soon(client.call_tool, "discovery_waiting", {"number": number})
            while not waiting.begun.is_set():
                await anyio.sleep(0)
            try:
                with anyio.fail_after(30):
                    return await client.call_tool("toy_echo", {"number": 7})
            finally:
                waiting.go.set()

    assert talk(server, act).structured_content["number"] == 7
