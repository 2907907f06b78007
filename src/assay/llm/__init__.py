"""Language models: providers, roles, the log of calls, replay and budgets. No knowledge of markets."""

from assay.llm._provider import Provider
from assay.llm._types import Finish, Message, Reachability, Reply, Request, Role, ToolCall, ToolSpec, Usage

__all__ = [
    "Finish",
    "Message",
    "Provider",
    "Reachability",
    "Reply",
    "Request",
    "Role",
    "ToolCall",
    "ToolSpec",
    "Usage",
]
