"""A policy that needs no model: seeded sampling of typed formulas, then changes to the best one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.base import canonical_json, generator
from assay.errors import Refusal
from assay.expr import Node, Space, fingerprint, mutate, parse, sample, to_text
from assay.llm import ToolCall
from assay.tools._policy import Action, EpisodeState, RulePolicy

EXPLORER = "explorer"
DESCRIBE, EVALUATE = "data.describe", "factor.evaluate"
SAMPLED = 3
"""One evaluation in so many tries something new; the others change the best formula so far."""
_DRAWS = 50


def explorer(seed: int = 0) -> RulePolicy:
    """A hill-climb over formulas that :func:`assay.expr.sample` draws; it reads no text of its task.

    It asks what the data has, then evaluates one formula in each turn: the first few and every third are
    drawn anew, the others are one mutation away from the formula of the greatest absolute RankIC. Equal seeds
    and equal answers give equal calls. In its last turn it names the best formula.
    """

    def act(state: EpisodeState) -> Action:
        return _act(state, seed)

    return RulePolicy(EXPLORER, act)


def _act(state: EpisodeState, seed: int) -> Action:
    turn = state.spent.turns
    if not state.observations:
        return _call(turn, DESCRIBE, {})
    tried = _tried(state)
    out_of_calls = state.budget.calls is not None and state.spent.calls >= state.budget.calls
    if turn + 1 >= state.budget.turns or out_of_calls:
        return Action(_conclusion(tried))
    formula = _proposal(state, tried, generator(seed, EXPLORER, turn))
    return Action(_conclusion(tried)) if formula is None else _call(turn, EVALUATE, {"expression": formula})


def _call(turn: int, tool: str, arguments: Mapping[str, Any]) -> Action:
    return Action(tool_calls=(ToolCall(f"call-{turn}", tool, canonical_json(arguments)),))


def _tried(state: EpisodeState) -> dict[str, float | None]:
    """RankIC by formula, None where there is none, in the order of the calls."""
    formulas = [
        json.loads(call.arguments)["expression"]
        for message in state.messages
        for call in message.tool_calls
        if call.name == EVALUATE
    ]
    answers = [json.loads(seen.content) for seen in state.observations if seen.name == EVALUATE]
    return {
        formula: answer["result"]["rank_ic"] if answer["ok"] else None
        for formula, answer in zip(formulas, answers, strict=True)
    }


def _best(tried: Mapping[str, float | None]) -> str | None:
    scored = {formula: abs(value) for formula, value in tried.items() if value is not None}
    return max(scored, key=lambda formula: scored[formula], default=None)


def _proposal(state: EpisodeState, tried: Mapping[str, float | None], rng: np.random.Generator) -> str | None:
    """A formula that means something else than all before; None where none is found."""
    space, best = _space(state), _best(tried)
    known = {fingerprint(parse(formula).node) for formula in tried}
    anew = best is None or len(tried) < SAMPLED or len(tried) % SAMPLED == 0
    for _ in range(_DRAWS):
        try:
            node: Node = sample(rng, space) if anew else mutate(rng, parse(best or "").node, space)
        except Refusal:
            return None
        if fingerprint(node) not in known:
            return to_text(node)
    return None


def _space(state: EpisodeState) -> Space:
    """The usual space of formulas, with those of its fields that the data has."""
    described = json.loads(state.observations[0].content)
    usual = Space().fields
    if not described["ok"]:
        return Space()
    result = described["result"]
    names = {row["name"] for row in (*result["fields"], *result["groups"])}
    return Space(fields={name: info for name, info in usual.items() if name in names})


def _conclusion(tried: Mapping[str, float | None]) -> str:
    best = _best(tried)
    if best is None:
        return "No formula could be scored."
    return f"The best of {len(tried)} formulas is {best}, with RankIC {tried[best]:.4f} on the search period."
