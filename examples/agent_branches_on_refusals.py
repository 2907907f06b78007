"""An agent makes the mistakes that agents make, and branches on the reason of each refusal.

    python examples/agent_branches_on_refusals.py

It talks to the tool surface through the official client of the Model Context Protocol, on the simulated
market. Clock and random bytes are pinned, so that what it prints is the same on every run, to the byte; it is
kept in agent_branches_on_refusals.txt.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from mcp_types import CallToolResult, Implementation

from assay.mcp import build_server, surface
from mcp import Client, MCPError

WIDTH = 96


class PinnedClock:
    """A clock that stands, for identifiers that do not change."""

    def now(self) -> datetime:
        return datetime(2026, 1, 5, 9, 30, tzinfo=UTC)


class Agent:
    """Calls tools, prints what was said, and says what it does about a refusal."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """One call, told in two lines."""
        print(f"\n-> {tool} {json.dumps(arguments, ensure_ascii=False)}")
        answer = await self._client.call_tool(tool, arguments)
        if answer.is_error:
            print(f"<- refused, _meta.reason = {reason_of(answer)}")
            for line in text_of(answer).splitlines()[:2]:
                print(f"   {line[:WIDTH]}")
        else:
            print(f"<- {short(answer.structured_content or {})}")
        return answer

    def decide(self, what: str) -> None:
        """What the agent makes of it."""
        print(f"   => {what}")


def reason_of(answer: CallToolResult) -> str:
    """What a caller branches on."""
    return str((answer.meta or {})["reason"])


def text_of(answer: CallToolResult) -> str:
    return "\n".join(part.text for part in answer.content if part.type == "text")


def detail_of(answer: CallToolResult) -> Mapping[str, Any]:
    """The particulars of a refusal: the second text, where there is one."""
    texts = [part.text for part in answer.content if part.type == "text"]
    return json.loads(texts[1]) if len(texts) > 1 else {}


def short(result: Mapping[str, Any]) -> str:
    plain = {key: value for key, value in result.items() if not isinstance(value, (list, dict))}
    text = json.dumps(plain, ensure_ascii=False)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


async def research(client: Client) -> None:
    """Looks for a reversal factor, in a hurry."""
    agent = Agent(client)
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    listed = (tools["factor_evaluate"].meta or {})["assay/reasons"]
    print(f"factor_evaluate may refuse with {', '.join(item['code'] for item in listed)}")

    data = (await agent.call("data_describe")).structured_content or {}
    agent.decide(f"simulated: {data['simulated']}; nothing after {data['last_date']} may be asked for")

    formula, horizon = "-ts_return(clsoe, 5)", 250
    for _ in range(4):
        answer = await agent.call("factor_evaluate", expression=formula, horizon=horizon)
        if not answer.is_error:
            break
        match reason_of(answer):
            case "bad_horizon":
                horizon = tools["factor_evaluate"].input_schema["properties"]["horizon"]["default"]
                agent.decide(f"the schema has the bounds; back to its default, {horizon}")
            case "bad_expression":
                near = detail_of(answer)["did_you_mean"]
                formula = formula.replace("clsoe", near[0])
                agent.decide(f"a field is misspelt; did_you_mean says {near[0]}")
            case other:
                raise SystemExit(f"an agent does not go on from {other}")

    as_of = "2030-01-01T00:00:00Z"
    answer = await agent.call("features_materialize", slug="classic-reversal-5", as_of=as_of, rows=1, limit=1)
    if answer.is_error and reason_of(answer) == "as_of_in_future":
        as_of = f"{data['last_date']}T23:59:59Z"
        agent.decide("the clock of the tools is the end of the search period; asked as of then")
        await agent.call("features_materialize", slug="classic-reversal-5", as_of=as_of, rows=1, limit=1)

    answer = await agent.call("ledger_counts")
    if answer.is_error and reason_of(answer) == "no_ledger":
        agent.decide("nothing counts the trials here, so no significance is claimed")

    print("\n-> promote_strategy {}")
    try:
        await client.call_tool("promote_strategy", {})
    except MCPError as error:
        print(f"<- error {error.code}, data.reason = {error.data['reason']}")
        agent.decide("there is no such tool: promotion is a person's act")


async def main() -> None:
    server = build_server(surface(), clock=PinnedClock(), ids=lambda size: bytes(range(size)))
    me = Implementation(name="hasty-agent", version="1.0")
    async with Client(server, client_info=me) as client:
        await research(client)


if __name__ == "__main__":
    asyncio.run(main())
