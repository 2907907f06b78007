"""The server with the fixture tools that the conformance suite calls; for tests alone, never in the product.

Everything that the fixtures do not name goes to the product's own handlers.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
STATE_KEY = b"only for tests"
ELICITATION, SAMPLING, ROOTS = "elicitation/create", "sampling/createMessage", "roots/list"

Answer = t.CallToolResult | t.InputRequiredResult
Handler = Callable[[Any, t.CallToolRequestParams], Awaitable[Answer]]

SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def text(said: str, **more: Any) -> t.CallToolResult:
    return t.CallToolResult(content=[t.TextContent(text=said)], **more)


def seal(state: str) -> str:
    return f"{state}.{hmac.new(STATE_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def unseal(sealed: str | None) -> str:
    state = (sealed or "").partition(".")[0]
    if sealed != seal(state):
        raise MCPError(t.INVALID_PARAMS, "the state was tampered with", {"reason": "tampered_state"})
    return state


def form(message: str, **properties: Any) -> t.ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return t.ElicitRequest(params=t.ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(prompt: str) -> t.CreateMessageRequest:
    message = t.SamplingMessage(role="user", content=t.TextContent(text=prompt))
    return t.CreateMessageRequest(params=t.CreateMessageRequestParams(messages=[message], max_tokens=100))


@dataclass
class Fixtures:
    """Fixture tools by name, with the schema of their arguments."""

    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    tools: dict[str, tuple[dict[str, Any], Handler]] = field(default_factory=dict)

    def add(self, handler: Handler, name: str = "", schema: dict[str, Any] | None = None) -> None:
        self.tools[name or f"test_{handler.__name__}"] = (schema or {"type": "object"}, handler)

    def listed(self) -> list[t.Tool]:
        return [
            t.Tool(name=name, description="A fixture.", input_schema=schema)
            for name, (schema, _) in self.tools.items()
        ]


def content_tools(fixtures: Fixtures) -> None:
    image = t.ImageContent(data=IMAGE, mime_type="image/png")

    def embedded(uri: str) -> t.EmbeddedResource:
        contents = t.TextResourceContents(uri=uri, mime_type="text/plain", text="An embedded resource.")
        return t.EmbeddedResource(resource=contents)

    async def simple_text(ctx: Any, params: Any) -> Answer:
        return text("This is a simple text response for testing.")

    async def image_content(ctx: Any, params: Any) -> Answer:
        return t.CallToolResult(content=[image])

    async def audio_content(ctx: Any, params: Any) -> Answer:
        return t.CallToolResult(content=[t.AudioContent(data=SOUND, mime_type="audio/wav")])

    async def embedded_resource(ctx: Any, params: Any) -> Answer:
        return t.CallToolResult(content=[embedded("test://embedded-resource")])

    async def multiple_content_types(ctx: Any, params: Any) -> Answer:
        parts = [t.TextContent(text="Several:"), image, embedded("test://mixed-content-resource")]
        return t.CallToolResult(content=parts)

    async def error_handling(ctx: Any, params: Any) -> Answer:
        return text("This tool intentionally returns an error for testing", is_error=True)

    for handler in (
        simple_text, image_content, audio_content, embedded_resource, multiple_content_types, error_handling,
    ):  # fmt: skip
        fixtures.add(handler)
    fixtures.add(simple_text, "json_schema_2020_12_tool", SCHEMA_2020_12)
    header = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    fixtures.add(simple_text, "test_x_mcp_header", header)


def notifying_tools(fixtures: Fixtures) -> None:
    async def tool_with_logging(ctx: Any, params: Any) -> Answer:
        for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.session.send_log_message("info", said, related_request_id=ctx.request_id)
            await asyncio.sleep(0.05)
        return text("done")

    async def tool_with_progress(ctx: Any, params: Any) -> Answer:
        for step in (0, 50, 100):
            await ctx.session.report_progress(step, 100)
            await asyncio.sleep(0.05)
        return text("done")

    async def reconnection(ctx: Any, params: Any) -> Answer:
        await ctx.session.send_log_message("info", "before", related_request_id=ctx.request_id)
        if ctx.close_sse_stream is not None:
            await ctx.close_sse_stream()
        await asyncio.sleep(0.2)
        return text("done")

    async def trigger_tool_change(ctx: Any, params: Any) -> Answer:
        await fixtures.bus.publish(ToolsListChanged())
        return text("done")

    async def trigger_prompt_change(ctx: Any, params: Any) -> Answer:
        await fixtures.bus.publish(PromptsListChanged())
        return text("done")

    for handler in (
        tool_with_logging, tool_with_progress, reconnection, trigger_tool_change, trigger_prompt_change,
    ):  # fmt: skip
        fixtures.add(handler)
    fixtures.add(tool_with_logging, "test_logging_tool")


def asking_tools(fixtures: Fixtures) -> None:
    """Tools that ask the client, as the older protocol does it: a request within the call."""

    async def ask(ctx: Any, message: str, properties: dict[str, Any]) -> Answer:
        schema = {"type": "object", "properties": properties, "required": []}
        found = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
        return text(f"action={found.action}, content={found.content}")

    async def sampling(ctx: Any, params: Any) -> Answer:
        asked = t.SamplingMessage(role="user", content=t.TextContent(text=params.arguments["prompt"]))
        found = await ctx.session.create_message([asked], max_tokens=100, related_request_id=ctx.request_id)
        return text(f"LLM response: {found.content.text}")

    async def elicitation(ctx: Any, params: Any) -> Answer:
        return await ask(ctx, params.arguments["message"], {"response": {"type": "string"}})

    async def elicitation_sep1034_defaults(ctx: Any, params: Any) -> Answer:
        return await ask(
            ctx,
            "Please provide user information",
            {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {
                    "type": "string",
                    "enum": ["active", "inactive", "pending"],
                    "default": "active",
                },
                "verified": {"type": "boolean", "default": True},
            },
        )

    async def elicitation_sep1330_enums(ctx: Any, params: Any) -> Answer:
        titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
        plain = ["option1", "option2", "option3"]
        return await ask(
            ctx,
            "Please choose",
            {
                "untitledSingle": {"type": "string", "enum": plain},
                "titledSingle": {"type": "string", "oneOf": titled},
                "legacyEnum": {"type": "string", "enum": plain, "enumNames": ["One", "Two", "Three"]},
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
                "titledMulti": {"type": "array", "items": {"anyOf": titled}},
            },
        )

    async def missing_capability(ctx: Any, params: Any) -> Answer:
        raise MCPError(
            t.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "the client did not declare sampling",
            {"requiredCapabilities": {"sampling": {}}},
        )

    async def streaming_elicitation(ctx: Any, params: Any) -> Answer:
        return t.InputRequiredResult(input_requests={"a": form("Name?", name={"type": "string"})})

    string = {"type": "string"}
    fixtures.add(sampling, schema={"type": "object", "properties": {"prompt": string}})
    fixtures.add(elicitation, schema={"type": "object", "properties": {"message": string}})
    for handler in (
        elicitation_sep1034_defaults, elicitation_sep1330_enums, missing_capability, streaming_elicitation,
    ):  # fmt: skip
        fixtures.add(handler)


def input_tools(fixtures: Fixtures) -> None:
    """Tools that ask the client, as the newer protocol does it: a result that says what is missing."""
    name = form("What is your name?", name={"type": "string"})
    confirm = form("Please confirm", ok={"type": "boolean"})
    roots = t.ListRootsRequest(params=t.RequestParams())
    capital = sample("What is the capital of France?")

    def until(state: str | None = None, **asked: Any) -> Handler:
        """Asks for all of ``asked`` until every answer is there."""

        async def handler(ctx: Any, params: t.CallToolRequestParams) -> Answer:
            given = params.input_responses or {}
            if state is not None and params.request_state is not None:
                unseal(params.request_state)
            if not set(asked) <= set(given) or (state is not None and params.request_state is None):
                sealed = None if state is None else seal(state)
                return t.InputRequiredResult(input_requests=asked, request_state=sealed)
            return text(f"state-ok {sorted(given)} {given!r}")

        return handler

    async def multi_round(ctx: Any, params: t.CallToolRequestParams) -> Answer:
        given = params.input_responses or {}
        if params.request_state is None or not given:
            step = form("Step 1: What is your name?", name={"type": "string"})
            return t.InputRequiredResult(input_requests={"step1": step}, request_state=seal("one"))
        if unseal(params.request_state) == "one":
            step = form("Step 2: What is your favorite color?", color={"type": "string"})
            return t.InputRequiredResult(input_requests={"step2": step}, request_state=seal("two"))
        return text(f"done {given!r}")

    async def capabilities(ctx: Any, params: t.CallToolRequestParams) -> Answer:
        known = ctx.session.client_capabilities
        asked: dict[str, Any] = {}
        if known is not None and known.sampling is not None:
            asked["capital_question"] = capital
        if known is not None and known.elicitation is not None:
            asked["user_name"] = name
        return t.InputRequiredResult(input_requests=asked) if asked else text("nothing can be asked")

    prefix = "test_input_required_result_"
    fixtures.add(until(user_name=name), f"{prefix}elicitation")
    fixtures.add(until(capital_question=capital), f"{prefix}sampling")
    fixtures.add(until(client_roots=roots), f"{prefix}list_roots")
    fixtures.add(until("asked", confirm=confirm), f"{prefix}request_state")
    fixtures.add(until("asked", confirm=confirm), f"{prefix}tampered_state")
    fixtures.add(
        until("asked", user_name=name, greeting=sample("Generate a greeting"), client_roots=roots),
        f"{prefix}multiple_inputs",
    )
    fixtures.add(multi_round, f"{prefix}multi_round")
    fixtures.add(capabilities, f"{prefix}capabilities")


def user(content: Any) -> t.PromptMessage:
    return t.PromptMessage(role="user", content=content)


def prompts() -> dict[str, t.Prompt]:
    def prompt(name: str, *arguments: str) -> t.Prompt:
        listed = [t.PromptArgument(name=item, description="A fixture.", required=True) for item in arguments]
        return t.Prompt(name=name, description="A fixture.", arguments=listed)

    made = (
        prompt("test_simple_prompt"),
        prompt("test_prompt_with_arguments", "arg1", "arg2"),
        prompt("test_prompt_with_embedded_resource", "resourceUri"),
        prompt("test_prompt_with_image"),
        prompt("test_input_required_result_prompt"),
    )
    return {item.name: item for item in made}


def get_prompt(params: t.GetPromptRequestParams) -> t.GetPromptResult | t.InputRequiredResult:
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt":
        if not params.input_responses:
            asked = form("What context should the prompt use?", context={"type": "string"})
            return t.InputRequiredResult(input_requests={"user_context": asked})
        return t.GetPromptResult(messages=[user(t.TextContent(text=f"{params.input_responses!r}"))])
    if params.name == "test_prompt_with_arguments":
        said = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
        return t.GetPromptResult(messages=[user(t.TextContent(text=said))])
    if params.name == "test_prompt_with_embedded_resource":
        contents = t.TextResourceContents(uri=given["resourceUri"], mime_type="text/plain", text="Embedded.")
        parts = [t.EmbeddedResource(resource=contents), t.TextContent(text="Read it.")]
        return t.GetPromptResult(messages=[user(part) for part in parts])
    if params.name == "test_prompt_with_image":
        parts = [t.ImageContent(data=IMAGE, mime_type="image/png"), t.TextContent(text="Look at it.")]
        return t.GetPromptResult(messages=[user(part) for part in parts])
    return t.GetPromptResult(messages=[user(t.TextContent(text="This is a simple prompt for testing."))])


def read_resource(uri: str) -> t.ReadResourceResult | None:
    if uri == "test://static-binary":
        binary = t.BlobResourceContents(uri=uri, mime_type="image/png", blob=IMAGE)
        return t.ReadResourceResult(contents=[binary])
    said = {
        "test://static-text": "This is the content of the static text resource.",
        "test://watched-resource": "Watched.",
    }.get(uri)
    if uri.startswith("test://template/"):
        said = f'{{"id": "{uri.split("/")[3]}", "templateTest": true}}'
    if said is None:
        return None
    return t.ReadResourceResult(contents=[t.TextResourceContents(uri=uri, mime_type="text/plain", text=said)])


def with_fixtures(server: Server[Any]) -> Server[Any]:
    """The server itself, with the fixtures put before its own handlers."""
    fixtures = Fixtures()
    for add in (content_tools, notifying_tools, asking_tools, input_tools):
        add(fixtures)
    own = {
        method: server.get_request_handler(method)
        for method in (
            "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/read",
            "resources/templates/list", "completion/complete",
        )
    }  # fmt: skip

    async def product(method: str, ctx: Any, params: Any) -> Any:
        entry = own[method]
        assert entry is not None
        return await entry.handler(ctx, params)

    async def list_tools(ctx: Any, params: Any) -> Any:
        listed = await product("tools/list", ctx, params)
        return listed.model_copy(update={"tools": [*fixtures.listed(), *listed.tools]})

    async def call_tool(ctx: Any, params: Any) -> Any:
        if params.name in fixtures.tools:
            return await fixtures.tools[params.name][1](ctx, params)
        return await product("tools/call", ctx, params)

    async def list_prompts(ctx: Any, params: Any) -> Any:
        listed = await product("prompts/list", ctx, params)
        return listed.model_copy(update={"prompts": [*prompts().values(), *listed.prompts]})

    async def one_prompt(ctx: Any, params: Any) -> Any:
        return get_prompt(params) if params.name in prompts() else await product("prompts/get", ctx, params)

    async def list_resources(ctx: Any, params: Any) -> Any:
        listed = await product("resources/list", ctx, params)
        made = [
            t.Resource(name=uri, uri=uri)
            for uri in ("test://static-text", "test://static-binary", "test://watched-resource")
        ]
        return listed.model_copy(update={"resources": [*made, *listed.resources]})

    async def list_templates(ctx: Any, params: Any) -> Any:
        listed = await product("resources/templates/list", ctx, params)
        made = t.ResourceTemplate(name="template", uri_template="test://template/{id}/data")
        return listed.model_copy(update={"resource_templates": [made, *listed.resource_templates]})

    async def one_resource(ctx: Any, params: Any) -> Any:
        return read_resource(str(params.uri)) or await product("resources/read", ctx, params)

    async def complete(ctx: Any, params: Any) -> Any:
        if getattr(params.ref, "name", None) in prompts():
            return t.CompleteResult(completion=t.Completion(values=[], total=0, has_more=False))
        return await product("completion/complete", ctx, params)

    async def nothing(ctx: Any, params: Any) -> t.EmptyResult:
        return t.EmptyResult()

    for method, kind, handler in (
        ("tools/list", t.PaginatedRequestParams, list_tools),
        ("tools/call", t.CallToolRequestParams, call_tool),
        ("prompts/list", t.PaginatedRequestParams, list_prompts),
        ("prompts/get", t.GetPromptRequestParams, one_prompt),
        ("resources/list", t.PaginatedRequestParams, list_resources),
        ("resources/templates/list", t.PaginatedRequestParams, list_templates),
        ("resources/read", t.ReadResourceRequestParams, one_resource),
        ("completion/complete", t.CompleteRequestParams, complete),
        ("resources/subscribe", t.SubscribeRequestParams, nothing),
        ("resources/unsubscribe", t.UnsubscribeRequestParams, nothing),
        ("logging/setLevel", t.SetLevelRequestParams, nothing),
        ("subscriptions/listen", t.SubscriptionsListenRequestParams, ListenHandler(fixtures.bus)),
    ):
        server.add_request_handler(method, kind, handler)
    server.get_tool_input_schema = None  # by the list, which has the fixtures too
    return server
