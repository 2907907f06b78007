from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from assay._version import __version__
from assay.base import Clock, Operator, RandomBytes
from assay.mcp._answers import answer_of
from assay.mcp._callers import Callers
from assay.mcp._completion import complete
from assay.mcp._faults import protocol_fault, with_reasons
from assay.mcp._listing import REASONS_KEY
from assay.mcp._names import NameStyle, WireNames
from assay.mcp._offer import Offer, RegistryOffer
from assay.mcp._paging import PAGE, page_of
from assay.mcp._prompts import get_prompt, listed_prompts
from assay.mcp._resources import Resources
from assay.tools import COMMON, Illegal, Registry

THREADS: Final = 4
"""Calls of a sort that are at work at once; further ones wait."""

LONG: Final = ("backtest.", "discovery.", "factor.", "ledger.")
"""Groups of tools that may take minutes, even after their caller gave up; others do not wait for them."""

INSTRUCTIONS: Final = " ".join(
    (
        "Research tools for alpha factors.",
        "data.describe says which data is attached, whether it is simulated, and which dates may be",
        "searched: every tool ends there, and a later date is refused.",
        "A refusal is a result with isError, and its reason is in _meta.reason: branch on that, not on",
        "words;",
        f"each tool lists its reasons under {REASONS_KEY} in its _meta.",
        "tool_failed is never the caller's fault. Each formula that is scored counts as a trial.",
        "Nothing is promoted by tools: that is a person's act.",
    )
)

Context = Any
_T = TypeVar("_T")


def build_server(
    offer: Registry | Offer,
    *,
    operator: Operator | None = None,
    names: NameStyle = "underscore",
    page: int = PAGE,
    clock: Clock | None = None,
    ids: RandomBytes = os.urandom,
) -> Server[Any]:
    """A server of the Model Context Protocol, of both generations, over a registry.

    Parameters
    ----------
    offer : the tools, see :func:`assay.mcp.surface`; or some that are opened later, see :class:`LateOffer`.
    operator : the agent who calls; without it, one for each client by the name that it gives itself.
    names : how tools are named on the wire; either name is understood.
    page : rows of a list in one answer.
    clock, ids : where identifiers of agents come from.

    Raises
    ------
    AssayError
        Two tools would have one name.
    """
    offer = RegistryOffer(offer) if isinstance(offer, Registry) else offer
    face = _Face(offer, Callers(operator, clock=clock, ids=ids), names, page)
    server: Server[Any] = Server(
        "assay",
        version=__version__,
        title="Assay",
        instructions=INSTRUCTIONS,
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
        on_list_resources=face.list_resources,
        on_list_resource_templates=face.list_templates,
        on_read_resource=face.read_resource,
        on_list_prompts=face.list_prompts,
        on_get_prompt=face.get_prompt,
        on_completion=face.complete,
        get_tool_input_schema=face.input_schema,
    )
    server.middleware[:] = [with_reasons]
    return server


class _Face:
    """The handlers of the server: from requests to the offer and back."""

    def __init__(self, offer: Offer, callers: Callers, style: NameStyle, page: int) -> None:
        tools = {tool.name: tool for tool in offer.listed()}
        self._offer, self._callers, self._page = offer, callers, page
        self._names = WireNames(tools, style)
        shown = {self._names.shown(name): tool for name, tool in tools.items()}
        self._tools = [(name, shown[name].model_copy(update={"name": name})) for name in sorted(shown)]
        self._schemas = {name: tool.input_schema for name, tool in tools.items()}
        self._resources = Resources(offer)
        self._threads, self._long = anyio.CapacityLimiter(THREADS), anyio.CapacityLimiter(THREADS)

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The schema of a tool's arguments, by either name."""
        return self._schemas.get(self._names.canonical(name) or "")

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        tools, following = page_of("tools", self._tools, _cursor(params), self._page)
        return ListToolsResult(tools=tools, next_cursor=following)

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        caller = self._caller(ctx)
        tool = self._names.canonical(params.name) or params.name
        sent = params.arguments or {}
        threads = self._long if tool.startswith(LONG) else self._threads
        outcome = await self._work(lambda: self._offer.call(tool, sent, caller), threads)
        if isinstance(outcome, Illegal) and outcome.kind == "unknown_tool":
            near = [self._names.shown(name) for name in outcome.detail.get("did_you_mean", ())]
            raise protocol_fault(UNKNOWN_TOOL, outcome.message, did_you_mean=near)
        return answer_of(outcome)

    async def list_resources(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        caller = self._caller(ctx)
        listed = await self._work(lambda: self._resources.listed(caller))
        rows, following = page_of("resources", listed, _cursor(params), self._page)
        return ListResourcesResult(resources=rows, next_cursor=following)

    async def list_templates(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        rows, following = page_of("templates", self._resources.templates(), _cursor(params), self._page)
        return ListResourceTemplatesResult(resource_templates=rows, next_cursor=following)

    async def read_resource(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        caller = self._caller(ctx)
        return await self._work(lambda: self._resources.read(str(params.uri), caller))

    async def list_prompts(self, ctx: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        rows, following = page_of("prompts", listed_prompts(), _cursor(params), self._page)
        return ListPromptsResult(prompts=rows, next_cursor=following)

    async def get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return get_prompt(params.name, params.arguments or {}, self._names)

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        caller = self._caller(ctx)
        return await self._work(lambda: complete(params, self._resources, caller))

    def _caller(self, ctx: Context) -> Any:
        client = ctx.session.client_params
        return self._callers.of(None if client is None else client.client_info)

    async def _work(self, action: Callable[[], _T], threads: anyio.CapacityLimiter | None = None) -> _T:
        # not given up when the client is gone: what is being recorded is recorded whole
        return await anyio.to_thread.run_sync(action, limiter=threads or self._threads)


UNKNOWN_TOOL: Final = next(reason for reason in COMMON if reason.code == "unknown_tool")


def _cursor(params: PaginatedRequestParams | None) -> str | None:
    return None if params is None else params.cursor
