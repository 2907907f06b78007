"""The table of (tool, reason) of the desk's tools: every pair is reached, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from assay.evolve import described_tools
from assay.tools import Registry

from .desk import EVALUATE, VALIDATE, FakeJudge, Turn, expr, play, tried

GOOD = "TS_PCTCHANGE($close, 20)"
OTHERS = [f"TS_PCTCHANGE($close, {n})" for n in range(5, 10)]


def down(expression: Any) -> Any:
    raise OSError("disk")


# the calls of an episode whose last one is answered with the reason; a judge where it is not the usual one
CASES: dict[tuple[str, str], tuple[Sequence[Turn], FakeJudge | None]] = {
    (VALIDATE, "bad_factor_expr"): ([[(VALIDATE, expr(""))]], None),
    (VALIDATE, "bad_factor_name"): ([[(VALIDATE, expr(GOOD, factor_name="x" * 201))]], None),
    (VALIDATE, "bad_windows"): ([[(VALIDATE, expr(GOOD, windows=["a week"]))]], None),
    (EVALUATE, "bad_factor_expr"): ([[(EVALUATE, {"factor_expr": 3})]], None),
    (EVALUATE, "bad_factor_name"): ([[(EVALUATE, expr(GOOD, factor_name=7))]], None),
    (EVALUATE, "bad_windows"): ([[(VALIDATE, expr(GOOD))], [(EVALUATE, expr(GOOD, windows=[5]))]], None),
    (EVALUATE, "illegal_expr"): ([[(EVALUATE, expr("no_such_op($close)"))]], None),
    (EVALUATE, "not_validated"): ([*tried(OTHERS[0]), [(EVALUATE, expr(GOOD))]], None),
    (EVALUATE, "evaluations_failed"): (
        [[(VALIDATE, expr(GOOD))], *[[(EVALUATE, expr(GOOD))]] * 5],
        FakeJudge(down),
    ),
}


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_each_declared_pair_is_reached(case: tuple[str, str]) -> None:
    turns, judge = CASES[case]
    last = play(turns, judge=judge).found.trajectory
    assert (last.calls[-1].call.name, last.verdicts[-1].reason) == case


def test_no_pair_is_left_out_and_none_is_made_up() -> None:
    rows = Registry(described_tools()).reasons()
    assert {(row.tool, row.reason.code) for row in rows if not row.reserved} == set(CASES)
