from __future__ import annotations

import copy
import math

import pytest

from assay.expr import Call, Constant, Field, distinct, fields_of, walk

MEAN = Call("ts_mean", (Field("close"),), (("window", 5), ("min_periods", 0)))


def test_nodes_compare_by_value_and_are_hashable() -> None:
    again = Call("ts_mean", (Field("close"),), (("window", 5), ("min_periods", 0)))
    other = Call("ts_mean", (Field("close"),), (("window", 6), ("min_periods", 0)))
    assert again == MEAN
    assert hash(again) == hash(MEAN)
    assert other != MEAN
    assert Field("close") != Constant(1.0)
    assert len({MEAN, again, other}) == 2


def test_a_missing_constant_equals_itself_and_zero_has_one_sign() -> None:
    assert Constant(math.nan) == Constant(math.nan)
    assert hash(Constant(math.nan)) == hash(Constant(math.nan))
    assert math.copysign(1.0, Constant(-0.0).value) == 1.0


@pytest.mark.parametrize(("node", "name"), [(MEAN, "op"), (Field("close"), "name"), (Constant(1.0), "value")])
def test_nodes_never_change(node, name) -> None:
    with pytest.raises(AttributeError, match="immutable"):
        setattr(node, name, "other")
    with pytest.raises(AttributeError, match="immutable"):
        delattr(node, name)


def test_size_and_depth_count_the_tree_written_out() -> None:
    double = Call("add", (MEAN, MEAN))
    assert (MEAN.size, MEAN.depth) == (2, 2)
    assert (double.size, double.depth) == (5, 3)


def test_param_reads_by_name() -> None:
    assert MEAN.param("window") == 5
    with pytest.raises(KeyError, match="no parameter 'lag'"):
        MEAN.param("lag")


def test_walk_repeats_and_distinct_does_not() -> None:
    double = Call("add", (MEAN, MEAN))
    assert len(list(walk(double))) == 5
    assert distinct(double) == [Field("close"), MEAN, double]
    assert fields_of(double) == ("close",)


def test_trees_deeper_than_the_stack_are_walked() -> None:
    node = Field("close")
    for _ in range(3000):
        node = Call("neg", (node,))
    assert node.depth == 3001
    assert len(distinct(node)) == 3001
    assert distinct(node)[-1] is node


def test_nodes_can_be_copied_to_other_processes() -> None:
    assert copy.deepcopy(Call("add", (MEAN, Constant(math.nan)))) == Call("add", (MEAN, Constant(math.nan)))
