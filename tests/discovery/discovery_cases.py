"""Calls of the tools of discovery, by the reason that each is refused with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from assay.features import FeatureStore
from assay.market import Panel
from assay.models import StrategyBook
from assay.tools.builtin import Workbench

from ..tools.feature_cases import FEATURE, Row, as_it_is, with_python_features, without_features
from ..tools.test_reasons import damaged

MINE = {"inputs": ["close", "volume"], "target": "fwd_ret_5", "n_candidates": 8}
SELECT = {"pool": [FEATURE, "classic-volatility-20", "turn"]}
SWEEP = {"dims": [{"name": "alpha", "choices": [1, 10.5]}]}
EVENTS = {"pre_windows": ["5d"], "post_windows": ["0m"], "reductions": ["count", "mean_score"]}

DISCOVERY_CALLS: dict[str, dict[str, Any]] = {
    "discovery.factor_mining": MINE,
    "discovery.feature_search": SELECT,
    "discovery.sweep": SWEEP,
    "discovery.event_window_search": EVENTS,
}
"""Arguments with which these tools work."""


def on_the_last_day(bench: Workbench) -> Workbench:
    """Features of which models may use one day."""
    assert bench.features is not None
    store = bench.features
    last: date = store.panel.dates[-1].item()
    return replace(bench, features=FeatureStore(store.panel, store.graph, start=last))


def without_events(bench: Workbench) -> Workbench:
    assert bench.features is not None
    store = bench.features
    panel = Panel(replace(store.panel.data, events={}))
    return replace(bench, features=FeatureStore(panel, store.graph))


def with_damaged_default(bench: Workbench) -> Workbench:
    folder = Path(mkdtemp())
    (folder / "ridge_default.toml").write_text("model = ", encoding="utf-8")
    return replace(bench, strategies=StrategyBook(folder))


def with_strange_default(bench: Workbench) -> Workbench:
    folder = Path(mkdtemp())
    (folder / "ridge_default.toml").write_text('target = "close"\n', encoding="utf-8")
    return replace(bench, strategies=StrategyBook(folder))


def dims(name: Any, *choices: Any) -> dict[str, Any]:
    return {"dims": [{"name": name, "choices": list(choices)}]}


MINING, SEARCH, SWEEPING, WINDOWS = DISCOVERY_CALLS

DISCOVERY_ROWS: list[Row] = [
    (MINING, "bad_inputs", {"target": "fwd_ret_5"}, as_it_is),
    (MINING, "bad_inputs", {**MINE, "inputs": []}, as_it_is),
    (MINING, "bad_inputs", {**MINE, "inputs": "close"}, as_it_is),
    (MINING, "bad_inputs", {**MINE, "inputs": ["close", "close"]}, as_it_is),
    (MINING, "bad_inputs", {**MINE, "inputs": ["close", "fwd_ret_1"]}, as_it_is),
    (MINING, "bad_inputs", {**MINE, "inputs": ["industry"]}, as_it_is),
    (MINING, "unknown_feature", {**MINE, "inputs": ["close", "colse"]}, as_it_is),
    (MINING, "bad_target", {"inputs": ["close"]}, as_it_is),
    (MINING, "bad_target", {**MINE, "target": "close"}, as_it_is),
    (MINING, "bad_target", {**MINE, "target": "fwd_ret_99"}, as_it_is),
    (MINING, "bad_max_depth", {**MINE, "max_depth": 1}, as_it_is),
    (MINING, "bad_max_depth", {**MINE, "max_depth": 7}, as_it_is),
    (MINING, "bad_n_candidates", {**MINE, "n_candidates": 0}, as_it_is),
    (MINING, "bad_n_candidates", {**MINE, "n_candidates": 2001}, as_it_is),
    (MINING, "bad_objective", {**MINE, "objective": "sharpe"}, as_it_is),
    (MINING, "bad_spec", MINE, on_the_last_day),
    (MINING, "no_feature_store", MINE, without_features),
    (MINING, "damaged_state", {**MINE, "inputs": ["peek"]}, with_python_features),
    (MINING, "damaged_state", MINE, damaged),
    (MINING, "damaged_state", MINE, with_damaged_default),
    (SEARCH, "bad_pool", {}, as_it_is),
    (SEARCH, "bad_pool", {"pool": [FEATURE, FEATURE]}, as_it_is),
    (SEARCH, "bad_pool", {"pool": [FEATURE, "fwd_ret_5"]}, as_it_is),
    (SEARCH, "unknown_feature", {"pool": [FEATURE, "../close"]}, as_it_is),
    (SEARCH, "bad_method", {**SELECT, "method": "genetic"}, as_it_is),
    (SEARCH, "bad_max_features", {**SELECT, "max_features": 0}, as_it_is),
    (SEARCH, "bad_min_features", {**SELECT, "min_features": 13}, as_it_is),
    (SEARCH, "bad_min_features", {**SELECT, "min_features": 3, "max_features": 2}, as_it_is),
    (SEARCH, "bad_min_features", {**SELECT, "min_features": 4}, as_it_is),
    (SEARCH, "bad_objective", {**SELECT, "objective": "|rank_ic|"}, as_it_is),
    (SEARCH, "bad_spec", SELECT, on_the_last_day),
    (
        SEARCH,
        "bad_spec",
        {"pool": [f"f{n}" for n in range(12)], "method": "exhaustive", "max_features": 12},
        as_it_is,
    ),
    (SEARCH, "no_feature_store", SELECT, without_features),
    (SEARCH, "damaged_state", SELECT, with_damaged_default),
    (SEARCH, "damaged_state", SELECT, with_strange_default),
    (SEARCH, "damaged_state", {"pool": ["peek"]}, with_python_features),
    (SWEEPING, "bad_dims", {}, as_it_is),
    (SWEEPING, "bad_dims", {"dims": []}, as_it_is),
    (SWEEPING, "bad_dims", dims("alpha"), as_it_is),
    (SWEEPING, "bad_dims", dims("alpha", 1, 1.0), as_it_is),
    (SWEEPING, "bad_dims", dims("alpha", -1), as_it_is),
    (SWEEPING, "bad_dims", dims("alpha", "large"), as_it_is),
    (SWEEPING, "bad_dims", dims("alpha", [FEATURE]), as_it_is),
    (SWEEPING, "bad_dims", dims("train_bars", 100.5), as_it_is),
    (SWEEPING, "bad_dims", dims("features", 1), as_it_is),
    (SWEEPING, "bad_dims", dims("features", ["fwd_ret_5"]), as_it_is),
    (SWEEPING, "bad_dims", {"dims": [*SWEEP["dims"], *SWEEP["dims"]]}, as_it_is),
    (SWEEPING, "bad_dim_name", dims("num_leaves", 3), as_it_is),
    (SWEEPING, "bad_dim_name", dims("../alpha", 3), as_it_is),
    (SWEEPING, "bad_dim_name", {"dims": [{"choices": [1]}]}, as_it_is),
    (SWEEPING, "unknown_feature", dims("features", [FEATURE], ["no-such"]), as_it_is),
    (SWEEPING, "bad_method", {**SWEEP, "method": "bayes"}, as_it_is),
    (SWEEPING, "bad_max_configs", {**SWEEP, "max_configs": 257}, as_it_is),
    (SWEEPING, "bad_max_configs", {**SWEEP, "max_configs": 1}, as_it_is),
    (SWEEPING, "bad_n_random", {**SWEEP, "n_random": 0, "method": "random"}, as_it_is),
    (SWEEPING, "bad_n_random", {**SWEEP, "n_random": 2}, as_it_is),
    (SWEEPING, "bad_n_random", {**SWEEP, "n_random": 9, "max_configs": 8, "method": "random"}, as_it_is),
    (SWEEPING, "bad_objective", {**SWEEP, "objective": "pnl"}, as_it_is),
    (SWEEPING, "bad_spec", SWEEP, on_the_last_day),
    (SWEEPING, "bad_spec", dims("train_bars", 90_000), as_it_is),
    (SWEEPING, "no_feature_store", SWEEP, without_features),
    (SWEEPING, "damaged_state", SWEEP, with_damaged_default),
    (SWEEPING, "damaged_state", dims("features", ["peek"]), with_python_features),
    (WINDOWS, "bad_pre_windows", {**EVENTS, "pre_windows": []}, as_it_is),
    (WINDOWS, "bad_pre_windows", {**EVENTS, "pre_windows": ["-5d"]}, as_it_is),
    (WINDOWS, "bad_pre_windows", {**EVENTS, "pre_windows": ["1mo"]}, as_it_is),
    (WINDOWS, "bad_pre_windows", {**EVENTS, "pre_windows": ["1d", "24h"]}, as_it_is),
    (WINDOWS, "bad_pre_windows", {**EVENTS, "pre_windows": ["999999999w"]}, as_it_is),
    (WINDOWS, "bad_post_windows", {**EVENTS, "post_windows": [5]}, as_it_is),
    (WINDOWS, "bad_post_windows", {**EVENTS, "post_windows": ["5 m"]}, as_it_is),
    (WINDOWS, "bad_reductions", {**EVENTS, "reductions": ["median"]}, as_it_is),
    (WINDOWS, "bad_reductions", {**EVENTS, "reductions": ["count", "count"]}, as_it_is),
    (WINDOWS, "bad_target", {**EVENTS, "target": "volume"}, as_it_is),
    (WINDOWS, "bad_max_candidates", {**EVENTS, "max_candidates": 0}, as_it_is),
    (WINDOWS, "bad_min_events", {**EVENTS, "min_events": -1}, as_it_is),
    (WINDOWS, "cross_product_too_large", {**EVENTS, "max_candidates": 1}, as_it_is),
    (WINDOWS, "bad_spec", {**EVENTS, "events": "earnings"}, as_it_is),
    (WINDOWS, "bad_spec", {**EVENTS, "bars": "minutes"}, as_it_is),
    (WINDOWS, "bad_spec", {**EVENTS, "bars": "hours"}, as_it_is),
    (WINDOWS, "bad_spec", EVENTS, without_events),
    (WINDOWS, "bad_spec", EVENTS, on_the_last_day),
    (WINDOWS, "no_data", EVENTS, without_features),
    (WINDOWS, "damaged_state", EVENTS, damaged),
]
