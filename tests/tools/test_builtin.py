from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.base import Operator
from assay.config import DateRange, PeriodPlan
from assay.errors import Refusal
from assay.expr import parse
from assay.ledger import Ledger
from assay.market import Panel
from assay.tools import Caller, Ok
from assay.tools.builtin import PanelJudge, SearchView, Workbench, builtin_registry


def result(bench: Workbench, caller: Caller, tool: str, **arguments):
    outcome = builtin_registry(bench).call(tool, arguments, caller)
    assert isinstance(outcome, Ok), outcome
    return outcome.result


def with_nonsense_after_search(market: Panel, plan: PeriodPlan) -> Panel:
    """The same market with other numbers from the day after ``search`` on."""
    data = market.data
    late = data.dates > np.datetime64(plan.search.end)
    fields = {name: values.copy() for name, values in data.fields.items()}
    rng = np.random.default_rng(1)
    for values in fields.values():
        values[late] *= rng.uniform(0.5, 2.0, values[late].shape).astype(np.float32)
    return Panel(replace(data, fields=fields))


@pytest.mark.parametrize(
    "formula", ["-ts_return(close, 5)", "rank(ts_mean(volume, 20))", "group_rank(close, industry)"]
)
def test_what_comes_after_search_changes_no_score(formula, market, plan, view, caller) -> None:
    other = SearchView.of(with_nonsense_after_search(market, plan), plan)
    late = slice(view.panel.shape[0], None)
    assert not np.array_equal(market.field("close")[late], other.panel.data.fields["close"][late])
    expression = parse(formula, fields=view.panel.fields)
    scores = [PanelJudge(seen).evaluate(expression, 5, caller) for seen in (view, other)]
    assert scores[0] == scores[1]
    assert scores[0].days > 100


def test_the_view_ends_with_search(view: SearchView, plan: PeriodPlan) -> None:
    assert view.panel.dates[-1] == np.datetime64(plan.search.end)
    assert view.allows(plan.search.end)
    assert plan.score is not None
    assert plan.eval is not None
    for day in (plan.score.start, plan.eval.end):
        assert not view.allows(day)


def test_hidden_days_before_search_are_not_in_the_view_either(market, plan) -> None:
    turned = PeriodPlan(search=plan.eval, score=plan.search, embargo_bars=plan.embargo_bars)
    view = SearchView.of(market, turned)
    assert view.panel.dates[0] > np.datetime64(plan.search.end)
    assert not view.allows(plan.search.end)
    assert view.allows(plan.eval.start)


def test_a_universe_has_to_exist(market, plan) -> None:
    assert SearchView.of(market, plan, universe="index_a").universe == "index_a"
    with pytest.raises(Refusal):
        SearchView.of(market, plan, universe="nothing")


def test_the_score_is_that_of_the_judge(market, plan, view, bench, caller) -> None:
    from assay.judge import JudgeSettings, judge

    told = result(bench, caller, "factor.evaluate", expression="-ts_return(close, 5)", horizon=5)
    settings = JudgeSettings(start=plan.search.start, end=plan.search.end)
    summary = judge("-ts_return(close, 5)", market, settings)[0].summary
    assert told["rank_ic"] == round(summary["rank_ic"], 4)
    assert told["t"] == round(summary["t"], 2)
    assert told["days"] == summary["days"]
    assert set(told) == {
        "fingerprint", "horizon", "rank_ic", "rank_icir", "t", "turnover", "coverage", "days", "warnings",
    }  # fmt: skip


def test_an_evaluation_is_a_trial_of_the_caller_and_a_repeat_adds_none(bench, ledger, caller) -> None:
    for formula, horizon, n in (("close", 5, 1), ("close", 5, 1), ("close", 6, 2), ("-close", 5, 3)):
        result(bench, caller, "factor.evaluate", expression=formula, horizon=horizon)
        assert result(bench, caller, "ledger.counts")["trials"] == n
    trial = next(iter(ledger.entries(kind="trial")))
    assert trial.body["desk"] == "tools"
    (start,) = ledger.entries(kind="run_start", run=trial.run)
    assert start.body["operator"] == caller.operator.as_dict()


def test_an_evaluation_within_a_run_is_the_runs(bench, ledger, caller) -> None:
    run = ledger.run("r-1")
    run.start("desk", caller.operator, "c", {"data:sim": "x"})
    result(bench, replace(caller, run="r-1"), "factor.evaluate", expression="close")
    assert [entry.run for entry in ledger.entries(kind="trial")] == ["r-1"]


