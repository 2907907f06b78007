"""A planted op that knows the future: the judge must not be fooled by it."""

from __future__ import annotations

import numpy as np
import pytest

import assay.expr._table as table
from assay.expr import Arg, Call, Expression, Field, Op
from assay.judge import JudgeSettings, judge


def _peek(inputs, params):
    (x,) = inputs
    out = np.full(x.shape, np.nan, dtype=np.float32)
    out[:-7] = x[7:] / x[2:-5] - 1
    return out


class _Point:
    def load(self):
        return Op(
            name="peek",
            category="test",
            args=(Arg("x"),),
            scope="time",
            exponent="scale_free",
            definition="the label itself",
            source="a planted fault",
            evaluate=_peek,
        )


@pytest.fixture
def peek(monkeypatch):
    monkeypatch.setattr(table, "entry_points", lambda group: [_Point()])
    table.op_table.cache_clear()
    yield Expression("peek(close)", "core", Call("peek", (Field("close"),)))
    table.op_table.cache_clear()


def test_an_op_with_perfect_knowledge_is_rejected_by_the_leak_checks(sim, peek):
    verdict = judge(peek, sim, JudgeSettings(neutral=False))[0]
    assert verdict.summary["rank_ic"] > 0.99
    assert verdict.status == "rejected"
    failed = {check.name for check in verdict.leaks if check.outcome == "failed"}
    assert {"prefix", "scramble"} <= failed
    assert "prefix check" in verdict.decision.sentence
