"""A policy that needs no model: one typed change of the best formula so far in each turn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from assay.base import canonical_json, generator
from assay.errors import Refusal
from assay.evolve._candidate import Candidate, CandidateArguments, merge
from assay.evolve._notes import EVALUATE, VALIDATE
from assay.evolve._search import SearchFigures
from assay.evolve._terms import Terms
from assay.evolve._tools import EVALUATIONS
from assay.expr import STANDARD_FIELDS, Call, Node, Space, edit_distance, mutate, op_table, to_text, walk
from assay.llm import ToolCall
from assay.tools import Action, EpisodeState, FrozenFieldMutation, RulePolicy

SAMPLER: Final = "sampler"
FORM: Final = 1
"""Counts changes of what the sampler does, as a run is not resumed with another one."""

_FIELDS: Final = ("open", "high", "low", "close", "volume", "amount", "returns")
_WINDOWS: Final = (3, 5, 10, 15, 20, 30, 40, 60, 90, 120)
_NEVER: Final = ("ts_count", "group_zscore")
"""Ops that no engine of the dialect runs, or that would change the neutralisation."""
_DRAWS: Final = 400
STEP: Final = 2
"""Nodes by which a change differs from what it changes, at most: a regrown root would be another factor."""


def sampler(terms: Terms, seed: SearchFigures, *, random: int = 0) -> RulePolicy:
    """A hill-climb from the seed: mutate the best formula so far, validate it, evaluate it.

    Only valid trees of the report dialect are made, and no two that mean the same. Equal ``random`` and equal
    answers give equal calls. It ends with an answer after the last evaluation.

    Parameters
    ----------
    seed : the seed's figures on the search period.
    """
    climber = _Climber(terms, seed, random)
    return RulePolicy(SAMPLER, climber.act)


def space(terms: Terms) -> Space:
    """The trees that the report dialect can write, on the fields that the data has."""
    present = terms.fields
    names = [name for name in _FIELDS if present is None or name in present]
    ops = tuple(name for name, op in op_table().items() if op.form("report") and name not in _NEVER)
    infos = present or STANDARD_FIELDS
    return Space(
        fields={name: infos[name] for name in (*names, *(("industry",) if "industry" in infos else ()))},
        ops=ops,
        windows=_WINDOWS,
        nodes=max(30, terms.seed.size + 6),
        depth=max(8, terms.seed.depth + 2),
    )


@dataclass(frozen=True)
class _Climber:
    terms: Terms
    seed: SearchFigures
    random: int

    def act(self, state: EpisodeState) -> Action:
        tried = list(_tried(state))
        waiting = _validated(state)
        turn = state.spent.turns
        if waiting is not None and turn + 1 < state.budget.turns and len(tried) < EVALUATIONS:
            return _call(turn, EVALUATE, waiting)
        if len(tried) >= EVALUATIONS or turn + 2 >= state.budget.turns or _out_of_calls(state):
            return Action(_conclusion(tried))
        formula = self._proposal(tried, _sent(state), generator(self.random, SAMPLER, turn))
        return Action(_conclusion(tried)) if formula is None else _call(turn, VALIDATE, formula)

    def _proposal(
        self, tried: list[tuple[str, float | None]], sent: set[str], rng: np.random.Generator
    ) -> str | None:
        """A changed formula that was not sent before; None where none is found."""
        base = self._base(tried)
        known = {self._candidate(text).traded.signature for text in sent}
        chosen = space(self.terms)
        for _ in range(_DRAWS):
            try:
                node = mutate(rng, base, chosen)
                if _idle(node) or edit_distance(base, node) > STEP:
                    continue
                text = to_text(node, "report")
                found = merge(self.terms, CandidateArguments(factor_expr=text))
            except (Refusal, FrozenFieldMutation):
                continue
            if isinstance(found, Candidate) and not found.is_seed and found.traded.signature not in known:
                return found.text
        return None

    def _base(self, tried: list[tuple[str, float | None]]) -> Node:
        """The best formula so far, the seed among them."""
        start = (None, self.seed.ir)
        scored = [(text, ir) for text, ir in [start, *tried] if ir is not None]
        text = max(scored, key=lambda item: item[1], default=start)[0]
        return self.terms.seed.node if text is None else self._candidate(text).expression.node

    def _candidate(self, text: str) -> Candidate:
        found = merge(self.terms, CandidateArguments(factor_expr=text))
        assert isinstance(found, Candidate)  # it was when it was proposed
        return found


def _idle(node: Node) -> bool:
    """Whether a part combines a value with itself, as ``x / x`` does, and so says nothing of it."""
    return any(
        isinstance(part, Call) and len(part.args) == 2 and part.args[0] == part.args[1] for part in walk(node)
    )


def _call(turn: int, tool: str, formula: str) -> Action:
    return Action(tool_calls=(ToolCall(f"call-{turn}", tool, canonical_json({"factor_expr": formula})),))


def _sent(state: EpisodeState) -> set[str]:
    return {_formula(call) for message in state.messages for call in message.tool_calls}


def _formula(call: ToolCall) -> str:
    return str(json.loads(call.arguments)["factor_expr"])


def _answers(state: EpisodeState) -> list[Mapping[str, Any]]:
    return [json.loads(seen.content) for seen in state.observations]


def _validated(state: EpisodeState) -> str | None:
    """The formula of the last turn, where that validated one."""
    if not state.observations or state.observations[-1].name != VALIDATE:
        return None
    answer = _answers(state)[-1]
    return str(answer["result"]["formula"]) if answer["ok"] and answer["result"]["ok"] else None


def _tried(state: EpisodeState) -> Iterator[tuple[str, float | None]]:
    """Formulas that were sent to be evaluated, with their IR on search; None where there is none."""
    calls = [call for message in state.messages for call in message.tool_calls]
    for call, seen, answer in zip(calls, state.observations, _answers(state), strict=True):
        if seen.name == EVALUATE:
            yield _formula(call), answer["result"]["ir"] if answer["ok"] else None


def _out_of_calls(state: EpisodeState) -> bool:
    return state.budget.calls is not None and state.spent.calls + 2 > state.budget.calls


def _conclusion(tried: list[tuple[str, float | None]]) -> str:
    scored = [(text, ir) for text, ir in tried if ir is not None]
    if not scored:
        return "No change could be scored."
    text, ir = max(scored, key=lambda item: item[1])
    return f"The best of {len(tried)} changes is {text}, with an IR of {ir:.3f} on the search period."
