from __future__ import annotations

import numpy as np
import pytest

from assay.engine import evaluate
from assay.engine._steps import work_of
from assay.errors import AssayError, DataError
from assay.expr import Call, Constant, Field, op_table, parse

from . import adversarial


@pytest.fixture
def data() -> adversarial.Panel:
    rng = np.random.default_rng(3)
    fields = {name: rng.normal(10, 2, (30, 20)) for name in ("close", "volume")}
    return adversarial.from_arrays(fields, {"sector": rng.integers(0, 3, (30, 20))}, {})


def node(text: str):
    return parse(text).node


def test_every_op_of_the_table_can_be_run() -> None:
    from assay.engine._elements import ELEMENT_CODES, NUMPY_ELEMENTS
    from assay.engine._ops import COLUMN_RUNNERS, RUNNERS
    from assay.engine._passes._lower import LOWERED

    runs = {*ELEMENT_CODES, *NUMPY_ELEMENTS, *COLUMN_RUNNERS, *RUNNERS, *LOWERED}
    missing = [name for name, op in op_table().items() if op.evaluate is None and name not in runs]
    assert missing == []


def test_values_of_a_small_formula(data) -> None:
    close, volume = data.field("close"), data.field("volume")
    got = evaluate({"f": node("(close - volume) / 2 + close")}, data)["f"]
    np.testing.assert_allclose(got, (close - volume) / 2 + close, rtol=1e-6)
    assert got.dtype == np.float32


def test_a_field_is_given_as_a_copy(data) -> None:
    before = data.field("close").copy()
    got = evaluate({"f": Field("close")}, data)["f"]
    got[:] = 0
    np.testing.assert_array_equal(data.field("close"), before)


def test_a_constant_fills_a_panel(data) -> None:
    got = evaluate({"f": Constant(2.5), "none": Constant(float("nan"))}, data)
    assert np.all(got["f"] == 2.5)
    assert np.isnan(got["none"]).all()


def test_windows_and_ranks_take_constants(data) -> None:
    mean = Call("ts_mean", (Constant(3.0),), (("window", 2), ("min_periods", 0)))
    rank = Call("rank", (Constant(3.0),), (("scale", "r/n"),))
    got = evaluate({"mean": mean, "rank": rank}, data)
    assert np.isnan(got["mean"][0]).all()
    assert np.all(got["mean"][1:] == 3.0)
    np.testing.assert_allclose(got["rank"], 10.5 / 20)


def test_a_group_expression_gives_its_codes(data) -> None:
    edges = (("edges", "9,11"), ("skip_both", False), ("missing_group", False))
    got = evaluate({"g": Call("bucket", (Field("close"),), edges)}, data)["g"]
    np.testing.assert_array_equal(got, np.digitize(data.field("close"), [9, 11], right=True))


def test_infinite_inputs_are_missing() -> None:
    x = np.array([[1.0, np.inf], [2.0, -np.inf]])
    data = adversarial.from_arrays({"close": x}, {}, {})
    got = evaluate({"x": Field("close"), "sum": node("close + 1")}, data)
    assert np.isnan(got["x"][:, 1]).all()
    assert np.isnan(got["sum"][:, 1]).all()


def test_overflow_is_missing_at_the_node_that_made_it() -> None:
    data = adversarial.from_arrays({"close": np.array([[3e38, 1.0]])}, {}, {})
    got = evaluate({"y": node("1 / (close * 10)"), "z": node("1 / exp(close)")}, data)
    assert np.isnan(got["y"][0, 0])
    assert np.isnan(got["z"][0, 0])
    np.testing.assert_allclose(got["y"][0, 1], 0.1)


def test_equal_expressions_share_one_array(data) -> None:
    got = evaluate({"a": node("close + volume"), "b": node("volume + close")}, data)
    assert got["a"] is got["b"]


def test_results_are_kept_apart_from_later_steps(data) -> None:
    nodes = {f"f{w}": node(f"rank(ts_mean(close, {w})) + ts_mean(close, {w})") for w in range(2, 12)}
    together = evaluate(nodes, data)
    for name, one in nodes.items():
        np.testing.assert_array_equal(together[name], evaluate({name: one}, data)[name])


def test_sink_gets_every_output_and_nothing_is_kept(data) -> None:
    nodes = {
        "a": node("rank(close)"),
        "b": node("rank(close) * 2"),
        "c": node("rank(close)"),
        "d": Field("close"),
    }
    want = evaluate(nodes, data)
    got: dict[str, np.ndarray] = {}

    def sink(name: str, array: np.ndarray) -> None:
        assert not array.flags.writeable
        got[name] = array.copy()

    assert evaluate(nodes, data, sink=sink) == {}
    assert set(got) == set(nodes)
    for name in nodes:
        np.testing.assert_array_equal(got[name], want[name])


def test_sink_recycles_panels(data) -> None:
    addresses = set()
    nodes = {f"f{w}": node(f"rank(ts_mean(close, {w}))") for w in range(2, 22)}
    evaluate(nodes, data, sink=lambda name, array: addresses.add(array.__array_interface__["data"][0]))
    assert len(addresses) < len(nodes) / 2


def test_an_error_in_the_sink_comes_out(data) -> None:
    def sink(name: str, array: np.ndarray) -> None:
        raise DataError("full")

    with pytest.raises(DataError, match="full"):
        evaluate({"a": node("rank(close)")}, data, sink=sink, threads=2)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(data, threads: int) -> None:
    texts = ["rank(ts_std(close, 5))", "ts_corr(close, volume, 6) - zscore(log(close))", "ts_rank(close, 4)"]
    nodes = {text: node(text) for text in texts}
    one = evaluate(nodes, data)
    more = evaluate(nodes, data, threads=threads)
    for name in nodes:
        np.testing.assert_array_equal(one[name], more[name])


def test_universe_cuts_cross_sections_only(data) -> None:
    universe = np.random.default_rng(0).random(data.shape) < 0.6
    nodes = {"rank": node("rank(close)"), "mean": node("ts_mean(close, 3)")}
    got = evaluate(nodes, data, universe=universe)
    assert np.isnan(got["rank"][~universe]).all()
    np.testing.assert_allclose(np.nanmax(got["rank"], axis=1), 1.0)
    np.testing.assert_array_equal(got["mean"], evaluate(nodes, data)["mean"])


def test_shapes_that_do_not_fit_are_refused(data) -> None:
    with pytest.raises(DataError, match="universe has shape"):
        evaluate({"f": Field("close")}, data, universe=np.ones((2, 2), bool))
    data.fields["close"] = np.ones((3, 3), np.float32)
    with pytest.raises(DataError, match="'close' has shape"):
        evaluate({"f": Field("close")}, data)


def test_threads_below_one_are_refused(data) -> None:
    with pytest.raises(AssayError, match="threads is 0"):
        evaluate({"f": Field("close")}, data, threads=0)


def test_work_is_split_by_scope() -> None:
    from assay.engine._graph import Step

    ops = op_table()
    assert work_of(Step("ts_mean"), ops) == "columns"
    assert work_of(Step("rank"), ops) == "rows"
    assert work_of(Step("hump"), ops) == "whole"
    assert work_of(Step("group_backfill"), ops) == "whole"
