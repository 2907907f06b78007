from __future__ import annotations

import numpy as np
import pytest

from assay.engine import trace_coverage
from assay.expr import Call, Field, parse

from . import adversarial


def panel(x: np.ndarray) -> adversarial.Panel:
    return adversarial.from_arrays(
        {"close": x, "volume": np.ones(x.shape)}, {"sector": np.zeros(x.shape, int)}, {}
    )


def test_the_node_that_loses_values_and_its_rows_are_named() -> None:
    x = np.arange(1.0, 41.0).reshape(20, 2)
    x[8:12] = -1.0
    found = {str(c.node): c for c in trace_coverage(parse("rank(log(close)) + volume").node, panel(x))}
    log = next(c for name, c in found.items() if name.startswith("log"))
    assert log.share == pytest.approx(32 / 40)
    assert log.inputs == 1.0
    assert log.lost == pytest.approx(8 / 40)
    assert log.worst_rows == (8, 11)
    rank = next(c for name, c in found.items() if name.startswith("rank"))
    assert rank.lost == 0.0
    assert rank.worst_rows is None


def test_windows_lose_the_first_rows() -> None:
    x = np.ones((10, 3))
    trace = trace_coverage(parse("ts_sum(close, 4)").node, panel(x))
    assert [type(c.node) for c in trace] == [Field, Call]
    assert trace[1].first_row == 3
    assert trace[1].last_row == 9
    assert trace[1].worst_rows == (0, 2)
    assert trace[1].share == pytest.approx(0.7)


def test_a_node_without_values_has_no_rows() -> None:
    trace = trace_coverage(parse("log(close)").node, panel(-np.ones((4, 2))))
    assert trace[-1].first_row is None
    assert trace[-1].share == 0.0


def test_shares_count_members_only() -> None:
    universe = np.zeros((6, 4), bool)
    universe[:, :2] = True
    trace = trace_coverage(parse("rank(close)").node, panel(np.ones((6, 4))), universe=universe)
    assert trace[-1].share == 1.0


def test_groups_are_left_out() -> None:
    trace = trace_coverage(parse("group_zscore(close, sector)").node, panel(np.ones((6, 4))))
    assert trace[0].node == Field("close")
    assert len(trace) == 2
