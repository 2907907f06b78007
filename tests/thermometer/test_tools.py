"""``thermometer.latest``: its reasons, its clock, and that it tells of no hidden date."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from assay.config import PeriodPlan, init_workspace, propose_plan
from assay.market import Panel, simulate, write_dataset
from assay.mcp import surface
from assay.thermometer import (
    PrintStore,
    make_print,
    simulated_components,
    thermometer_tools,
    workspace_prints,
)
from assay.tools import Caller, Ok, Outcome, Refused, Registry
from assay.tools.builtin import SearchView

from ..tools.conftest import AGENT
from ..tools.test_red_team import Needles, calls, hostile_values
from .thermometer_cases import THERMOMETER_ROWS, store_in


@pytest.fixture(scope="module")
def market() -> Panel:
    return simulate(instruments=20, days=420)


@pytest.fixture(scope="module")
def plan(market: Panel) -> PeriodPlan:
    return propose_plan(market.dates, (5, 20))


def call(store: PrintStore | None, plan: PeriodPlan | None = None) -> Outcome:
    clock = None if plan is None else plan.clock
    return Registry(thermometer_tools(store, clock)).call("thermometer.latest", {}, Caller(AGENT))


@pytest.mark.parametrize(("reason", "make"), THERMOMETER_ROWS)
def test_each_reason_is_reached(
    reason: str, make: Callable[[Path], PrintStore | None], plan: PeriodPlan, tmp_path: Path
) -> None:
    outcome = call(make(tmp_path), plan)
    assert isinstance(outcome, Refused)
    assert (outcome.reason, bool(outcome.message), bool(outcome.fix)) == (reason, True, True)
    assert str(tmp_path) not in json.dumps(outcome.as_dict())


def test_no_reason_is_left_out() -> None:
    (tool,) = thermometer_tools(None)
    assert tool.codes == {reason for reason, _ in THERMOMETER_ROWS}
    assert tool.reserved == ()


def test_it_gives_the_print_with_all_that_it_rests_on(plan: PeriodPlan, tmp_path: Path) -> None:
    store = store_in(tmp_path)
    day = plan.clock - timedelta(days=3)
    added = store.add(make_print(simulated_components(), day))
    outcome = call(store, plan)
    assert isinstance(outcome, Ok)
    assert (outcome.result["name"], outcome.result["age_days"]) == (added.name, 3)
    said = outcome.result["print"]
    assert said == added.print.model_dump(mode="json")
    assert said["simulated"] is True
    assert {"verdict", "heat", "axes", "freshness", "components", "methodology_hash"} < set(said)
    assert set(said["axes"]["demand"]) >= {"diffusion", "agreement", "dispersion"}
    assert all(item["source"] and item["series_hash"] for item in said["components"])
    (tool,) = thermometer_tools(store)
    tool.result.model_validate_json(json.dumps(outcome.result))


def test_an_agent_gets_the_latest_as_of_the_clock_and_a_person_the_latest(
    plan: PeriodPlan, tmp_path: Path
) -> None:
    store = store_in(tmp_path)
    days = [plan.clock - timedelta(days=30), plan.clock, plan.clock + timedelta(days=1)]
    for day in days:
        store.add(make_print(simulated_components(), day))
    seen = {}
    for told in (plan, None):
        outcome = call(store, told)
        assert isinstance(outcome, Ok)
        seen[told is None] = outcome.result["print"]["as_of"]
    assert seen == {False: days[1].isoformat(), True: days[2].isoformat()}


def test_the_guard_leaves_a_print_of_an_open_day_whole(
    market: Panel, plan: PeriodPlan, tmp_path: Path
) -> None:
    store = store_in(tmp_path)
    store.add(make_print(simulated_components(), plan.clock))
    tools = thermometer_tools(store, plan.clock)
    guarded = Registry(tools, guard=SearchView.of(market, plan).guard)
    assert guarded.call("thermometer.latest", {}, Caller(AGENT)) == call(store, plan)


def test_the_surface_serves_the_prints_of_its_workspace(
    market: Panel, plan: PeriodPlan, tmp_path: Path
) -> None:
    workspace = init_workspace(tmp_path / "desk", plans={"sim": plan})
    write_dataset(market.data, workspace.data_dir / "sim")
    registry = surface(workspace, workspace.data_dir / "sim")
    before = registry.call("thermometer.latest", {}, Caller(AGENT))
    assert isinstance(before, Refused)
    assert before.reason == "no_thermometer_print"
    for day in (plan.clock, plan.clock + timedelta(days=1)):
        workspace_prints(workspace).add(make_print(simulated_components(), day))
    after = registry.call("thermometer.latest", {}, Caller(AGENT))
    assert isinstance(after, Ok)
    assert (after.result["print"]["as_of"], after.result["age_days"]) == (plan.clock.isoformat(), 0)


def test_no_hidden_date_and_no_place_is_named(market: Panel, plan: PeriodPlan, tmp_path: Path) -> None:
    """Walked with hostile arguments, with prints before and after the clock, whole and damaged; no guard."""
    needles = Needles(market, plan, tmp_path)
    values = hostile_values(market, plan)
    assert plan.eval is not None
    store = store_in(tmp_path)
    seen = 0
    for day in (None, plan.eval.end, plan.clock, "damage"):
        if day == "damage":
            for file in store.folder.iterdir():
                file.write_text(f"until {plan.eval.end}")
        elif day is not None:
            store.add(make_print(simulated_components(), day))
        for known in (None, store):
            tools = thermometer_tools(known, plan.clock)
            for guard in (None, SearchView.of(market, plan).guard):
                registry = Registry(tools, guard=guard)
                for sent in ({}, *calls(tools[0], values)):
                    needles.check(registry.call("thermometer.latest", sent, Caller(AGENT)).as_dict())
                    seen += 1
    assert seen > 2000
