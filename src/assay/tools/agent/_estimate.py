from __future__ import annotations

from assay.llm import Estimate, Planned, Request, estimate, estimate_tokens
from assay.tools.agent._setup import AgentSetup

ANSWER_TOKENS = 600
"""About what an answer of a tool has."""


def estimate_run(setup: AgentSetup) -> Estimate:
    """What a run may take, before it is made: every turn used, every reply as long as it may be.

    Each turn sends the whole conversation again, so input grows with the square of the turns. The explorer
    takes nothing.
    """
    role, name = setup.role, setup.request.role
    if role is None or name is None:
        return estimate(())
    turns = setup.request.budget.turns
    tools = setup.specs() if setup.calls == "native" else ()
    first = estimate_tokens(Request(role.model, setup.prompt(), dict(role.parameters), tools))
    longest = int(role.parameters.get("max_tokens", 4096))
    growth = (longest + ANSWER_TOKENS) * (turns - 1) // 2
    planned = Planned(name, role.model, turns, first + growth, longest)
    return estimate([planned], limits=setup.llm.limits, prices=setup.llm.prices)
