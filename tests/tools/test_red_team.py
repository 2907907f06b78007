"""Nothing that a tool says, in a result, an error or a schema, names a hidden date or a place on the disk.

Every tool is walked with every argument turned hostile, on a stored data set with a plan, with a ledger that
knows looks, with parts of the workbench missing, and with parts that break or that carry dates themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.base import Operator
from assay.config import PeriodPlan, init_workspace
from assay.discovery import discovery_tools
from assay.expr import FieldInfo
from assay.ledger import Ledger, TrialKey
from assay.market import Panel, open_panel, write_dataset
from assay.notes import NoteStore
from assay.tools import Caller, Registry, Toolbox
from assay.tools.builtin import (
    LedgerZoo,
    PanelJudge,
    SearchView,
    Workbench,
    builtin_registry,
    builtin_tools,
    search_features,
)
from assay.tools.builtin._zoo import ZooFactor

from ..discovery.discovery_cases import DISCOVERY_CALLS
from .conftest import AGENT
from .feature_cases import FEATURE_CALLS, with_python_features
from .note_cases import NOTE_CALLS, note_store, with_damaged_note


def whole_registry(bench: Workbench) -> Registry:
    """The built-in tools and those of discovery, guarded."""
    tools = (*builtin_tools(bench), *discovery_tools(bench))
    return Registry(tools, guard=None if bench.view is None else bench.view.guard)


def spellings(day: date) -> tuple[str, ...]:
    return (
        day.isoformat(),
        f"{day:%Y%m%d}",
        f"{day:%Y/%m/%d}",
        f"{day.year}/{day.month}/{day.day}",
        f"{day:%Y.%m.%d}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day:%Y-%m}",
    )


def hidden_days(panel: Panel, plan: PeriodPlan) -> list[date]:
    """Every trading day that the plan hides, those of the embargo and the bounds of the periods included."""
    days = [day.item() for day in panel.dates]
    found = [day for day in days if day > plan.search.end or plan.hidden(day, day)]
    for name, period in plan.periods():
        if name != "search":
            found += [period.start, period.end]
    return found


class Needles:
    """What must not be seen: in text, and as a number."""

    def __init__(self, panel: Panel, plan: PeriodPlan, folder: Path) -> None:
        shown = {text for day in panel.dates if plan.search.start <= day.item() <= plan.search.end
                 for text in spellings(day.item())}  # fmt: skip
        hidden = {text for day in hidden_days(panel, plan) for text in spellings(day)}
        self.texts = [*sorted(hidden - shown), str(folder)]

        self.starts = {needle[:4] for needle in self.texts}

    def check(self, said: Any) -> None:
        text = json.dumps(said, ensure_ascii=False, default=str)
        if not any(start in text for start in self.starts):
            return
        found = [needle for needle in self.texts if needle in text]
        assert not found, (found, text[:500])


@pytest.fixture(params=["all periods", "a late search and no eval"])
def stored(request, market: Panel, plan: PeriodPlan, tmp_path: Path) -> tuple[Panel, PeriodPlan]:
    if request.param != "all periods":
        search = plan.search._replace(start=market.dates[60].item())
        plan = PeriodPlan(search=search, score=plan.score, embargo_bars=21)
    workspace = init_workspace(tmp_path / "desk", plans={"sim": plan})
    write_dataset(market.data, workspace.data_dir / "sim")
    return open_panel(workspace.data_dir / "sim"), plan


def ledger_with_looks(folder: Path, plan: PeriodPlan, data: str) -> Ledger:
    ledger = Ledger.create(folder)
    assert plan.score is not None
    ledger.charge_look(
        "score",
        (plan.score.start, plan.score.end),
        data=data,
        budget=5,
        key=TrialKey("f", "c"),
        operator=Operator.human(),
    )
    ledger.append("seal", {"data": data, "period": "eval", "end": str(plan.score.end)})
    return ledger


class BrokenJudge:
    """Breaks while it names what must not be named."""

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def evaluate(self, expression, horizon, caller):
        raise OSError(f"cannot read rows until {self.secret}")


class TalkativeZoo:
    """Holds factors whose names and texts name dates."""

    def __init__(self, secrets: list[str]) -> None:
        self.secrets = secrets

    def factors(self):
        return [
            ZooFactor(name, f"# {text}\nclose", "core", text, "admitted")
            for text in self.secrets
            for name in (f"best to {text}", f"x{text}", f"hid-{text}", f"fit_{text[:4]}")
        ]


def benches(panel: Panel, plan: PeriodPlan, folder: Path) -> Iterator[Workbench]:
    view = SearchView.of(panel, plan)
    secrets = [text for day in hidden_days(panel, plan)[-3:] for text in spellings(day)]
    ledger = ledger_with_looks(folder / "ledger", plan, view.data_key)
    whole = Workbench.of(view, ledger, notes=talkative_notes(secrets))
    yield whole
    for part in ("judge", "ledger", "zoo", "features", "notes"):
        yield replace(whole, **{part: None})
    yield replace(whole, judge=BrokenJudge(secrets[0]), zoo=TalkativeZoo(secrets))
    dated = SearchView.of(with_dated_fields(panel, secrets[0]), plan)
    yield replace(whole, view=dated, features=search_features(dated))
    yield with_damaged_note(with_python_features(whole))


def talkative_notes(secrets: list[str]) -> NoteStore:
    """A note that was published after the search period and tells of days in it."""
    return note_store("\n".join(f"until {text}: x{text}" for text in secrets))


def with_dated_fields(panel: Panel, secret: str) -> Panel:
    """A data set whose descriptions say how far it goes."""
    data = panel.data
    infos = {
        name: FieldInfo(
            name, info.kind, info.exponent, info.unit, f"{info.description}, known until {secret}"
        )
        for name, info in data.infos.items()
    }
    return Panel(replace(data, infos=infos))


def hostile_values(panel: Panel, plan: PeriodPlan) -> list[Any]:
    dates = [
        text for day in (hidden_days(panel, plan)[0], hidden_days(panel, plan)[-1]) for text in spellings(day)
    ]
    formulas = [f'close + "{text}"' for text in dates] + [f"ts_mean(close, {text})" for text in dates]
    return [
        *dates,
        *formulas,
        f"close[{dates[0]}]",
        f"`{dates[0]}`",
        f"${dates[0]}",
        "../../data/sim/manifest.json",
        "/etc/passwd",
        "data\\sim",
        "file:///desk/data",
        "",
        "x" * 5000,
        "close\x00",
        "delay(close, -5)",
        "ts_mean(close, 100000)",
        "rank(" * 40 + "close" + ")" * 40,
        "close",
        "industry",
        10**30,
        -1,
        0,
        60,
        2.5,
        1e308,
        True,
        None,
        [],
        [dates[0]],
        {},
        {dates[0]: dates[0]},
    ]


def calls(tool, values: list[Any]) -> Iterator[Any]:
    base = {"expression": "rank(close)"} if "expression" in tool.arguments.model_fields else {}
    base |= (FEATURE_CALLS | NOTE_CALLS | DISCOVERY_CALLS).get(tool.id, {})
    names = [*tool.arguments.model_fields, "as_of", "until", "period", "path", "data"]
    for value in values:
        for name in names:
            yield {**base, name: value}
        if isinstance(value, str):
            yield {**base, value: value}
            yield value
            yield json.dumps({**base, "expression": value, "dialect": "fastexpr"})


def test_no_result_error_or_schema_names_a_hidden_date(stored, tmp_path, caller: Caller) -> None:
    panel, plan = stored
    needles = Needles(panel, plan, tmp_path)
    assert len(needles.texts) > 100
    values = hostile_values(panel, plan)
    seen = 0
    for number, bench in enumerate(benches(panel, plan, tmp_path)):
        tried = values if number == 0 else values[number::4]  # what is missing or talks is walked by sample
        registry = whole_registry(bench)
        needles.check([spec.as_dict() for spec in Toolbox(registry, caller).specs()])
        for tool in registry.tools():
            needles.check([tool.input_schema, tool.output_schema, [str(reason) for reason in tool.reasons]])
            for sent in calls(tool, tried):
                needles.check(registry.call(tool.id, sent, caller).as_dict())
                seen += 1
            for value in tried:
                if isinstance(value, str):
                    needles.check(registry.call(value, {}, caller).as_dict())
                    needles.check(registry.call(f"{tool.id}.{value}", {}, caller).as_dict())
    assert seen > 5000


def test_the_tools_are_right_without_the_guard_too(stored, tmp_path, caller: Caller) -> None:
    """What a tool itself says of data, scores and counts; texts that others wrote are the guard's part."""
    panel, plan = stored
    view = SearchView.of(panel, plan)
    ledger = ledger_with_looks(tmp_path / "ledger", plan, view.data_key)
    registry = Registry(builtin_tools(Workbench(view, PanelJudge(view), ledger, LedgerZoo(ledger))))
    needles = Needles(panel, plan, tmp_path)
    for tool in registry.tools():
        for expression in ("rank(close)", "industry", "nothing", "ts_mean(close, 500)", "delay(close, -1)"):
            for horizon in (1, 60):
                sent = {"expression": expression, "horizon": horizon}
                wanted = {key: item for key, item in sent.items() if key in tool.arguments.model_fields}
                needles.check(registry.call(tool.id, wanted, caller).as_dict())


