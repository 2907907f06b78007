from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.base import Operator
from assay.campaign import accept, monitor, zoo_values
from assay.config import DataSettings, Workspace, load_workspace
from assay.engine import evaluate
from assay.errors import DataError, Refusal
from assay.expr import parse
from assay.judge import JudgeSettings, Thresholds, judge, panel_fields
from assay.ledger import Ledger, Scope
from assay.library import Member, Zoo, admit
from assay.market import Panel, open_panel, rewrite_dataset

from .accepted import RUN, desk

ADA, CRON = Operator.human("ada"), Operator.system("cron")


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Factors are in the zoo; 100 bars came after the end of ``eval``, which reaches over them."""
    root = tmp_path_factory.mktemp("desk")
    accept(desk(root), RUN, ADA, confirmed=True)
    return root


@pytest.fixture
def here(accepted: Path, tmp_path: Path) -> Workspace:
    shutil.copytree(accepted, tmp_path / "desk")
    return load_workspace(tmp_path / "desk")


def parts(workspace: Workspace) -> tuple[Ledger, tuple[Member, ...], Panel, DataSettings]:
    ledger = Ledger.open(workspace.ledger_dir)
    return (
        ledger, Zoo.read(ledger).members(), open_panel(workspace.data_dir / "toy"), workspace.settings("toy"),
    )  # fmt: skip


def count(ledger: Ledger, kind: str) -> int:
    return sum(1 for _ in ledger.entries(kind=kind))


def test_values_are_those_of_bars_up_to_the_date(here: Workspace) -> None:
    ledger, members, panel, own = parts(here)
    day = panel.dates[300].item()
    end = ledger.end()
    found = zoo_values(ledger, members, panel, day, own, CRON)
    assert (found.day, found.hidden) == (day, ())
    assert set(found.values) == {member.name for member in members}
    view = panel.between(None, day)
    for member in members:
        node = parse(str(member.expression), fields=panel_fields(panel)).node
        whole = evaluate({"x": node}, view, universe=view.universe("all"))["x"][-1]
        at = [panel.instruments.index(name) for name in found.instruments]
        assert np.array_equal(found.values[member.name], whole[at], equal_nan=True)
    assert ledger.end() == end, "an open date leaves no record"


def test_a_day_without_trading_has_the_bar_before_it(here: Workspace) -> None:
    ledger, members, panel, own = parts(here)
    saturday = next(
        panel.dates[k].item() + timedelta(days=1)
        for k in range(100, 200)
        if panel.dates[k + 1] - panel.dates[k] > np.timedelta64(1, "D")
    )
    found = zoo_values(ledger, members, panel, saturday, own, ADA)
    assert found.day == saturday - timedelta(days=1)
    for day, words in ((date(1990, 1, 1), "later date"), (date(2090, 1, 1), "update the data")):
        with pytest.raises(DataError) as wrong:
            zoo_values(ledger, members, panel, day, own, ADA)
        assert words in str(wrong.value.fix)


def test_values_of_a_hidden_date_want_a_persons_word_and_leave_a_record(here: Workspace) -> None:
    ledger, members, panel, own = parts(here)
    last = panel.dates[-1].item()  # after the end of eval, which is the latest period
    end, looks = ledger.end(), count(ledger, "look")
    for operator, confirmed, reason in ((ADA, False, "values_closed"), (CRON, True, "humans_only")):
        with pytest.raises(Refusal) as refused:
            zoo_values(ledger, members, panel, last, own, operator, confirmed=confirmed)
        assert refused.value.reason.code == reason
        assert str(last) not in refused.value.message
    assert ledger.end() == end
    found = zoo_values(ledger, members, panel, last, own, ADA, confirmed=True)
    assert found.hidden == ("eval",)
    *_, entry = ledger.entries(kind="provenance")
    assert entry.body["details"] == {
        "event": "values read", "date": str(last), "hidden": ["eval"], "factors": list(found.values),
    }  # fmt: skip
    assert count(ledger, "look") == looks, "no return was read"


def test_factors_that_have_no_value_here_are_named(here: Workspace) -> None:
    ledger, members, panel, own = parts(here)
    bare = replace(members[0], name="bare", expression=None, dialect=None)
    odd = replace(members[0], name="odd", expression="rank(book_value)")
    found = zoo_values(ledger, [bare, odd, members[0]], panel, panel.dates[300].item(), own, ADA)
    assert set(found.values) == {members[0].name}
    assert "no formula" in found.left_out["bare"]
    assert "book_value" in found.left_out["odd"]


def test_new_days_are_read_once_and_cost_a_look_each(here: Workspace) -> None:
    ledger, members, panel, own = parts(here)
    looks, trials, n = count(ledger, "look"), count(ledger, "trial"), ledger.trials(Scope(data="toy")).n
    with pytest.raises(Refusal) as refused:
        monitor(ledger, members, panel, own, ADA)
    assert refused.value.reason.code == "hidden_period"
    with pytest.raises(Refusal) as refused:
        monitor(ledger, members, panel, own, CRON, confirmed=True)
    assert refused.value.reason.code == "humans_only"
    assert count(ledger, "look") == looks
    found = monitor(ledger, members, panel, own, ADA, confirmed=True)
    assert [item.name for item in found] == [member.name for member in members]
    assert count(ledger, "look") == looks + len(members)
    # recorded as controls: nothing is chosen by a reading, so it makes no discovery of later dearer
    assert count(ledger, "trial") == trials + len(members)
    assert ledger.trials(Scope(data="toy")).n == n
    for item in found:
        assert item.watch is not None
        assert item.followed is not None
        assert item.read
        assert item.followed.first == panel.dates[600].item()
        assert item.followed.last == panel.dates[-1 - 6].item()  # the last day with a label of 5 bars
        assert item.followed.days == 94
    end = ledger.end()
    again = monitor(ledger, members, panel, own, CRON)
    assert ledger.end() == end, "nothing new: it is served from the record"
    assert [item.followed for item in again] == [item.followed for item in found]
    assert not any(item.read for item in again)


def test_it_is_the_judges_rank_ic_against_the_frozen_rule(here: Workspace) -> None:
    ledger, members, panel, own = parts(here)
    (item, *_) = monitor(ledger, members[:1], panel, own, ADA, confirmed=True)
    memory = Panel(panel.data)
    settings = JudgeSettings(
        horizon=5, start=panel.dates[600].item(), min_names=30, robustness="off", leak_checks="off"
    )
    (verdict,) = judge(str(members[0].expression), memory, settings)
    expected = verdict.series["rank_ic"]
    assert item.followed is not None
    assert item.followed.mean == pytest.approx(float(np.nanmean(expected)), abs=1e-9)
    assert item.watch == members[0].watch


def test_a_factor_that_turned_alarms_and_the_alarm_stands(here: Workspace) -> None:
    """The bars after ``eval`` are made anew: names fall where the factor is high."""
    ledger, members, _, own = parts(here)
    folder = here.data_dir / "toy"
    rewrite_dataset(folder, lambda old: _reversed(old, str(members[0].expression)))
    panel = open_panel(folder)
    before = Zoo.read(ledger).get(members[0].name)
    (item,) = monitor(ledger, members[:1], panel, own, ADA, confirmed=True)
    assert item.followed is not None
    assert item.followed.mean < 0
    assert item.followed.health == "alarm"
    assert item.followed.alarm is not None
    (again,) = monitor(ledger, members[:1], panel, own, ADA)
    assert again.followed == item.followed
    assert Zoo.read(ledger).get(members[0].name) == before, "nothing is fitted anew, nothing retired"


def _reversed(data: Any, text: str) -> Any:
    """Prices from row 595 on that fall where the factor is high."""
    panel = Panel(data)
    node = parse(text, fields=panel_fields(panel)).node
    values = evaluate({"x": node}, panel, universe=panel.universe("all"))["x"]
    order = np.argsort(np.argsort(np.nan_to_num(values), axis=1), axis=1) / values.shape[1] - 0.5
    fields = dict(data.fields)
    factor = np.ones(values.shape, dtype=np.float32)
    drift = np.ones(values.shape[1])
    base = fields.get("factor", factor)
    for row in range(595, len(values)):
        drift = drift * (1 - 0.05 * order[row - 2])
        factor[row] = drift
    # the adjustment factor carries the drift: raw prices, and so limits, are as they were
    return replace(data, fields={**fields, "factor": (base * factor).astype(np.float32)})


def test_what_cannot_be_followed_is_said(here: Workspace) -> None:
    ledger, members, panel, own = parts(here)
    odd = [
        replace(members[0], name="bare", expression=None, dialect=None),
        replace(members[0], name="old", watch=None),
        replace(members[0], name="elsewhere", data="other"),
    ]
    end = ledger.end()
    found = monitor(ledger, odd, panel, own, CRON)
    assert [item.followed for item in found] == [None, None, None]
    for item, words in zip(found, ("no formula", "nothing was frozen", "not on 'toy'"), strict=True):
        assert words in item.note
    early = panel.between(None, panel.dates[603].item())
    (waiting,) = monitor(ledger, members[:1], early, own, CRON)
    assert waiting.followed is not None
    assert waiting.followed.health == "no_data"
    assert ledger.end() == end


def test_a_factor_of_the_open_period_is_followed_without_a_question_where_nothing_is_hidden(
    tmp_path: Path,
) -> None:
    workspace = desk(tmp_path, hidden=False, rounds=1)
    ledger = Ledger.open(workspace.ledger_dir)
    panel, own = open_panel(workspace.data_dir / "toy"), workspace.settings("toy")
    lenient = Thresholds(min_t=None, stable_sign=False, beyond_shuffle=False, min_late_share=None)
    settings = JudgeSettings(horizon=5, end=panel.dates[300].item(), thresholds=lenient)
    (verdict,) = judge("-ts_mean(amount, 5)", panel, settings)
    admit(ledger, verdict.certificate, "small", ADA)
    (item,) = monitor(ledger, Zoo.read(ledger).members(), panel, own, CRON)
    assert item.followed is not None
    assert item.followed.first == panel.dates[301].item()
    assert item.followed.days > 350
    assert count(ledger, "look") == 0
