"""What the fast engine owes to every formula: nothing of the future, no dependence on the order of names."""

from __future__ import annotations

import numpy as np
import pytest

from assay.engine import evaluate
from assay.expr import Call, Node, op_table

from . import adversarial, trees
from .agreement import by_fast_engine, inputs_of, tolerance, typed_nodes
from .test_differential import OPS, random_trees, sampled_calls

CUTS = (1, 17, 33, 65, 89)
DATES, NAMES = 90, 70


def part(data: adversarial.Panel, rows: slice, order: np.ndarray | slice = slice(None)) -> adversarial.Panel:
    """Some dates of a panel, its names in another order."""
    fields, groups, vectors = (
        {name: values[..., rows, :][..., order] for name, values in some.items()}
        for some in (data.fields, data.groups, data.vectors)
    )
    return adversarial.from_arrays(fields, groups, vectors)


def spliced(first: adversarial.Panel, then: adversarial.Panel, cut: int) -> adversarial.Panel:
    """The first dates of one panel, the later ones of another."""
    fields, groups, vectors = (
        {name: np.concatenate([a[name][..., :cut, :], b[name][..., cut:, :]], axis=-2) for name in a}
        for a, b in ((first.fields, then.fields), (first.groups, then.groups), (first.vectors, then.vectors))
    )
    return adversarial.from_arrays(fields, groups, vectors)


@pytest.fixture(scope="module")
def nodes() -> list[Node]:
    every_op = [node for name in OPS for node in sampled_calls(name, 3)]
    return list(dict.fromkeys([*every_op, *random_trees(31, 100, 4)]))


@pytest.fixture(scope="module")
def data() -> adversarial.Panel:
    return adversarial.panel(4, DATES, NAMES)


@pytest.fixture(scope="module")
def universe() -> np.ndarray:
    return adversarial.universe(4, DATES, NAMES)


@pytest.mark.parametrize("cut", CUTS)
def test_cutting_off_the_future_changes_no_bit(nodes, data, universe, cut: int) -> None:
    whole = by_fast_engine(nodes, data, universe)
    cut_off = by_fast_engine(nodes, part(data, slice(0, cut)), universe[:cut])
    for node in nodes:
        np.testing.assert_array_equal(cut_off[node], whole[node][:cut], err_msg=str(node))


@pytest.mark.parametrize("cut", CUTS[1:])
def test_another_future_changes_no_bit(nodes, data, cut: int) -> None:
    whole = by_fast_engine(nodes, data)
    other = by_fast_engine(nodes, spliced(data, adversarial.panel(99, DATES, NAMES), cut))
    for node in nodes:
        np.testing.assert_array_equal(other[node][:cut], whole[node][:cut], err_msg=str(node))


def test_names_in_another_order_give_the_same_values(data, universe) -> None:
    order = np.random.default_rng(0).permutation(NAMES)
    calls = [node for name in OPS for node in sampled_calls(name, 4) if isinstance(node, Call) and node.args]
    kinds = {node: kind for call in calls for node, kind in typed_nodes(call).items()}
    wanted = [node for node, kind in kinds.items() if kind in ("number", "bool") or node in calls]
    straight = by_fast_engine(wanted, data, universe)
    turned = by_fast_engine(wanted, part(data, slice(None), order), universe[:, order])
    for call in calls:
        want = straight[call][:, order]
        if op_table()[call.op].result == "group":
            np.testing.assert_array_equal(turned[call], want, err_msg=str(call))
            continue
        inputs = [values[..., order] for values in inputs_of(call, straight, data, universe)]
        np.testing.assert_array_equal(np.isnan(turned[call]), np.isnan(want), err_msg=str(call))
        apart = np.abs(turned[call].astype(float) - want.astype(float))
        assert not (apart > tolerance(call, inputs, want)).any(), str(call)


def test_ranks_do_not_depend_on_the_order_of_names(data) -> None:
    order = np.random.default_rng(1).permutation(NAMES)
    ranks: list[Node] = [
        node for name in ("rank", "group_rank", "ts_rank") for node in trees.calls_of(op_table()[name])
    ]
    straight = by_fast_engine(ranks, data)
    turned = by_fast_engine(ranks, part(data, slice(None), order))
    for node in ranks:
        np.testing.assert_array_equal(turned[node], straight[node][:, order], err_msg=str(node))


def test_outsiders_change_nothing_inside_the_universe(data, universe) -> None:
    """Cross sections and groups see members only, so other values outside give members the same bits."""
    names = [
        n for n in OPS if op_table()[n].scope in ("section", "group") and op_table()[n].lookback == "none"
    ]
    calls = [node for name in names for node in sampled_calls(name, 4)]
    other = adversarial.panel(98, DATES, NAMES)
    fields = {name: np.where(universe, data.fields[name], other.fields[name]) for name in data.fields}
    changed = adversarial.from_arrays(fields, data.groups, data.vectors)
    before, after = by_fast_engine(calls, data, universe), by_fast_engine(calls, changed, universe)
    for call in calls:
        np.testing.assert_array_equal(after[call], before[call], err_msg=str(call))
        assert np.isnan(before[call][~universe]).all()


def test_sink_gets_what_is_returned_otherwise(data) -> None:
    batch = {str(i): node for i, node in enumerate(random_trees(8, 40, 4))}
    got: dict[str, np.ndarray] = {}
    assert evaluate(batch, data, sink=lambda name, array: got.update({name: array.copy()})) == {}
    for name, values in evaluate(batch, data).items():
        np.testing.assert_array_equal(got[name], values)


def test_inputs_are_left_alone(nodes, data) -> None:
    before = {name: values.copy() for name, values in data.fields.items()}
    by_fast_engine(nodes, data)
    for name, values in before.items():
        np.testing.assert_array_equal(data.fields[name], values)