def test_searches_are_right_without_the_guard_too(stored, tmp_path, caller: Caller) -> None:
    panel, plan = stored
    view = SearchView.of(panel, plan)
    ledger = ledger_with_looks(tmp_path / "ledger", plan, view.data_key)
    registry = Registry(discovery_tools(Workbench.of(view, ledger)))
    needles = Needles(panel, plan, tmp_path)
    for tool, sent in DISCOVERY_CALLS.items():
        for more in ({}, {"bars": "minutes"}, {"target": "fwd_ret_20"}, {"objective": "sharpe"}):
            wanted = {
                **sent,
                **{key: item for key, item in more.items() if key in _arguments(registry, tool)},
            }
            needles.check(registry.call(tool, wanted, caller).as_dict())


def _arguments(registry: Registry, name: str) -> set[str]:
    return set(next(tool for tool in registry.tools() if tool.id == name).arguments.model_fields)


def test_counts_say_nothing_of_looks(stored, tmp_path, caller: Caller) -> None:
    panel, plan = stored
    view = SearchView.of(panel, plan)
    ledger = ledger_with_looks(tmp_path / "ledger", plan, view.data_key)
    outcome = builtin_registry(Workbench(view=view, ledger=ledger)).call("ledger.counts", {}, caller)
    said = outcome.as_dict()
    assert said["reason"] == "incomplete_scope"
    assert "look" not in json.dumps(said)
    assert said["detail"] == {}


