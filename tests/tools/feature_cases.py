"""Calls of the tools of features and backtests, by the reason that each is refused with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from assay.features import feature
from assay.models import StrategyBook
from assay.tools.builtin import Workbench, search_features

Row = tuple[str, str, dict[str, Any], Callable[[Workbench], Workbench]]

FEATURE = "classic-reversal-5"
AS_OF = "2018-06-29T23:59:59Z"
MATERIALIZE = {"slug": FEATURE, "as_of": AS_OF}
RUN = {"strategy_slug": "ridge_default", "features": [FEATURE]}

FEATURE_CALLS: dict[str, dict[str, Any]] = {"features.materialize": MATERIALIZE, "backtest.run": RUN}
"""Arguments with which these tools work."""


@feature("peek", deps=("close",))
def peek(close):
    """Looks one bar ahead."""
    return np.vstack([close[1:], close[-1:]])


@feature("nothing", deps=("close",))
def nothing(close):
    """Has no value anywhere."""
    return np.full_like(close, np.nan)


def as_it_is(bench: Workbench) -> Workbench:
    return bench


def without_features(bench: Workbench) -> Workbench:
    return replace(bench, features=None)


def with_python_features(bench: Workbench) -> Workbench:
    assert bench.view is not None
    return replace(bench, features=search_features(bench.view, extra=(peek, nothing)))


def with_damaged_strategy(bench: Workbench) -> Workbench:
    folder = Path(mkdtemp())
    (folder / "torn.toml").write_text("model = ", encoding="utf-8")
    (folder / "far.toml").write_text("[cv]\ntrain_bars = 90000\n", encoding="utf-8")
    return replace(bench, strategies=StrategyBook(folder))


FEATURE_ROWS: list[Row] = [
    ("features.list", "bad_limit", {"limit": 0}, as_it_is),
    ("features.list", "bad_offset", {"offset": 5000}, as_it_is),
    ("features.list", "no_feature_store", {}, without_features),
    ("features.materialize", "missing_slug", {"as_of": AS_OF}, as_it_is),
    ("features.materialize", "missing_slug", {"slug": "", "as_of": AS_OF}, as_it_is),
    ("features.materialize", "unknown_feature", {**MATERIALIZE, "slug": "../close"}, as_it_is),
    ("features.materialize", "missing_as_of", {"slug": FEATURE}, as_it_is),
    ("features.materialize", "missing_as_of", {"slug": FEATURE, "as_of": ""}, as_it_is),
    ("features.materialize", "bad_as_of", {**MATERIALIZE, "as_of": "2018-13-01T00:00:00Z"}, as_it_is),
    ("features.materialize", "bad_as_of", {**MATERIALIZE, "as_of": "20180629"}, as_it_is),
    ("features.materialize", "bad_as_of", {**MATERIALIZE, "as_of": "0001-01-01T00:00:00+14:00"}, as_it_is),
    ("features.materialize", "bad_as_of", {**MATERIALIZE, "as_of": 1530230400}, as_it_is),
    ("features.materialize", "as_of_in_future", {**MATERIALIZE, "as_of": "2999-01-01T00:00:00Z"}, as_it_is),
    ("features.materialize", "bad_limit", {**MATERIALIZE, "limit": 201}, as_it_is),
    ("features.materialize", "bad_limit", {**MATERIALIZE, "rows": 0}, as_it_is),
    ("features.materialize", "bad_offset", {**MATERIALIZE, "offset": 5000}, as_it_is),
    ("features.materialize", "no_feature_store", MATERIALIZE, without_features),
    ("features.materialize", "damaged_state", {**MATERIALIZE, "slug": "peek"}, with_python_features),
    ("backtest.run", "bad_strategy_slug", {"features": [FEATURE]}, as_it_is),
    ("backtest.run", "bad_strategy_slug", {**RUN, "strategy_slug": "../ridge"}, as_it_is),
    ("backtest.run", "bad_strategy_slug", {**RUN, "strategy_slug": "ridge-defualt"}, as_it_is),
    ("backtest.run", "bad_strategy_slug", {**RUN, "strategy_slug": "far"}, with_damaged_strategy),
    ("backtest.run", "bad_features", {"strategy_slug": "ridge_default"}, as_it_is),
    ("backtest.run", "bad_features", {**RUN, "features": []}, as_it_is),
    ("backtest.run", "bad_features", {**RUN, "features": "close"}, as_it_is),
    ("backtest.run", "bad_features", {**RUN, "features": ["no-such"]}, as_it_is),
    ("backtest.run", "bad_features", {**RUN, "features": [FEATURE, FEATURE]}, as_it_is),
    ("backtest.run", "bad_features", {**RUN, "features": [FEATURE, "fwd_ret_5"]}, as_it_is),
    ("backtest.run", "bad_features", {**RUN, "features": ["nothing"]}, with_python_features),
    ("backtest.run", "bad_horizon", {**RUN, "horizon": 0}, as_it_is),
    ("backtest.run", "bad_horizon", {**RUN, "horizon": "5"}, as_it_is),
    ("backtest.run", "bad_max_bars", {**RUN, "max_bars": 100_001}, as_it_is),
    ("backtest.run", "bad_max_bars", {**RUN, "max_bars": 1}, as_it_is),
    ("backtest.run", "no_feature_store", RUN, without_features),
    ("backtest.run", "damaged_state", {**RUN, "strategy_slug": "torn"}, with_damaged_strategy),
    ("backtest.run", "damaged_state", {**RUN, "features": ["peek"]}, with_python_features),
]
