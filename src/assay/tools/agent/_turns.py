"""What an agent did, call by call, told from the ledger: of runs that have ended, and of others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.tools.agent._request import start_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.ledger import Ledger


@dataclass(frozen=True, slots=True)
class AgentCall:
    """One call of a tool.

    Parameters
    ----------
    turn : of the policy, from 1 on.
    arguments : as the policy wrote them.
    outcome : ``ok``, ``refused``, ``illegal`` or ``failed``.
    reason : of a refusal or an illegal call.
    answer : what the policy was shown.
    """

    turn: int
    tool: str
    arguments: str
    outcome: str
    reason: str | None
    answer: Mapping[str, Any]


def agent_calls(ledger: Ledger, run_id: str) -> list[AgentCall]:
    """The calls of tools of a run of an agent, in the order in which they were made.

    Raises
    ------
    Refusal
        ``unknown_run``; ``not_an_agent_run``.
    """
    start_of(ledger, run_id)
    return [_call(ledger, entry.body) for entry in ledger.run(run_id).entries(kind="tool_call")]


def _call(ledger: Ledger, body: Mapping[str, Any]) -> AgentCall:
    return AgentCall(
        turn=body["step"],
        tool=body["tool"],
        arguments=_text(ledger, body, "arguments"),
        outcome=body["outcome"],
        reason=body["reason"],
        answer=json.loads(_text(ledger, body, "answer")),
    )


def _text(ledger: Ledger, body: Mapping[str, Any], name: str) -> str:
    """A text of a record: itself, or that of its object."""
    if body[name] is not None:
        return str(body[name])
    return ledger.get(body[f"{name}_object"]).decode("utf-8", "surrogatepass")
