from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.expr import (
    Call,
    Constant,
    Field,
    FieldInfo,
    Space,
    canonical,
    fingerprint,
    parse,
    signature,
    to_text,
    validate,
)

from .strategies import trees

NAMES = {n: FieldInfo(n) for n in "xyz"}


def tree(text):
    return parse(text, fields=NAMES, level="typed").node


def same(text):
    return to_text(canonical(tree(text)))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("y + x", "x + y"),
        ("y * x", "x * y"),
        ("x + 0", "x"),
        ("x - 0", "x"),
        ("0 - x", "-x"),
        ("x * 1", "x"),
        ("1 * x", "x"),
        ("x / 1", "x"),
        ("x^1", "x"),
        ("-(-x)", "x"),
        ("-1 * x", "-x"),
        ("x / -2", "-(x / 2)"),
        ("x - -y", "x + y"),
        ("x + -y", "x - y"),
        ("-x + y", "y - x"),
        ("-(x - y)", "y - x"),
        ("-x * y", "-(x * y)"),
        ("x - 2", "x + -2"),
        ("2 + 3 * 4", "14"),
        ("x * (2 * 3)", "x * 6"),
        ("x < y", "y > x"),
        ("x <= y", "y >= x"),
        ("ts_corr(y, x, 5)", "ts_corr(x, y, 5)"),
        ("maximum(x, x)", "x"),
        ("abs(-x)", "abs(x)"),
        ("!(!(x > y))", "x > y"),
        ("where(2 > 1, x, y)", "x"),
        ("delay(delay(x, 2), 3)", "delay(x, 5)"),
        ("log(1)", "0"),
        ("x - y + 1e-12", "x - y + 1e-12"),
    ],
)
def test_rules(text, form) -> None:
    assert same(text) == form


@pytest.mark.parametrize(
    "text",
    [
        "x - x",
        "x * 0",
        "0 / x",
        "x / x",
        "0 * x + 1",
        "x / 0",
        "log(0)",
        "1 / 0",
        "x + nan",
        "(-8)^0.5",
        "x^0",
    ],
)
def test_nothing_is_folded_that_may_be_missing(text) -> None:
    node = canonical(tree(text))
    assert isinstance(node, Call)
    assert node.size > 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x + y + z", "z + (y + x)"),
        ("x * y / z", "y / z * x"),
        ("(x - y) - z", "x - (z + y)"),
        ("x / y / z", "x / (y * z)"),
        ("2 * x * 3", "x * 6"),
        ("x * 0.1", "x / 10"),
        ("maximum(x, maximum(y, x))", "maximum(y, x)"),
        ("x > y", "y < x"),
        ("x * 0.3", "x * (0.1 + 0.2)"),
        ("-(x * y)", "x * -y"),
        ("rank(x + y)", "rank(y + x)"),
    ],
)
def test_equal_formulas_have_one_fingerprint(one, other) -> None:
    assert fingerprint(tree(one)) == fingerprint(tree(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x - y", "y - x"),
        ("x", "-x"),
        ("ts_mean(x, 5)", "ts_mean(x, 6)"),
        ("x / (y / z)", "x * z / y"),
        ("x - x", "0"),
        ("x * 2", "x"),
        ("x", "y"),
    ],
)
def test_different_formulas_do_not(one, other) -> None:
    assert fingerprint(tree(one)) != fingerprint(tree(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x", "-x"),
        ("x", "3 * x"),
        ("x / 2", "-0.1 * x"),
        ("ts_mean(x, 5)", "ts_mean(-2 * x, 5)"),
        ("-ts_corr(x, y, 5)", "ts_corr(-x, 3 * y, 5)"),
        ("rank(x)", "rank(2 * x)"),
        ("2 / x", "-1 / x"),
        ("zscore(x)", "zscore(-x)"),
    ],
)
def test_signatures_ignore_scale_and_sign(one, other) -> None:
    assert signature(tree(one)) == signature(tree(other))


def test_signatures_keep_what_is_no_scale() -> None:
    assert signature(tree("rank(x)")) != signature(tree("rank(-x)"))
    assert signature(tree("x + 1")) != signature(tree("x + 2"))
    assert signature(tree("ts_rank(x, 5)")) != signature(tree("ts_rank(-x, 5)"))
    assert signature(tree("0 * x")) != signature(tree("x"))


_ELEMENT = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "abs": np.abs,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def evaluate(node, data):
    """Element by element, infinite values missing at the node that makes them."""
    if isinstance(node, Constant):
        return np.full(len(data["x"]), node.value)
    if isinstance(node, Field):
        return data[node.name]
    inputs = [evaluate(arg, data) for arg in node.args]
    with np.errstate(all="ignore"):
        if node.op in ("gt", "lt"):
            value = np.where(np.isnan(inputs[0] + inputs[1]), np.nan, inputs[0] > inputs[1])
            if node.op == "lt":
                value = np.where(np.isnan(value), np.nan, inputs[0] < inputs[1])
        else:
            value = _ELEMENT[node.op](*inputs)
    return np.where(np.isfinite(value), value, np.nan)


_VALUES = st.sampled_from([math.nan, 0.0, 1.0, -1.0, 2.0, -0.5, 3.25, 1e6, 1e-7])
_LEAVES = st.one_of(
    st.sampled_from("xyz").map(Field), st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1e-12, -3.0]).map(Constant)
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(
            lambda op, a, b: Call(op, (a, b)),
            st.sampled_from(["add", "sub", "mul", "div", "maximum", "minimum", "gt", "lt"]),
            inner,
            inner,
        ),
        st.builds(lambda op, a: Call(op, (a,)), st.sampled_from(["neg", "abs"]), inner),
    ),
    max_leaves=10,
)


@settings(max_examples=250)
@given(node=_TREES, rows=st.lists(st.tuples(_VALUES, _VALUES, _VALUES), min_size=1, max_size=6))
def test_the_canonical_form_keeps_every_value_and_every_gap(node, rows) -> None:
    data = dict(zip("xyz", np.array(rows).T, strict=True))
    np.testing.assert_allclose(evaluate(canonical(node), data), evaluate(node, data), rtol=1e-9, atol=1e-9)


@settings(max_examples=100)
@given(node=_TREES)
def test_it_is_reached_in_one_step(node) -> None:
    form = canonical(node)
    assert canonical(form) == form
    assert fingerprint(form) == fingerprint(node)


@settings(max_examples=60)
@given(node=trees(Space(adjustment=False)))
def test_it_stays_valid(node) -> None:
    form = canonical(node)
    validate(form)
    assert canonical(form) == form


@pytest.mark.parametrize("op", ["and", "or"])
def test_logic_on_a_number_gives_truth_and_not_the_number(op: str) -> None:
    x = Field("x")
    both = Call(op, (x, x))
    assert canonical(both) == both
    assert fingerprint(both) != fingerprint(x)
    assert canonical(Call("not", (Call("not", (x,)),))) != x
    condition = Call("gt", (x, Constant(0.0)))
    assert canonical(Call(op, (condition, condition))) == condition
