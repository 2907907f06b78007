"""The six kinds of illegal call at this desk, as golden transcripts, and which of two faults counts."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from assay.tools import ILLEGAL_KINDS

from .desk import EVALUATE, VALIDATE, expr, play, tried

GOOD = "TS_PCTCHANGE($close, 20)"
FROZEN = expr(GOOD, universe="CSI500")
BROKEN = '{"factor_expr": "$close"'
EXTRA = expr(GOOD, horizon=5)
USED_UP = tried(*(f"TS_PCTCHANGE($close, {n})" for n in (5, 10, 15, 20)))

# kind: the turns, where the illegal call stands, the answer to it, reward and caps of the episode
GOLDEN: dict[str, tuple[list[Any], int, dict[str, Any], list[str]]] = {
    "unknown_tool": (
        [[("evolve.evaluate", expr(GOOD))], *tried(GOOD)],
        0,
        {
            "ok": False,
            "reason": "unknown_tool",
            "message": "there is no tool 'evolve.evaluate'",
            "fix": "did you mean evolve.evaluate_factor?",
            "detail": {"did_you_mean": ["evolve.evaluate_factor", "evolve.validate_expr"]},
        },
        [],
    ),
    "unparsable_arguments": (
        [*tried(GOOD), [(VALIDATE, BROKEN)]],
        2,
        {
            "ok": False,
            "reason": "unparsable_arguments",
            "message": "the arguments are not JSON: Expecting ',' delimiter at line 1, column 25",
            "fix": "send one JSON object of plain values",
            "detail": {},
        },
        [],
    ),
    "schema_invalid": (
        [[(VALIDATE, expr(""))], *tried(GOOD)],
        0,
        {
            "ok": False,
            "reason": "bad_factor_expr",
            "message": "factor_expr: string should have at least 1 character",
            "fix": "Send the formula as text.",
            "detail": {
                "problems": [
                    {
                        "argument": "factor_expr",
                        "reason": "bad_factor_expr",
                        "message": "factor_expr: string should have at least 1 character",
                    }
                ]
            },
        },
        [],
    ),
    "budget_exceeded": (
        [*USED_UP, [(EVALUATE, expr(GOOD))]],
        8,
        {
            "ok": False,
            "reason": "budget_exceeded",
            "message": "the calls allowed in this episode are used up",
            "fix": "finish with what is known",
            "detail": {},
        },
        [],
    ),
    "frozen_field_mutation": (
        [*tried(GOOD), [(EVALUATE, FROZEN)]],
        2,
        {
            "ok": False,
            "reason": "frozen_field_mutation",
            "message": "universe is fixed in this episode",
            "fix": "send the field as it was given, or leave it out",
            "detail": {},
        },
        ["spec_drift_cap"],
    ),
    "multi_tool_per_step": (
        [[(VALIDATE, expr(GOOD)), (EVALUATE, expr(GOOD))], *tried(GOOD)],
        0,
        {
            "ok": False,
            "reason": "multi_tool_per_step",
            "message": "several tools were called in one step, and one is allowed",
            "fix": "call one tool and wait for its answer",
            "detail": {},
        },
        ["multi_tool_per_step_cap"],
    ),
}
# validity, no_drift, backtest_success whole; delta 0.5; robustness 0.9; one of three nodes changed
WHOLE = 0.15 + 0.15 + 0.10 + 0.35 * 0.75 + 0.10 * 0.9 + 0.05 / 3
REWARDS = {
    "unknown_tool": WHOLE + 0.10 * 2 / 3,
    "unparsable_arguments": WHOLE + 0.10 * 2 / 3,
    "schema_invalid": WHOLE + 0.10 * 2 / 3,
    "budget_exceeded": WHOLE + 0.10 * 8 / 9,
    "frozen_field_mutation": 0.30,
    "multi_tool_per_step": 0.0,
}


def test_every_kind_has_its_transcript() -> None:
    assert set(GOLDEN) == set(ILLEGAL_KINDS)


@pytest.mark.parametrize("kind", ILLEGAL_KINDS)
def test_golden_transcript(kind: str) -> None:
    turns, place, answer, caps = GOLDEN[kind]
    played = play(turns)
    assert played.kinds[place] == kind
    assert played.answers[place] == answer
    assert set(played.kinds) == {kind, None}
    assert played.found.audit.illegal_by_kind[kind] == (2 if kind == "multi_tool_per_step" else 1)
    assert list(played.found.caps) == caps
    assert played.found.reward == pytest.approx(REWARDS[kind], abs=1e-6)
    assert played.found.best is not None
    # what was illegal did nothing: only the legal calls came to the judge, after the seed
    assert len(played.judge.asked) == 1 + sum(turn in tried(GOOD) + USED_UP for turn in turns) // 2


# a call with two faults: what was done before, and the calls of the step; the first one is looked at
PAIRS: dict[tuple[str, str], tuple[list[Any], list[Any]]] = {
    ("unknown_tool", "unparsable_arguments"): ([], [("evolve.run", BROKEN)]),
    ("unknown_tool", "schema_invalid"): ([], [("evolve.run", EXTRA)]),
    ("unknown_tool", "budget_exceeded"): (USED_UP, [("evolve.evaluate_factors", expr(GOOD))]),
    ("unknown_tool", "frozen_field_mutation"): ([], [("evolve.run", FROZEN)]),
    ("unknown_tool", "multi_tool_per_step"): ([], [("evolve.run", expr(GOOD)), (VALIDATE, expr(GOOD))]),
    ("unparsable_arguments", "schema_invalid"): ([], [(VALIDATE, '{"horizon": 5')]),
    ("unparsable_arguments", "budget_exceeded"): (USED_UP, [(EVALUATE, BROKEN)]),
    ("unparsable_arguments", "frozen_field_mutation"): ([], [(VALIDATE, '{"universe": "CSI500"')]),
    ("unparsable_arguments", "multi_tool_per_step"): ([], [(VALIDATE, BROKEN), (VALIDATE, expr(GOOD))]),
    ("schema_invalid", "budget_exceeded"): (USED_UP, [(EVALUATE, EXTRA)]),
    ("schema_invalid", "frozen_field_mutation"): ([], [(VALIDATE, {**FROZEN, "horizon": 5})]),
    ("schema_invalid", "multi_tool_per_step"): ([], [(VALIDATE, EXTRA), (VALIDATE, expr(GOOD))]),
    ("budget_exceeded", "frozen_field_mutation"): (USED_UP, [(EVALUATE, FROZEN)]),
    ("budget_exceeded", "multi_tool_per_step"): (USED_UP, [(EVALUATE, expr(GOOD)), (VALIDATE, expr(GOOD))]),
    ("frozen_field_mutation", "multi_tool_per_step"): ([], [(VALIDATE, FROZEN), (VALIDATE, expr(GOOD))]),
}


def test_all_pairs_are_there() -> None:
    assert set(PAIRS) == set(combinations(ILLEGAL_KINDS, 2))


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_of_two_faults_the_first_kind_counts(pair: tuple[str, str]) -> None:
    before, step = PAIRS[pair]
    played = play([*before, step])
    assert played.kinds[len(before)] == pair[0]


@pytest.mark.parametrize(
    "change",
    [
        {"universe": "CSI500"},
        {"universe": "沪深300"},
        {"frequency": "weekly"},
        {"neutralization": "industry"},
        {"rebalance": "daily"},
        {"rebalance": "undeclared"},
        {"evidence": []},
    ],
)
def test_each_fixed_field_is_fixed(change: dict[str, Any]) -> None:
    played = play([[(VALIDATE, expr(GOOD, **change))]])
    assert played.kinds == ["frozen_field_mutation"]
    assert played.found.subscores["no_drift"] == 0.0


def test_neutralising_within_the_formula_is_an_edit_of_the_neutralisation() -> None:
    formula = f"INDUSTRY_NEUTRALIZE({GOOD}, $industry)"
    assert play([[(VALIDATE, expr(formula))]]).kinds == ["frozen_field_mutation"]


def test_a_whole_spec_whose_fixed_fields_are_the_seeds_is_legal() -> None:
    whole = {
        "name": "shorter",
        "universe": "CSI300",
        "frequency": "daily",
        "neutralization": "none",
        "rebalance": "weekly",
        "expr": GOOD,
        "windows": [20],
    }
    played = play([[(VALIDATE, whole)], [(EVALUATE, whole)]])
    assert played.outcomes == [("ok", None), ("ok", None)]
    best = played.found.best
    assert best is not None
    assert (best.name, best.expr, best.windows) == ("shorter", GOOD, (20,))
    # the quotes of the formula say nothing of the new one
    assert [span.field for span in best.evidence] == ["universe"]


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"factor_expr": GOOD, "expr": GOOD},
        {"factor_name": "x"},
        {"expr": GOOD, "name": "a", "factor_name": "b"},
        {"factor_expr": 5},
        {"factor_expr": "x" * 4097},
        {"factor_expr": GOOD, "windows": ["20"]},
        {"factor_expr": GOOD, "universe": ["CSI300"]},
    ],
)
def test_other_payloads_break_the_schema(sent: dict[str, Any]) -> None:
    assert play([[(VALIDATE, sent)]]).kinds == ["schema_invalid"]
