from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.base import Operator
from assay.config import PeriodPlan, init_workspace, load_workspace, propose_plan
from assay.ledger import TrialKey
from assay.market import Panel, open_panel, simulate, write_dataset

from .recorded import REVERSAL, damage, judged, ledger_of, plan_across_a_holiday, tree

Run = Callable[..., Any]


@pytest.fixture
def plan(desk: Path) -> PeriodPlan:
    found = load_workspace(desk).settings("small").periods
    assert found is not None
    return found


def test_show_counts_looks_against_budgets(run: Run, desk: Path, plan: PeriodPlan) -> None:
    shown = run("periods", "show", "--json").data
    assert [item["data"] for item in shown] == ["small"]
    assert shown[0]["periods"]["search"] == [str(day) for day in plan.search]
    assert shown[0]["looks"] == {"score": {"used": 0, "budget": 200}, "eval": {"used": 0, "budget": 10}}
    assert plan.score is not None
    for number in range(3):
        ledger_of(desk).charge_look(
            "score",
            (plan.score.start, plan.score.end),
            data="small",
            budget=200,
            key=TrialKey(str(number), "c"),
            operator=Operator.human("ada"),
        )
    done = run("periods", "show")
    assert done.code == 0
    assert f"period eval: {plan.eval}" in done.out
    assert "looks at score: 3 of 200 used" in done.out
    assert "looks at eval: 0 of 10 used" in done.out


def test_show_takes_the_name_of_a_data_set(run: Run, desk: Path) -> None:
    assert [item["data"] for item in run("periods", "show", "small", "--json").data] == ["small"]
    other = run("periods", "show", "smal", "--json")
    assert (other.code, other.data["fix"]) == (2, "there are: small")


def test_show_tells_of_data_without_a_plan_and_plans_without_data(run: Run, desk: Path) -> None:
    (desk / "data" / "small").rename(desk / "data" / "other")
    shown = {item["data"]: item for item in run("periods", "show", "--json").data}
    assert shown["small"]["stored"] is False
    assert shown["other"]["periods"] is None
    text = run("periods", "show").out
    assert "no plan: all dates are open" in text
    assert "no data set of this name is stored" in text


def test_show_tells_where_a_plan_does_not_fit(run: Run, desk: Path) -> None:
    plan_across_a_holiday(desk)
    done = run("periods", "show")
    assert done.code == 0
    assert "16 bars lie between 'search' and 'score'; the embargo is 21" in done.out


def sealed_copy(run: Run, to: Path, *more: str) -> Any:
    return run("periods", "seal", "--data", "small", "--to", str(to), *more)


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outside")


def test_a_sealed_workspace_names_no_later_date(
    run: Run, desk: Path, plan: PeriodPlan, outside: Path
) -> None:
    before = tree(desk)
    done = sealed_copy(run, outside / "agent", "--json")
    assert done.code == 0, done.out
    after = tree(desk)
    assert {name for name in after if after[name] != before.get(name)} <= {
        "ledger", "ledger/head", "ledger/ledger.jsonl", "ledger/lock", "ledger/objects.pack", "ledger/torn",
    }  # fmt: skip
    assert_sealed(outside / "agent", plan, open_panel(desk / "data" / "small"))


