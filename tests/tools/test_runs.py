"""Runs and certificates as callers of tools see them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assay.base import Operator
from assay.config import PeriodPlan
from assay.judge import JudgeSettings, Recording, judge
from assay.ledger import Ledger
from assay.market import Panel
from assay.tools import Caller, Ok
from assay.tools.builtin import SearchView, Workbench, builtin_registry

QUICK = JudgeSettings(robustness="off", leak_checks="off", bootstrap=0, shuffles=2, neutral=False)


def result(bench: Workbench, caller: Caller, tool: str, **arguments):
    outcome = builtin_registry(bench).call(tool, arguments, caller)
    assert isinstance(outcome, Ok), outcome
    return outcome.result


def judged(ledger: Ledger, market: Panel, plan: PeriodPlan, formula: str, period: str) -> str:
    """Judge a formula on a period of a data set, recorded as the judge does it; gives the content hash."""
    recording = Recording(ledger, Operator.human())
    settings = replace(QUICK, period=period, allow_hidden=period != "search")
    (verdict,) = judge([formula], market, settings, plan=plan, recording=recording)
    return str(verdict.certificate["content_hash"])


def test_a_run_is_told_by_state_and_counts(ledger: Ledger, view: SearchView, caller: Caller) -> None:
    for number in range(25):
        run = ledger.run(f"r-{number}")
        run.start("desk" if number % 2 else "campaign", caller.operator, "c", {"data:sim": "d"})
        run.append("refusal", {"reason": "x", "message": "y"})
        if number:
            run.stop("finished", unrecorded=number)
    bench = Workbench(view=view, ledger=ledger)
    first = result(bench, caller, "run.list")
    assert (len(first["rows"]), first["total"], first["next_offset"]) == (20, 25, 20)
    assert first["rows"][0] == {"run": "r-0", "desk": "campaign", "data": ["sim"], "state": "open"}
    rest = result(bench, caller, "run.list", offset=20)
    assert ([row["run"] for row in rest["rows"]], rest["next_offset"]) == (
        [f"r-{n}" for n in range(20, 25)],
        None,
    )
    assert result(bench, caller, "run.list", desk="desk")["total"] == 12
    told = result(bench, caller, "run.status", run="r-3")
    assert (told["state"], told["unrecorded"]) == ("finished", 3)
    assert {row["kind"]: row["records"] for row in told["records"]}["refusal"] == 1
    assert "look" not in json.dumps(told)


def test_a_certificate_on_the_search_period_is_told_whole(ledger, market, plan, view, caller) -> None:
    name = judged(ledger, market, plan, "-ts_return(close, 5)", "search")
    bench = Workbench(view=view, ledger=ledger)
    (row,) = result(bench, caller, "certificate.list")["rows"]
    told = result(bench, caller, "certificate.get", certificate=name)
    assert {key: told[key] for key in row} == row
    assert row["certificate"] == name
    assert told["expression"] == "-ts_return(close, 5)"
    assert told["simulated"] is True
    assert {item["name"] for item in told["figures"]} >= {"rank_ic", "t", "days"}
    assert told["trials"] == 1
    assert told["criteria"]


def test_a_certificate_on_hidden_dates_does_not_exist(ledger, market, plan, view, caller) -> None:
    hidden = judged(ledger, market, plan, "rank(volume)", "score")
    bench = Workbench(view=view, ledger=ledger)
    assert result(bench, caller, "certificate.list") == {"rows": [], "total": 0, "next_offset": None}
    outcome = builtin_registry(bench).call("certificate.get", {"certificate": hidden}, caller)
    unknown = builtin_registry(bench).call("certificate.get", {"certificate": f"sha256:{'0' * 64}"}, caller)
    assert outcome == unknown


def test_a_certificate_of_a_wider_search_period_does_not_exist(ledger, market, plan, caller) -> None:
    judged(ledger, market, plan, "rank(volume)", "search")
    earlier = plan.search._replace(end=market.dates[120].item())
    narrow = SearchView.of(market, PeriodPlan(search=earlier, score=plan.score, eval=plan.eval))
    assert result(Workbench(view=narrow, ledger=ledger), caller, "certificate.list")["total"] == 0


@pytest.mark.parametrize("tool", ["certificate.list", "run.list"])
def test_pages_end(ledger, view, caller, tool: str) -> None:
    told = result(Workbench(view=view, ledger=ledger), caller, tool, limit=1)
    assert told == {"rows": [], "total": 0, "next_offset": None}