def test_what_is_refused_is_no_trial(bench, ledger, caller) -> None:
    for sent in ({"expression": "rank("}, {"expression": "industry"}, {"expression": "close", "horizon": 0}):
        builtin_registry(bench).call("factor.evaluate", sent, caller)
    result(bench, caller, "expression.check", expression="close")
    assert list(ledger.entries(kind="trial")) == []


def test_a_figure_that_is_not_defined_is_missing(bench, caller) -> None:
    told = result(bench, caller, "factor.evaluate", expression="close * 0")
    assert told["rank_ic"] is None
    assert told["days"] == 0


def test_a_horizon_longer_than_the_data_is_refused(market, caller) -> None:
    search = DateRange(market.dates[0].item(), market.dates[30].item())
    short = SearchView.of(market, PeriodPlan(search=search))
    with pytest.raises(Refusal) as caught:
        PanelJudge(short).evaluate(parse("close"), 40, caller)
    assert caught.value.reason.code == "bad_horizon"


def test_a_formula_is_checked_without_being_refused(bench, caller) -> None:
    told = result(bench, caller, "expression.check", expression="rank(clsoe)")
    assert (told["ok"], told["level"]) == (False, "typed")
    assert told["error"]["code"] == "unknown_field"
    assert told["error"]["did_you_mean"] == ["close"]
    good = result(bench, caller, "expression.check", expression="rank(close / ts_mean(close, 20))")
    assert (good["ok"], good["lookback"]) == (True, 20)


def test_a_formula_is_explained(bench, caller) -> None:
    told = result(bench, caller, "expression.explain", expression="$close/Ref($close,5)-1", dialect="qlib")
    assert told["lookback"] == 6
    assert [row["name"] for row in told["fields"]] == ["close"]
    level = result(bench, caller, "expression.explain", expression="close + volume")
    assert level["adjustment"]["invariant"] is not True
    assert level["adjustment"]["breaks_at"]


def test_the_data_is_described_as_the_view_has_it(bench, view, plan, caller) -> None:
    told = result(bench, caller, "data.describe")
    assert told["last_date"] == str(plan.search.end)
    assert told["days"] == view.days < 420
    assert told["simulated"] is True
    assert {"close", "volume"} <= {row["name"] for row in told["fields"]}


def admit(ledger: Ledger, name: str, *, admitted: bool = True) -> None:
    body = {
        "name": name,
        "fingerprint": name * 2,
        "config_hash": "c",
        "expression": f"rank({name})",
        "dialect": "core",
        "data": "sim",
        "certificate": name * 64,
        "checks": [{"name": "late until 2031-01-01", "outcome": "passed"}],
        "operator": Operator.human().as_dict(),
    }
    ledger.append("admission", {**body, "admitted": admitted})


def test_the_zoo_is_what_was_admitted(ledger, bench, caller) -> None:
    admit(ledger, "a")
    admit(ledger, "b", admitted=False)
    admit(ledger, "c")
    gone = {"name": "c", "certificate": "c" * 64, "reason": "decayed", "operator": Operator.human().as_dict()}
    ledger.append("retirement", gone)
    first = result(bench, caller, "zoo.list", limit=1)
    assert (first["total"], first["next_offset"]) == (2, 1)
    assert first["rows"] == [
        {"name": "a", "expression": "rank(a)", "dialect": "core", "fingerprint": "aa", "status": "admitted"}
    ]
    rest = result(bench, caller, "zoo.list", offset=1)
    assert [(row["name"], row["status"]) for row in rest["rows"]] == [("c", "retired")]
    assert rest["next_offset"] is None


def test_trials_are_counted_by_data_set(ledger, bench, view, caller) -> None:
    def trial(number: int, data: str):
        keys = ("expression", "universe", "period", "bars", "sharpe", "series", "desk")
        body = {"fingerprint": str(number), "config_hash": "c", "data": data, "control": False}
        ledger.append("trial", {**body, **dict.fromkeys(keys)})

    trial(1, view.data_key)
    trial(1, view.data_key)
    trial(2, view.data_key)
    trial(3, "another")
    assert result(bench, caller, "ledger.counts")["trials"] == 2
    assert result(bench, caller, "ledger.counts", scope="workspace")["trials"] == 3
