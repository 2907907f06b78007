"""``assay brain mutate | optimize | results | plan``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
WEAK = "rank(ts_delta(close, 5))"
GOOD = "-ts_delta(close, 5)"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from assay.market import simulate, write_dataset

    folder = tmp_path_factory.mktemp("brain") / "small"
    write_dataset(simulate(7, instruments=120, days=1100, name="small").data, folder)
    return folder


@pytest.fixture
def place(run: Run, data: Path, tmp_path: Path) -> Path:
    """A workspace in the current folder with one data set, whose last 100 days are held."""
    from assay.config import init_workspace

    init_workspace(tmp_path)
    with (tmp_path / "assay.toml").open("a") as file:
        file.write("\n[brain.simulator]\nheld_days = 100\n")
    (tmp_path / "data" / "small").symlink_to(data, target_is_directory=True)
    return tmp_path


def optimized(run: Run, *more: str) -> Any:
    start = ("--neutralization", "INDUSTRY", "--truncation", "0.05")
    return run("brain", "optimize", GOOD, "--local", *start, "--budget", "10", "--sampler", "local", *more)


def test_mutations_answer_what_the_figures_say(run: Run) -> None:
    done = run("brain", "mutate", WEAK, "--figures", "sharpe=-1.6,fitness=-1.2,turnover=0.8", "--max", "3")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "fail wrong_sign: Sharpe -1.60: good enough with the other sign"
    assert lines[1] == "     may help: flip"
    assert [line.split()[0] for line in lines[-3:]] == ["flip", "decay_up", "ts_decay_linear"]
    assert lines[-3].split(maxsplit=1)[1].strip() == "-rank(ts_delta(close, 5))"
    assert "decay=10" in lines[-2]


def test_mutations_as_json_have_whole_settings(run: Run) -> None:
    done = run("brain", "mutate", WEAK, "--decay", "3", "--max", "40", "--json")
    assert done.code == 0
    assert done.data["findings"] == []
    made = done.data["proposals"]
    assert len({(p["fingerprint"], json.dumps(p["settings"])) for p in made}) == len(made) == 40
    assert {p["settings"]["decay"] for p in made if p["rule"] == "decay_up"} <= {5, 10, 22, 44}
    assert {p["settings"]["decay"] for p in made if p["rule"] == "decay_down"} <= {2, 1, 0}


def test_fields_and_choices_of_a_data_set(run: Run, place: Path) -> None:
    done = run("brain", "mutate", WEAK, "--local", "--max", "200", "--json")
    assert done.code == 0
    names = {p["settings"]["neutralization"] for p in done.data["proposals"]}
    assert {"SECTOR", "INDUSTRY"} <= names
    assert run("brain", "mutate", "rank(no_such_field)", "--local").code == 2


def test_fields_that_nobody_listed_are_taken_as_they_are(run: Run) -> None:
    done = run("brain", "mutate", "rank(fnd6_newfield)", "--max", "2", "--json")
    assert done.data["proposals"][0]["expression"] == "-rank(fnd6_newfield)"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rank(close"], "is not closed"),
        ([], "nothing to mutate"),
        ([WEAK, "--figures", "sharp=1"], "'sharp=1' is no figure"),
        ([WEAK, "--figures", "sharpe=much"], "'sharpe=much' is no figure"),
        ([WEAK, "--figures", "sharpe=nan"], "'sharpe=nan' is no figure"),
        ([WEAK, "--data", "x"], "a data set is for --local"),
        ([WEAK, "--result", "A1"], "a stored result has its own expression"),
        (["--result", "A1"], "results are kept in a workspace"),
        ([WEAK, "--region", "USA", "--decay", "600"], "less than or equal to 512"),
    ],
)
def test_bad_input_of_mutate_is_named(run: Run, arguments: list[str], words: str) -> None:
    done = run("brain", "mutate", *arguments)
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_settings_are_optimised_results_kept_and_trials_recorded(run: Run, place: Path) -> None:
    done = optimized(run, "--run", "first", "--json")
    assert done.code == 0
    found = done.data
    assert (found["simulations"], found["budget"]) == (10, 10)
    assert found["stop"] == "the budget of 10 simulations is spent"
    settings = [json.dumps(item["settings"]) for item in found["tested"]]
    assert len(set(settings)) == len(settings) == 10
    assert found["best"] in found["tested"]
    assert found["best"]["score"] == max(item["score"] for item in found["tested"])
    assert len(list((place / "brain").glob("account/*/account.sqlite"))) == 1
    listed = run("brain", "results", "list", "--run", "first", "--limit", "100", "--json").data
    assert listed["count"] == 10
    assert {item["settings.universe"] for item in listed["results"]} == {"TOP3000"}
    trials = run("ledger", "show", "--kind", "trial", "--json")
    assert len(trials.out.splitlines()) >= 10
    again = optimized(run, "--run", "second", "--json")
    assert again.data["best"] == found["best"]
    assert run("brain", "results", "list", "--json").data["count"] == 10


def test_an_alpha_is_held_to_its_years_its_sub_universe_and_small_changes(run: Run, place: Path) -> None:
    done = run("brain", "stability", GOOD, "--local", "--json")
    assert done.code == 0, done.err
    found = done.data
    assert len(found["years"]) >= 2
    assert found["sub_universe"]["name"] == "LOW_SUB_UNIVERSE_SHARPE"
    assert {"decay_up", "neutralization"} <= {item["rule"] for item in found["changes"]}
    for item in found["changes"]:
        assert item["kept"] == pytest.approx(item["sharpe"] / found["sharpe"])
    trials = run("ledger", "show", "--kind", "trial", "--json").out.splitlines()
    shown = run("brain", "stability", GOOD, "--local")
    assert shown.code == 0, shown.err
    assert "have the sign of the whole" in shown.out
    assert f"the weakest of {len(found['changes'])} keeps {found['weakest']:.0%}" in shown.out
    # the second time the results were known
    assert len(run("ledger", "show", "--kind", "trial", "--json").out.splitlines()) == len(trials)
    refused = run("brain", "stability", "rank(clse)", "--local")
    assert (refused.code, "clse" in refused.err) == (2, True)


def test_a_finished_run_is_not_begun_again(run: Run, place: Path) -> None:
    assert optimized(run, "--run", "one").code == 0
    done = optimized(run, "--run", "one")
    assert done.code == 2
    assert "run" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rank(closed)", "--local"], "closed"),
        ([GOOD, "--local", "--neutralization", "NOBODY"], "neutralization"),
        ([GOOD, "--local", "--goal", "luck"], "use fitness, sharpe"),
        ([GOOD, "--local", "--sampler", "luck"], "use auto, optuna, local"),
        ([GOOD, "--local", "--budget", "0"], "budget"),
        ([GOOD], "BRAIN_USERNAME"),
    ],
)
def test_bad_input_of_optimize_is_named(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.delenv("BRAIN_USERNAME", raising=False)
    monkeypatch.delenv("BRAIN_PASSWORD", raising=False)
    done = run("brain", "optimize", *arguments)
    assert done.code in (2, 3)
    assert words in done.err
    assert "Traceback" not in done.err
    assert not (place / "brain" / "results.sqlite").exists()


def test_results_are_listed_shown_exported_and_summed_up(run: Run, place: Path, tmp_path: Path) -> None:
    assert run("brain", "results", "list").out == "0 results\n"
    assert run("brain", "results", "summary").out == "no results yet\n"
    optimized(run, "--run", "first")
    passing = run("brain", "results", "list", "--passing", "--json").data["results"]
    assert passing
    assert all(item["sharpe"] >= 1.25 and item["fitness"] >= 1 and not item["failing"] for item in passing)
    order = [item["sharpe"] for item in passing]
    assert order == sorted(order, reverse=True)
    best = passing[0]
    for name in (best["alpha"], f"first/{best['job']}"):
        shown = run("brain", "results", "show", name, "--json").data
        assert shown["sharpe"] == best["sharpe"]
        assert "LOW_SHARPE" in {check["name"] for check in shown["checks"]}
    assert best["alpha"] in run("brain", "results", "show", best["alpha"]).out
    rows = list(csv.DictReader(io.StringIO(run("brain", "results", "export").out)))
    assert len(rows) == 10
    assert len(run("brain", "results", "export", "--json").data) == 10
    target = tmp_path / "out.json"
    assert run("brain", "results", "export", "--to", str(target), "--passing").code == 0
    assert [item["alpha"] for item in json.loads(target.read_text())] == [i["alpha"] for i in passing]
    (total,) = run("brain", "results", "summary", "--json").data
    assert (total["total"], total["completed"], total["runs"]) == (10, 10, 1)
    groups = run("brain", "results", "summary", "--by", "neutralization", "--json").data
    assert sum(group["total"] for group in groups) == 10
    assert "groups of 10 results" in run("brain", "results", "summary", "--by", "decay").out
    mutated = run("brain", "mutate", "--result", best["alpha"], "--json")
    assert mutated.code == 0
    assert mutated.data["proposals"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "nothing"], "there is no result of 'nothing'"),
        (["list", "--status", "half"], "use completed, failed"),
        (["list", "--order", "luck"], "'luck' is not a choice"),
        (["summary", "--by", "luck"], "use direction"),
        (["export", "--to", "x.txt"], "end it in .csv or .json"),
        (["set-aside"], "no results to put aside"),
    ],
)
def test_bad_input_of_results_is_named(run: Run, place: Path, arguments: list[str], words: str) -> None:
    done = run("brain", "results", *arguments)
    assert done.code == 2
    assert words in done.err


def test_results_of_two_markets_say_which_is_whose(run: Run, place: Path) -> None:
    from assay.market import simulate, write_dataset

    write_dataset(simulate(5, instruments=40, days=700, name="other").data, place / "data" / "other")
    for name in ("small", "other"):
        assert run("brain", "simulate", GOOD, "--local", "--data", name).code == 0
    assert "local:" not in run("brain", "results", "list", "--platform", "local:small").out
    lines = run("brain", "results", "list").out.splitlines()
    assert lines[0].startswith("platform")
    assert {line.split()[0] for line in lines[1:3]} == {"local:small", "local:other"}


def test_a_damaged_store_is_put_aside_and_never_overwritten(run: Run, place: Path) -> None:
    path = place / "brain" / "results.sqlite"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"only words" * 200)
    done = run("brain", "results", "list")
    assert done.code == 2
    assert "damaged" in done.err
    assert "set-aside" in done.err
    assert optimized(run).code == 2
    assert path.read_bytes() == b"only words" * 200
    assert run("brain", "results", "set-aside").out.startswith("results.sqlite is now results.aside-1.sqlite")
    assert (place / "brain" / "results.aside-1.sqlite").read_bytes() == b"only words" * 200
    assert run("brain", "results", "list").out == "0 results\n"


def test_a_plan_says_what_to_submit_and_why_not_the_rest(run: Run, place: Path) -> None:
    empty = run("brain", "plan", "--local", "--json")
    assert empty.code == 0
    assert (empty.data["steps"], empty.data["excluded"]) == ([], [])
    optimized(run, "--run", "first")
    done = run("brain", "plan", "--local", "--json")
    assert done.code == 0
    plan = done.data
    assert plan["simulated"] is True
    assert plan["exact"] is True
    assert plan["steps"]
    assert plan["value"] >= plan["greedy"]
    assert {item["why"] for item in plan["excluded"]} <= {"failing", "planned"}
    assert len(plan["steps"]) + len(plan["excluded"]) == 10
    shown = run("brain", "plan", "--local")
    assert "no plan is worth more" in shown.out
    one = run("brain", "plan", "--local", "--cap", "1", "--days", "1", "--weight", "count", "--json").data
    assert len(one["steps"]) == 1
    assert run("brain", "plan", "--local", "--weight", "luck").code == 2


def test_outside_a_workspace_nothing_is_kept(run: Run, data: Path, tmp_path: Path) -> None:
    done = run("brain", "optimize", GOOD, "--local", "--data", str(data), "--budget", "2", "--json")
    assert done.code == 0, done.err
    assert "not in a workspace" in done.err
    assert list(tmp_path.iterdir()) == []
