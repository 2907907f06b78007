from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

RoleName = Literal["planner", "proposer", "reviewer", "distiller", "extractor", "evolver", "researcher"]

LLM_ROLES: Mapping[RoleName, str] = {
    "planner": "decides what a round of a campaign is to look for",
    "proposer": "writes candidate formulas",
    "reviewer": "reads candidates before they are evaluated and says what is wrong with them",
    "distiller": "sums up what a run has learned",
    "extractor": "reads reports and takes factors out of them, with their evidence",
    "evolver": "changes a factor step by step to make it better",
    "researcher": "works with all tools on an open question",
}
"""The parts that a model can play, and what each does. The list is closed."""

BackendKind = Literal["openai", "anthropic", "replay", "scripted", "rules", "sampler"]

NEEDS_NO_SERVICE: frozenset[BackendKind] = frozenset({"replay", "scripted", "rules", "sampler"})
BACKEND_KINDS: tuple[BackendKind, ...] = get_args(BackendKind)


@dataclass(frozen=True, slots=True)
class BackendSettings:
    """Where replies come from. ``key`` is the name of the variable that holds the key, never the key.

    ``base_url`` None means the service's own address; ``timeout`` is in seconds, for one attempt.
    """

    name: str
    kind: BackendKind
    base_url: str | None = None
    key: str | None = None
    model: str | None = None
    timeout: float = 120.0
    stream: bool = True
    retries: int = 4
    run: str | None = None
    script: str | None = None


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """What a role runs on. ``parameters`` are sent with each request, ``max_tokens`` and temperature
    included."""

    backend: str
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    structured: Literal["json", "tool"] = "json"


@dataclass(frozen=True, slots=True)
class LlmLimits:
    """Hard limits of one run; None means no limit. ``money`` is in the currency of the price table."""

    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """Prices of a model for a million tokens; ``cached`` for input that the service had stored."""

    input: float
    output: float
    cached: float


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The ``[llm]`` tables of a workspace. Empty ones are fine: what needs no model needs no key."""

    backends: Mapping[str, BackendSettings] = field(default_factory=dict)
    roles: Mapping[str, RoleSettings] = field(default_factory=dict)
    limits: LlmLimits = field(default_factory=LlmLimits)
    prices: Mapping[str, Price] = field(default_factory=dict)
