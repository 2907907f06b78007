"""The fast engine against the reference engine: every op with every setting, and random trees.

A sample runs each time, ``pytest -m slow`` runs thousands. Three facts together prove a tree: its nodes agree
with the reference one by one, a batch gives each node the bits it has alone, and threads change nothing.
"""

from __future__ import annotations

import numpy as np
import pytest

from assay.engine import evaluate
from assay.expr import Call, Constant, Field, Node, Space, op_table, parse, sample

from . import adversarial, trees
from .agreement import by_fast_engine, check_nodes

OPS = sorted(op_table())


def sampled_calls(name: str, share: int) -> list[Node]:
    """About ``share`` of the systematic calls of an op, spread evenly; each setting turns up over the ops."""
    calls: list[Node] = list(dict.fromkeys(trees.calls_of(op_table()[name])))
    return calls[:: max(1, len(calls) // share)]


def random_trees(seed: int, count: int, depth: int) -> list[Node]:
    rng = np.random.default_rng([seed, depth])
    drawn = [trees.random_tree(rng, depth) for _ in range(count)]
    return [tree for tree in drawn if isinstance(tree, Call)]


def agree(nodes: list[Node], data: adversarial.Panel, universe: adversarial.Array | None = None) -> None:
    problems = check_nodes(nodes, data, universe)
    assert not problems, f"{len(problems)} nodes differ:\n" + "\n".join(problems[:10])


@pytest.mark.parametrize("name", OPS)
def test_op(name: str) -> None:
    agree(sampled_calls(name, 6), adversarial.panel(0))


@pytest.mark.parametrize("name", [n for n in OPS if op_table()[n].scope in ("section", "group")])
def test_op_in_a_universe(name: str) -> None:
    agree(sampled_calls(name, 3), adversarial.panel(1), adversarial.universe(1))


@pytest.mark.parametrize("seed", range(10))
def test_random_trees(seed: int) -> None:
    data = adversarial.panel(seed)
    agree(random_trees(seed, 20, 4), data, adversarial.universe(seed) if seed % 2 else None)


@pytest.mark.parametrize(
    "text",
    [
        "close * 1e308 * 1e308",
        "close > 1e39",
        "clip(close, -1e308, 1e308)",
        "where(close > 1, 1e40, close)",
        "close - 3.4e38",
    ],
)
def test_a_constant_that_float32_cannot_hold_is_missing(text: str) -> None:
    agree([parse(text).node], adversarial.panel(2))


@pytest.mark.parametrize("seed", range(4))
def test_sampled_formulas(seed: int) -> None:
    rng = np.random.default_rng(seed)
    space = Space(windows=(2, 3, 5, 10, 20), nodes=14, adjustment=False)
    nodes = [sample(rng, space) for _ in range(15)]
    agree(nodes, adversarial.panel(seed, dates=60, names=9))


def test_wide_panel() -> None:
    """More instruments than the fast engine takes at a time."""
    agree(random_trees(77, 8, 3), adversarial.panel(5, dates=24, names=300))


def test_long_panel() -> None:
    """More dates than the fast engine keeps running sums for."""
    agree(random_trees(78, 30, 3), adversarial.panel(6, dates=210, names=9))


@pytest.mark.parametrize(("dates", "names"), [(1, 1), (1, 9), (2, 3), (30, 1)])
def test_small_panels(dates: int, names: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(dates, names))
    fields = dict.fromkeys(trees.NUMBERS, x)
    groups = {name: np.zeros((dates, names)) for name in trees.GROUPS}
    data = adversarial.from_arrays(fields, groups, {"news": rng.normal(size=(2, dates, names))})
    agree([node for name in OPS for node in sampled_calls(name, 2)], data)


def test_a_batch_gives_each_node_the_bits_it_has_alone() -> None:
    data = adversarial.panel(2, dates=90, names=150)
    universe = adversarial.universe(2, dates=90, names=150)
    nodes = random_trees(5, 80, 4)
    together = by_fast_engine(nodes, data, universe)
    for node in nodes:
        alone = evaluate({"alone": node}, data, universe=universe)["alone"]
        np.testing.assert_array_equal(alone, together[node], err_msg=str(node))


def test_threads_change_nothing() -> None:
    data = adversarial.panel(2, dates=90, names=150)
    batch = {str(i): node for i, node in enumerate(random_trees(6, 80, 4))}
    one, three = evaluate(batch, data), evaluate(batch, data, threads=3)
    for name, node in batch.items():
        np.testing.assert_array_equal(one[name], three[name], err_msg=str(node))


def test_whole_trees_agree_where_nothing_amplifies_the_last_bit() -> None:
    """End to end, without the snap rule, over ops that are smooth in their inputs."""
    from assay.engine import reference

    smooth = [
        "add",
        "sub",
        "neg",
        "maximum",
        "minimum",
        "ts_mean",
        "ts_sum",
        "ts_max",
        "delay",
        "delta",
        "tanh",
    ]
    rng = np.random.default_rng(9)
    data = adversarial.panel(9)
    for _ in range(25):
        node: Node = Field(trees.NUMBERS[rng.integers(4)])
        for _ in range(4):
            op = op_table()[smooth[rng.integers(len(smooth))]]
            other = Constant(2.0) if rng.random() < 0.3 else Field(trees.NUMBERS[rng.integers(4)])
            node = trees.random_call(rng, op, (node, other)[: len(op.args)])
        got = evaluate({"tree": node}, data)["tree"]
        want = reference.evaluate(node, data)
        scale = np.nanmax(np.abs(want), initial=1.0)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6 * scale, err_msg=str(node))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", OPS)
def test_op_with_every_setting(name: str, seed: int) -> None:
    data = adversarial.panel(seed, dates=40 + 7 * seed, names=12 + seed)
    shape = {"dates": data.shape[0], "names": data.shape[1]}
    nodes: list[Node] = list(trees.calls_of(op_table()[name]))
    agree(nodes, data, adversarial.universe(seed, **shape) if seed % 2 else None)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_thousands_of_random_trees(seed: int) -> None:
    data = adversarial.panel(seed)
    agree(random_trees(seed, 50, 3 + seed % 4), data, adversarial.universe(seed) if seed % 2 else None)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_hundreds_of_sampled_formulas(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes = [sample(rng, Space(adjustment=False)) for _ in range(40)]
    agree(nodes, adversarial.panel(seed, dates=150, names=14))