def test_the_needles_find_what_is_there(market: Panel, plan: PeriodPlan, tmp_path: Path) -> None:
    needles = Needles(market, plan, tmp_path)
    assert plan.eval is not None
    for said in ({"end": str(plan.eval.end)}, [f"{plan.eval.end:%Y%m%d}"], {str(tmp_path): 1}):
        with pytest.raises(AssertionError):
            needles.check(said)
    needles.check({"end": str(plan.search.end), "path": "data/sim"})
    assert np.datetime64(plan.search.end) in market.dates


def test_the_zoo_tells_of_no_later_year(stored, tmp_path, caller: Caller) -> None:
    panel, plan = stored
    late = [f"{name}{plan.clock.year + 1}" for name in ("hid-", "x", "eval_")]
    bench = Workbench(view=SearchView.of(panel, plan), zoo=TalkativeZoo(late))
    said = json.dumps(builtin_registry(bench).call("zoo.list", {"limit": 100}, caller).as_dict())
    assert str(plan.clock.year + 1) not in said


def test_an_admission_on_hidden_dates_tells_no_more_than_that_the_factor_is_in_the_zoo(
    stored, tmp_path, caller: Caller
) -> None:
    panel, plan = stored
    assert plan.score is not None
    ledger = Ledger.create(tmp_path / "ledger")
    body = {
        "certificate": "c" * 64, "admitted": True, "name": "reversal", "fingerprint": "f" * 64,
        "config_hash": "a" * 64, "expression": "-ts_return(close, 5)", "dialect": "core", "data": panel.name,
        "checks": [{"name": "t", "outcome": "passed", "detail": f"t 3.1 to {plan.score.end}"}],
        "operator": Operator.human("owner").as_dict(), "period": "eval",
    }  # fmt: skip
    ledger.append("admission", body)
    gone = {"certificate": "c" * 64, "name": "reversal", "reason": f"fell in {plan.score.end}"}
    ledger.append("retirement", {**gone, "operator": Operator.human("owner").as_dict()})
    bench = Workbench(view=SearchView.of(panel, plan), zoo=LedgerZoo(ledger))
    answer = builtin_registry(bench).call("zoo.list", {}, caller).as_dict()
    assert answer["result"]["rows"] == [
        {"name": "reversal", "expression": "-ts_return(close, 5)", "dialect": "core", "fingerprint": "f" * 64,
         "status": "retired"}
    ]  # fmt: skip


def test_people_are_told_dates(market: Panel, plan: PeriodPlan) -> None:
    assert plan.eval is not None
    view = SearchView.of(market, plan)
    bench = Workbench(view=view, zoo=TalkativeZoo([str(plan.eval.end)]))
    said = [
        json.dumps(builtin_registry(bench).call("zoo.list", {}, Caller(who)).as_dict())
        for who in (Operator.human(), AGENT)
    ]
    assert [str(plan.eval.end) in text for text in said] == [True, False]
