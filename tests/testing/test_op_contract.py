"""The contract suite passes honest ops and names the clause that a dishonest one breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.engine import reference
from assay.expr import Arg, Call, Field, Op, Param, op_table
from assay.testing import Report, assert_op, check_op
from assay.testing._op_contract import run_clauses

CLAUSES = [
    "declaration",
    "kinds",
    "causality",
    "scramble",
    "lookback",
    "first value",
    "missing",
    "scope",
    "permutation",
    "exponent",
]
WINDOW = (Param("window", "int", low=1),)
Evaluate = Callable[[Any, Any], Any]


def rolling_mean(inputs: Any, params: Any) -> Any:
    x, w = inputs[0].astype(float), params["window"]
    result = np.full(x.shape, np.nan)
    for row in range(w - 1, x.shape[0]):
        result[row] = x[row - w + 1 : row + 1].mean(axis=0)
    return result


HONEST = Op(
    name="own_mean",
    category="own",
    args=(Arg("x"),),
    params=WINDOW,
    scope="time",
    exponent="same",
    lookback="window",
    missing="strict",
    definition="mean of the last w values",
    source="a test",
    evaluate=rolling_mean,
)


def broken_clauses(report: Report) -> set[str]:
    return {result.clause for result in report.broken}


def test_an_honest_op_keeps_every_clause() -> None:
    report = check_op(HONEST, [{"window": 1}, {"window": 4}])
    assert [result.clause for result in report.results] == CLAUSES
    assert report.passed
    assert {result.outcome for result in report.results} == {"kept"}
    assert_op(HONEST)


def shift_back(inputs: Any, params: Any) -> Any:
    return np.roll(inputs[0], -1, axis=0)


def longer(inputs: Any, params: Any) -> Any:
    return rolling_mean(inputs, {"window": params["window"] + 1})


def cut_short(inputs: Any, params: Any) -> Any:
    x, w = inputs[0].astype(float), params["window"]
    rows = [x[max(0, row - w + 1) : row + 1].mean(axis=0) for row in range(x.shape[0])]
    return np.array(rows)


def skipping(inputs: Any, params: Any) -> Any:
    x = np.where(np.isnan(inputs[0]), 0.0, inputs[0])
    return rolling_mean([x], params)


def across(inputs: Any, params: Any) -> Any:
    return rolling_mean([inputs[0] - np.nansum(inputs[0], axis=1, keepdims=True) * 0.5], params)


def by_place(inputs: Any, params: Any) -> Any:
    return rolling_mean([inputs[0] * np.arange(1, inputs[0].shape[1] + 1)], params)


def whole_sample(inputs: Any, params: Any) -> Any:
    with np.errstate(all="ignore"):
        return rolling_mean([inputs[0] / np.nansum(inputs[0], axis=0)], params)


@pytest.mark.parametrize(
    ("changes", "clauses"),
    [
        ({"evaluate": None}, {"declaration"}),
        ({"name": "ts_mean"}, {"declaration"}),
        ({"name": "Own Mean"}, {"declaration"}),
        ({"definition": " "}, {"declaration"}),
        ({"args": (Arg("x"), Arg("x"))}, {"declaration"}),
        ({"params": (), "evaluate": lambda inputs, params: inputs[0]}, {"declaration"}),
        ({"evaluate": lambda inputs, params: inputs[0].sum(axis=1)}, {"kinds"}),
        ({"result": "bool"}, {"kinds"}),
        ({"evaluate": shift_back}, {"causality", "scramble"}),
        ({"evaluate": whole_sample}, {"causality", "scramble"}),
        ({"evaluate": longer}, {"lookback", "first value"}),
        ({"lookback": "delay"}, {"first value"}),
        ({"evaluate": cut_short}, {"first value"}),
        ({"evaluate": skipping}, {"missing"}),
        ({"missing": "never"}, {"missing"}),
        ({"scope": "element"}, {"scope"}),
        ({"evaluate": across}, {"scope"}),
        ({"evaluate": by_place}, {"permutation"}),
        ({"exponent": "invariant"}, {"exponent"}),
        ({"exponent": "zero"}, {"exponent"}),
    ],
    ids=lambda value: "+".join(sorted(value)) if isinstance(value, set) else "",
)
def test_a_broken_promise_is_named(changes: dict[str, Any], clauses: set[str]) -> None:
    found = broken_clauses(
        check_op(replace(HONEST, **changes), [{"window": 4}] if "params" not in changes else [])
    )
    assert clauses <= found
    # a lie about one thing may show in others, but never as a look into the future
    assert "causality" in clauses or not found & {"causality", "scramble"}


def test_messages_say_what_where_and_with_which_settings() -> None:
    report = check_op(replace(HONEST, evaluate=longer), [{"window": 4}])
    (lookback,) = [result for result in report.broken if result.clause == "lookback"]
    assert "own_mean(window=4): declares 4 bars ('window')" in lookback.message
    with pytest.raises(AssertionError, match="first value: broken"):
        assert_op(replace(HONEST, evaluate=longer), [{"window": 4}])


def test_a_window_longer_than_the_trial_makes_no_claim() -> None:
    report = check_op(HONEST, [{"window": 400}])
    assert report.passed
    assert {r.clause for r in report.results if r.outcome == "not applicable"} == {"lookback", "first value"}


def test_inputs_are_read_only() -> None:
    def careless(inputs: Any, params: Any) -> Any:
        inputs[0][:] = 0
        return inputs[0]

    with pytest.raises(ValueError, match="read-only"):
        check_op(replace(HONEST, evaluate=careless))


def test_pairs_are_dropped_together() -> None:
    def paired(inputs: Any, params: Any) -> Any:
        x, y = inputs[0].astype(float), inputs[1].astype(float)
        return np.nancumsum(np.where(np.isnan(x + y), 0.0, x * y), axis=0)

    def lopsided(inputs: Any, params: Any) -> Any:
        x, y = inputs[0].astype(float), inputs[1].astype(float)
        return np.cumsum(np.where(np.isnan(x), 0.0, x) * np.where(np.isnan(y), 1.0, y), axis=0)

    def declared(function: Evaluate) -> Op:
        return Op(
            name="own_dot",
            category="own",
            args=(Arg("x"), Arg("y")),
            scope="time",
            stateful=True,
            exponent="product",
            missing="pairs",
            definition="running sum of x y",
            source="a test",
            evaluate=lambda inputs, params: np.where(
                np.isnan(inputs[0]) & np.isnan(inputs[1]), np.nan, function(inputs, params)
            ),
        )

    assert "missing" not in broken_clauses(check_op(declared(paired)))
    assert "missing" in broken_clauses(check_op(declared(lopsided)))


def by_definition(op: Op) -> Op:
    """A built-in op with the reference engine as its function."""
    fields = tuple(Field(arg.name) for arg in op.args)
    return replace(
        op, evaluate=lambda inputs, params: reference.apply(Call(op.name, fields, op.fill(params)), inputs)
    )


REQUIRED: dict[str, dict[str, Any]] = {"bucket": {"edges": "0.5,1,1.5"}, "left_tail": {"limit": 1.0}}


TABLE = [op for op in op_table().values() if op.args and op.evaluate is None]


def kept_by(op: Op) -> None:
    settings = [REQUIRED[op.name]] if op.name in REQUIRED else []
    results = run_clauses(by_definition(op), settings)
    wrong = [str(r) for r in results if not r.passed]
    assert not wrong


@pytest.mark.parametrize("op", TABLE[::6], ids=lambda op: op.name)
def test_the_op_table_keeps_its_own_contract(op: Op) -> None:
    kept_by(op)


@pytest.mark.slow
@pytest.mark.parametrize("op", TABLE, ids=lambda op: op.name)
def test_the_whole_op_table_keeps_its_own_contract(op: Op) -> None:
    kept_by(op)
