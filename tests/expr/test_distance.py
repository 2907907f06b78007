from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings

from assay.expr import Call, Space, edit_distance, parse

from .strategies import trees

SMALL = Space(adjustment=False, nodes=9, depth=4)


def label(node):
    return (node.op, node.params) if isinstance(node, Call) else node


@cache
def forests(a, b):
    """The recursive definition of the distance between ordered forests."""
    if not a and not b:
        return 0
    options = []
    if a:
        options.append(forests(a[:-1] + kids(a[-1]), b) + 1)
    if b:
        options.append(forests(a, b[:-1] + kids(b[-1])) + 1)
    if a and b:
        change = label(a[-1]) != label(b[-1])
        options.append(forests(a[:-1], b[:-1]) + forests(kids(a[-1]), kids(b[-1])) + change)
    return min(options)


def kids(node):
    return node.args if isinstance(node, Call) else ()


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("close", "close", 0),
        ("close", "open", 1),
        ("rank(close)", "close", 1),
        ("ts_mean(close, 5)", "ts_mean(close, 6)", 1),
        ("close + open", "open + close", 2),
        ("rank(ts_mean(close, 5))", "rank(close)", 1),
        ("rank(close / delay(close, 5))", "zscore(close / delay(open, 5))", 2),
    ],
)
def test_known_distances(a, b, distance) -> None:
    assert edit_distance(parse(a).node, parse(b).node) == distance


@settings(max_examples=60)
@given(a=trees(SMALL), b=trees(SMALL))
def test_the_fast_distance_is_the_recursive_one(a, b) -> None:
    assert edit_distance(a, b) == forests((a,), (b,))
    assert edit_distance(a, b) == edit_distance(b, a)
    assert abs(a.size - b.size) <= edit_distance(a, b) <= a.size + b.size


@settings(max_examples=30)
@given(a=trees(SMALL), b=trees(SMALL), c=trees(SMALL))
def test_it_is_a_metric(a, b, c) -> None:
    assert edit_distance(a, a) == 0
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)
