"""Plausible arguments of discovery: an answer of the schema or a declared refusal, never a failure."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.discovery import discovery_tools
from assay.market import simulate
from assay.tools import Caller, Failed, Ok, Registry
from assay.tools.builtin import SearchView, Workbench, search_features

from ..tools.conftest import AGENT
from .conftest import propose_plan

quiet = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)
# fmt: off
PANEL = (
    "close",
    "volume",
    "amount",
    "is_st",
    "suspended",
    "factor",
    "raw_close",
    "equity",
    "turn",
    "returns",
)
OTHERS = (
    "industry",
    "market",
    "event_score",
    "fwd_ret_5",
    "classic-reversal-5",
    "classic-beta-60",
    "nothing",
)
NAMES = st.sampled_from((*PANEL, *OTHERS))
TARGETS = st.sampled_from(("fwd_ret_1", "fwd_ret_5", "fwd_ret_20", "close"))
OBJECTIVES = st.sampled_from(("rank_ic", "ic", "rank_icir", "t", "sharpe"))
NUMBERS = st.one_of(
    st.integers(-3, 400), st.floats(-1e6, 1e6, allow_nan=False), st.booleans(), st.just(10**12)
)
DURATIONS = st.sampled_from(("0m", "1s", "5m", "1h", "1d", "36h", "2w", "520w", "0w", "1d1d"))

MINE = st.fixed_dictionaries(
    {"inputs": st.lists(NAMES, min_size=1, max_size=5), "target": TARGETS},
    optional={
        "max_depth": st.integers(2, 6),
        "n_candidates": st.integers(1, 12),
        "objective": st.sampled_from(("|rank_ic|", "signed")),
    },
)
SELECT = st.fixed_dictionaries(
    {"pool": st.lists(NAMES, min_size=1, max_size=4)},
    optional={
        "method": st.sampled_from(("greedy", "exhaustive")),
        "min_features": st.integers(1, 4),
        "max_features": st.integers(1, 4),
        "objective": OBJECTIVES,
    },
)
SETTINGS = ("alpha", "train_bars", "test_bars", "step_bars", "embargo_bars", "expanding", "features", "seed")
DIMS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(SETTINGS),
        "choices": st.lists(
            st.one_of(NUMBERS, st.lists(NAMES, min_size=1, max_size=3)), min_size=1, max_size=3
        ),
    }
)
SWEEP = st.fixed_dictionaries(
    {"dims": st.lists(DIMS, min_size=1, max_size=2)},
    optional={
        "method": st.sampled_from(("grid", "random")),
        "n_random": st.integers(1, 8),
        "max_configs": st.integers(1, 16),
        "objective": OBJECTIVES,
    },
)
EVENTS = st.fixed_dictionaries(
    {
        "pre_windows": st.lists(DURATIONS, min_size=1, max_size=3),
        "post_windows": st.lists(DURATIONS, min_size=1, max_size=2),
        "reductions": st.lists(
            st.sampled_from(("indicator", "count", "mean_score", "time_since_last")), min_size=1, max_size=4
        ),
    },
    optional={
        "target": TARGETS,
        "min_events": st.integers(1, 400),
        "max_candidates": st.integers(1, 256),
        "bars": st.sampled_from(("daily", "minutes")),
    },
)


@pytest.fixture(scope="session")
def registry() -> Registry:
    panel = simulate(3, instruments=30, days=400, minutes=220)
    view = SearchView.of(panel, propose_plan(panel.dates, (5, 20)))
    assert view.panel.minutes() is not None
    return Registry(discovery_tools(Workbench(view=view, features=search_features(view))), guard=view.guard)


@pytest.mark.parametrize(
    ("tool", "sent"),
    [
        ("discovery.factor_mining", MINE),
        ("discovery.feature_search", SELECT),
        ("discovery.sweep", SWEEP),
        ("discovery.event_window_search", EVENTS),
    ],
    ids=["mine", "select", "sweep", "events"],
)
def test_whatever_is_plausible_is_answered(registry: Registry, tool: str, sent: Any) -> None:
    shape = next(item for item in registry.tools() if item.id == tool)
    output = Draft202012Validator(shape.output_schema)
    worked = 0

    @quiet
    @given(arguments=sent)
    def call(arguments: dict[str, Any]) -> None:
        nonlocal worked
        outcome = registry.call(tool, arguments, Caller(AGENT))
        face = outcome.face()
        assert not isinstance(face, Failed), (arguments, face)
        if isinstance(outcome, Ok):
            worked += 1
            output.validate(outcome.result)
            assert len(outcome.result["rows"]) <= 20
        else:
            assert face.reason in shape.codes, (arguments, face)  # type: ignore[union-attr]

    call()
    assert worked > 2
