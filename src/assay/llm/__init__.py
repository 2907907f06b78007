"""Language models: providers, roles, the log of calls, replay and budgets. No knowledge of markets."""

from assay.llm._anthropic import ANTHROPIC_URL, AnthropicProvider
from assay.llm._connection import Endpoint
from assay.llm._openai import OPENAI_URL, OpenAIProvider
from assay.llm._provider import Provider
from assay.llm._retry import RetryPolicy, with_retries
from assay.llm._scripted import ScriptedProvider
from assay.llm._types import Finish, Message, Reachability, Reply, Request, Role, ToolCall, ToolSpec, Usage

__all__ = [
    "ANTHROPIC_URL",
    "AnthropicProvider",
    "Endpoint",
    "Finish",
    "Message",
    "OPENAI_URL",
    "OpenAIProvider",
    "Provider",
    "Reachability",
    "Reply",
    "Request",
    "RetryPolicy",
    "Role",
    "ScriptedProvider",
    "ToolCall",
    "ToolSpec",
    "Usage",
    "with_retries",
]
