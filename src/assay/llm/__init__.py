"""Language models: providers, roles, the log of calls, replay and budgets. No knowledge of markets."""

from assay.llm._anthropic import ANTHROPIC_URL, AnthropicProvider
from assay.llm._budget import Budget, Estimate, Planned, Reservation, Spent, estimate
from assay.llm._client import Client
from assay.llm._connection import Endpoint
from assay.llm._json import MAX_DEPTH, Reading, UnreadableJson, read_json
from assay.llm._log import (
    BodySink,
    CallKey,
    CallRecord,
    CallSink,
    ObjectStore,
    call_body,
    read_calls,
)
from assay.llm._openai import OPENAI_URL, OpenAIProvider
from assay.llm._ordinals import Ordinals
from assay.llm._provider import Provider
from assay.llm._reasons import (
    BACKEND_NOT_AVAILABLE,
    CALL_BUDGET_EXHAUSTED,
    MONEY_BUDGET_EXHAUSTED,
    ROLE_NOT_CONFIGURED,
    TOKEN_BUDGET_EXHAUSTED,
)
from assay.llm._replay import ReplayMiss, ReplayProvider
from assay.llm._retry import RetryPolicy, with_retries
from assay.llm._roles import Backends, Factory, Roles
from assay.llm._scripted import ScriptedProvider
from assay.llm._tokens import estimate_tokens
from assay.llm._types import Finish, Message, Reachability, Reply, Request, Role, ToolCall, ToolSpec, Usage

__all__ = [
    "ANTHROPIC_URL",
    "BACKEND_NOT_AVAILABLE",
    "CALL_BUDGET_EXHAUSTED",
    "MAX_DEPTH",
    "MONEY_BUDGET_EXHAUSTED",
    "ROLE_NOT_CONFIGURED",
    "TOKEN_BUDGET_EXHAUSTED",
    "AnthropicProvider",
    "Backends",
    "BodySink",
    "Budget",
    "CallKey",
    "CallRecord",
    "CallSink",
    "Client",
    "Endpoint",
    "Estimate",
    "Factory",
    "Finish",
    "Message",
    "OPENAI_URL",
    "ObjectStore",
    "OpenAIProvider",
    "Ordinals",
    "Planned",
    "Provider",
    "Reachability",
    "Reading",
    "ReplayMiss",
    "ReplayProvider",
    "Reply",
    "Request",
    "Reservation",
    "RetryPolicy",
    "Role",
    "Roles",
    "ScriptedProvider",
    "Spent",
    "ToolCall",
    "ToolSpec",
    "UnreadableJson",
    "Usage",
    "call_body",
    "estimate",
    "estimate_tokens",
    "read_calls",
    "read_json",
    "with_retries",
]
