"""``campaign.status``: what the report of a run says, without its dates, texts and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.base import Operator
from assay.campaign import campaign_report, campaign_tools
from assay.ledger import Ledger
from assay.tools import Caller, Ok, Outcome, Refused, Registry

from . import desk

CALLER = Caller(Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "small-1"))


def status(ledger: Ledger | None, runs: Path | None, **arguments: object) -> Outcome:
    return Registry(campaign_tools(ledger, runs)).call("campaign.status", arguments, CALLER).face()


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> desk.Place:
    made = desk.Place(tmp_path_factory.mktemp("status") / "w")
    made.root.mkdir()
    made.campaign(made.setup(desk.config(roles=desk.ALL_MODELS))).run()
    return made


def test_it_tells_what_the_report_tells(place: desk.Place) -> None:
    found = campaign_report(place.ledger(), place.runs, desk.RUN)
    outcome = status(place.ledger(), place.runs, run=desk.RUN)
    assert isinstance(outcome, Ok), outcome
    told = outcome.result
    assert (told["run"], told["state"], told["data"]) == (desk.RUN, "finished", "fake")
    assert told["funnel"]["evaluated"] == found.funnel.evaluated > 0
    assert len(told["zoo"]) == found.funnel.admitted > 0
    assert found.best is not None
    assert told["best"]["fingerprint"] == found.best.fingerprint
    assert told["calls"] == sum(cost.calls for cost in found.costs) > 0
    assert {row["reason"] for row in told["refusals"]} == {row.reason for row in found.refusals}


def test_it_names_no_place_and_no_time(place: desk.Place) -> None:
    outcome = status(place.ledger(), place.runs, run=desk.RUN)
    assert isinstance(outcome, Ok)
    said = json.dumps(outcome.result)
    found = campaign_report(place.ledger(), place.runs, desk.RUN)
    assert all(needle not in said for needle in (str(place.root), found.started[:10], found.digest))


def test_a_run_of_another_desk_and_a_damaged_ledger_are_refused(place: desk.Place, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.run("other").start("judge", Operator.human(), "c", {})
    for run in ("one", "two"):
        ledger.run(run).start("campaign", Operator.human(), "c", {})
    for arguments, reason in (
        ({}, "missing_run"),
        ({"run": "../ledger"}, "bad_run"),
        ({"run": "none"}, "unknown_run"),
        ({"run": "other"}, "not_a_campaign"),
    ):
        outcome = status(ledger, tmp_path, **arguments)
        assert isinstance(outcome, Refused)
        assert (outcome.reason, "assay " in outcome.fix) == (reason, False)
    without = status(None, None, run="one")
    assert isinstance(without, Refused)
    assert without.reason == "no_ledger"
    log = tmp_path / "ledger" / "ledger.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"run":"one"', b'"run":"own"'))
    damaged = status(Ledger.open(tmp_path / "ledger"), tmp_path, run="one")
    assert isinstance(damaged, Refused)
    assert damaged.reason == "damaged_state"
