from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.llm import Message, Reply, ToolCall, ToolSpec
from assay.tools._budget import Budget, Spent
from assay.tools._trajectory import Observation


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """What a policy knows when it acts.

    Parameters
    ----------
    messages : the conversation so far.
    observations : the answers to all calls so far.
    tools : the tools that it may call.
    budget, spent : what the episode may use, and has used.
    """

    messages: tuple[Message, ...]
    observations: tuple[Observation, ...]
    tools: tuple[ToolSpec, ...]
    budget: Budget
    spent: Spent


@dataclass(frozen=True, slots=True)
class Action:
    """One turn of a policy: text, calls, and what it cost. Without calls the episode ends."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tokens: int = 0
    money: float = 0.0


class Policy(Protocol):
    """Something that acts: a model, rules, a trained adapter."""

    @property
    def name(self) -> str:
        """Names it in trajectories."""
        ...

    def act(self, state: EpisodeState) -> Action:
        """The next turn.

        Raises
        ------
        ProviderError
            The service behind it failed; the episode is left where it is.
        """
        ...


class Completes(Protocol):
    """The part of an LLM role's client that a policy needs."""

    def complete(
        self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...] = (), **parameters: Any
    ) -> Reply:
        """One logged reply."""
        ...


@dataclass(frozen=True)
class LlmPolicy:
    """A model behind an LLM role.

    Parameters
    ----------
    client : the role's client; it logs, retries, and holds its own budget.
    name : names the policy; the role is a good name.
    parameters : sent with each request (``temperature``, ``seed``, ...).
    price : money for a reply; nothing by default, as the client's own budget counts it.
    """

    client: Completes
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    price: Callable[[Reply], float] | None = None

    def act(self, state: EpisodeState) -> Action:
        """Ask the model for the next turn."""
        reply = self.client.complete(state.messages, state.tools, **self.parameters)
        return Action(
            text=reply.text,
            tool_calls=reply.tool_calls,
            tokens=reply.usage.input + reply.usage.output,
            money=0.0 if self.price is None else self.price(reply),
        )


@dataclass(frozen=True)
class RulePolicy:
    """A policy that needs no model: a function of the state."""

    name: str
    rule: Callable[[EpisodeState], Action]

    def act(self, state: EpisodeState) -> Action:
        """Apply the rule."""
        return self.rule(state)
