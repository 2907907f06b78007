from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from assay.llm import Message, Reply, ToolCall, ToolSpec
from assay.tools._budget import Budget, Spent
from assay.tools._json_calls import UnusableReply, plain_messages, read_turn, sent_back
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
    """One turn of a policy: text, calls, and what it cost. Without calls the episode ends.

    ``repairs`` counts by kind what had to be mended to read what the policy wrote.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tokens: int = 0
    money: float = 0.0
    repairs: Mapping[str, int] = field(default_factory=dict)


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
    calls : how the model calls tools: ``native``, as its service has it, or ``json``, in the text of its
        replies. The prompt has to say how (:func:`json_protocol`); no tool is offered to the service then.
        A model that calls as its service has it none the less is understood; ``repairs`` counts its calls as
        ``native_call``.
    attempts : with ``json``, how often a reply is asked for that can be read. After the last one the text
        stands as the policy's answer, and the episode ends; ``repairs`` counts it as ``unusable_reply``.
    """

    client: Completes
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    price: Callable[[Reply], float] | None = None
    calls: Literal["native", "json"] = "native"
    attempts: int = 2

    def act(self, state: EpisodeState) -> Action:
        """Ask the model for the next turn."""
        if self.calls == "json":
            return self._act_by_json(state)
        reply = self.client.complete(state.messages, state.tools, **self.parameters)
        return self._action([reply], reply.tool_calls, {})

    def _act_by_json(self, state: EpisodeState) -> Action:
        talk = plain_messages(state.messages)
        replies: list[Reply] = []
        while True:
            reply = self.client.complete(talk, (), **self.parameters)
            replies.append(reply)
            again = {"unusable_reply": len(replies) - 1} if len(replies) > 1 else {}
            if reply.tool_calls:
                calls = _with_ids(reply.tool_calls, state.tools)
                return self._action(replies, calls, {"native_call": len(calls), **again})
            unusable = {"unusable_reply": len(replies)}
            try:
                turn = read_turn(reply.text, state.spent.turns + 1)
            except UnusableReply as error:
                if len(replies) >= self.attempts:
                    return self._action(replies, (), unusable)
                talk += sent_back(reply.text, error)
            else:
                return self._action(replies, turn.calls, {**turn.repairs, **again})

    def _action(
        self, replies: list[Reply], calls: tuple[ToolCall, ...], repairs: Mapping[str, int]
    ) -> Action:
        return Action(
            text=replies[-1].text,
            tool_calls=calls,
            tokens=sum(reply.usage.input + reply.usage.output for reply in replies),
            money=0.0 if self.price is None else sum(self.price(reply) for reply in replies),
            repairs=repairs,
        )


def _with_ids(calls: tuple[ToolCall, ...], tools: tuple[ToolSpec, ...]) -> tuple[ToolCall, ...]:
    """Calls of tools that were not offered, under the ids that names with ``__`` for ``.`` stand for."""
    ids = {tool.name.replace(".", "__"): tool.name for tool in tools}
    return tuple(replace(call, name=ids.get(call.name, call.name)) for call in calls)


@dataclass(frozen=True)
class RulePolicy:
    """A policy that needs no model: a function of the state."""

    name: str
    rule: Callable[[EpisodeState], Action]

    def act(self, state: EpisodeState) -> Action:
        """Apply the rule."""
        return self.rule(state)
