from __future__ import annotations

import numpy as np

from assay.engine._graph import CONSTANT, FIELD, PROGRAM, Graph
from assay.engine._passes import (
    fold_constants,
    fuse_elements,
    intern,
    lower,
    mask_members,
    schedule,
    segments,
    use_counts,
)  # fmt: skip
from assay.engine._passes._mask import MASK
from assay.engine._plan import plan
from assay.expr import Constant, Node, op_table, parse

OPS = op_table()


def tree(text: str) -> Node:
    return parse(text).node


def interned(*texts: str) -> Graph:
    return intern({text: tree(text) for text in texts}, OPS)


def ops_of(graph: Graph) -> list[str]:
    return sorted(step.op for step in graph.steps)


def test_equal_parts_stand_once() -> None:
    graph = interned("ts_mean(close, 5) / close", "close * ts_mean(close, 5)", "ts_mean(close, 6)")
    assert ops_of(graph) == ["div", FIELD, "mul", "ts_mean", "ts_mean"]


def test_a_field_stands_once_for_each_kind_it_is_read_as() -> None:
    graph = interned("group_mean(close, volume, sector)")
    kinds = {(step.param("name"), step.kind) for step in graph.steps if step.op == FIELD}
    assert kinds == {("close", "number"), ("volume", "number"), ("sector", "group")}


def test_commuted_inputs_are_one_step() -> None:
    assert len(interned("close + volume", "volume + close").steps) == 3


def test_missing_constants_are_one_step() -> None:
    graph = Graph()
    assert graph.number(float("nan")) == graph.number(float("nan"))
    assert np.isnan(graph.steps[0].constant)


def test_ops_in_disguise_share_steps() -> None:
    graph = lower(interned("ts_scale(close, 5)", "ts_max(close, 5) - ts_min(close, 5)"))
    assert ops_of(graph).count("ts_max") == 1
    assert ops_of(graph).count("ts_min") == 1
    assert ops_of(graph).count("sub") == 2


def test_squares_are_products() -> None:
    graph = lower(interned("close ^ 2"))
    assert "mul" in ops_of(graph)
    assert "power" not in ops_of(schedule(graph))


def test_constants_are_folded_in_float32() -> None:
    graph = Graph()
    graph.outputs["f"] = graph.call("div", graph.number(1.0), graph.number(3.0))
    folded = fold_constants(graph)
    assert folded.steps[folded.outputs["f"]].constant == float(np.float32(1) / np.float32(3))


def test_undefined_constants_fold_to_missing() -> None:
    graph = Graph()
    graph.outputs["f"] = graph.call("log", graph.number(0.0))
    folded = fold_constants(graph)
    assert np.isnan(folded.steps[folded.outputs["f"]].constant)


def test_use_counts_count_readers() -> None:
    graph = interned("close * close + volume")
    uses = dict(zip((str(step.params) + step.op for step in graph.steps), use_counts(graph), strict=True))
    assert uses["(('name', 'close'),)field"] == 1


def test_chains_become_one_program() -> None:
    graph = schedule(fuse_elements(schedule(interned("abs((close - open) / (high - low + 1))"))))
    programs = [step for step in graph.steps if step.op == PROGRAM]
    assert len(programs) == 1
    assert len(programs[0].inputs) == 4
    assert [op for op in ops_of(graph) if op not in (PROGRAM, FIELD, CONSTANT)] == []


def test_more_inputs_than_a_program_takes_are_split() -> None:
    text = "((open + high) * (low + close)) / ((volume + vwap) * (returns + open))"
    graph = schedule(fuse_elements(schedule(interned(text))))
    programs = [step for step in graph.steps if step.op == PROGRAM]
    assert len(programs) > 1
    assert all(len(step.inputs) <= 4 for step in programs)


def test_outputs_inside_a_chain_are_kept() -> None:
    graph = schedule(fuse_elements(schedule(interned("close - open", "(close - open) / high"))))
    assert len({graph.outputs[name] for name in graph.outputs}) == 2


def test_no_instruction_writes_what_it_reads() -> None:
    graph = fuse_elements(
        schedule(interned("abs(sign(close - open) * (high - low)) / (close + abs(open - low))"))
    )
    for step in graph.steps:
        if step.program is not None:
            for _, target, a, b, c in step.program.code:
                assert target not in (a, b, c)


def test_unread_steps_are_dropped() -> None:
    graph = interned("close + open")
    graph.call("neg", 0)
    assert "neg" not in ops_of(schedule(graph))


def test_inputs_stand_before_their_readers() -> None:
    graph = plan({"f": tree("rank(ts_corr(rank(close), log(volume), 5) - close)")}, OPS, masked=True)
    for position, step in enumerate(graph.steps):
        assert all(i < position for i in step.inputs)


def test_only_cross_sections_are_masked() -> None:
    graph = mask_members(interned("rank(close) + ts_mean(close, 3)"), OPS)
    assert ops_of(graph).count(MASK) == 1
    masked = next(step for step in graph.steps if step.op == MASK)
    assert graph.steps[masked.inputs[0]].op == FIELD


def test_segments_cut_at_cross_sections_and_after_outputs() -> None:
    graph = plan({"f": tree("ts_mean(rank(ts_mean(close, 3)), 4)")}, OPS, masked=False)
    kinds = {"rank": "rows"}
    runs = [
        [graph.steps[i].op for i in run] for run in segments(graph, lambda s: kinds.get(s.op, "columns"), 8)
    ]
    assert runs == [[FIELD, "ts_mean"], ["rank"], ["ts_mean"]]
    many = plan({str(w): tree(f"ts_mean(close, {w})") for w in range(1, 7)}, OPS, masked=False)
    assert [len(run) for run in segments(many, lambda s: "columns", 2)] == [3, 2, 2]


def test_a_deep_tree_is_planned_without_recursion_limits() -> None:
    node: Node = tree("close")
    for _ in range(30):
        node = parse("close + open").node.__class__("div", (node, Constant(3.0)))
    assert plan({"f": node}, OPS, masked=False).outputs
