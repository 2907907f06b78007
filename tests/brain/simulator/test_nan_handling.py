from __future__ import annotations

import numpy as np

from assay.brain.simulator._nan_handling import with_nan_handling
from assay.engine import evaluate
from assay.expr import parse
from assay.market import Panel

from .markets import by_hand

NAN = float("nan")
CLOSE = np.array([[NAN, 1, 4], [NAN, 2, NAN], [NAN, NAN, 6], [3, NAN, NAN], [4, NAN, NAN]])
PANEL = Panel(by_hand(CLOSE, volume=np.ones((5, 3))))


def _values(code: str, on: bool) -> np.ndarray:
    node = with_nan_handling(parse(code, "fastexpr", fields=PANEL.fields).node, on)
    return evaluate({"a": node}, PANEL)["a"]


def test_on_gives_zero_where_a_whole_window_is_missing() -> None:
    np.testing.assert_array_equal(_values("ts_mean(close, 2)", False)[:, 1], [NAN, 1.5, NAN, NAN, NAN])
    np.testing.assert_array_equal(_values("ts_mean(close, 2)", True)[:, 1], [NAN, 1.5, NAN, 0, 0])
    np.testing.assert_array_equal(_values("ts_mean(close, 2)", True)[:, 0], [NAN, 0, 0, NAN, 3.5])


def test_on_asks_for_every_input_to_be_missing() -> None:
    found = _values("ts_corr(close, volume, 2)", True)
    np.testing.assert_array_equal(found[1:, 1], [NAN] * 4)


def test_on_gives_missing_members_the_value_of_their_group() -> None:
    np.testing.assert_array_equal(_values("group_sum(close, market)", True)[0], [5, 5, 5])
    np.testing.assert_array_equal(_values("group_sum(close, market)", False)[0], [NAN, 5, 5])
    np.testing.assert_array_equal(_values("group_max(close, market)", False)[2], [NAN, NAN, 6])


def test_what_compares_members_stays_missing_either_way() -> None:
    for on in (True, False):
        np.testing.assert_array_equal(_values("group_neutralize(close, market)", on)[0], [NAN, -1.5, 1.5])
        np.testing.assert_array_equal(_values("rank(close)", on)[0], [NAN, 0, 1])


def test_it_reaches_inner_parts() -> None:
    np.testing.assert_array_equal(_values("1 + ts_sum(close, 2)", True)[3:, 1], [1, 1])