def assert_sealed(folder: Path, plan: PeriodPlan, whole: Panel) -> None:
    """No byte, name, array or manifest of a folder holds a day after the end of search."""
    end = plan.search.end
    last = whole.dates[-1].item()
    days = [end + timedelta(days=step) for step in range(1, (last - end).days + 400)]
    needles = [
        form.encode()
        for day in days
        for form in (day.isoformat(), day.strftime("%Y%m%d"), day.strftime("%Y/%m/%d"))
    ]
    pattern = re.compile(b"|".join(map(re.escape, needles)))
    numbers = np.array(days, dtype="datetime64[D]").astype("<i8")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    seen = 0
    for path in files:
        assert not pattern.search(path.relative_to(folder).as_posix().encode())
        content = path.read_bytes()
        assert not pattern.search(content), path
        if path.suffix == ".npy":
            seen += _no_later_day(np.load(path), numbers, end)
            wide = np.frombuffer(content[-(len(content) // 8) * 8 :], "<i8")
            assert not np.isin(wide, numbers).any(), path
    assert seen >= 2  # dates and events


def _no_later_day(values: np.ndarray, numbers: np.ndarray, end: Any) -> int:
    parts = [values[name] for name in values.dtype.names] if values.dtype.names else [values]
    found = [part for part in parts if part.dtype.kind == "M"]
    for part in found:
        known = part[~np.isnat(part)].astype("datetime64[D]")
        assert (known <= np.datetime64(end)).all()
    return len(found)


def test_what_is_left_is_what_was_there(run: Run, desk: Path, plan: PeriodPlan, outside: Path) -> None:
    assert sealed_copy(run, outside / "agent").code == 0
    inside = load_workspace(outside / "agent")
    assert inside.default_data == "small"
    settings, own = inside.settings("small"), load_workspace(desk).settings("small")
    assert settings.periods is not None
    assert [name for name, _ in settings.periods.periods()] == ["search"]
    assert settings.periods.search == plan.search
    assert (settings.horizons, settings.lag, settings.fill) == (own.horizons, own.lag, own.fill)
    sealed, whole = (
        open_panel(outside / "agent" / "data" / "small", check_hashes=True),
        open_panel(desk / "data" / "small").between(None, plan.search.end),
    )
    kept = [whole.instruments.index(name) for name in sealed.instruments]
    assert np.array_equal(sealed.raw("close"), whole.raw("close")[:, kept], equal_nan=True)
    assert sealed.universes == whole.universes
    assert sealed.manifest.simulated
    assert sealed.manifest.source.detail == {}
    assert ledger_of(outside / "agent").end().lines == 1


def test_the_sealed_workspace_works(
    run: Run, desk: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sealed_copy(run, outside / "agent").code == 0
    monkeypatch.chdir(outside / "agent")
    shown = run("periods", "show")
    assert shown.code == 0
    assert "score" not in shown.out
    assert run("data", "doctor", "small").code == 0
    assert run("doctor", "--no-network").code == 0
    certificate = judged(outside / "agent" / "data" / "small", REVERSAL)
    assert certificate["body"]["data"]["panel"] == "small"


def test_settings_of_its_own_go_along(run: Run, desk: Path, outside: Path) -> None:
    config = desk / "assay.toml"
    text = config.read_text(encoding="utf-8")
    own = '\n[data.small]\nuniverse = "index_a"\nhorizons = [1, 5]\n\n[data.small.costs]\nbuy_bp = 3.0\n'
    config.write_text(
        text.replace("\n[data.small.periods]", own + "\n[data.small.periods]"), encoding="utf-8"
    )
    assert sealed_copy(run, outside / "agent").code == 0
    settings = load_workspace(outside / "agent").settings("small")
    assert (settings.universe, settings.horizons) == ("index_a", (1, 5))
    assert settings.costs is not None
    assert settings.costs.buy_bp == 3.0


def test_minutes_are_cut_too(run: Run, tmp_path: Path, outside: Path) -> None:
    panel = simulate(3, instruments=40, days=250, minutes=120, name="small")
    plan = propose_plan(panel.dates, (20,))
    init_workspace(tmp_path, plans={"small": plan})
    write_dataset(panel.data, tmp_path / "data" / "small")
    assert sealed_copy(run, outside / "agent").code == 0
    assert_sealed(outside / "agent", plan, panel)
    cut = open_panel(outside / "agent" / "data" / "small")
    assert (cut.minutes() is None) == (panel.dates[-120] > np.datetime64(plan.search.end))


def test_the_seal_is_recorded(run: Run, desk: Path, plan: PeriodPlan, outside: Path) -> None:
    done = sealed_copy(run, outside / "agent", "--by", "ada", "--json")
    (entry,) = ledger_of(desk).entries(kind="seal")
    assert entry.line == done.data["line"]
    assert entry.body["data"] == "small"
    assert entry.body["end"] == str(plan.search.end)
    assert entry.body["plan"] == plan.digest
    assert entry.body["operator"]["identifier"] == "ada"
    assert entry.body["sealed_fingerprint"] == open_panel(outside / "agent/data/small").manifest.fingerprint
    assert str(outside) not in json.dumps(entry.body)


def test_a_name_that_tells_of_a_later_date_stops_it(run: Run, tmp_path: Path, outside: Path) -> None:
    panel = simulate(3, instruments=40, days=300, name="small")
    plan = propose_plan(panel.dates, (20,))
    init_workspace(tmp_path, plans={"small": plan})
    data = panel.data
    group = next(iter(data.groups.values()))
    write_dataset(replace(data, groups={**data.groups, "sectors_2031": group}), tmp_path / "data" / "small")
    done = sealed_copy(run, outside / "agent")
    assert done.code == 2
    assert "sectors_2031" in done.err
    assert not (outside / "agent").exists()
    assert list(outside.iterdir()) == []
    assert list(ledger_of(tmp_path).entries(kind="seal")) == []


def test_what_is_not_sealed(run: Run, desk: Path, outside: Path, market: Path) -> None:
    def told(*arguments: str) -> str:
        done = run("periods", "seal", *arguments)
        assert done.code == 2, done.out
        assert "what to do" in done.err
        return str(done.err)

    there = outside / "there"
    there.mkdir()
    assert "exists already" in told("--data", "small", "--to", str(there))
    (outside / "link").symlink_to(outside / "nowhere")
    assert "exists already" in told("--data", "small", "--to", str(outside / "link"))
    assert "lies in the workspace" in told("--data", "small", "--to", "inside")
    assert "lies in the workspace" in told("--data", "small", "--to", str(desk / "data" / "agent"))
    to = ("--to", str(outside / "agent"))
    assert "did you mean small" in told("--data", "smal", *to)
    assert "there is no data set" in told("--data", "../small", *to)
    assert "not a data set of this workspace" in told("--data", str(market), *to)
    assert "--to" in told("--data", "small")
    config = desk / "assay.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.split("[data.small.periods]")[0], encoding="utf-8")
    assert "no period plan" in told("--data", "small", *to)
    assert not (outside / "agent").exists()


@pytest.mark.parametrize("arguments", [("show",), ("seal", "--data", "small", "--to", "../agent")])
def test_without_a_workspace(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("periods", *arguments)
    assert done.code == 2
    assert "no workspace" in done.err


@pytest.mark.parametrize("command", ["show", "seal"])
def test_a_damaged_ledger(run: Run, desk: Path, outside: Path, command: str) -> None:
    ledger = ledger_of(desk)
    for number in range(3):
        ledger.append("refusal", {"reason": "x", "message": str(number)})
    damage(desk, 3)
    arguments = () if command == "show" else ("--data", "small", "--to", str(outside / "agent"))
    done = run("periods", command, *arguments, "--json")
    assert done.code == 2
    assert done.data["error"] == "ledger_damaged"
    assert done.data["where"] == "line 3"
    assert not (outside / "agent").exists()


class TestSet:
    @pytest.fixture
    def bare(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        assert run("init", "bare").code == 0
        monkeypatch.chdir(tmp_path / "bare")
        assert run("data", "simulate", "toy", "--instruments", "30", "--days", "400").code == 0
        return tmp_path / "bare"

    def test_a_plan_is_written_once(self, run: Run, bare: Path) -> None:
        done = run("periods", "set", "toy", "--json")
        assert done.code == 0, done.err
        shown = run("periods", "show", "--json").data[0]["periods"]
        assert {name: shown[name] for name in ("search", "score", "eval")} == {
            name: done.data[name] for name in ("search", "score", "eval")
        }
        assert shown["problem"] is None
        before = (bare / "assay.toml").read_bytes()
        again = run("periods", "set", "toy")
        assert again.code == 2
        assert "set once" in again.err
        assert (bare / "assay.toml").read_bytes() == before

    def test_ranges_of_ones_own(self, run: Run, bare: Path) -> None:
        done = run("periods", "set", "toy", "--search", "2018-01-02:2018-12-28", "--score", "none",
                   "--eval", "2019-02-11:2019-07-15", "--json")  # fmt: skip
        assert done.code == 0, done.err
        assert done.data == {
            "data": "toy",
            "search": ["2018-01-02", "2018-12-28"],
            "eval": ["2019-02-11", "2019-07-15"],
        }

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            (("--search", "2018-01-02"), "no range of dates"),
            (("--search", "x:y"), "date"),
            (("--search", "2018-01-02:2019-03-01"), "overlaps"),
            (("--eval", "2019-06-03:2019-07-01", "--score", "2018-12-28:2019-06-01"), "embargo"),
        ],
    )
    def test_what_cannot_be_is_refused_and_nothing_written(
        self, run: Run, bare: Path, options: tuple[str, ...], word: str
    ) -> None:
        before = (bare / "assay.toml").read_bytes()
        done = run("periods", "set", "toy", *options)
        assert done.code == 2, done.out
        assert word in done.err
        assert (bare / "assay.toml").read_bytes() == before

    def test_an_unknown_data_set(self, run: Run, bare: Path) -> None:
        done = run("periods", "set", "tyo")
        assert done.code == 2
        assert "toy" in done.err
