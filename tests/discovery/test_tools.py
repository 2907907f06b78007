"""The table of (tool, reason) of discovery: every pair is reached, and nothing else is; and what is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.discovery import discovery_tools
from assay.ledger import Ledger
from assay.models import StrategyBook
from assay.tools import COMMON, Caller, Ok, Refused, Registry
from assay.tools.builtin import Workbench

from ..tools.conftest import AGENT
from ..tools.feature_cases import as_it_is
from .discovery_cases import DISCOVERY_CALLS, DISCOVERY_ROWS, MINING

CALLER = Caller(AGENT)


def registry_of(bench: Workbench) -> Registry:
    return Registry(discovery_tools(bench), guard=None if bench.view is None else bench.view.guard)


@pytest.mark.parametrize(
    ("tool", "reason", "arguments", "change"),
    DISCOVERY_ROWS,
    ids=[f"{tool} {reason} {json.dumps(sent)[:40]}" for tool, reason, sent, _ in DISCOVERY_ROWS],
)
def test_each_declared_pair_is_reached(tool, reason, arguments, change, bench: Workbench) -> None:
    face = registry_of(change(bench)).call(tool, arguments, CALLER).face()
    assert isinstance(face, Refused), face
    assert face.reason == reason
    assert face.message
    assert face.fix


def test_no_pair_is_left_out_and_none_is_made_up() -> None:
    reached = {(tool, reason) for tool, reason, _, _ in DISCOVERY_ROWS}
    declared = {(row.tool, row.reason.code) for row in registry_of(Workbench()).reasons()}
    assert declared == reached


def test_a_refused_call_is_no_trial(bench: Workbench, ledger: Ledger) -> None:
    for tool, _, arguments, change in DISCOVERY_ROWS:
        if change is as_it_is:
            registry_of(bench).call(tool, arguments, CALLER)
    assert list(ledger.entries(kind="trial")) == []


@pytest.mark.parametrize("tool", DISCOVERY_CALLS)
def test_a_search_is_told_and_a_repeat_adds_no_trial(tool: str, bench: Workbench, ledger: Ledger) -> None:
    first = _told(bench, tool)
    assert first["evaluated"] >= 2
    assert [row["rank"] for row in first["rows"]] == list(range(1, len(first["rows"]) + 1))
    assert first["n"] == first["evaluated"]
    keys = {(entry.body["fingerprint"], entry.body["config_hash"]) for entry in ledger.entries(kind="trial")}
    for row in first["rows"]:
        source = row["report"]["provenance"]
        assert (source["fingerprint"], source["config_hash"]) in keys
    assert _told(bench, tool) == first


@pytest.mark.parametrize("tool", DISCOVERY_CALLS)
def test_trials_are_on_the_disk_before_they_are_told(tool: str, bench: Workbench, monkeypatch) -> None:
    """A ledger that cannot be written to keeps the figures back."""

    def full(*args: Any, **kwargs: Any) -> Any:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(Ledger, "append_many", full)
    outcome = registry_of(bench).call(tool, DISCOVERY_CALLS[tool], CALLER)
    assert not isinstance(outcome, Ok)


def test_trials_belong_to_the_callers_run(bench: Workbench, ledger: Ledger) -> None:
    ledger.run("agent-1").start("agent", Operator.human(), "c", {})
    outcome = registry_of(bench).call(MINING, DISCOVERY_CALLS[MINING], Caller(AGENT, run="agent-1"))
    assert isinstance(outcome, Ok)
    assert {entry.run for entry in ledger.entries(kind="trial")} == {"agent-1"}
    assert ledger.run("agent-1").state().open


def test_the_operator_sets_model_folds_and_seed(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "ridge_default.toml").write_text(
        'target = "fwd_ret_1"\nseed = 9\n\n[cv]\ntrain_bars = 60\n', encoding="utf-8"
    )
    set_by = replace(bench, strategies=StrategyBook(tmp_path))
    for tool in ("discovery.factor_mining", "discovery.feature_search", "discovery.sweep"):
        report = _told(set_by, tool)["rows"][0]["report"]
        assert report["provenance"]["seed"] == 9
        assert report["target"] == ("fwd_ret_5" if tool == MINING else "fwd_ret_1")


def test_the_bounds_are_published() -> None:
    schemas = {tool.id: tool.input_schema["properties"] for tool in registry_of(Workbench()).tools()}
    mining = schemas["discovery.factor_mining"]
    assert (mining["max_depth"]["minimum"], mining["max_depth"]["maximum"]) == (2, 6)
    assert mining["n_candidates"]["maximum"] == 2000
    assert mining["objective"]["enum"] == ["|rank_ic|", "signed"]
    events = schemas["discovery.event_window_search"]
    assert events["pre_windows"]["items"]["pattern"].startswith("^")
    assert schemas["discovery.sweep"]["max_configs"]["maximum"] == 256


def test_codes_that_other_tools_have_mean_the_same() -> None:
    from assay.mcp import bare_surface

    meant = {reason.code: reason.summary for reason in COMMON}
    for row in bare_surface().reasons():
        if row.tool.startswith(("discovery.", "features.", "data.", "backtest.")):
            assert meant.setdefault(row.reason.code, row.reason.summary) == row.reason.summary


def _told(bench: Workbench, tool: str) -> dict[str, Any]:
    outcome = registry_of(bench).call(tool, DISCOVERY_CALLS[tool], CALLER)
    assert isinstance(outcome, Ok), outcome
    return outcome.result
