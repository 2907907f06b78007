"""A model on the loopback behind the role ``researcher``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from assay.brain.agent.policies.model import ModelPolicy
from assay.brain.tools import BrainDesk
from assay.config import BackendSettings, BrainAgentSettings, LlmSettings, RoleSettings
from assay.llm import CallRecord, ReplayProvider, Roles

from ...llm.server import Answer, Service, completion
from ..fakes import Catalogue


class Calls:
    """A sink that keeps the calls."""

    def __init__(self) -> None:
        self.made: list[CallRecord] = []

    def record(self, call: CallRecord) -> None:
        self.made.append(call)


def says(value: Any) -> Answer:
    return Answer(completion(value if isinstance(value, str) else json.dumps(value)))


def calls(tool: str, **arguments: Any) -> Answer:
    name = tool.replace(".", "__")
    return Answer(completion(None, (name, json.dumps(arguments)), finish="tool_calls"))


def llm(url: str, structured: Any = "tool") -> LlmSettings:
    backend = BackendSettings("toy", "openai", base_url=url, stream=False, retries=0)
    return LlmSettings({"toy": backend}, {"researcher": RoleSettings("toy", "toy-1", structured=structured)})


def policy(
    service: Service,
    desk: BrainDesk | None = None,
    *,
    structured: Any = "tool",
    settings: BrainAgentSettings | None = None,
    sink: Calls | None = None,
    recorded: Iterable[CallRecord] | None = None,
    **options: Any,
) -> ModelPolicy:
    replay = None if recorded is None else ReplayProvider(recorded)
    roles = Roles.of(llm(service.url, structured), sink=sink or Calls(), replay=replay)
    return ModelPolicy(
        roles.client("researcher"),
        desk or BrainDesk(Catalogue()),
        settings or BrainAgentSettings(),
        **options,
    )


def sent(service: Service, number: int = -1) -> list[dict[str, Any]]:
    """The messages of a request."""
    messages: list[dict[str, Any]] = service.seen[number].body["messages"]
    return messages


CREATIVE = {
    "type": "submit",
    "directions": [
        {
            "hypothesis": "short-term reversal",
            "target_check": "LOW_SHARPE",
            "approach": "five days",
            "expressions": [{"expression": "rank(-ts_delta(close, 5))", "settings": {"decay": 10}}],
        }
    ],
}
RESEARCH = {"summary": "close moves", "hypotheses": ["moves turn back"], "fields": ["close"]}
