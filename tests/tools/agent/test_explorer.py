"""The policy that needs no model, on the tools themselves."""

from __future__ import annotations

import json

import pytest

from assay.base import Operator
from assay.expr import fingerprint, parse
from assay.tools import Budget, Caller, Task, Toolbox, Trajectory, run_episode
from assay.tools.agent import explorer
from assay.tools.builtin import Workbench, builtin_registry

from ..test_loop import PROMPT


def explored(bench: Workbench, seed: int, **limits: int) -> Trajectory:
    toolbox = Toolbox(builtin_registry(bench), Caller(Operator.system("explorer")), one_call_per_step=True)
    return run_episode(explorer(seed), toolbox, budget=Budget(**limits), task=Task("agent", "x", PROMPT))


def formulas(found: Trajectory) -> list[str]:
    return [json.loads(made.call.arguments)["expression"] for made in found.calls[1:]]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_scores_different_formulas_and_names_the_best(bench: Workbench, seed: int) -> None:
    found = explored(bench, seed, turns=14)
    assert [verdict.outcome for verdict in found.verdicts] == ["ok"] * 13
    tried = formulas(found)
    assert len({fingerprint(parse(text).node) for text in tried}) == 12
    scores = [json.loads(seen.content)["result"]["rank_ic"] for seen in found.observations[1:]]
    best = max(range(12), key=lambda number: abs(scores[number] or 0.0))
    assert found.final_text == (
        f"The best of 12 formulas is {tried[best]}, with RankIC {scores[best]:.4f} on the search period."
    )
    assert found.audit.illegal_tool_calls == 0


def test_seeds_decide(bench: Workbench) -> None:
    assert formulas(explored(bench, 3, turns=6)) == formulas(explored(bench, 3, turns=6))
    assert formulas(explored(bench, 3, turns=6)) != formulas(explored(bench, 4, turns=6))


def test_it_climbs(bench: Workbench) -> None:
    """Over many seeds the changed formulas reach further than the drawn ones that they began with."""
    gains = []
    for seed in range(8):
        found = explored(bench, seed, turns=17)
        scores = [abs(json.loads(s.content)["result"]["rank_ic"] or 0) for s in found.observations[1:]]
        gains.append(max(scores[3:]) - max(scores[:3]))
    assert sum(gain > 0 for gain in gains) > 4


def test_without_data_it_ends_with_nothing() -> None:
    found = explored(Workbench(), 0, turns=5)
    assert {verdict.outcome for verdict in found.verdicts} == {"refused"}
    assert found.final_text == "No formula could be scored."


def test_it_leaves_a_turn_for_its_answer(bench: Workbench) -> None:
    found = explored(bench, 0, turns=9, calls=2)
    assert (found.stop, len(found.calls)) == ("answered", 2)
    found = explored(bench, 0, turns=1)
    assert (found.stop, len(found.calls)) == ("turns", 1)
